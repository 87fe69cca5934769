"""How many points lie in each of many boxes: both are divided until what is left is little, or lies wholly inside.

Points have a place in every column, and a box has a lowest and a highest one. Boxes of categories may leave out places
between these: then each of their cells says by itself which places it holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Integers, Offsets, Positions
from shoal.kernels.grouping import distinct, starts_of

_PAIRS = 1_000_000  # points times boxes that are compared one by one


@dataclass(frozen=True, eq=False)
class PlacedBoxes:
    """Boxes over places of points.

    Attributes
    ----------
    low, high
        The lowest and the highest place of each box in each column; the first above the second where it holds none.
    cells
        The number of the cell that each box has in each column.
    held
        Of columns whose cells leave out places: for each cell, which places it holds.
    """

    low: Positions
    high: Positions
    cells: Positions
    held: Mapping[int, Flags]

    @property
    def gaps(self) -> Flags:
        """Which boxes leave out places between their ends, in which columns."""
        found = np.zeros(self.low.shape, np.bool_)
        for j, held in self.held.items():
            spans = self.high[:, j] - self.low[:, j] + 1
            found[:, j] = held.sum(axis=1)[self.cells[:, j]] < spans
        return found


def count_inside(places: Positions, weights: Integers, boxes: PlacedBoxes, says: Flags) -> tuple[Integers, Flags]:
    """Count the points in each box, and tell which of them are in none of some boxes.

    Parameters
    ----------
    places
        The place of each point in each column.
    weights
        How often each point counts.
    boxes
        The boxes.
    says
        Of which boxes a point is looked for that is in none.
    """
    inside = np.zeros(boxes.low.shape[0], np.int64)
    seen = np.zeros(places.shape[0], np.bool_)
    for points, some, held in _meetings(places, boxes):
        if held is None:
            inside[some] += int(weights[points].sum())
            if says[some].any():
                seen[points] = True
        else:
            inside[some] += np.rint(held @ weights[points].astype(np.float64)).astype(np.int64)
            seen[points] |= held[says[some]].any(axis=0)
    return inside, ~seen


def count_people(
    places: Positions, starts: Offsets, persons: Integers, boxes: PlacedBoxes, says: Flags
) -> tuple[Integers, int]:
    """Count the people who have a point in each box, and those who have one in none of some boxes.

    Parameters
    ----------
    places
        The place of each point in each column.
    starts
        Where the people begin who have each point, among all of them.
    persons
        Who they are, by numbers from 0 on; each once for a point.
    boxes
        The boxes.
    says
        Of which boxes a point is looked for that is in none.
    """
    point = np.repeat(np.arange(places.shape[0]), np.diff(starts))
    once = np.bincount(persons)[persons] == 1
    inside, strange = count_inside(places, np.bincount(point[once], minlength=places.shape[0]), boxes, says)
    several = distinct(point[~once])  # points of people who have others, whom a box counts once
    order = np.flatnonzero(~once)
    who, begins = persons[order], starts_of(np.bincount(np.searchsorted(several, point[order]), minlength=several.size))
    pairs = np.empty(0, np.int64)
    for points, some, held in _meetings(places[several], boxes) if several.size else ():
        box, at = np.nonzero(np.ones((some.size, points.size), np.bool_) if held is None else held)
        counts = np.diff(begins)[points[at]]
        within = np.arange(counts.sum()) - np.repeat(starts_of(counts)[:-1], counts)
        person = who[np.repeat(begins[:-1][points[at]], counts) + within]
        pairs = distinct(np.concatenate([pairs, (np.repeat(some[box], counts) << 32) + person]))
    inside += np.bincount(pairs >> 32, minlength=inside.size)
    return inside, int(distinct(persons[strange[point]]).size)


def _meetings(places: Positions, boxes: PlacedBoxes) -> Iterator[tuple[Integers, Integers, Flags | None]]:
    """Give points and boxes that hold all of them, or which of them each holds; every pair that meets once."""
    gaps = boxes.gaps
    waiting = [(np.arange(places.shape[0]), np.arange(boxes.low.shape[0]))]
    while waiting:
        points, some = waiting.pop()
        here = places[points]
        first, last = here.min(axis=0), here.max(axis=0)
        some = some[((boxes.low[some] <= last) & (boxes.high[some] >= first)).all(axis=1)]
        whole = ((boxes.low[some] <= first) & (boxes.high[some] >= last) & ~gaps[some]).all(axis=1)
        if whole.any():
            yield points, some[whole], None
        some = some[~whole]
        if not some.size:
            continue
        if points.size * some.size <= _PAIRS or (first == last).all():
            yield points, some, _held(here, boxes, some)
            continue
        column = _widest(boxes, some, first, last)
        middle = np.partition(here[:, column], points.size // 2)[points.size // 2]
        below = here[:, column] < middle if middle > first[column] else here[:, column] <= middle
        waiting += [(points[below], some), (points[~below], some)]


def _widest(boxes: PlacedBoxes, some: Integers, first: Positions, last: Positions) -> int:
    """Give the column in which the most boxes end within the points: to divide there decides most."""
    ends = (boxes.low[some] > first).sum(axis=0) + (boxes.high[some] < last).sum(axis=0)
    return int(np.argmax(np.where(last > first, ends, -1)))


def _held(here: Positions, boxes: PlacedBoxes, some: Integers) -> Flags:
    """Tell which boxes hold which points, comparing all with all."""
    found = np.ones((some.size, here.shape[0]), np.bool_)
    for j in range(here.shape[1]):
        if j in boxes.held:
            found &= boxes.held[j][boxes.cells[some, j]][:, here[:, j]]
        else:
            found &= (boxes.low[some, j, None] <= here[:, j]) & (boxes.high[some, j, None] >= here[:, j])
    return found
