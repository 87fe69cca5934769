"""Estimate shift: how far weighted means and totals moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Flags, Floats, Integers, Positions
from shoal.errors import ParameterError
from shoal.kernels import MISSING, TOP
from shoal.measures import Direction, Score, mean_over_attributes
from shoal.measures.statistics.paired_columns import PairedTables
from shoal.measures.statistics.survey_design import SurveyDesign
from shoal.measures.statistics.uniformity import ORIGINAL, Categories
from shoal.parameters import settle
from shoal.table import Table

_MOST, _LEAST = 12, 5  # categories of a column that are shown, and records that have each: a value of few is for nobody


@dataclass(frozen=True)
class EstimateShift:
    """The difference between the weighted means of an attribute before and after masking, in standard deviations.

    The mean over attributes with an order, as someone estimates who has the released table and its survey weights;
    without weights all records count alike. A range counts with its middle. ``*`` counts as the mean of what is shown,
    and a cell without a value not at all. The detail gives for each attribute the ``mean`` and the ``total`` before and
    after (``estimates``), with their standard errors, and the ``largest`` difference of a mean in any stratum, if the
    table has strata. Of categories, ``shares`` has the same for the share of people and for how many they are: of
    the twelve that most records have, and at least five. Errors are those of the survey's design: between households,
    or records, within strata; masked values count as if they had been observed.

    Parameters
    ----------
    replacement
        Whether errors are those of drawing with replacement, which are never too small by what weights do not tell.
        Without it, variances are smaller by the share of each stratum that was drawn (finite population correction):
        the weights of its households, or records, are to sum to how many of them the population has.

    References
    ----------
    C.-E. Särndal, B. Swensson, J. Wretman: Model Assisted Survey Sampling, Springer 1992,
    doi:10.1007/978-1-4612-4378-6.
    """

    name: ClassVar[str] = "estimate-shift"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    replacement: bool = True

    def __post_init__(self) -> None:
        """Refuse what is neither yes nor no."""
        settle(self)
        if not isinstance(self.replacement, bool):
            raise ParameterError("'replacement' is true or false.", "Write replacement=false.")

    def score(self, original: Table, released: Table) -> Score:
        """Compare the estimates of each attribute."""
        tables = PairedTables.of(original, released)
        design = SurveyDesign.of(original, replacement=self.replacement)
        shifts, estimates, largest = {}, {}, 0.0
        for name in tables.ordered:
            column = tables.column(name)
            before = _Side.of(column.own, ~np.isnan(column.own), design)
            # A cell that is * has a value that is not shown; one without a value has infinite ends on no side.
            after = _Side.of(column.guess, ~np.isnan(column.guess) | np.isinf(column.low), design)
            spread = before.deviation
            if spread == 0 or not after.weight:
                continue
            shifts[name] = abs(after.mean - before.mean) / spread
            estimates[name] = _estimates(before, after)
            if design.strata is not None:
                largest = max(largest, _largest_within(before, after, design.strata) / spread)
        shares = {name: found for name in tables.grounds if (found := _shares(tables, name, design))}
        detail: dict[str, Any] = {"estimates": estimates, "shares": shares, "weighted": design.weighted}
        detail["replacement"] = self.replacement
        detail |= {} if design.strata is None else {"largest": largest}
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
    counted: Flags
    design: SurveyDesign

    @classmethod
    def of(cls, numbers: Floats, counted: Flags, design: SurveyDesign) -> _Side:
        """Take numbers, which are none where nothing is shown, and which records have one, shown or not."""
        return cls(numbers, design.weights, ~np.isnan(numbers), counted, design)

    @property
    def whole(self) -> float:
        return float(self.weights[self.counted].sum())

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
    def mean_error(self) -> float | None:
        """The standard error of the mean."""
        return self.design.error(self._apart)

    @property
    def total_error(self) -> float | None:
        """The standard error of the total: the mean and what all weigh together are both estimated."""
        return self.design.error(self.whole * self._apart + np.where(self.counted, self.mean * self.weights, 0.0))

    @property
    def _apart(self) -> Floats:
        """What each record adds to the error of the mean, as far as that is linear."""
        return np.where(self.there, self.weights * (self.numbers - self.mean), 0.0) / self.weight

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


def _estimates(before: _Side, after: _Side) -> dict[str, list[float | None]]:
    return {
        "mean": [before.mean, after.mean],
        "total": [before.total, after.total],
        "mean_error": [before.mean_error, after.mean_error],
        "total_error": [before.total_error, after.total_error],
    }


def _shares(tables: PairedTables, name: str, design: SurveyDesign) -> dict[str, dict[str, list[float | None]]]:
    """Estimate how many people are in each category that enough records have, and which share of all."""
    ground = tables.grounds[name]
    if not isinstance(ground, Categories):
        return {}
    sides = [_MemberShares.of(ground, side, *ends) for side, ends in enumerate(tables.ends_of(name))]
    records = sides[ORIGINAL].records(ground.size)
    order = np.argsort(-records, kind="stable")[:_MOST]
    found = {}
    for category in order[records[order] >= _LEAST].tolist():
        before, after = (_Side.of(side.share_of(category), side.counted, design) for side in sides)
        if before.weight and after.weight:
            found[ground.names[category]] = _estimates(before, after)
    return found


@dataclass(frozen=True, eq=False)
class _MemberShares:
    """The categories that each cell shows, and with which share; a set is spread evenly over its members."""

    cells: Integers
    categories: Integers
    shares: Floats
    shown: Flags
    counted: Flags

    @classmethod
    def of(cls, ground: Categories, side: int, lo: Positions, hi: Positions) -> _MemberShares:
        """Take the cells of a column, of which * has a value that is not shown."""
        shown = lo != MISSING
        cells, categories, shares = ground.members(side, lo[shown], hi[shown])
        return cls(np.flatnonzero(shown)[cells], categories, shares, shown, shown | (hi == TOP))

    def records(self, size: int) -> Integers:
        """Count the records that show each category alone."""
        return np.bincount(self.categories[self.shares == 1], minlength=size)[:size]

    def share_of(self, category: int) -> Floats:
        """Give how much of each cell a category is, not a number where the cell shows nothing."""
        found = np.where(self.shown, 0.0, np.nan)
        mine = self.categories == category
        found[self.cells[mine]] = self.shares[mine]
        return found
