"""What two releases of the same people tell together, from their files alone: classes that share a point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Floats, Integers, Positions
from shoal.direct_identifiers import hashed_texts
from shoal.domains.axis import Axis
from shoal.engines.local_data import moved
from shoal.kernels import MISSING, TOP
from shoal.table import Column, Table

MOST_PAIRS = 1 << 32  # of classes
MOST_STEPS = 1 << 38  # pairs of classes times what rows of both show
MOST_CELLS = 1 << 27  # classes times what rows of both show, which are in memory
_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class LeftTogether:
    """What two releases leave to somebody who is in both with the same values, at least.

    Attributes
    ----------
    values
        How many confidential values are in the person's classes of both.
    rows, earlier_rows
        How many rows of the person's class, in this release and in the earlier one, show one of these.
    pairs
        How many pairs of classes somebody may be in: their cells have a point in common, and a confidential value.
    """

    values: int
    rows: int
    earlier_rows: int
    pairs: int


@dataclass(frozen=True, eq=False)
class ShownClasses:
    """The classes of a release: their cells, and what the rows of each show beside these.

    What a row shows is its confidential value and what it has in other columns that both releases have: one number for
    each combination, -1 where there is no confidential value. Such rows show none that somebody could have.
    """

    lo: Positions
    hi: Positions
    owner: Integers
    shows: Integers

    @classmethod
    def of(cls, table: Table, secret: str, beside: Sequence[str], codes: dict[tuple[str, ...], int]) -> ShownClasses:
        """Find them, with numbers for combinations that are the same in both releases."""
        lo, hi, owner = _distinct(table, table.schema.quasi)
        names = (secret, *beside)
        low, high, combination = _distinct(table, names)
        texts = zip(*(_texts(table, name, low[:, j], high[:, j]) for j, name in enumerate(names)), strict=True)
        code = np.array([codes.setdefault(each, len(codes)) for each in texts], np.int64)
        return cls(lo, hi, owner, np.where(low[:, 0] == MISSING, -1, code)[combination])

    @property
    def number(self) -> int:
        """How many classes there are."""
        return int(self.lo.shape[0])

    def counts(self, shown: Integers) -> Floats:
        """Count the rows of each class that show each of some combinations."""
        place = np.searchsorted(shown, self.shows)
        there = np.append(shown, -2)[place] == self.shows
        counts = np.zeros((self.number, shown.size), np.float64)
        np.add.at(counts, (self.owner[there], place[there]), 1)
        return counts


def left_together(table: Table, earlier: Table, secret: str, beside: Sequence[str] = ()) -> LeftTogether | None:
    """Find what classes of both releases leave; None if there are too many of them to be compared.

    Parameters
    ----------
    table, earlier
        The releases.
    secret
        The confidential column.
    beside
        Other columns that both have, and somebody has the same in both: rows that differ in one are of two people.
    """
    codes: dict[tuple[str, ...], int] = {}
    ours, theirs = (ShownClasses.of(each, secret, beside, codes) for each in (table, earlier))
    shown = np.intersect1d(ours.shows[ours.shows >= 0], theirs.shows)
    pairs_of_classes, cells = ours.number * theirs.number, (ours.number + theirs.number) * shown.size
    if pairs_of_classes > MOST_PAIRS or pairs_of_classes * shown.size > MOST_STEPS or cells > MOST_CELLS:
        return None
    mine, old = ours.counts(shown), theirs.counts(shown)
    inside, within = (mine > 0).astype(np.float64), (old > 0).astype(np.float64)
    texts = list(codes)
    of_value = np.unique([texts[code][0] for code in shown.tolist()], return_inverse=True)[1].reshape(-1)
    columns = [_Meeting.of(name, j, table, earlier, ours, theirs) for j, name in enumerate(table.schema.quasi)]
    values, rows, before, pairs = np.inf, np.inf, np.inf, 0
    for some in _stretches(ours.number, theirs.number):
        meet = columns[0].among(some)
        for column in columns[1:]:
            meet &= column.among(some)
        common = _values_in_common(inside[some], within, of_value)
        meet &= common > 0
        if meet.any():
            pairs += int(meet.sum())
            values = min(values, common[meet].min())
            rows = min(rows, (mine[some] @ within.T)[meet].min())
            before = min(before, (inside[some] @ old.T)[meet].min())
    return LeftTogether(int(values), int(rows), int(before), pairs) if pairs else LeftTogether(0, 0, 0, 0)


def _values_in_common(inside: Floats, within: Floats, of_value: Integers) -> Floats:
    """Count for each pair of classes the confidential values that combinations have which both show."""
    several = np.bincount(of_value)[of_value] > 1
    common: Floats = inside[:, ~several] @ within[:, ~several].T
    for value in np.unique(of_value[several]).tolist():
        alike = of_value == value
        common += inside[:, alike] @ within[:, alike].T > 0
    return common


def _distinct(table: Table, names: Sequence[str]) -> tuple[Positions, Positions, Integers]:
    """Give both ends of the distinct combinations of cells in some columns, and the number of that of each row."""
    first, number = np.unique(_whole(table, table.number(names)), return_index=True, return_inverse=True)[1:]
    order = np.argsort(first)
    ends = table.cells(names, first[order])
    lo, hi = (np.empty_like(each) for each in ends)
    lo[order], hi[order] = ends
    return lo, hi, number.reshape(-1)


def _texts(table: Table, name: str, lo: Positions, hi: Positions) -> Sequence[str]:
    """Give cells as texts that are the same in both releases, whatever kind of numbers the column was read as."""
    axis, texts = table.schema[name].axis, np.full(lo.size, "", object)
    known, single = lo != MISSING, axis.single(lo, hi) & (lo != MISSING)
    texts[single] = hashed_texts(axis, lo[single])
    texts[known & ~single] = axis.render_all(lo[known & ~single], hi[known & ~single])
    found: list[str] = texts.tolist()
    return found


@dataclass(frozen=True, eq=False)
class _Meeting:
    """A column of both releases on one axis: which of their cells may stand for the same value."""

    ours: tuple[Positions, Positions]
    theirs: tuple[Positions, Positions]
    sets: tuple[Floats, Floats] | None

    @classmethod
    def of(
        cls, name: str, j: int, table: Table, earlier: Table, ours: ShownClasses, theirs: ShownClasses
    ) -> _Meeting:  # fmt: skip
        axis, own, other = table.schema[name].axis.shared_with(earlier.schema[name].axis)
        mine = moved(ours.lo[:, j], own), moved(ours.hi[:, j], own)
        old = moved(theirs.lo[:, j], other), moved(theirs.hi[:, j], other)
        sets = (_members(axis, *mine), _members(axis, *old)) if axis.nominal else None
        return cls(mine, old, sets)

    def among(self, some: slice) -> Flags:
        if self.sets is not None:
            found: Flags = self.sets[0][some] @ self.sets[1].T > 0
            return found
        return (self.ours[0][some][:, None] <= self.theirs[1]) & (self.theirs[0] <= self.ours[1][some][:, None])


def _members(axis: Axis, lo: Positions, hi: Positions) -> Floats:
    """Say which categories each cell may stand for; the last place is that of no value."""
    assert axis.values is not None
    width = len(axis.values)
    found = np.zeros((lo.size, width + 1), np.float64)
    found[hi == TOP] = 1
    found[(lo == MISSING) & (hi != TOP), width] = 1
    for position in np.unique(lo[lo != MISSING]).tolist():
        found[np.ix_(lo == position, axis.members(position))] = 1
    return found


def _stretches(rows: int, width: int) -> Iterator[slice]:
    step = max(1, _AT_ONCE // max(width, 1))
    return (slice(start, start + step) for start in range(0, rows, step))


def _whole(table: Table, column: Column) -> Integers:
    return np.concatenate(table.collect(lambda found: found, column))
