"""The nearest of some rows, by how many cells cannot stand for the same: how far they are, and which they are."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Bytes, Floats, Integers, Positions
from shoal.errors import InternalError
from shoal.kernels import call, of_kind

NUMBER, ORDERED, NOMINAL = 0, 1, 2

_LEAF = 8
_ROOM = 1 << 22  # places of rows that are listed at once
_SLACK = np.array([1e-12])  # sums of gaps that differ by less are equal: only their rounding differs


@dataclass(frozen=True, eq=False)
class RowCells:
    """Rows as kernels compare them.

    Attributes
    ----------
    lo, hi
        Both ends of each cell: of categories the category twice, or -1 and the number of a set. Not a number where
        there is no value, and infinite for any value.
    sets
        Which categories are in each set: a row per set.
    """

    lo: Floats
    hi: Floats
    sets: Bytes

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.lo.shape[0])

    def taken(self, rows: Integers) -> RowCells:
        """Give some of the rows."""
        return RowCells(self.lo[rows], self.hi[rows], self.sets)

    def columns(self, which: Integers) -> RowCells:
        """Give some of the columns."""
        return RowCells(np.ascontiguousarray(self.lo[:, which]), np.ascontiguousarray(self.hi[:, which]), self.sets)

    def hulls(self, kinds: Integers) -> tuple[Floats, Floats]:
        """Give both ends of what each cell spans, also of sets."""
        first, last = self.lo.copy(), self.hi.copy()
        places = np.arange(self.sets.shape[1])
        low = np.where(self.sets > 0, places, self.sets.shape[1]).min(axis=1, initial=self.sets.shape[1])
        high = np.where(self.sets > 0, places, -1).max(axis=1, initial=-1)
        for j in np.flatnonzero(kinds == NOMINAL):
            chosen = (self.lo[:, j] < 0) & np.isfinite(self.lo[:, j])
            number = self.hi[chosen, j].astype(np.int64)
            first[chosen, j], last[chosen, j] = low[number], high[number]
        return first, last


@dataclass(frozen=True, eq=False)
class NearestRows:
    """What is nearest to some of the rows that were asked about, from the row ``start`` on.

    Attributes
    ----------
    least, following
        The least distance, and, if it was asked for, the least above it; infinity where there is none.
    rows
        How many rows are at the least distance, each as often as it occurs.
    ends
        Where the list of those at the least distance ends, for each row that was asked about.
    nearest
        These lists, one behind the other.
    """

    start: int
    least: Floats
    following: Floats
    rows: Integers
    ends: Integers
    nearest: Positions

    @property
    def asked(self) -> Integers:
        """For each place in the lists, which row was asked about."""
        return np.repeat(np.arange(self.ends.size), np.diff(self.ends, prepend=0))


class RowTree:
    """Rows among which the nearest are looked for, each as often as it occurs."""

    def __init__(self, cells: RowCells, kinds: Integers, scale: Floats, weights: Integers | None = None) -> None:
        """Order the rows so that those with like cells lie together."""
        _check(cells, kinds, scale)
        n, m = cells.lo.shape
        self._kinds, self._scale, self._sets = kinds, scale, cells.sets
        self._levels = 1
        while _LEAF << (self._levels - 1) < n:
            self._levels += 1
        first, last = cells.hulls(kinds)
        self._order = np.empty(n, np.int32)
        self._boxes = np.empty((2**self._levels - 1) * 2 * m)
        self._holes = np.empty((2**self._levels - 1) * m, np.uint8)
        call("grow_row_tree", n, m, kinds, scale, first, last, self._levels, self._order, self._boxes, self._holes)
        self._lo, self._hi = cells.lo[self._order], cells.hi[self._order]
        self._weights = np.ones(n, np.int64) if weights is None else weights[self._order]

    def distances(self, asked: RowCells) -> tuple[Floats, Floats]:
        """Give the least and the second least distance of each of some rows; infinity where there are too few."""
        [found] = self._found(asked, second=True, listed=False)
        return found.least, np.where(found.rows > 1, found.least, found.following)

    def numbers(self, asked: RowCells) -> tuple[Floats, Integers]:
        """Give the least distance of each of some rows, and how many are at it."""
        [found] = self._found(asked, second=False, listed=False)
        return found.least, found.rows

    def nearest(self, asked: RowCells) -> Iterator[NearestRows]:
        """Give what is nearest to each of some rows, in stretches of these."""
        return self._found(asked, second=False, listed=True)

    def within(
        self, asked: RowCells, near: Floats, split: int | None = None, beside: Floats | None = None, most: int = 2**62
    ) -> Integers:
        """Count for each of some rows those that are so near, but no more than ``most``.

        With a split two limits are kept: one in the columns before it, and another in the rest.
        """
        limits = [np.zeros(asked.rows) if each is None else each * (1 + _SLACK) for each in (near, beside)]
        rows = np.empty(asked.rows, np.int64)
        split = self._lo.shape[1] if split is None else split
        call(
            "count_rows_within",
            *self._trunk(asked),
            *_ends(asked, asked.hulls(self._kinds), 0),
            split,
            *limits,
            most,
            rows,
        )
        return rows

    def _trunk(self, asked: RowCells) -> tuple[object, ...]:
        """Give what kernels need to know of the tree, having checked what they are asked."""
        _check(asked, self._kinds, self._scale)
        if self._sets.size and asked.sets.size:
            raise InternalError("Rows with sets of categories were asked for among others with sets.")
        sets = self._sets if self._sets.size else asked.sets
        if sets.size:
            nominal = self._kinds == NOMINAL
            for codes in (self._lo[:, nominal], asked.lo[:, nominal]):
                _insist(codes[codes >= 0], sets.shape[1])
        form = (*self._lo.shape, self._levels, self._kinds, self._scale, sets, sets.shape[1])
        return (*form, self._lo, self._hi, self._weights, self._boxes, self._holes)

    def _found(self, asked: RowCells, *, second: bool, listed: bool) -> Iterator[NearestRows]:
        trunk, ends_of = self._trunk(asked), asked.hulls(self._kinds)
        room = max(_ROOM, self._lo.shape[0]) if listed else 0
        start = 0
        while start < asked.rows or start == 0:
            rest = asked.rows - start
            least, following = np.empty(rest), np.empty(rest)
            rows, ends = np.empty(rest, np.int64), np.empty(rest, np.int64)
            places = np.empty(room, np.int32) if listed else None
            done = call(
                "find_nearest_rows", *trunk, *_ends(asked, ends_of, start), int(second), _SLACK, least, following, rows,
                ends, places, room, result=ctypes.c_int64,
            )  # fmt: skip
            used = int(ends[done - 1]) if done else 0
            mine = np.empty(0, np.int32) if places is None else self._order[places[:used]]
            yield NearestRows(start, least[:done], following[:done], rows[:done], ends[:done], mine)
            start += max(done, 1)


def _ends(asked: RowCells, hulls: tuple[Floats, Floats], start: int) -> tuple[object, ...]:
    """Give the rows that are asked about as kernels take them, from one of them on."""
    return asked.rows - start, asked.lo[start:], asked.hi[start:], hulls[0][start:], hulls[1][start:]


def _check(cells: RowCells, kinds: Integers, scale: Floats) -> None:
    """Check what kernels trust: they look where sets and categories point."""
    of_kind(np.float64, cells.lo, cells.hi, scale)
    of_kind(np.int64, kinds)
    of_kind(np.uint8, cells.sets)
    columns = cells.lo.shape[1]
    if cells.hi.shape != cells.lo.shape or kinds.size != columns or scale.size != columns:
        raise InternalError("Rows and records do not have the same columns.")
    nominal = kinds == NOMINAL
    lo, hi = cells.lo[:, nominal], cells.hi[:, nominal]
    _insist(hi[(lo < 0) & np.isfinite(lo)], cells.sets.shape[0])


def _insist(numbers: Floats, limit: int) -> None:
    """Insist that numbers name sets and categories that there are: a kernel looks where they point."""
    known = numbers[np.isfinite(numbers)]
    if known.size and not (known.min() >= 0 and known.max() < limit):
        raise InternalError("A kernel was given a category that does not exist.")
