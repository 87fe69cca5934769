"""How well sets of columns tell records apart: counted set by set, from distinct records.

What a set of columns tells from all others, more columns do too. Such a record is counted once and left behind, and
what is left shrinks from set to set. Columns with many values come first, because they leave least.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Integers, Positions
from shoal.engines.values import Boxes
from shoal.kernels.grouping import label_rows
from shoal.table import Table


@dataclass(frozen=True)
class ColumnSet:
    """What a set of columns tells of so many records.

    Attributes
    ----------
    columns
        Their names, in the order of the table.
    records
        How many records there are.
    distinct
        How many different ones these columns show.
    unique
        How many records are unlike all others.
    equal
        How many pairs of records they do not tell apart.
    """

    columns: tuple[str, ...]
    records: int
    distinct: int
    unique: int
    equal: int

    @property
    def distinction(self) -> float:
        """The number of distinct records as a share."""
        return self.distinct / self.records

    @property
    def separation(self) -> float:
        """The share of pairs of records that differ in it; of a single record, all of none."""
        pairs = self.records * (self.records - 1) // 2
        return 1 - self.equal / pairs if pairs else 1.0

    @property
    def uniqueness(self) -> float:
        """The share of records that are unlike all others."""
        return self.unique / self.records


@dataclass(frozen=True, eq=False)
class _Left:
    """Distinct records that may still differ, which of them are equal so far, and what was counted already."""

    rows: Positions
    labels: Integers
    groups: int
    distinct: int
    unique: int
    equal: int


@dataclass(frozen=True, eq=False)
class DistinctTuples:
    """The distinct records of a table by the codes of their cells, column by column, and how often each occurs."""

    names: tuple[str, ...]
    codes: Sequence[Positions]
    sizes: Sequence[int]
    counts: Integers

    @classmethod
    def of(cls, table: Table, names: tuple[str, ...]) -> DistinctTuples:
        """Read the distinct records of some columns."""

        def cells(boxes: Boxes) -> tuple[Positions, Positions, Integers]:
            return boxes.lo, boxes.hi, boxes.counts

        lo, hi, counts = (np.concatenate(side) for side in zip(*table.boxes(cells, names), strict=True))
        return cls.of_cells(names, lo, hi, counts)

    @classmethod
    def of_cells(cls, names: tuple[str, ...], lo: Positions, hi: Positions, counts: Integers) -> DistinctTuples:
        """Take distinct records by their cells; columns with many values come first."""
        codes = [label_rows(lo, hi, np.array([j])) for j in range(len(names))]
        order = sorted(range(len(names)), key=lambda j: -codes[j][1])
        return cls(
            tuple(names[j] for j in order), [codes[j][0] for j in order], [codes[j][1] for j in order],
            counts.astype(np.int64),
        )  # fmt: skip

    def looked_at(self, columns: Sequence[int], left: _Left, order: tuple[str, ...]) -> ColumnSet:
        """Say what a set of columns tells, when everything that it can tell apart was."""
        weights = np.bincount(left.labels, self.counts[left.rows], left.groups).astype(np.int64)
        equal = left.equal + int((weights * (weights - 1) // 2).sum())
        names = {self.names[column] for column in columns}
        shown = tuple(name for name in order if name in names)
        return ColumnSet(shown, int(self.counts.sum()), left.distinct + left.groups, left.unique, equal)

    def all_left(self) -> _Left:
        """Give all records, of which nothing is known."""
        rows = np.arange(self.counts.size, dtype=np.int32)
        return _Left(rows, np.zeros(rows.size, np.int64), min(rows.size, 1), 0, 0, 0)

    def numbered_by(self, rows: Positions, labels: Integers, groups: int, column: int) -> tuple[NDArray[np.int64], int]:
        """Number records that are equal in the columns so far, which labels tell, and in one more; and say up to what.

        Not every number need occur.
        """
        codes, size = self.codes[column][rows], self.sizes[column]
        if groups * size <= 4 * codes.size + 1024:  # few enough to be counted on a list
            return labels * size + codes, groups * size
        pairs = np.stack([labels.astype(np.int32), codes], axis=1)
        found, parts = label_rows(pairs, pairs, np.arange(2))
        return found.astype(np.int64), parts

    def divided(self, left: _Left, column: int) -> _Left:
        """Tell records apart by one column more, and leave those behind that no other column can tell apart."""
        keys, parts = self.numbered_by(left.rows, left.labels, left.groups, column)
        several = np.bincount(keys, minlength=parts) > 1
        stay = several[keys]
        alone = self.counts[left.rows[~stay]]
        labels = (np.cumsum(several) - 1)[keys[stay]]
        return _Left(
            left.rows[stay],
            labels,
            int(np.count_nonzero(several)),
            left.distinct + alone.size,
            left.unique + int(np.count_nonzero(alone == 1)),
            left.equal + int((alone * (alone - 1) // 2).sum()),
        )


def all_sets(records: DistinctTuples, most: int, order: tuple[str, ...]) -> list[ColumnSet]:
    """Look at all sets of so many columns at most, but for those that hold one that tells all records apart."""
    found: list[ColumnSet] = []
    complete: set[frozenset[str]] = set()

    def grown(columns: tuple[int, ...], left: _Left) -> None:
        for column in range(columns[-1] + 1 if columns else 0, len(records.codes)):
            more = (*columns, column)
            names = frozenset(records.names[c] for c in more)
            if holds_any(names, complete):
                continue
            here = records.divided(left, column)
            found.append(records.looked_at(more, here, order))
            if found[-1].equal == 0:
                complete.add(names)
            elif len(more) < most:
                grown(more, here)

    grown((), records.all_left())
    # A set that was looked at may hold one that was found later.
    kept = [one for one in found if not (holds_any if one.equal else _holds_smaller)(one.columns, complete)]
    return sorted(kept, key=lambda one: (len(one.columns), one.equal, [order.index(name) for name in one.columns]))


def holds_any(names: Iterable[str], parts: Collection[frozenset[str]]) -> bool:
    """Tell whether a set of columns holds one of several sets, or is one."""
    whole = frozenset(names)
    if len(parts) < 2 ** len(whole):
        return any(part <= whole for part in parts)
    return any(frozenset(some) in parts for size in range(len(whole) + 1) for some in combinations(whole, size))


def _holds_smaller(names: Sequence[str], parts: Collection[frozenset[str]]) -> bool:
    return any(holds_any(some, parts) for some in combinations(names, len(names) - 1))


def greedy(
    records: DistinctTuples, start: ColumnSet, order: tuple[str, ...], enough: Callable[[ColumnSet], bool]
) -> Iterator[ColumnSet]:
    """Add to a set the column that tells most pairs apart, one after the other, until it is enough or nothing helps."""
    columns = [records.names.index(name) for name in start.columns]
    left, now = records.all_left(), start
    for column in columns:
        left = records.divided(left, column)
    while not enough(now):
        tried = []
        for column in range(len(records.codes)):
            if column not in columns:
                here = records.divided(left, column)
                one = records.looked_at([*columns, column], here, order)
                tried.append((one.equal, order.index(records.names[column]), column, here, one))
        if not tried or min(tried)[0] >= now.equal:
            return
        _, _, column, left, now = min(tried, key=lambda each: each[:2])
        columns.append(column)
        yield now
