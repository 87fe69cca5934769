"""Range queries: how many records lie in ranges and sets of some attributes, if cells are spread evenly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Positions
from shoal.kernels import MISSING, TOP
from shoal.measures.statistics.cell_masses import CellMasses, MassedCells
from shoal.measures.statistics.uniformity import Categories, Line

# So few rows at a time that all that is made of them stays in the processor's cache, and that BLAS adds them up in one
# thread: on a busy machine threads wait for each other a hundred times longer than the sum takes.
_STEP = 1 << 13


@dataclass(frozen=True)
class Range:
    """All values of a line from the first to the last."""

    first: float
    last: float


@dataclass(frozen=True)
class Several:
    """Some categories."""

    members: frozenset[int]


QueryRange = Range | Several
# Gives the share of each cell of a column that lies in a part.
ShareOf = Callable[[QueryRange], NDArray[np.bool_] | Floats]


def estimated_counts(
    masses: CellMasses, side: int, grounds: Mapping[str, Line | Categories], queries: Sequence[Mapping[str, QueryRange]]
) -> Floats:
    """Count the records that lie in all parts of each query.

    A cell of which only a share lies in a part counts with this share, and a record with the product over its cells.
    """
    names = [name for name in grounds if any(name in query for query in queries)]
    sets = {name: _Sets(ground, side) for name, ground in grounds.items() if isinstance(ground, Categories)}

    def held_in(boxes: MassedCells) -> Floats:
        totals = np.zeros(len(queries))
        for start in range(0, boxes.masses.size, _STEP):
            some = slice(start, start + _STEP)
            shares = {
                name: cache(_shares(grounds[name], side, boxes, j, some, sets.get(name)))
                for j, name in enumerate(names)
            }
            weights = boxes.masses[some]
            for number, query in enumerate(queries):
                held: NDArray[np.bool_] | Floats | None = None
                for name, part in query.items():
                    share = shares[name](part)
                    held = share if held is None else held * share
                totals[number] += weights.sum() if held is None else weights @ held
        return totals

    return sum(masses.over(names, held_in), np.zeros(len(queries)))


def _shares(
    ground: Line | Categories, side: int, boxes: MassedCells, j: int, some: slice, sets: _Sets | None
) -> ShareOf:
    """Give what tells the share of each of some cells in a part of their attribute."""
    lo, hi = np.ascontiguousarray(boxes.lo[some, j]), np.ascontiguousarray(boxes.hi[some, j])
    if isinstance(ground, Line):
        exact = ground.moves[side] is None and bool((lo == hi).all())
        return _of_values(ground, side, lo) if exact else _of_intervals(ground, side, lo, hi)
    assert sets is not None
    places = np.where(lo == MISSING, sets.last + (hi == TOP), lo)
    return lambda part: sets.shares(part)[places]


class _Sets:
    """The share of each position of an axis of categories in a part, found once for all rows.

    Behind the positions of the axis stand the cell without a value and the wildcard.
    """

    def __init__(self, ground: Categories, side: int) -> None:
        self.last = len(ground.moves[side])
        positions = np.append(np.arange(self.last, dtype=np.int32), np.array([MISSING, MISSING], np.int32))
        ends = positions.copy()
        ends[-1] = TOP
        self._members = ground.members(side, positions, ends)
        self._size = ground.size
        self._known: dict[QueryRange, Floats] = {}

    def shares(self, part: QueryRange) -> Floats:
        if part not in self._known:
            assert isinstance(part, Several)
            wanted = np.zeros(self._size + 2)
            wanted[list(part.members)] = 1
            cell, category, share = self._members
            self._known[part] = np.bincount(cell, share * wanted[category], self.last + 2).astype(np.float64)
        return self._known[part]


def _of_values(line: Line, side: int, positions: Positions) -> ShareOf:
    """Compare exact values by their positions, which takes a fraction of the time."""
    axis = line.axes[side]
    listed = (
        None
        if axis.values is None or not axis.numeric
        else line.numbers(side, np.arange(len(axis.values), dtype=np.int32))
    )

    def share(part: QueryRange) -> NDArray[np.bool_]:
        assert isinstance(part, Range)
        if listed is None:
            first, last = int(np.ceil(part.first)), int(np.floor(part.last))
        else:
            first, last = int(np.searchsorted(listed, part.first)), int(np.searchsorted(listed, part.last, "right")) - 1
        inside: NDArray[np.bool_] = (positions >= first) & (positions <= last)
        return inside

    return share


def _of_intervals(line: Line, side: int, lo: Positions, hi: Positions) -> ShareOf:
    """Give the share of the length of each cell."""
    begin, end = line.intervals(side, lo, hi)
    nothing = np.isnan(begin)
    begin[nothing], end[nothing] = np.inf, -np.inf
    length = end - begin
    points = np.flatnonzero(length == 0)
    length[length <= 0] = 1.0

    def share(part: QueryRange) -> Floats:
        assert isinstance(part, Range)
        held = np.minimum(end, part.last)
        held -= np.maximum(begin, part.first - line.whole)
        np.maximum(held, 0.0, out=held)
        held /= length  # not times its inverse: that of the smallest numbers is none
        if points.size:
            held[points] = (begin[points] >= part.first) & (begin[points] <= part.last)
        return held

    return share
