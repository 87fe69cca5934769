"""Cover of boxes: which have a point that lies in no other box, exactly, as long as the effort lasts."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Integers, Positions
from shoal.errors import InternalError
from shoal.kernels import call, of_kind

COVERED, UNIQUE, UNDECIDED = range(3)

_LEAF = 8  # as in C: up to so many boxes are compared without a tree
_SCRATCH = 4_000_000
_LEVELS = 8
_MANY, _STEPS = 1000, 16  # when hulls stand for cells on no level, and into how many parts their ends are put
# Rounds of work for each box: most are decided by very little, and must not wait for those that are not.
_ALLOWANCES = (20_000, 1_000_000, 50_000_000, 2**62)


@dataclass(frozen=True)
class CellRuns:
    """The distinct cells of a column, each a set of the elementary values ``0 … size - 1``.

    Cell ``c`` has the runs ``starts[c]:starts[c + 1]`` from ``low`` to ``high``, both included, in ascending order
    and not touching each other. No cell is empty.
    """

    starts: Integers
    low: Positions
    high: Positions
    size: int

    @property
    def number(self) -> int:
        """The number of cells."""
        return self.starts.size - 1

    @property
    def ordered(self) -> bool:
        """Whether every cell is one run."""
        return self.number == self.low.size

    def check(self) -> None:
        """Check what the kernels rely on."""
        of_kind(np.int64, self.starts)
        of_kind(np.int32, self.low, self.high)
        inside = self.low.size > 0 and self.low.min() >= 0 and self.high.max() < self.size
        if not inside or (self.low > self.high).any() or (np.diff(self.starts) < 1).any():
            raise InternalError("A kernel was given cells that are empty or outside their column.")


def code_cells(lo: Positions, hi: Positions) -> tuple[Positions, list[tuple[Positions, Positions]]]:
    """Number the cells of each column, and give the ends of the distinct ones."""
    of_kind(np.int32, lo, hi)
    n, m = lo.shape
    codes = np.empty((n, m), np.int32)
    cells = []
    for j in range(m):
        room, found = 1 << 12, -1
        while found < 0:
            low, high = np.empty(room, np.int32), np.empty(room, np.int32)
            slots = np.full(2 * room, -1, np.int32)
            found = call("code_cells", lo, hi, n, m, j, slots, room, low, high, codes, result=ctypes.c_int64)
            room *= 8
        cells.append((low[:found].copy(), high[:found].copy()))
    return codes, cells


def decide(codes: Positions, columns: Sequence[CellRuns], counts: Integers, effort: int) -> NDArray[np.uint8]:
    """Say of each box whether it is ``UNIQUE``, ``COVERED`` by others, or ``UNDECIDED`` when the effort is spent.

    Parameters
    ----------
    codes
        The cell of each box in each column; no two boxes are equal.
    columns
        What the cells are.
    counts
        How often each box occurs. One that occurs twice is covered.
    effort
        How many elementary comparisons may be made. The same effort gives the same verdicts on every machine.
    """
    of_kind(np.int32, codes)
    verdicts = np.where(counts > 1, COVERED, UNDECIDED).astype(np.uint8)
    if not (verdicts == UNDECIDED).any():
        return verdicts
    n, m = codes.shape
    layouts = [_laid_out(cells, codes[:, j]) for j, cells in enumerate(columns)]
    if all(layout.levels == 1 and layout.loose == layout.runs.number for layout in layouts):
        verdicts[verdicts == UNDECIDED] = UNIQUE  # all cells are equal or disjoint, and so are all boxes
        return verdicts
    # The column in which a box meets the fewest others comes first.
    turn = sorted(range(m), key=lambda j: layouts[j].share)
    layouts = [layouts[j] for j in turn]
    world = _World.of(layouts)
    rows = np.empty((n, m), np.int32)
    for d, (j, layout) in enumerate(zip(turn, layouts, strict=True)):
        rows[:, d] = (layout.places + world.first[d])[codes[:, j]]
    hulls = any(layout.keys is not layout.places for layout in layouts)
    keys = rows
    if hulls:
        keys = np.empty((n, m), np.int32)
        for d, (j, layout) in enumerate(zip(turn, layouts, strict=True)):
            keys[:, d] = (layout.keys + world.first[d])[codes[:, j]]
    bits = np.array([max((layout.runs.number - 1).bit_length(), 1) for layout in layouts], np.int64)
    order = np.empty(n, np.int32)
    call("order_boxes", keys, n, m, bits, world.first, np.empty(n, np.uint64), np.empty(n, np.uint64), order)
    tree = np.empty((n + m * (n // _LEAF) + 1, 5), np.int32)
    rows = rows[order]
    keys = keys[order] if hulls else rows
    roots = call("grow_tree", keys, n, m, tree, result=ctypes.c_int64)
    del keys
    verdicts = verdicts[order]
    scratch = np.empty(_SCRATCH + 16 * m * m, np.int32)
    for allowance in _ALLOWANCES:
        if effort <= 0 or not (verdicts == UNDECIDED).any():
            break
        limits = (allowance, effort, scratch, scratch.size)
        place = (rows, n, m, tree, roots, int(hulls))
        effort = call("decide_boxes", *place, *world.arrays(), *limits, verdicts, result=ctypes.c_int64)
    decided = np.empty_like(verdicts)
    decided[order] = verdicts
    return decided


@dataclass(frozen=True)
class _Layout:
    """The cells of a column in a new order: level after level, then those that fit on none, then hulls of these.

    ``places`` says where each cell went, and ``keys`` what stands for it in the tree: itself, or a hull.
    """

    places: Positions
    keys: Positions
    runs: CellRuns
    table: Positions
    loose: int
    load: Positions
    share: float

    @property
    def levels(self) -> int:
        return int(self.table.shape[0])


def _laid_out(cells: CellRuns, codes: Positions) -> _Layout:
    """Put the cells of a column on levels, and find out how many boxes have each value."""
    cells.check()
    starts, low, high, number = cells.starts, cells.low, cells.high, cells.number
    lengths = np.add.reduceat(high.astype(np.int64) - low + 1, starts[:-1])
    order = np.argsort(-lengths, kind="stable").astype(np.int32)
    most = _LEVELS if cells.size < 1_000_000 else 2
    table = np.full((most, cells.size), -1, np.int32)
    level = np.empty(number, np.int32)
    plain = int(cells.ordered)
    call("place_on_levels", order, number, starts, low, high, plain, cells.size, most, table, level)
    table = table[: level.max() + 1]
    level[level < 0] = most
    order = np.lexsort((low[starts[:-1]], level)).astype(np.int32)
    places = np.empty(number, np.int32)
    places[order] = np.arange(number, dtype=np.int32)
    used = np.bincount(codes, minlength=number)
    of_run = used.repeat(np.diff(starts))
    edges = np.zeros(cells.size + 1, np.int64)
    np.add.at(edges, low, of_run)
    np.subtract.at(edges, high + 1, of_run)
    load = np.cumsum(edges[:-1])
    share = float((load[low[starts[:-1]]] * used).sum()) / codes.size**2
    table = np.where(table < 0, np.int32(-1), places[table])
    loose = int((level < most).sum())
    runs, keys = _taken(cells, order), places
    if number - loose > _MANY:
        runs, tree = _with_hulls(runs, loose)
        keys = tree[places]
    return _Layout(places, keys, runs, table, loose, load.astype(np.int32), share)


def _with_hulls(cells: CellRuns, loose: int) -> tuple[CellRuns, Positions]:
    """Add hulls of loose cells whose ends lie near each other, and say what stands for each cell in the tree."""
    first, last = cells.low[cells.starts[loose:-1]], cells.high[cells.starts[loose + 1 :] - 1]
    steps = np.arange(1, _STEPS) / _STEPS
    near = [np.searchsorted(np.quantile(end, steps), end) for end in (first, last)]
    kinds, which = np.unique(near[0] * _STEPS + near[1], return_inverse=True)
    low, high = np.full(kinds.size, cells.size, np.int32), np.full(kinds.size, -1, np.int32)
    np.minimum.at(low, which, first)
    np.maximum.at(high, which, last)
    starts = np.append(cells.starts, cells.starts[-1] + np.arange(1, kinds.size + 1))
    keys = np.append(np.arange(loose), cells.number + which).astype(np.int32)
    return CellRuns(starts, np.append(cells.low, low), np.append(cells.high, high), cells.size), keys


def _taken(cells: CellRuns, order: Positions) -> CellRuns:
    """Give the cells in another order."""
    lengths = np.diff(cells.starts)[order]
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    runs = np.repeat(cells.starts[:-1][order] - starts[:-1], lengths) + np.arange(starts[-1])
    return CellRuns(starts, cells.low[runs], cells.high[runs], cells.size)


@dataclass(frozen=True)
class _World:
    """The cells of all columns, numbered through; ``first`` is the first of each column."""

    first: Positions
    ends: Positions
    at: Integers
    low: Positions
    high: Positions
    table: Positions
    table_at: Integers
    levels: Integers
    sizes: Integers
    loose: Positions
    load: Positions

    @classmethod
    def of(cls, layouts: Sequence[_Layout]) -> _World:
        first = np.cumsum([0, *(layout.runs.number for layout in layouts[:-1])]).astype(np.int32)
        low = np.concatenate([layout.runs.low for layout in layouts])
        high = np.concatenate([layout.runs.high for layout in layouts])
        at = np.cumsum(np.concatenate([[0], *(np.diff(layout.runs.starts) for layout in layouts)])).astype(np.int64)
        tables, loads = [], []
        for layout, base in zip(layouts, first, strict=True):
            table = layout.table.reshape(-1)
            tables.append(np.where(table < 0, table, table + base))
            # As long as the table, so that one number says where a column begins in both.
            loads.append(np.resize(layout.load, table.size))
        return cls(
            first,
            np.stack([low[at[:-1]], high[at[1:] - 1]], axis=1),
            at,
            low,
            high,
            np.concatenate(tables),
            np.cumsum([0, *(table.size for table in tables[:-1])]).astype(np.int64),
            np.array([layout.levels for layout in layouts], np.int64),
            np.array([layout.runs.size for layout in layouts], np.int64),
            np.array([layout.loose for layout in layouts], np.int32) + first,
            np.concatenate(loads),
        )

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Give what the kernel takes, in its order."""
        return tuple(getattr(self, field.name) for field in fields(self)[1:])
