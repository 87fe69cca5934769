"""The one value that all records of a class have in a column, if they have one in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import MISSING
from shoal.kernels.grouping import starts_of
from shoal.kernels.spans import Members

Positions = NDArray[np.int32]
NONE = np.int32(MISSING)


def common_in(cells: Positions, starts: NDArray[np.int64]) -> Positions:
    """Give what the cells of each class have in common, which stand class after class."""
    low = np.minimum.reduceat(cells, starts[:-1])
    return np.where(low == np.maximum.reduceat(cells, starts[:-1]), low, NONE)


def common_of_rows(positions: Positions, members: Members, classes: Positions, number: int) -> Positions:
    """Give what records have in common that share matrix rows, each of which is in a class.

    Two records of a row mostly tell that they differ, so that few rows must be looked at to the end.
    """
    order, starts = members
    sizes, begin = np.diff(starts), starts[:-1]
    first = positions[order[begin]]
    value = np.where(first == positions[order[np.minimum(begin + 1, starts[1:] - 1)]], first, NONE)
    open_rows = np.flatnonzero((value != NONE) & (sizes > 2))
    if open_rows.size:
        inside = starts_of(sizes[open_rows])
        places = np.arange(inside[-1]) + np.repeat(begin[open_rows] - inside[:-1], sizes[open_rows])
        value[open_rows] = common_in(positions[order[places]], inside)
    found = np.empty(number, np.int32)
    found[classes] = value
    found[classes[value != found[classes]]] = NONE  # rows of one class that have different values, or one that has none
    return found
