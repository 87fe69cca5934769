"""What the order of rows tells of their cells: which columns were sorted, and how their neighbours bound them.

Rows are read in windows, so that a large table needs little memory. What a window must know of the rows before and
behind it is little, too: the highest lower end and the lowest upper end of each column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Flags, Positions
from shoal.domains.axis import Axis
from shoal.kernels import MISSING, TOP
from shoal.table import Table

ALL = np.uint64(2**64 - 1)
REACH = 1 << 19  # rows before and behind that are looked at with a window of a large table
WIDTH = 8 * REACH  # rows that are looked at together, those included


@dataclass
class RowRange:
    """Rows that follow each other, as boxes: both ends of each cell, and the members of sets as bits.

    ``begin`` and ``end`` are their numbers; those from ``first`` to ``last`` are asked about, the others stand around.
    """

    begin: int
    end: int
    first: int
    last: int
    lo: Positions
    hi: Positions
    sets: NDArray[np.uint64]

    @property
    def asked(self) -> slice:
        """The rows that are asked about, among those that are here."""
        return slice(self.first - self.begin, self.last - self.begin)


class ObservedOrder:
    """A table in the order of its rows, in some columns.

    ``runs`` counts the runs of rows with equal cells, and ``steps`` has for each column 1 if its values can rise along
    the rows but not fall, -1 if they can fall but not rise, and 0 if the order shows nothing.
    """

    def __init__(self, table: Table, names: Sequence[str]) -> None:
        """Look at all rows once."""
        self._table, self._names = table, tuple(names)
        self._axes = [table.schema[name].axis for name in names]
        self._whole: tuple[Positions, Positions, NDArray[np.uint64]] | None = None
        self.runs = 1
        pieces = -(-table.rows // REACH)
        shape = pieces, len(self._names)
        self._top, self._bottom = np.full(shape, MISSING, np.int32), np.full(shape, TOP, np.int32)
        self._starred, rises, falls = np.zeros(shape, np.bool_), np.ones(shape, np.bool_), np.ones(shape, np.bool_)
        previous: tuple[Positions, Positions] | None = None
        for begin in range(0, table.rows, WIDTH):
            lo, hi = self._cells(begin, min(begin + WIDTH, table.rows))
            self.runs += _changes(lo, hi, previous)
            previous = lo[-1].copy(), hi[-1].copy()
            sets = _as_stretches(self._axes, lo, hi)
            for at in range(0, len(lo), REACH):
                piece, rows = (begin + at) // REACH, slice(at, at + REACH)
                self._outline(piece, lo[rows], hi[rows], rises, falls)
            if table.rows <= WIDTH:
                self._whole = lo, hi, sets
        before, behind = np.maximum.accumulate(self._top)[:-1], np.maximum.accumulate(self._top[::-1])[::-1][1:]
        up = rises.all(axis=0) & (before <= self._bottom[1:]).all(axis=0)
        down = falls.all(axis=0) & (behind <= self._bottom[:-1]).all(axis=0)
        # Codes that nobody listed have no place among the others.
        wild = np.array([any(group.pattern for group in axis.groups) for axis in self._axes])
        self.steps = np.where(wild, 0, up.astype(int) - down)

    def _cells(self, begin: int, end: int) -> tuple[Positions, Positions]:
        return self._table.cells(self._names, np.arange(begin, end))

    def _outline(self, piece: int, lo: Positions, hi: Positions, rises: Flags, falls: Flags) -> None:
        for j in range(len(self._names)):
            low, bare = lo[:, j], lo[:, j] == MISSING
            high = np.where(bare, TOP, hi[:, j])
            self._top[piece, j], self._bottom[piece, j] = low.max(), high.min()
            self._starred[piece, j] = (bare & (hi[:, j] == TOP)).any()
            rises[piece, j] = (np.maximum.accumulate(low) <= high).all()
            falls[piece, j] = (np.maximum.accumulate(low[::-1]) <= high[::-1]).all()

    def windows(self) -> Iterator[RowRange]:
        """Give all rows, each once among those that are asked about, with as many around them as there is room for."""
        rows = self._table.rows
        if self._whole is not None:
            yield RowRange(0, rows, 0, rows, *self._whole)
            return
        for first in range(0, rows, WIDTH - 2 * REACH):
            last = min(first + WIDTH - 2 * REACH, rows)
            begin, end = max(first - REACH, 0), min(last + REACH, rows)
            lo, hi = self._cells(begin, end)
            yield RowRange(begin, end, first, last, lo, hi, _as_stretches(self._axes, lo, hi))

    def narrow(self, window: RowRange) -> None:
        """Leave of each cell in the sorted columns what the cells before and behind it leave, in place."""
        begin, end = window.begin // REACH, -(-window.end // REACH)
        for j in np.flatnonzero(self.steps):
            step = int(self.steps[j])
            lo, hi = window.lo[::step, j], window.hi[::step, j]
            sides = (slice(begin), slice(end, None))[::step]
            bare = lo == MISSING
            low = np.maximum(np.maximum.accumulate(lo), self._top[sides[0], j].max(initial=MISSING))
            high = np.minimum.accumulate(np.where(bare, TOP, hi)[::-1])[::-1]
            high = np.minimum(high, self._bottom[sides[1], j].min(initial=TOP))
            lo[~bare], hi[~bare] = low[~bare], high[~bare]

    def apart(self, window: RowRange) -> Flags:
        """Say of each row that is asked about, when narrowed, whether no row outside the window can meet it."""
        begin, end = window.begin // REACH, -(-window.end // REACH)
        lo, hi = window.lo[window.asked], window.hi[window.asked]
        found = np.full(len(lo), begin == 0 and end == len(self._top))
        for j in np.flatnonzero(self.steps):
            starred = self._starred[:begin, j].any() or self._starred[end:, j].any()
            if starred:
                continue
            mine = lo[:, j] != MISSING
            # Along a rise, rows before are below all that is here and behind; along a fall, rows behind are.
            lower, upper = (slice(begin, None), slice(end))[:: int(self.steps[j])]
            outside_below, outside_above = (begin > 0, end < len(self._top))[:: int(self.steps[j])]
            if outside_below:
                mine &= lo[:, j] > self._bottom[lower, j].min()
            if outside_above:
                mine &= hi[:, j] < self._top[upper, j].max()
            found |= mine
        return found


def _changes(lo: Positions, hi: Positions, previous: tuple[Positions, Positions] | None) -> int:
    """Count the rows whose cells are not those of the row before."""
    changed = np.zeros(len(lo) - 1, np.bool_)
    for ends in (lo, hi):
        for column in ends.T:
            changed |= column[1:] != column[:-1]
    first = previous is not None and any((a[0] != b).any() for a, b in zip((lo, hi), previous, strict=True))
    return int(changed.sum()) + int(first)


def _as_stretches(axes: Sequence[Axis], lo: Positions, hi: Positions) -> NDArray[np.uint64]:
    """Make sets of categories intervals from their first to their last, in place; give their members as bits.

    Where there are more than 64 categories several share a bit: sets may then seem to meet, but never the reverse.
    """
    listed = [j for j, axis in enumerate(axes) if axis.groups]
    sets = np.full((len(lo), len(listed)), ALL)
    for number, j in enumerate(listed):
        axis = axes[j]
        assert axis.values is not None
        own = np.uint64(1) << (np.arange(len(axis.values)) % 64).astype(np.uint64)
        joined = [np.bitwise_or.reduce(own[list(group.members)]) if group.members else ALL for group in axis.groups]
        bits = np.append(own, np.array(joined, np.uint64))
        first, last = axis.hull()
        some = lo[:, j] != MISSING
        cells = lo[some, j]
        sets[some, number], lo[some, j], hi[some, j] = bits[cells], first[cells], last[cells]
    return sets
