"""Rows of several tables on common axes, as numbers: what a released cell stands for, and what a record has.

Of numbers and dates a cell has two ends, of ordered categories two places, and of others a category or a set of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Floats, Integers, Positions
from shoal.domains.axis import Axis, codes_like
from shoal.errors import SchemaError
from shoal.kernels import MISSING, TOP
from shoal.kernels.nearest_rows import NOMINAL, NUMBER, ORDERED, RowCells, RowTree
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class CommonGround:
    """What the columns of several tables have in common.

    Attributes
    ----------
    names
        The columns.
    kinds
        What each is to a kernel: a number, a place in an order, or a category.
    places
        The number of each category, by column.
    scale
        One over the range of each column of numbers in the first of the tables.
    """

    names: tuple[str, ...]
    kinds: Integers
    places: Mapping[str, Mapping[str, int]]
    scale: Floats

    @classmethod
    def of(cls, tables: Sequence[Table], names: Sequence[str]) -> CommonGround:
        """Put the same columns of several tables together; the ranges of numbers are those of the first."""
        kinds, places, scale = [], {}, np.ones(len(names))
        for j, name in enumerate(names):
            axes = [table.schema[name].axis for table in tables]
            _insist_on_one_kind(name, axes)
            kinds.append(NUMBER if axes[0].numeric else NOMINAL if axes[0].nominal else ORDERED)
            if not axes[0].numeric:
                known = dict.fromkeys(str(value) for axis in axes for value in _values(axis))
                places[name] = {value: i for i, value in enumerate(sorted(known) if axes[0].nominal else known)}
            else:
                ends = tables[0].cells([name], np.arange(tables[0].rows))
                numbers = [_numbers(axes[0], side[(side != MISSING) & (side != TOP)]) for side in ends]
                filled = bool(numbers[0].size and numbers[1].size)
                half = (
                    float(numbers[1].max() / 2 - numbers[0].min() / 2) if filled else 0.0
                )  # the whole may be too large
                scale[j] = 0.5 / half if half > 0 else np.inf  # where all are equal, any other is far away
        return cls(tuple(names), np.array(kinds, np.int64), places, scale)

    def among(self, names: Sequence[str]) -> CommonGround:
        """Give the same of some of the columns."""
        which = [self.names.index(name) for name in names]
        places = {name: self.places[name] for name in names if name in self.places}
        return CommonGround(tuple(names), self.kinds[which], places, self.scale[which])

    def cells(self, table: Table, rows: Integers) -> RowCells:
        """Give some rows of one of the tables, by their ascending numbers."""
        return self.placed(table, *table.cells(self.names, rows))

    def placed(self, table: Table, low: Positions, high: Positions) -> RowCells:
        """Give rows of one of the tables, by the positions of their cells."""
        lo, hi = np.empty(low.shape), np.empty(low.shape)
        sets: dict[tuple[int, ...], int] = {}
        for j, name in enumerate(self.names):
            axis = table.schema[name].axis
            shown = low[:, j] != MISSING
            lo[:, j], hi[:, j] = np.nan, np.nan
            anything = ~shown & (high[:, j] == TOP)
            lo[anything, j], hi[anything, j] = -np.inf, np.inf
            ends = low[shown, j], high[shown, j]
            if self.kinds[j] == NUMBER:
                found = _numbers(axis, ends[0]), _numbers(axis, ends[1])
            elif self.kinds[j] == ORDERED:
                moved = np.array([self.places[name][str(value)] for value in _values(axis)], np.float64)
                found = moved[ends[0]], moved[ends[1]]
            else:
                found = self._categories(name, axis, ends[0], sets)
            lo[shown, j], hi[shown, j] = found
        width = max((len(places) for places in self.places.values()), default=0)
        bitmaps = np.zeros((len(sets), max(width, 1)), np.uint8)
        for members, number in sets.items():
            bitmaps[number, list(members)] = 1
        return RowCells(lo, hi, bitmaps)

    def _categories(
        self, name: str, axis: Axis, positions: Positions, sets: dict[tuple[int, ...], int]
    ) -> tuple[Floats, Floats]:
        """Give the category of each cell, or that it is a set, and which."""
        used, which = np.unique(positions, return_inverse=True)
        values, codes = _values(axis), list(self.places[name])
        lo, hi = np.empty(used.size), np.empty(used.size)
        for i, position in enumerate(used.tolist()):
            if position < len(values):
                lo[i] = hi[i] = self.places[name][str(values[position])]
            else:
                members = tuple(sorted(self.places[name][str(values[each])] for each in axis.members(position)))
                if (pattern := axis.pattern(position)) is not None:  # codes that no released row shows fit it, too
                    members = codes_like(pattern, codes)
                lo[i], hi[i] = -1, sets.setdefault(members, len(sets))
        return lo[which], hi[which]

    def nearest(self, released: RowCells, records: RowCells) -> tuple[Floats, Floats]:
        """Give the least and the second least distance of released rows to records.

        A cell of a record that shows no single value counts as missing.
        """
        return RowTree(self.points(records), self.kinds, self.scale).distances(released)

    def apart(self, released: RowCells, points: RowCells) -> Floats:
        """Give how far each released row is from the record in its place, as `nearest` takes it."""
        found = np.zeros(released.rows)
        for j, kind in enumerate(self.kinds.tolist()):
            lo, hi, value = released.lo[:, j], released.hi[:, j], points.lo[:, j]
            gap = np.where(value < lo, lo - value, np.where(value > hi, value - hi, 0.0))
            with np.errstate(invalid="ignore"):  # nothing is apart, whatever the scale
                off = np.where(gap > 0, np.minimum(gap * self.scale[j], 1.0) if kind == NUMBER else 1.0, 0.0)
            if kind == NOMINAL:
                off = (lo != value) / 1.0
                among = np.flatnonzero((lo < 0) & np.isfinite(lo) & ~np.isnan(value))
                off[among] = released.sets[hi[among].astype(np.int64), value[among].astype(np.int64)] == 0
            missing = np.isnan(lo), np.isnan(value)
            off = np.where(missing[0] | missing[1], missing[0] != missing[1], off)
            found += np.where(np.isneginf(lo), 0.0, off)
        return found

    def points(self, records: RowCells) -> RowCells:
        """Give records as single values; a cell that shows no single value counts as missing."""
        values = np.where(single(records, self.kinds), records.lo, np.nan)
        return RowCells(values, values, np.zeros((0, 1), np.uint8))


def single(cells: RowCells, kinds: Integers) -> Flags:
    """Tell which cells show one value, and no more than that."""
    found: Flags = cells.lo == cells.hi
    found[:, kinds == NOMINAL] &= cells.lo[:, kinds == NOMINAL] >= 0
    return found


def _values(axis: Axis) -> Sequence[object]:
    return [] if axis.values is None else list(axis.values)


def _numbers(axis: Axis, positions: Positions) -> Floats:
    """Give the numbers at positions."""
    found = positions if axis.values is None else axis.values[positions]
    return found.astype(np.float64)


def _insist_on_one_kind(name: str, axes: Sequence[Axis]) -> None:
    kinds = {axis.kind for axis in axes}
    if len(kinds) > 1 and kinds != {"integer", "float"}:
        raise SchemaError(
            f"Column '{name}' is {axes[0].kind} in one table and {axes[-1].kind} in another.",
            f"Declare what it is (--kind {name}={axes[0].kind}).",
        )
