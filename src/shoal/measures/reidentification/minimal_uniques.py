"""Minimal sample uniques: for each record that stands alone, the smallest sets of columns by which it does.

Sets grow one column at a time, along a tree in which each occurs once, and those of later columns come first: so all
sets inside another one were looked at before it. A record that stands alone in a set is left behind there, because what
it needs no more columns for is not minimal with them; and so are groups that nobody in them can leave alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from shoal.arrays import Flags, Integers, Positions
from shoal.errors import ParameterError
from shoal.kernels.minimal_sets import MOST, MinimalSets
from shoal.measures.reidentification.column_sets import DistinctTuples
from shoal.table import Table

EFFORT = 4_000_000_000  # records looked at, over all sets: some minutes
_EACH = 6_000  # records: what a set costs beside its own


@dataclass(frozen=True, eq=False)
class MinimalUniques:
    """The minimal sample uniques of a table.

    Attributes
    ----------
    records
        The distinct records of the table.
    names
        The columns, in the order of the table: bit j of a set stands for the j-th.
    size
        Up to how many columns sets were looked at.
    owners
        For each minimal unique, whose it is: which of the distinct records, ascending.
    sets
        For each, its columns as bits.
    """

    records: DistinctTuples
    names: tuple[str, ...]
    size: int
    owners: Positions
    sets: Integers

    @classmethod
    def of(cls, table: Table, names: Sequence[str], size: int | None = None, effort: int = EFFORT) -> MinimalUniques:
        """Find them in sets of up to ``size`` columns; of all, or as many as the effort allows, if left out."""
        if len(names) > MOST:
            raise ParameterError(
                f"Minimal uniques are found among {MOST} columns at most, not {len(names)}.",
                "Name those that an attacker may know (known=…), or screen the columns first (column-screening).",
            )
        records = DistinctTuples.of(table, tuple(names))
        most = min(size, len(names)) if size is not None else affordable(len(names), records.counts.size, effort)
        found = MinimalSets(records.counts.size)
        bits = [1 << names.index(name) for name in records.names]
        everyone = np.arange(records.counts.size, dtype=np.int32)
        if everyone.size:
            _grow(records, bits, most, found, 0, everyone, np.zeros(everyone.size, np.int64), 1)
        owners, sets = found.all()
        order = np.argsort(owners, kind="stable")
        return cls(records, tuple(names), most, owners[order], sets[order])

    @property
    def sizes(self) -> Integers:
        """How many columns each has."""
        return np.bitwise_count(self.sets.astype(np.uint64)).astype(np.int64)

    def holds(self, column: int) -> Flags:
        """Tell which hold a column, by its place."""
        return (self.sets >> column & 1).astype(np.bool_)


def affordable(columns: int, rows: int, effort: int = EFFORT) -> int:
    """Give the size of the largest sets of which all can be looked at."""
    for size in range(1, columns + 1):
        effort -= comb(columns, size) * (rows + _EACH)
        if effort < 0:
            return max(size - 1, 1)
    return columns


def _grow(
    records: DistinctTuples, bits: Sequence[int], most: int, found: MinimalSets, columns: int,
    rows: Positions, labels: Integers, groups: int,
) -> None:  # fmt: skip
    """Look at all sets that come from one by adding later columns; `columns` has its places as bits."""
    last = columns.bit_length()
    for column in range(len(bits) - 1, last - 1, -1):
        keys, parts = records.numbered_by(rows, labels, groups, column)
        sizes = np.bincount(keys, minlength=parts)
        single = records.counts[rows] == 1
        alone = single & (sizes == 1)[keys]
        here = columns | 1 << column
        found.add(rows[alone], sum(bits[place] for place in range(column + 1) if here >> place & 1))
        if here.bit_count() == most or column == len(bits) - 1:
            continue
        # Somebody of a group can still stand alone if it has several distinct records, and one of them occurs once.
        hopeful = np.zeros(parts, np.bool_)
        hopeful[keys[single]] = True
        hopeful &= sizes > 1
        stay = hopeful[keys]
        if stay.any():
            next_labels = (np.cumsum(hopeful) - 1)[keys[stay]]
            _grow(records, bits, most, found, here, rows[stay], next_labels, int(np.count_nonzero(hopeful)))
