"""One-to-one record linkage: who is found when every released record must have an original of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.errors import ParameterError
from shoal.kernels.assignment import assigned
from shoal.kernels.linkage import LinkageCells, distances
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.reidentification.linkage_cells import linkage_cells
from shoal.table import Table

MOST = 5_000


@dataclass(frozen=True)
class AssignmentLinkage:
    """The share of released records that are linked to their own original by the assignment of least total distance.

    Someone who has the original, and knows that everybody in it was released, gives each released record an original
    of its own, so that all distances together are the least. Distances are those of ``distance-linkage``. Records that
    are equal in a table could change places at no cost: each of their assignments counts alike. Where quite other
    assignments cost the same, the one that is found depends on values, never on the order of the records. For tables
    of at most 5,000 records: the work grows with the cube of their number.

    Parameters
    ----------
    known
        The attributes that are compared; all quasi-identifiers if left out.

    References
    ----------
    J. Domingo-Ferrer, K. Muralidhar: New directions in anonymization, Information Sciences 337-338, 2016,
    doi:10.1016/j.ins.2015.12.014. J. Herranz, J. Nin, P. Rodríguez, T. Tassa: Revisiting distance-based record linkage
    for privacy-preserving release of statistical datasets, DKE 100, 2015, doi:10.1016/j.datak.2015.07.009.
    """

    name: ClassVar[str] = "assignment-linkage"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    known: tuple[str, ...] | None = None

    def admit(self, rows: int) -> None:
        """Refuse tables that would take too long."""
        if rows > MOST:
            raise ParameterError(
                f"{self.name} is for tables of at most {MOST:,} records, and this one has {rows:,}.",
                "Take distance-linkage, which is for tables of any size.",
            )

    def score(self, original: Table, released: Table) -> Score:
        """Assign all records, and count who is found."""
        self.admit(original.rows)
        cells, names = linkage_cells(original, released, self.known, np.arange(original.rows, dtype=np.int64))
        if not names:
            return nothing_to_measure(self.name, "no attribute varies")
        found = _found(cells)
        detail = {"found": found, "records": original.rows}
        return Score.exact(self.name, min(found / original.rows, 1.0), detail)


def _found(cells: LinkageCells) -> float:
    """Assign the records, sorted by their values on both sides, and give how many are found, as an expectation."""
    theirs, own = _alike(np.hstack([cells.low, cells.high])), _alike(cells.records)
    rows, columns = np.argsort(theirs, kind="stable"), np.argsort(own, kind="stable")
    in_order = replace(cells, records=cells.records[columns], low=cells.low[rows], high=cells.high[rows])
    linked = columns[assigned(distances(in_order))]
    # How often each group of equal released records is linked to, and was made from, each group of equal originals.
    width = int(own.max()) + 1
    links, times = np.unique(theirs[rows] * width + own[linked], return_counts=True)
    pairs, true = np.unique(theirs * width + own, return_counts=True)
    _, i, j = np.intersect1d(links, pairs, return_indices=True)
    sizes = np.bincount(theirs)[pairs[j] // width] * np.bincount(own)[pairs[j] % width]
    return float((times[i] * true[j] / sizes).sum())


def _alike(records: Floats) -> Integers:
    """Number records by their values, in the order of these: equal ones have the same number."""
    plain = np.nan_to_num(records, nan=np.finfo(np.float64).max, posinf=np.inf, neginf=-np.inf)
    _, number = np.unique(plain, axis=0, return_inverse=True)
    return number.reshape(-1).astype(np.int64)
