"""Record linkage by equal cells: how many records of a table match given ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Integers, Positions
from shoal.engines import Boxes
from shoal.kernels.grouping import count_labels, distinct, label_rows, mix_rows
from shoal.table import Table

# Both ends of the cells of some boxes, and how often each box occurs.
MatchedBoxes = tuple[Positions, Positions, Integers]


@dataclass(frozen=True, eq=False)
class RowLookup:
    """Rows that are looked for in a table, given by both ends of their cells, as `Table.cells` gives them.

    One number stands for each row where the data are, so that little has to go there; what has the same number comes
    back and is compared cell by cell.
    """

    lo: Positions
    hi: Positions

    @property
    def columns(self) -> Integers:
        """The numbers of all columns."""
        return np.arange(self.lo.shape[1], dtype=np.int64)

    def among(self) -> Callable[[Boxes], MatchedBoxes]:
        """Give what finds the boxes that may equal a row."""
        columns = self.columns
        wanted = distinct(mix_rows(np.ascontiguousarray(self.lo), np.ascontiguousarray(self.hi), columns))

        def found(boxes: Boxes) -> MatchedBoxes:
            mixed = mix_rows(boxes.lo, boxes.hi, columns)
            places = np.minimum(np.searchsorted(wanted, mixed), wanted.size - 1)
            some = np.flatnonzero(wanted[places] == mixed)
            return boxes.lo[some], boxes.hi[some], boxes.counts[some]

        return found

    def counts(self, found: Sequence[MatchedBoxes]) -> Integers:
        """Count the records that equal each row, among the boxes that were found."""
        rows = self.lo.shape[0]
        lo, hi = (np.concatenate([mine, *(part[i] for part in found)]) for i, mine in enumerate((self.lo, self.hi)))
        labels, groups = label_rows(lo, hi, self.columns)
        counts = count_labels(labels[rows:], groups, np.concatenate([part[2] for part in found]))
        return counts[labels[:rows]]


def occurrences(table: Table, names: Sequence[str], lo: Positions, hi: Positions) -> Integers:
    """Count the records whose cells in some columns equal those of each given row."""
    if not lo.shape[0]:
        return np.zeros(0, np.int64)
    lookup = RowLookup(lo, hi)
    return lookup.counts(table.boxes(lookup.among(), names))
