"""The ranks of a column's values: ties by the number of the record, cells without a value left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Array, Floats, Integers, Positions
from shoal.engines.packed_cells import has_value, packed, unpacked
from shoal.kernels.grouping import numbered
from shoal.table import Column, Table

Tallied = tuple[Integers, Integers]


@dataclass(frozen=True, eq=False)
class ValueOrder:
    """The values of a column in their order, and where each record stands in it.

    The order itself is held here, eight bytes for each record, and travels with the work that looks values up in it.

    Parameters
    ----------
    name
        The column.
    cells
        Its cells with a value, packed, in ascending order, each as often as it occurs.
    column
        Its cells, record by record.
    ranks
        The rank of each record's value, from 0; below 0 where there is none.
    """

    name: str
    cells: Integers
    column: Column
    ranks: Column

    @classmethod
    def of(cls, table: Table, name: str) -> ValueOrder:
        """Find the order of a column."""
        column = table.column(name)
        cells, counts = tally(table, column)
        known = has_value(cells)
        exact = bool((cells[known] == packed(*[unpacked(cells[known])[0]] * 2)).all())
        places = table.combine(_lower_ends if exact else _places(cells), column)
        absent = int(counts[~known].sum())
        ranks = table.combine(_less(absent), table.rank([places]))
        return cls(name, np.repeat(cells[known], counts[known]), column, ranks)

    @property
    def size(self) -> int:
        """The number of records with a value."""
        return int(self.cells.size)

    def with_ranks(self, table: Table, ranks: Column, partner: Positions | None = None) -> Column:
        """Give each record the cell of a rank, or of the partner of that; those without a value stay without."""
        cells = self.cells if partner is None else self.cells[partner]
        return table.combine(_taken(cells), ranks, self.column)


def tally(table: Table, column: Column) -> Tallied:
    """Give the distinct cells of a column in ascending order, and how often each occurs."""
    parts = table.collect(_tallied, column)
    if len(parts) == 1:
        return parts[0]
    cells, places = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
    counts = np.zeros(cells.size, np.int64)
    np.add.at(counts, places.reshape(-1), np.concatenate([part[1] for part in parts]))
    return cells, counts


def _tallied(cells: Integers) -> Tallied:
    lo, hi = unpacked(cells)
    if not lo.size or not (lo == hi).all():
        return np.unique(cells, return_counts=True)
    known = has_value(cells)
    values, places = numbered(lo[known])
    counts = np.bincount(places, minlength=values.size).astype(np.int64)
    absent = cells[~known]
    exact = values.astype(np.int32)
    return np.append(absent[:1], packed(exact, exact)), np.append(
        np.array([absent.size] * (absent.size > 0), np.int64), counts
    )


def _lower_ends(cells: Integers) -> Positions:
    return (cells >> 32).astype(np.int32)


def _places(known: Integers) -> Callable[[Integers], Positions]:
    return lambda cells: np.searchsorted(known, cells).astype(np.int32)


def _less(absent: int) -> Callable[[Array], Array]:
    return lambda places: places - places.dtype.type(absent)


def _taken(cells: Integers) -> Callable[[Array, Integers], Integers]:
    def taken(ranks: Array, before: Integers) -> Integers:
        if not cells.size:
            return before
        return np.where(ranks >= 0, cells[np.maximum(ranks, 0)], before)

    return taken


def in_order_of_bits(numbers: Floats) -> Floats:
    """Give finite numbers in a form whose bits are in their order, which is what sorting goes by."""
    bits = numbers.view(np.uint64)
    below = bits >> np.uint64(63) == 1
    return (np.where(below, ~bits, bits | np.uint64(1 << 63)) >> np.uint64(1)).view(np.float64)
