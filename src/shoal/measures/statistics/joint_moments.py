"""Correlations of attributes with an order, before and after masking, and how far records moved against them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats
from shoal.measures.statistics.paired_columns import PairedTables, deviation
from shoal.table import Table


@dataclass(frozen=True)
class Standardized:
    """Attributes that vary, less their mean and divided by their deviation in the original, stretch by stretch.

    A cell without a value, and ``*``, count with the mean: they say no more than that.
    """

    tables: PairedTables
    names: tuple[str, ...]
    mean: Floats
    deviation: Floats

    @classmethod
    def of(cls, original: Table, released: Table) -> Standardized:
        """Find mean and deviation of each attribute with an order."""
        tables = PairedTables.of(original, released)
        found = {}
        for name in tables.ordered:
            own = tables.column(name).own
            spread = deviation(own)
            if spread > 0:
                found[name] = float(np.mean(own[~np.isnan(own)])), spread
        both = np.array([*found.values()], dtype=np.float64).reshape(-1, 2)
        return cls(tables, tuple(found), both[:, 0], both[:, 1])

    def stretches(self) -> Iterator[tuple[Floats, Floats]]:
        """Give records and what is shown of them, in deviations from the mean of the original."""
        for own, shown in self.tables.stretches(self.names):
            first, second = ((side - self.mean) / self.deviation for side in (own, shown))
            yield np.nan_to_num(first, nan=0.0), np.where(np.isnan(own) | np.isnan(second), 0.0, second)

    def correlations(self) -> tuple[Floats, Floats]:
        """Give the correlations of the original and of the release.

        An attribute that no longer varies is correlated with nothing but itself.
        """
        d, n = len(self.names), self.tables.original.rows
        products, sums = np.zeros((2, d, d)), np.zeros((2, d))
        for sides in self.stretches():
            for side, rows in enumerate(sides):
                products[side] += rows.T @ rows
                sums[side] += rows.sum(axis=0)
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
