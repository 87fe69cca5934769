"""The values of an attribute in two tables, as shares of their records, and how far these are apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np

from shoal.arrays import Floats, Positions
from shoal.measures.statistics.cell_masses import CellMasses
from shoal.measures.statistics.uniformity import ORIGINAL, RELEASED, Categories, Line, common_ground

# Densities are summed as three whole numbers of 40 bits: sums of 4 million stay below 64 bits.
_BITS = 40
# Of densities that differ by more powers of two, three such numbers would not hold enough digits of the smallest.
_APART = 70
# Densities of more powers of two may not be numbers.
_LARGEST = 1000
# No density is so small that it has no 60 digits above this power of two.
_SMALLEST = 512


@dataclass(frozen=True)
class Difference:
    """The shares of one table less those of another.

    Attributes
    ----------
    points
        At single values, in ascending order; on a line, at the ends of intervals.
    between
        Spread evenly between each of these values and the next; empty for categories.
    nothing
        Of cells without a value.
    """

    points: Floats
    between: Floats
    nothing: float

    @property
    def total_variation(self) -> float:
        """The share of records that would have to change their value to make one table of the other."""
        return float(np.abs(self.points).sum() + np.abs(self.between).sum() + abs(self.nothing)) / 2

    @property
    def largest_below(self) -> float:
        """The largest difference between the shares below any value; cells without a value are below all others."""
        before = self.nothing + np.cumsum(np.append(0.0, self.between)) + np.cumsum(self.points) - self.points
        after = before + self.points
        return float(max(abs(self.nothing), np.abs(before).max(initial=0.0), np.abs(after).max(initial=0.0)))


def differences(before: CellMasses, after: CellMasses, *, ordered: bool) -> dict[str, Difference]:
    """Compare the values of each quasi-identifier, or only of those with an order.

    Distinct cells are counted, never records one by one, so nothing of the size of a table is made; but where records
    are weighted, each table's weights are looked at.
    """
    original, released, sides = before.table, after.table, (before, after)
    moments = original.moments()
    found = {}
    for name in original.schema.quasi:
        ground = common_ground(original, released, name, moments)
        if isinstance(ground, Line):
            found[name] = _on_line(ground, sides, name)
        elif not ordered:
            found[name] = _of_categories(ground, sides, name)
    return found


def _cells(masses: CellMasses, name: str) -> list[tuple[Positions, Positions, Floats]]:
    return masses.over((name,), lambda cells: (cells.lo[:, 0], cells.hi[:, 0], cells.masses))


def _of_categories(ground: Categories, sides: Sequence[CellMasses], name: str) -> Difference:
    shares = np.zeros((2, ground.size + 2))
    for side, masses in zip((ORIGINAL, RELEASED), sides, strict=True):
        for lo, hi, mass in _cells(masses, name):  # those of a set in equal shares
            cell, category, share = ground.members(side, lo, hi)
            shares[side] += np.bincount(category, share * mass[cell], ground.size + 2)
        shares[side] /= masses.total
    apart = shares[RELEASED] - shares[ORIGINAL]
    return Difference(np.delete(apart, ground.size), np.zeros(0), float(apart[ground.size]))


def _on_line(line: Line, sides: Sequence[CellMasses], name: str) -> Difference:
    begins, ends, masses = [], [], []
    for side, held in zip((ORIGINAL, RELEASED), sides, strict=True):
        sign = 1.0 if side == RELEASED else -1.0
        for lo, hi, mass in _cells(held, name):
            begin, end = line.intervals(side, lo, hi)
            begins.append(begin)
            ends.append(end)
            masses.append(sign * mass / held.total)
    begin, end, mass = map(np.concatenate, (begins, ends, masses))
    shown = ~np.isnan(begin)
    nothing = float(mass[~shown].sum())
    return _laid_out(begin[shown], end[shown], mass[shown], nothing)


def _laid_out(begin: Floats, end: Floats, mass: Floats, nothing: float) -> Difference:
    """Put intervals with their masses, some of which are negative, on one line."""
    knots = np.unique(np.concatenate([begin, end]))
    first, last = np.searchsorted(knots, begin), np.searchsorted(knots, end)
    point = first == last
    points = np.bincount(first[point], mass[point], knots.size).astype(np.float64)
    wide = ~point
    if not wide.any():
        return Difference(points, np.zeros(max(knots.size - 1, 0)), nothing)
    length = end[wide] - begin[wide]
    powers = np.frexp(mass[wide])[1] - np.frexp(length)[1]
    if int(powers.max()) - int(powers.min()) > _APART or int(powers.max()) > _LARGEST:
        return Difference(points, _between(first[wide], last[wide], mass[wide], length, np.diff(knots)), nothing)
    density = mass[wide] / length
    heights = np.zeros(knots.size - 1)
    unit = math.ldexp(1.0, math.frexp(float(np.abs(density).max()))[1] - _BITS)
    # What an interval adds where it begins is taken away where it ends, to the last digit: a short interval is so dense
    # that a rounding error of it would be seen along the whole line.
    for _ in range(3):
        digits = np.trunc(density / unit)
        change = np.zeros(knots.size, np.int64)
        np.add.at(change, first[wide], digits.astype(np.int64))
        np.subtract.at(change, last[wide], digits.astype(np.int64))
        heights += np.cumsum(change)[:-1] * unit
        density = density - digits * unit
        unit = math.ldexp(unit, -_BITS)
    return Difference(points, heights * np.diff(knots), nothing)


def _between(first: Any, last: Any, mass: Floats, length: Floats, gaps: Floats) -> Floats:
    """Give what lies between neighbouring knots, of intervals as short and as long as numbers can be."""
    change = [0] * (gaps.size + 1)
    for begin, end, held, long in zip(first.tolist(), last.tolist(), mass.tolist(), length.tolist(), strict=True):
        density = int(Fraction(held) / Fraction(long) * 2**_SMALLEST)
        change[begin] += density
        change[end] -= density
    heights = accumulate(change[:-1])
    found = [float(height * Fraction(gap) / 2**_SMALLEST) for height, gap in zip(heights, gaps.tolist(), strict=True)]
    return np.array(found)
