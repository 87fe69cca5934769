"""Estimate shift: how far weighted means and totals moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Array, Flags, Floats, Integers
from shoal.kernels.grouping import numbered
from shoal.measures import Direction, Score, mean_over_attributes
from shoal.measures.statistics.paired_columns import PairedColumn, PairedTables
from shoal.models.survey_weights import weights_of
from shoal.schema import Role
from shoal.table import Table


@dataclass(frozen=True)
class EstimateShift:
    """The difference between the weighted means of an attribute before and after masking, in standard deviations.

    The mean over attributes with an order, as someone estimates who has the released table and its survey weights;
    without weights all records count alike. A range counts with its middle. ``*`` counts as the mean of what is shown,
    and a cell without a value not at all. The detail gives for each attribute the ``mean`` and the ``total`` before and
    after (``estimates``), and the ``largest`` difference of a mean in any stratum, if the table has strata.

    References
    ----------
    C.-E. Särndal, B. Swensson, J. Wretman: Model Assisted Survey Sampling, Springer 1992,
    doi:10.1007/978-1-4612-4378-6.
    """

    name: ClassVar[str] = "estimate-shift"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def score(self, original: Table, released: Table) -> Score:
        """Compare the estimates of each attribute."""
        tables = PairedTables.of(original, released)
        given = weights_of(original)
        weights = np.ones(original.rows) if given is None else given
        strata = _strata_of(original)
        shifts, estimates, largest = {}, {}, 0.0
        for name in tables.ordered:
            column = tables.column(name)
            before, after = _Side.of(column, weights, before=True), _Side.of(column, weights, before=False)
            spread = before.deviation
            if spread == 0 or not after.weight:
                continue
            shifts[name] = abs(after.mean - before.mean) / spread
            estimates[name] = {"mean": [before.mean, after.mean], "total": [before.total, after.total]}
            if strata is not None:
                largest = max(largest, _largest_within(before, after, strata) / spread)
        detail: dict[str, Any] = {"estimates": estimates, "weighted": given is not None}
        detail |= {} if strata is None else {"largest": largest}
        return mean_over_attributes(self.name, shifts, "no attribute with an order varies and is shown", detail)

    @staticmethod
    def sentence(detail: Mapping[str, Any]) -> str:
        """Name the attribute whose mean moved most."""
        if not detail["per_attribute"]:
            return "There is no attribute of which a mean could be estimated."
        name, moved = max(detail["per_attribute"].items(), key=lambda each: each[1])
        weighted = "weighted " if detail["weighted"] else ""
        return f"Of all {weighted}means that of '{name}' moved most, by {moved:.3g} standard deviations."


@dataclass(frozen=True, eq=False)
class _Side:
    """The numbers of a column that count, with their weights, and what all that may count weigh together."""

    numbers: Floats
    weights: Floats
    there: Flags
    whole: float

    @classmethod
    def of(cls, column: PairedColumn, weights: Floats, *, before: bool) -> _Side:
        """Take the numbers before masking, or what is shown of them."""
        numbers = column.own if before else column.guess
        there = ~np.isnan(numbers)
        # A cell that is * has a value that is not shown; one without a value has infinite ends on no side.
        counted = there if before else there | np.isinf(column.low)
        return cls(numbers, weights, there, float(weights[counted].sum()))

    @property
    def weight(self) -> float:
        return float(self.weights[self.there].sum())

    @property
    def mean(self) -> float:
        return float((self.weights * np.where(self.there, self.numbers, 0.0)).sum()) / self.weight

    @property
    def total(self) -> float:
        return self.mean * self.whole

    @property
    def deviation(self) -> float:
        if not self.weight:
            return 0.0
        apart = np.where(self.there, self.numbers - self.mean, 0.0)
        shown = self.numbers[self.there]
        return 0.0 if shown.min() == shown.max() else float(np.sqrt((self.weights * apart**2).sum() / self.weight))

    def means_within(self, strata: Integers) -> Floats:
        """Give the mean of each stratum; no number where nothing counts."""
        weights = np.where(self.there, self.weights, 0.0)
        sums = np.bincount(strata, weights * np.where(self.there, self.numbers, 0.0))
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = sums / np.bincount(strata, weights)
        return found


def _largest_within(before: _Side, after: _Side, strata: Integers) -> float:
    apart = np.abs(before.means_within(strata) - after.means_within(strata))
    return float(np.nanmax(apart, initial=0.0))


def _strata_of(table: Table) -> Integers | None:
    """Number the strata of a survey, record by record, if there are any."""
    name = table.schema.single(Role.STRATUM)
    if name is None:
        return None
    return numbered(np.concatenate(table.collect(_itself, table.column(name))))[1]


def _itself(numbers: Array) -> Array:
    return numbers
