"""Minimal sample uniques: for each record that stands alone, the smallest sets of columns by which it does.

The same is found of records that are in groups of fewer than so many. Sets grow one column at a time, along a tree in
which each occurs once, and those of later columns come first: so all sets inside another one were looked at before it.
A record whose group is small in a set is left behind there, because what needs no more columns is not minimal with
them; and so are groups of which no part can become small.
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
    """The minimal sample uniques of a table, or the smallest sets of columns in which groups are small.

    Attributes
    ----------
    records
        The distinct records of the table.
    names
        The columns, in the order of the table: bit j of a set stands for the j-th.
    size
        Up to how many columns sets were looked at.
    owners
        For each of these, whose it is: which of the distinct records, ascending.
    sets
        For each, its columns as bits.
    """

    records: DistinctTuples
    names: tuple[str, ...]
    size: int
    owners: Positions
    sets: Integers

    @classmethod
    def of(
        cls, table: Table, names: Sequence[str], size: int | None = None, effort: int | None = None
    ) -> MinimalUniques:
        """Find them in sets of up to ``size`` columns; of all, or as many as the effort allows, if left out."""
        refuse_too_many(names)
        return cls.among(DistinctTuples.of(table, tuple(names)), names, size, effort)

    @classmethod
    def among(
        cls, records: DistinctTuples, names: Sequence[str], size: int | None = None, effort: int | None = None, *,
        fewer: int = 2,
    ) -> MinimalUniques:  # fmt: skip
        """Find sets of columns in which distinct records are in groups of fewer records than so many."""
        refuse_too_many(names)
        most = min(size, len(names)) if size is not None else affordable(len(names), records.counts.size, effort)
        found = MinimalSets(records.counts.size)
        bits = [1 << names.index(name) for name in records.names]
        everyone = np.arange(records.counts.size, dtype=np.int32)
        if everyone.size:
            _grow(records, bits, most, fewer, found, 0, everyone, np.zeros(everyone.size, np.int64), 1)
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


def refuse_too_many(names: Sequence[str]) -> None:
    """Refuse more columns than the bits of a number."""
    if len(names) > MOST:
        raise ParameterError(
            f"Minimal uniques are found among {MOST} columns at most, not {len(names)}.",
            "Name those that an attacker may know (known=…), or screen the columns first (column-screening).",
        )


def affordable(columns: int, rows: int, effort: int | None = None) -> int:
    """Give the size of the largest sets of which all can be looked at."""
    effort = EFFORT if effort is None else effort
    for size in range(1, columns + 1):
        effort -= comb(columns, size) * (rows + _EACH)
        if effort < 0:
            return max(size - 1, 1)
    return columns


def _grow(
    records: DistinctTuples, bits: Sequence[int], most: int, fewer: int, found: MinimalSets, columns: int,
    rows: Positions, labels: Integers, groups: int,
) -> None:  # fmt: skip
    """Look at all sets that come from one by adding later columns; `columns` has its places as bits."""
    counts = records.counts[rows]
    for column in range(len(bits) - 1, columns.bit_length() - 1, -1):
        keys, parts = records.numbered_by(rows, labels, groups, column)
        small = np.bincount(keys, counts, parts) < fewer
        here = columns | 1 << column
        found.add(rows[small[keys]], sum(bits[place] for place in range(column + 1) if here >> place & 1))
        if here.bit_count() == most or column == len(bits) - 1:
            continue
        # A group can still have small parts if it has several distinct records, and one of them occurs seldom.
        hopeful = np.zeros(parts, np.bool_)
        hopeful[keys[counts < fewer]] = True
        hopeful &= ~small & (np.bincount(keys, minlength=parts) > 1)
        stay = hopeful[keys]
        if stay.any():
            labelled = (np.cumsum(hopeful) - 1)[keys[stay]]
            _grow(records, bits, most, fewer, found, here, rows[stay], labelled, int(np.count_nonzero(hopeful)))
