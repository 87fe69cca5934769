"""How often the categories of a column occur, stratum by stratum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Array, Flags, Integers
from shoal.domains.axis import Axis
from shoal.engines.packed_cells import numbered_cells, unpacked
from shoal.kernels import MISSING
from shoal.table import Column, Table

_WIDE = 1_000_000  # positions that a list of all of them may have


@dataclass(frozen=True, eq=False)
class Strata:
    """The strata of a table: the combinations of cells that its records have in some columns.

    Attributes
    ----------
    names
        The columns.
    cells
        The cells of each stratum, packed, a row each.
    column
        The number of each record's stratum; None where all records are one.
    """

    names: tuple[str, ...]
    cells: Integers
    column: Column | None

    @classmethod
    def of(cls, table: Table, names: Sequence[str]) -> Strata:
        """Number the strata in the order of their cells."""
        if not names:
            return cls((), np.zeros((1, 0), np.int64), None)
        columns = [table.column(name) for name in names]
        cells = np.unique(np.concatenate(table.collect(_distinct_rows, *columns)), axis=0)
        return cls(tuple(names), cells, table.combine(_numbering(cells), *columns))

    @property
    def size(self) -> int:
        """The number of strata."""
        return int(self.cells.shape[0])


def _distinct_rows(*columns: Integers) -> Integers:
    return np.unique(np.stack(columns, axis=1), axis=0)


def _numbering(cells: Integers) -> Callable[..., Array]:
    """Give what numbers records by the row that they equal."""
    values = [np.unique(column) for column in cells.T]
    keys = _mixed(values, cells.T)

    def numbers(*columns: Integers) -> Array:
        return np.searchsorted(keys, _mixed(values, columns)).astype(np.int32)

    return numbers


def _mixed(values: Sequence[Integers], columns: Sequence[Integers] | Integers) -> Integers:
    """Give one number for the cells of each row, in the order of the rows."""
    found: Integers = np.zeros(columns[0].size, np.int64)
    for known, column in zip(values, columns, strict=True):
        found = found * known.size + np.searchsorted(known, column)
    return found


@dataclass(frozen=True, eq=False)
class CategoryCounts:
    """The categories that occur in a column, as packed cells in ascending order, and their counts in each stratum."""

    cells: Integers
    counts: Integers

    @classmethod
    def of(cls, table: Table, name: str, strata: Strata) -> CategoryCounts:
        """Count exact values; missing cells, ranges, sets and wildcards are none."""
        is_value = exact_values(table.schema[name].axis)

        def distinct(cells: Integers) -> Integers:
            found = numbered_cells(cells)[0]
            return found[is_value(found)]

        column = table.column(name)
        known = np.unique(np.concatenate(table.collect(distinct, column)))
        counted = table.collect(_counter(known, strata.size), column, *strata_columns(strata))
        return cls(known, np.sum(counted, axis=0, dtype=np.int64).reshape(strata.size, known.size))


def strata_columns(strata: Strata) -> tuple[Column, ...]:
    """Give the column of strata, if there is one."""
    return () if strata.column is None else (strata.column,)


def exact_values(axis: Axis) -> Callable[[Integers], Flags]:
    """Give what tells which packed cells show one value of an axis."""

    def is_value(cells: Integers) -> Flags:
        lo, hi = unpacked(cells)
        found: Flags = axis.single(lo, hi) & (lo != MISSING)
        return found

    return is_value


def places_of(known: Integers, cells: Integers) -> Integers:
    """Give the place of each cell among known exact ones in ascending order, -1 where it is none of them."""
    if not known.size:
        return np.full(cells.size, -1)
    ends, lo = known >> 32, cells >> 32
    first, wide = int(ends[0]), int(ends[-1]) - int(ends[0]) + 1
    if wide > _WIDE + 4 * cells.size:
        at = np.minimum(np.searchsorted(known, cells), known.size - 1)
    else:  # looked up, not searched for
        listed = np.zeros(wide, np.int64)
        listed[ends - first] = np.arange(known.size)
        at = listed[np.clip(lo - first, 0, wide - 1)]
    return np.where(known[at] == cells, at, -1)


def _counter(known: Integers, strata: int) -> Callable[..., Integers]:
    def counted(cells: Integers, stratum: Array | None = None) -> Integers:
        place = places_of(known, cells)
        among = place if stratum is None else place + stratum.astype(np.int64) * known.size
        return np.bincount(among[place >= 0], minlength=strata * known.size).astype(np.int64)

    return counted
