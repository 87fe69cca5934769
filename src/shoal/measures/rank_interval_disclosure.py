"""Rank interval disclosure: whose values lie among the neighbours of what is shown for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Flags
from shoal.errors import ParameterError
from shoal.measures import Direction, Score
from shoal.measures.statistics.disclosed_cells import disclosed
from shoal.measures.statistics.paired_columns import PairedColumn
from shoal.parameters import settle
from shoal.table import Table


@dataclass(frozen=True)
class RankIntervalDisclosure:
    """The share of records of which every value lies between neighbours, so many ranks away, of what is shown for it.

    The values of a released column are sorted. The neighbours of one are a share of the records below and above it;
    of equal values the outermost count. A range counts with its middle, and a category is near if it is shown alone;
    ``*`` and a cell that lost its value are near nothing, and cells that had none do not count. The detail gives the
    share of records with ``any`` such value, of ``cells``, and of each attribute.

    Parameters
    ----------
    share
        How many ranks away neighbours are, as a share of the values that are shown: 0.05, not 5, for five percent.

    References
    ----------
    J. Domingo-Ferrer, V. Torra: A quantitative comparison of disclosure control methods for microdata, in:
    Confidentiality, Disclosure, and Data Access, North-Holland 2001, pages 111-133; and
    doi:10.1007/978-1-4419-7802-8, chapter 3.
    """

    name: ClassVar[str] = "rank-interval-disclosure"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    share: float = 0.05

    def __post_init__(self) -> None:
        """Refuse what is no share."""
        settle(self)
        if not isinstance(self.share, int | float) or not 0 < self.share < 1:
            raise ParameterError("Ranks are counted as a share, above 0 and below 1.", "Five percent is 0.05.")

    def score(self, original: Table, released: Table) -> Score:
        """Compare each value with the neighbours of what is shown for it."""
        return disclosed(self.name, original, released, self._near)

    def _near(self, column: PairedColumn) -> Flags:
        guess = column.guess
        shown = ~np.isnan(guess)
        line = np.sort(guess[shown])
        found = np.zeros(guess.size, bool)
        if not line.size:
            return found
        ranks = int(self.share * line.size + 1e-9)
        first = np.maximum(np.searchsorted(line, guess[shown], "left") - ranks, 0)
        last = np.minimum(np.searchsorted(line, guess[shown], "right") - 1 + ranks, line.size - 1)
        own = column.own[shown]
        found[shown] = (line[first] <= own) & (own <= line[last])
        return found
