"""How many points lie in each of many boxes: both are divided until what is left is little, or lies wholly inside.

Points have a place in every column, and a box has a lowest and a highest one. Boxes of categories may leave out places
between these: then each of their cells says by itself which places it holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Integers, Positions

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


def count_inside(places: Positions, weights: Integers, boxes: PlacedBoxes, says: Flags) -> tuple[Integers, int]:
    """Count the points in each box, and those that are in none of some boxes.

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
    gaps = boxes.gaps
    waiting = [(np.arange(places.shape[0]), np.arange(inside.size))]
    while waiting:
        points, some = waiting.pop()
        here = places[points]
        first, last = here.min(axis=0), here.max(axis=0)
        some = some[((boxes.low[some] <= last) & (boxes.high[some] >= first)).all(axis=1)]
        whole = ((boxes.low[some] <= first) & (boxes.high[some] >= last) & ~gaps[some]).all(axis=1)
        inside[some[whole]] += int(weights[points].sum())
        if says[some[whole]].any():
            seen[points] = True
        some = some[~whole]
        if not some.size:
            continue
        if points.size * some.size <= _PAIRS or (first == last).all():
            held = _held(here, boxes, some)
            inside[some] += np.rint(held @ weights[points].astype(np.float64)).astype(np.int64)
            seen[points] |= held[says[some]].any(axis=0)
            continue
        column = _widest(boxes, some, first, last)
        middle = np.partition(here[:, column], points.size // 2)[points.size // 2]
        below = here[:, column] < middle if middle > first[column] else here[:, column] <= middle
        waiting += [(points[below], some), (points[~below], some)]
    return inside, int(weights[~seen].sum())


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
