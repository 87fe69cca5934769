"""Cells as one whole number each, in the order of their lower and then their upper ends."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Flags, Integers, Positions
from shoal.kernels import MISSING
from shoal.kernels.grouping import numbered, places_among

_HALF = 1 << 31
_BOTH = (1 << 32) + 1


def packed(lo: Positions, hi: Positions) -> Integers:
    """Give each cell as one number.

    >>> numbers = packed(np.array([3, 3, -7], np.int32), np.array([3, 9, 2], np.int32))
    >>> [side.tolist() for side in unpacked(numbers)]
    [[3, 3, -7], [3, 9, 2]]
    """
    if lo is hi:  # all are single values
        single: Integers = lo.astype(np.int64) * _BOTH + _HALF
        return single
    found: Integers = (lo.astype(np.int64) << 32) + (hi.astype(np.int64) + _HALF)
    return found


def unpacked(numbers: Integers) -> tuple[Positions, Positions]:
    """Give both ends of cells."""
    return (numbers >> 32).astype(np.int32), ((numbers & 0xFFFFFFFF) - _HALF).astype(np.int32)


def all_single(numbers: Integers) -> bool:
    """Tell whether no cell is a range or ``*``; cells that are missing are neither."""
    return bool((numbers == (numbers >> 32) * _BOTH + _HALF).all())


def any_range(numbers: Integers) -> bool:
    """Tell whether some cell is a range; one that is missing is none, nor is ``*``."""
    return not all_single(numbers) and not all_single(numbers[has_value(numbers)])


def has_value(numbers: Integers) -> Flags:
    """Tell which cells are neither missing nor ``*``: only these can be changed for others."""
    found: Flags = (numbers >> 32) != MISSING
    return found


def numbered_cells(numbers: Integers) -> tuple[Integers, Integers]:
    """Give the distinct cells in ascending order, and the place of each among them.

    Exact cells are mostly few that lie close together, so that they need not be sorted.
    """
    lo = numbers >> 32
    gone = lo == MISSING
    if not all_single(numbers) or gone.all():
        values, places = np.unique(numbers, return_inverse=True)
        return values, places.reshape(-1)
    lowest = lo.min(where=~gone, initial=_HALF) - 1
    values, places = numbered(np.where(gone, lowest, lo))
    ends = np.where((values == lowest) & gone.any(), MISSING, values).astype(np.int32)
    return packed(ends, ends), places


def cells_among(values: Integers, cells: Integers) -> Integers:
    """Give the place of each cell among distinct ones in ascending order, of which it must be one.

    >>> known = np.array([MISSING, 3, 7], np.int32)
    >>> values, cells = packed(known, known), packed(known[[2, 0, 1]], known[[2, 0, 1]])
    >>> cells_among(values, cells).tolist()
    [2, 0, 1]
    """
    lo = values >> 32
    gone = int((lo[:1] == MISSING).any())  # it stands before all others, and far from them
    if not all_single(values) or gone == lo.size:
        return np.searchsorted(values, cells)
    places = places_among(lo[gone:], np.maximum(cells >> 32, lo[gone]))
    return np.where(cells < values[gone], 0, places + gone)
