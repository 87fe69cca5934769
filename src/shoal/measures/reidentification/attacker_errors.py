"""How knowledge of a column errs: which wrong values stand for a right one, and how often.

Numbers, dates and ordered categories slip by one step, up or down with equal chances, and at either end of what occurs
in the column by one step inwards. A step is one unit of whole numbers and of days; elsewhere it leads to the next
value that occurs. Of categories without an order another one is held to be right, drawn as often as it occurs. A cell
without a value does not slip, and no cell does in a column that has only one value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Integers, Positions
from shoal.engines import Boxes
from shoal.errors import DataError
from shoal.kernels import MISSING
from shoal.table import Table


@dataclass(frozen=True)
class Entries:
    """Values by class: for each value that a class holds, in ascending order, its place and how many records have it.

    A place is the number of a value among those to which a column may slip.
    """

    classes: Integers
    places: Integers
    counts: Integers


@dataclass(frozen=True, eq=False)
class ErrorModel:
    """The slips of one column.

    Parameters
    ----------
    positions
        The positions to which places belong, in ascending order; None if places follow each other from ``lowest`` on.
    lowest
        The first position.
    last
        The last place.
    often
        How often each place occurs, if slips lead to places as often as they occur; None if they lead to the next one.
    """

    positions: Positions | None
    lowest: int
    last: int
    often: Integers | None

    @classmethod
    def of(cls, table: Table, name: str, *, as_code: bool = False) -> ErrorModel:
        """Find out how a column slips; numbers that are codes slip as categories do."""
        axis = table.schema[name].axis
        if any(table.boxes(_wide(len(axis.values) if axis.nominal and axis.values is not None else None), (name,))):
            raise DataError(
                f"Column '{name}' has cells that stand for several values, so nobody can be wrong about them.",
                "Measure the table before it was masked, or leave the column out (--error).",
            )
        positions, counts = table.counts(name)
        positions, counts = positions[positions != MISSING], counts[positions != MISSING]
        if not positions.size:
            return cls(None, 0, 0, None)
        lowest = int(positions[0])
        if axis.nominal or axis.tree is not None or as_code:
            return cls(positions, lowest, positions.size - 1, counts)
        if axis.values is None:
            return cls(None, lowest, int(positions[-1]) - lowest, None)
        return cls(positions, lowest, positions.size - 1, None)

    def places(self, positions: Positions) -> Integers:
        """Give the places of positions that occur."""
        if self.positions is None:
            return positions.astype(np.int64) - self.lowest
        return np.searchsorted(self.positions, positions).astype(np.int64)

    def able(self, positions: Positions) -> NDArray[np.bool_]:
        """Tell which cells can be taken for another."""
        able: NDArray[np.bool_] = (positions != MISSING) & (self.last > 0)
        return able

    def slipped(self, positions: Positions, chances: Floats) -> Positions:
        """Give a wrong value for each of some that can slip, by a chance from 0 to 1 for each."""
        here = self.places(positions)
        if self.often is None:
            there = here + np.where(here == 0, 1, np.where((here == self.last) | (chances < 0.5), -1, 1))
        else:
            before = np.cumsum(self.often) - self.often
            others = self.often.sum() - self.often[here]
            drawn = np.minimum((chances * others).astype(np.int64), others - 1)
            drawn += np.where(drawn >= before[here], self.often[here], 0)
            there = np.searchsorted(before, drawn, side="right") - 1
        if self.positions is None:
            return (there + self.lowest).astype(np.int32)
        return self.positions[there]

    def arriving(self, entries: Entries) -> Floats:
        """Give how many records of its class are expected to slip to each value, if all of them slip."""
        if self.often is not None:
            others = self.often.sum() - self.often[entries.places]
            leaving = entries.counts / others
            in_class = np.bincount(entries.classes, leaving)
            arrived: Floats = self.often[entries.places] * (in_class[entries.classes] - leaving)
            return arrived
        down = entries.counts * np.where(entries.places == self.last, 1.0, 0.5) * (entries.places > 0)
        up = entries.counts * np.where(entries.places == 0, 1.0, 0.5) * (entries.places < self.last)
        found = np.zeros(entries.counts.size)
        beside = (np.diff(entries.places) == 1) & (np.diff(entries.classes) == 0)
        found[1:] += np.where(beside, up[:-1], 0.0)
        found[:-1] += np.where(beside, down[1:], 0.0)
        return found


def _wide(categories: int | None) -> Callable[[Boxes], bool]:
    """Give what tells whether cells of a column stand for several values; so do positions behind the categories."""

    def wide(boxes: Boxes) -> bool:
        if bool((boxes.lo != boxes.hi).any()):
            return True
        return categories is not None and bool((boxes.lo >= categories).any())

    return wide
