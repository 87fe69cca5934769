"""Correlations of attributes with an order, before and after masking, and how far records moved against them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats
from shoal.measures.statistics.paired_columns import PairedTables
from shoal.measures.statistics.weighed_numbers import WeighedNumbers
from shoal.table import Table


@dataclass(frozen=True)
class Standardized:
    """Attributes that vary, less their mean and divided by their deviation in the original, stretch by stretch.

    A cell without a value, and ``*``, count with the mean: they say no more than that. Records count as much as they
    weigh, or one each.
    """

    tables: PairedTables
    names: tuple[str, ...]
    mean: Floats
    deviation: Floats
    weights: Floats | None

    @classmethod
    def of(cls, original: Table, released: Table, weights: Floats | None = None) -> Standardized:
        """Find mean and deviation of each attribute with an order, of records of some weights, or of one each."""
        tables = PairedTables.of(original, released)
        found = {}
        for name in tables.ordered:
            own = WeighedNumbers.of(tables.column(name).own, weights)
            if (spread := own.deviation) > 0:
                found[name] = own.mean, spread
        both = np.array([*found.values()], dtype=np.float64).reshape(-1, 2)
        return cls(tables, tuple(found), both[:, 0], both[:, 1], weights)

    @property
    def total(self) -> float:
        """What all records weigh together."""
        return float(self.tables.original.rows if self.weights is None else self.weights.sum())

    def stretches(self) -> Iterator[tuple[Floats, Floats]]:
        """Give records and what is shown of them, in deviations from the mean of the original."""
        for own, shown in self.tables.stretches(self.names):
            first, second = ((side - self.mean) / self.deviation for side in (own, shown))
            yield np.nan_to_num(first, nan=0.0), np.where(np.isnan(own) | np.isnan(second), 0.0, second)

    def weighed(self) -> Iterator[tuple[Floats, Floats, Floats | None]]:
        """Give the same, and the weights of the records if they have any."""
        start = 0
        for own, shown in self.stretches():
            yield own, shown, None if self.weights is None else self.weights[start : start + len(own)]
            start += len(own)

    def correlations(self) -> tuple[Floats, Floats]:
        """Give the correlations of the original and of the release.

        An attribute that no longer varies is correlated with nothing but itself.
        """
        d, n = len(self.names), self.total
        products, sums = np.zeros((2, d, d)), np.zeros((2, d))
        for *sides, weights in self.weighed():
            for side, rows in enumerate(sides):
                counted = rows if weights is None else rows * weights[:, None]
                products[side] += counted.T @ rows
                sums[side] += counted.sum(axis=0)
        first, second = (
            _correlations(spread - np.outer(total, total) / n) for spread, total in zip(products, sums, strict=True)
        )
        return first, second


def _correlations(spread: Floats) -> Floats:
    """Scale sums of products so that the diagonal is 1; a spread of rounding errors only is none."""
    widths = np.sqrt(np.maximum(np.diag(spread), 0.0))
    still = widths <= 1e-7 * widths.max(initial=0.0)
    scale = np.where(still, 0.0, 1 / np.where(still, 1.0, widths))
    found: Floats = spread * np.outer(scale, scale)
    np.fill_diagonal(found, 1.0)
    return found
