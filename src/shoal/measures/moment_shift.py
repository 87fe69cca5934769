"""Moment shift: how far the means of attributes moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.measures import Direction, Score, mean_over_attributes
from shoal.measures.statistics.paired_columns import PairedTables, deviation
from shoal.table import Table


@dataclass(frozen=True)
class MomentShift:
    """The difference between the means of an attribute before and after masking, in standard deviations.

    The mean over attributes with an order, all of which count alike. A range counts with its middle; ``*`` and cells
    without a value do not count. The detail gives the ``largest`` difference, and by how much each deviation changed,
    as a share of the original one (``deviations``).

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
        moved, widened = {}, {}
        for name in tables.ordered:
            column = tables.column(name)
            own, shown = column.own[~np.isnan(column.own)], column.guess[~np.isnan(column.guess)]
            spread = deviation(own)
            if spread > 0 and shown.size:
                moved[name] = abs(float(shown.mean()) - float(own.mean())) / spread
                widened[name] = deviation(shown) / spread - 1
        detail = {"largest": max(moved.values(), default=0.0), "deviations": widened}
        return mean_over_attributes(self.name, moved, "no attribute with an order varies and is shown", detail)
