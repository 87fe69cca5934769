"""Columns as numbers, and numbers back into columns: whole numbers and dates are rounded, missing cells stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Array, Flags, Floats, Integers
from shoal.domains.axis import Axis
from shoal.engines.packed_cells import any_range, has_value, packed, unpacked
from shoal.errors import SchemaError
from shoal.kernels import MISSING
from shoal.methods.perturbation.stretches import by_stretches
from shoal.table import Column, Table

_LARGEST = 2147483646
_MOST = 1e140  # of which the squares of a thousand million still have a sum
_WHOLE = 2.0**63
_DAYS = (-719162, 2932896)  # the first and last day that dates have, from 1970
_PER_DAY = 86_400_000_000  # microseconds
# What moments are counted in: the coarsest of these that all moments of a column are whole numbers of.
_UNITS = (_PER_DAY, 3_600_000_000, 60_000_000, 1_000_000, 1000, 1)


def numbers_of(table: Table, names: Sequence[str]) -> Column:
    """Give columns as numbers, one row for each record: NaN where there is no value. Days and moments are counted."""
    axes = [_numeric(table, name) for name in names]

    def numbers(*columns: Integers) -> Floats:
        found = np.empty((columns[0].size, len(axes)))
        for j, (axis, cells) in enumerate(zip(axes, columns, strict=True)):
            lo, _ = unpacked(cells)
            known = lo != MISSING
            values = lo if axis.values is None else axis.values[np.where(known, lo, 0)] if len(axis.values) else lo
            found[:, j] = np.where(known, values, np.nan)
        return found

    columns = [table.column(name) for name in names]
    refuse_ranges(table, dict(zip(names, columns, strict=True)))
    return table.combine(by_stretches(numbers), *columns)


def some_missing(table: Table, names: Sequence[str]) -> bool:
    """Tell whether a record lacks a value in one of some columns."""
    columns = [table.column(name) for name in names]
    return any(table.collect(lambda *cells: any(not has_value(each).all() for each in cells), *columns))


def refuse_ranges(table: Table, columns: dict[str, Column]) -> None:
    """Refuse columns of which some cells are ranges: nothing can be added to these."""
    for name, column in columns.items():
        if any(table.collect(any_range, column)):
            raise SchemaError(
                f"Some cells of '{name}' are ranges, so they have no single numbers.",
                "Mask this column with one method only, or change its values before others coarsen them.",
            )


def _numeric(table: Table, name: str) -> Axis:
    axis = table.schema[name].axis
    if not axis.numeric or axis.tree is not None:
        raise SchemaError(
            f"Column '{name}' holds no numbers or dates.",
            "Name columns that do (columns), or declare its kind (--kind).",
        )
    if axis.kind == "float" and axis.values is not None and np.abs(axis.values).max(initial=0) > _MOST:
        raise SchemaError(
            f"Some numbers of '{name}' are so large that their squares are none.",
            "Give them in a larger unit, or name other columns (columns).",
        )
    return axis


@dataclass(frozen=True)
class ValueGrid:
    """The values that a column may be given: whole numbers of a unit within limits, or any."""

    unit: int | None
    lowest: float = -_WHOLE
    highest: float = _WHOLE - 1024

    @classmethod
    def of(cls, axis: Axis) -> ValueGrid:
        """Give that of an axis. Moments stay as exact as they were, and no finer."""
        if axis.kind == "float":
            return cls(None)
        if axis.kind == "date":
            return cls(1, *map(float, _DAYS))
        if axis.kind == "datetime":
            assert axis.values is not None
            unit = next(each for each in _UNITS if each == 1 or not (axis.values % each).any())
            # Moments near the ends have no float of their own, and in another zone they may be a day later.
            inside = _PER_DAY if axis.zone is not None else 0
            end = float((_DAYS[1] + 1) * _PER_DAY - inside)
            return cls(unit, float(_DAYS[0] * _PER_DAY + inside), min(end - unit, float(np.nextafter(end, 0))))
        return cls(1)

    def rounded(self, numbers: Floats) -> Floats:
        """Give the nearest of the values."""
        if self.unit is None:
            return numbers + 0.0  # no zero has a sign
        found: Floats = np.clip(np.rint(numbers / self.unit) * self.unit, self.lowest, self.highest) + 0.0
        return found


def put_numbers(table: Table, names: Sequence[str], numbers: Column) -> Table:
    """Give columns other numbers, of which the matrix has one column each; what is NaN stays as it is."""
    changed = {}
    for j, name in enumerate(names):
        axis = table.schema[name].axis
        grid = ValueGrid.of(axis)
        new = table.combine(_column_of(j, grid), numbers)
        changed[name] = _placed(table, axis, grid, new, table.column(name))
    return table.put(changed)


def _column_of(j: int, grid: ValueGrid) -> Callable[[Floats], Floats]:
    return by_stretches(lambda matrix: grid.rounded(matrix[:, j]))


def _placed(table: Table, axis: Axis, grid: ValueGrid, numbers: Column, cells: Column) -> tuple[Axis, Column]:
    """Give the axis on which numbers lie, and their cells on it."""
    plain = axis.kind in ("integer", "date") and not any(table.collect(_large, numbers))
    if plain:
        return replace(axis, values=None), table.combine(by_stretches(_with_positions), numbers, cells)
    values = distinct(table, numbers)
    if grid.unit is not None:
        listed = values.astype(np.int64)
        axis = replace(axis, values=listed)
    else:
        axis = replace(axis, values=values)

    def places(numbers: Floats, cells: Integers) -> Integers:
        return _with_positions(np.where(np.isnan(numbers), np.nan, np.searchsorted(values, numbers)), cells)

    return axis, table.combine(places, numbers, cells)


def _large(numbers: Floats) -> bool:
    return bool((np.abs(numbers) > _LARGEST).any())


def _with_positions(positions: Floats, cells: Integers) -> Integers:
    kept = np.isnan(positions)
    exact = np.where(kept, 0, positions).astype(np.int32)
    found: Integers = np.where(kept, cells, packed(exact, exact))
    return found


def distinct(table: Table, numbers: Column) -> Array:
    """Give the numbers that occur in a column, in ascending order; NaN is none."""

    def those(part: Array) -> Array:
        return np.unique(part[~np.isnan(part)] if part.dtype == np.float64 else part)

    return np.unique(np.concatenate(table.collect(those, numbers)))


def present(matrix: Floats) -> Flags:
    """Tell in which rows no number is missing."""
    found: Flags = np.logical_not(np.isnan(matrix).any(axis=1), dtype=np.bool_)
    return found
