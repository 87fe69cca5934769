"""Permutation distance: how far masking moved values among the ranks of their column, and what it changed beside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.errors import ParameterError
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.statistics.paired_columns import PairedTables, deviation
from shoal.parameters import settle
from shoal.table import Table


@dataclass(frozen=True)
class PermutationDistance:
    """The mean move of values among the ranks of their column, as a share of the longest move possible.

    Any masking is a permutation followed by a small residual: put the original values of a column into the order of
    the released ones, and each record has the value of another; the rest is noise that changes no rank. The detail
    splits the difference between original and released values so, in standard deviations (``permuted`` and
    ``residual``), and gives the ``largest`` move, as a share and in ``ranks``, and the share of records that moved at
    least so far in some attribute (``moved``). Equal values are ranked in the order of the records, a range counts
    with its middle, and ``*`` and cells without a value do not count.

    Parameters
    ----------
    far
        What move of a record is counted as far, as a share, above 0 and at most 1.

    References
    ----------
    J. Domingo-Ferrer, K. Muralidhar: New directions in anonymization: permutation paradigm, verifiability by subjects
    and intruders, transparency to users, Information Sciences 337-338, 2016, doi:10.1016/j.ins.2015.12.014.
    """

    name: ClassVar[str] = "permutation-distance"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    far: float = 0.1

    def __post_init__(self) -> None:
        """Refuse what is no share."""
        settle(self)
        if not isinstance(self.far, int | float) or not 0 < self.far <= 1:
            raise ParameterError("A move is a share of the ranks, above 0 and at most 1.", "A tenth of them is 0.1.")

    def score(self, original: Table, released: Table) -> Score:
        """Rank each attribute before and after, and compare."""
        tables = PairedTables.of(original, released)
        farthest, moves, ranks = np.zeros(original.rows), {}, 0
        cells, total, permuted, residual = 0, 0.0, 0.0, 0.0
        for name in tables.ordered:
            column = tables.column(name)
            own, shown = column.own, column.guess
            rows = np.flatnonzero(~np.isnan(own) & ~np.isnan(shown))
            spread = deviation(own[rows])
            if spread == 0:
                continue
            x, y = own[rows], shown[rows]
            before, after = _ranks(x), _ranks(y)
            apart = np.abs(before - after)
            partner = np.sort(x)[after]
            mine = apart / (rows.size - 1)
            farthest[rows] = np.maximum(farthest[rows], mine)
            ranks = max(ranks, int(apart.max()))
            moves[name] = int(apart.sum()) / (rows.size * (rows.size - 1))
            cells += rows.size
            total += moves[name] * rows.size
            permuted += float(np.abs(partner - x).sum()) / spread
            residual += float(np.abs(y - partner).sum()) / spread
        if not cells:
            return nothing_to_measure(self.name, "no attribute with an order varies and is shown")
        detail = {
            "largest": float(farthest.max()),
            "ranks": ranks,
            "moved": float(np.count_nonzero(farthest >= self.far * (1 - 1e-12))) / original.rows,
            "permuted": permuted / cells,
            "residual": residual / cells,
            "per_attribute": moves,
        }
        return Score.exact(self.name, total / cells, detail)


def _ranks(numbers: Floats) -> Integers:
    """Give the rank of each number from 0; of equal ones the first record has the lowest."""
    found = np.empty(numbers.size, np.int64)
    found[np.argsort(numbers, kind="stable")] = np.arange(numbers.size)
    return found
