"""The uniformity assumption: a cell that shows no value is spread evenly over all that it may stand for.

A range of whole numbers, of days or of ordered categories stands for each value in it with the same weight; a range of
decimals or of times evenly for its length; a set of categories for each of its members; ``937**`` for each category
of the original that begins so; and ``*`` for the whole domain of the attribute in the original. A cell without a
value is a value of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Integers, Positions
from shoal.domains.axis import Axis, PositionMap
from shoal.engines.values import Moments
from shoal.errors import SchemaError
from shoal.kernels import MISSING, TOP
from shoal.table import Table

# Which of the two tables.
ORIGINAL, RELEASED = 0, 1


@dataclass(frozen=True)
class Line:
    """An attribute with an order: each cell of both tables is an interval of one line of numbers.

    Where values are ``whole``, each takes the unit up to itself, 34 from 33 to 34, so that a range of ten values is ten
    units long. Elsewhere an exact value is a point. ``domain`` is the interval that ``*`` stands for.
    """

    axes: tuple[Axis, Axis]
    moves: tuple[PositionMap, PositionMap]
    whole: bool
    scale: int
    domain: tuple[float, float]

    @classmethod
    def between(cls, axes: tuple[Axis, Axis], ends: tuple[int, int] | None) -> Line:
        """Put two axes on one line; ``ends`` are the lowest and highest position of the original, if it has any."""
        numeric = axes[ORIGINAL].numeric
        moves = (None, None) if numeric else axes[ORIGINAL].shared_with(axes[RELEASED])[1:]
        listed = [np.abs(axis.values.astype(np.float64)) for axis in axes if numeric and axis.values is not None]
        largest = max((float(values.max(initial=0.0)) for values in listed), default=0.0)
        # Beyond these limits lengths or their inverse would not be numbers. Shares do not depend on the unit.
        scale = 0 if largest == 0 or 1e-100 < largest < 1e100 else -math.frexp(largest)[1]
        whole = all(axis.kind in ("integer", "date", "ordered") for axis in axes)
        line = cls(axes, moves, whole, scale, (math.nan, math.nan))
        if ends is None:
            return line
        first, last = line.numbers(ORIGINAL, np.array(ends, np.int32)).tolist()
        return cls(axes, moves, whole, scale, (first - whole, last))

    def numbers(self, side: int, positions: Positions) -> Floats:
        """Give the numbers behind positions of one of the tables."""
        axis, move = self.axes[side], self.moves[side]
        if not axis.numeric:
            return (positions if move is None else move[positions]).astype(np.float64)
        found = positions if axis.values is None else axis.values[positions]
        return np.ldexp(found.astype(np.float64), self.scale)

    def intervals(self, side: int, lo: Positions, hi: Positions) -> tuple[Floats, Floats]:
        """Give both ends of cells of one of the tables; not numbers where there is no value."""
        shown, wild = lo != MISSING, (lo == MISSING) & (hi == TOP)
        begin, end = np.full(lo.size, math.nan), np.full(lo.size, math.nan)
        begin[shown] = self.numbers(side, lo[shown]) - self.whole
        end[shown] = self.numbers(side, hi[shown])
        begin[wild], end[wild] = self.domain
        return begin, end


@dataclass(frozen=True)
class Categories:
    """An attribute without an order: each cell of both tables is a set of the same categories.

    Two more stand behind the ``size`` categories: ``size`` is a cell without a value, and ``size + 1`` a wildcard such
    as 937** that fits no category of either table. ``domain`` is what ``*`` stands for.
    """

    axes: tuple[Axis, Axis]
    moves: tuple[NDArray[np.int64], NDArray[np.int64]]
    domain: tuple[int, ...]
    names: tuple[str, ...]

    @classmethod
    def between(cls, axes: tuple[Axis, Axis]) -> Categories:
        """Put the categories of two axes together."""
        common, *moves = axes[ORIGINAL].shared_with(axes[RELEASED])
        mine, theirs = (
            np.arange(_values(axis) + len(axis.groups)) if move is None else move.astype(np.int64)
            for axis, move in zip(axes, moves, strict=True)
        )
        domain = tuple(sorted(mine[: _values(axes[ORIGINAL])].tolist()))
        return cls(axes, (mine, theirs), domain, tuple(map(str, common.values)))  # type: ignore[arg-type]

    @property
    def size(self) -> int:
        """The number of categories."""
        return len(self.names)

    def members(self, side: int, lo: Positions, hi: Positions) -> tuple[Integers, Integers, Floats]:
        """Give the categories that cells stand for: the number of the cell, the category, and its share in the cell."""
        move, values = self.moves[side], _values(self.axes[side])
        single = np.flatnonzero((lo != MISSING) & (lo < values))
        nothing = np.flatnonzero((lo == MISSING) & (hi != TOP))
        cells = [single, nothing]
        found = [move[lo[single]], np.full(nothing.size, self.size)]
        shares = [np.ones(single.size), np.ones(nothing.size)]
        several = np.flatnonzero(((lo != MISSING) & (lo >= values)) | ((lo == MISSING) & (hi == TOP)))
        sets: dict[int, Sequence[int]] = {MISSING: self.domain or (self.size,)}
        for cell, position in zip(several.tolist(), lo[several].tolist(), strict=True):
            if position not in sets:
                sets[position] = self._of_group(side, position)
            cells.append(np.full(len(sets[position]), cell))
            found.append(np.array(sets[position], np.int64))
            shares.append(np.full(len(sets[position]), 1 / len(sets[position])))
        return np.concatenate(cells), np.concatenate(found), np.concatenate(shares)

    def _of_group(self, side: int, position: int) -> Sequence[int]:
        """Give the categories of a set, or those of the original that a wildcard such as 937** fits."""
        axis = self.axes[side]
        own = self.moves[side][list(axis.members(position))].tolist()
        pattern = axis.pattern(position)
        if pattern is None:
            return tuple(own)
        stem, length = pattern.rstrip("*"), len(pattern)
        fitting = tuple(i for i in self.domain if len(self.names[i]) == length and self.names[i].startswith(stem))
        return fitting or tuple(own) or (self.size + 1,)


def _values(axis: Axis) -> int:
    return 0 if axis.values is None else len(axis.values)


def common_ground(original: Table, released: Table, name: str, moments: Moments) -> Line | Categories:
    """Put an attribute of two tables on common ground.

    Parameters
    ----------
    original, released
        The tables.
    name
        The attribute.
    moments
        The moments of the original.
    """
    j = original.schema.quasi.index(name)
    return ground_of(
        original,
        released,
        name,
        lambda: (int(moments.lowest[j]), int(moments.highest[j])) if moments.count[j] else None,
    )


def ground_of(
    original: Table, released: Table, name: str, limits: Callable[[], tuple[int, int] | None]
) -> Line | Categories:
    """Put a column of two tables on common ground.

    Parameters
    ----------
    original, released
        The tables.
    name
        The column.
    limits
        What gives its lowest and highest position in the original, if any of its cells has a value.
    """
    axes = original.schema[name].axis, released.schema[name].axis
    kinds = {axis.kind for axis in axes}
    if len(kinds) > 1 and kinds != {"integer", "float"}:
        raise SchemaError(
            f"Column '{name}' is {axes[0].kind} in one table and {axes[1].kind} in the other.",
            f"Declare what it is (--kind {name}={axes[0].kind}).",
        )
    if axes[ORIGINAL].nominal:
        return Categories.between(axes)
    return Line.between(axes, limits())
