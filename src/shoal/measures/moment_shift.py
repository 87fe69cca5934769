"""Moment shift: how far the means of attributes moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.measures import Direction, Score, mean_over_attributes
from shoal.measures.statistics.paired_columns import PairedTables
from shoal.measures.statistics.weighable import Weighable
from shoal.measures.statistics.weighed_numbers import WeighedNumbers
from shoal.table import Table


@dataclass(frozen=True)
class MomentShift(Weighable):
    """The difference between the means of an attribute before and after masking, in standard deviations.

    The mean over attributes with an order, all of which count alike. A range counts with its middle; ``*`` and cells
    without a value do not count. The detail gives the ``largest`` difference, and by how much each deviation changed,
    as a share of the original one (``deviations``).

    Parameters
    ----------
    weighted
        Whether records count as much as their survey weights say, instead of one each.

    References
    ----------
    J. Domingo-Ferrer, V. Torra: Disclosure control methods and information loss for microdata, in: Confidentiality,
    Disclosure, and Data Access, North-Holland 2001, pages 91-110; and doi:10.1007/978-1-4419-7802-8, chapter 3.
    """

    name: ClassVar[str] = "moment-shift"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def score(self, original: Table, released: Table) -> Score:
        """Compare mean and deviation of each attribute."""
        tables = PairedTables.of(original, released)
        weights = self.weights_in(original)
        moved, widened = {}, {}
        for name in tables.ordered:
            column = tables.column(name)
            own, shown = (WeighedNumbers.of(numbers, weights) for numbers in (column.own, column.guess))
            spread = own.deviation
            if spread > 0 and shown.values.size:
                moved[name] = abs(shown.mean - own.mean) / spread
                widened[name] = shown.deviation / spread - 1
        detail = {"largest": max(moved.values(), default=0.0), "deviations": widened}
        return mean_over_attributes(self.name, moved, "no attribute with an order varies and is shown", detail)
