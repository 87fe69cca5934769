"""Interval disclosure: whose values lie near what is shown for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Flags
from shoal.errors import ParameterError
from shoal.measures import Direction, Score
from shoal.measures.statistics.disclosed_cells import disclosed
from shoal.measures.statistics.paired_columns import PairedColumn, deviation
from shoal.parameters import settle
from shoal.table import Table

_SLACK = 1e-12  # a difference at the border is inside, whatever its rounding


@dataclass(frozen=True)
class IntervalDisclosure:
    """The share of records of which every value lies within so many standard deviations of what is shown for it.

    Deviations are those of the released column, which an attacker knows. A range counts with its middle, and a category
    is near if it is shown alone; ``*`` and a cell that lost its value are near nothing, and cells that had none do not
    count. The detail gives the share of records with ``any`` such value, of ``cells``, and of each attribute.

    Parameters
    ----------
    deviations
        How far a value may be from what is shown, in standard deviations, above 0.

    References
    ----------
    J. Domingo-Ferrer, V. Torra: A quantitative comparison of disclosure control methods for microdata, in:
    Confidentiality, Disclosure, and Data Access, North-Holland 2001, pages 111-133. J. M. Mateo-Sanz, F. Sebé, J.
    Domingo-Ferrer, doi:10.1007/978-3-540-25955-8_16, for intervals of deviations.
    """

    name: ClassVar[str] = "interval-disclosure"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    deviations: float = 0.05

    def __post_init__(self) -> None:
        """Refuse what is no width."""
        settle(self)
        if not isinstance(self.deviations, int | float) or not 0 < self.deviations < float("inf"):
            raise ParameterError("The width of an interval is in standard deviations, above 0.", "Usual is 0.05.")

    def score(self, original: Table, released: Table) -> Score:
        """Compare each value with what is shown for it."""
        return disclosed(self.name, original, released, self._near)

    def _near(self, column: PairedColumn) -> Flags:
        guess = column.guess
        reach = self.deviations * deviation(guess) * (1 + _SLACK)
        found: Flags = np.abs(column.own - guess) <= reach
        return found
