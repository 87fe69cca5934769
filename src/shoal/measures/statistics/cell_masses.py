"""How often the cells of some columns occur in a table, or what the records that have them weigh together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from shoal.arrays import Floats, Integers, Positions
from shoal.engines.values import Boxes
from shoal.kernels.grouping import label_rows
from shoal.table import Table

T = TypeVar("T")

_STRETCH = 1 << 20  # records that are looked at at once


@dataclass(frozen=True, eq=False)
class MassedCells:
    """Both ends of distinct cells, or combinations of cells, a column for each attribute, and the mass of each."""

    lo: Positions
    hi: Positions
    masses: Floats


@dataclass(frozen=True, eq=False)
class CellMasses:
    """The masses of the cells of a table, or of some of its records: each counts one, or as much as it weighs.

    Attributes
    ----------
    table
        The table.
    rows
        The numbers of the records that count; None if all do.
    weights
        Their weights; None if each counts one. A record that weighs nothing does not count.
    """

    table: Table
    rows: Integers | None
    weights: Floats | None

    @classmethod
    def of(cls, table: Table, weights: Floats | None = None, rows: Integers | None = None) -> CellMasses:
        """Take the weights of all records of a table, if they are to count, and which records are looked at."""
        if weights is None:
            return cls(table, rows, None)
        rows = np.flatnonzero(weights > 0) if rows is None else rows[weights[rows] > 0]
        return cls(table, rows, weights[rows])

    @property
    def records(self) -> int:
        """How many records count."""
        return self.table.rows if self.rows is None else self.rows.size

    @property
    def total(self) -> float:
        """What all of them weigh together."""
        return float(self.records if self.weights is None else self.weights.sum())

    @property
    def one(self) -> float:
        """What one person weighs: weights that sum to less than the records that have any tell only proportions."""
        return min(self.total / self.records, 1.0) if self.records else 1.0

    def over(self, names: Sequence[str], work: Callable[[MassedCells], T]) -> list[T]:
        """Give what work makes of the distinct cells of some columns, in batches.

        The engine counts those of quasi-identifiers; weights, some records only, and other columns need a look at
        each record, in their order, so that sums have the same digits whatever holds the table.
        """
        if self.rows is None and set(names) <= set(self.table.schema.quasi):

            def counted(cells: Boxes) -> T:
                return work(MassedCells(cells.lo, cells.hi, cells.counts.astype(np.float64)))

            return self.table.boxes(counted, names)
        return [work(cells) for cells in self._stretches(names)]

    def _stretches(self, names: Sequence[str]) -> Iterator[MassedCells]:
        rows = np.arange(self.table.rows, dtype=np.int64) if self.rows is None else self.rows
        for start in range(0, rows.size, _STRETCH):
            some = slice(start, start + _STRETCH)
            lo, hi = map(np.ascontiguousarray, self.table.cells(names, rows[some]))
            labels, kinds = label_rows(lo, hi, np.arange(len(names), dtype=np.int64))
            first = np.empty(kinds, np.int64)
            first[labels[::-1]] = np.arange(labels.size)[::-1]
            weights = None if self.weights is None else self.weights[some]
            masses = np.bincount(labels, weights, kinds).astype(np.float64)
            yield MassedCells(lo[first], hi[first], masses)
