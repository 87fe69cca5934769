"""Rows that agree wherever both show a cell, and which cell to hide so that a row comes to agree with its nearest."""

from __future__ import annotations

import ctypes

import numpy as np

from shoal.arrays import Integers, Positions
from shoal.errors import InternalError
from shoal.kernels import below, call, of_kind


def hide_towards_nearest(cells: Positions, strata: Positions, rows: Integers, given_up: Integers) -> int:
    """Hide one cell of each of some rows, one row after the other, in place; give how many were hidden.

    That is the first column, in a given order, in which a nearest row of the same stratum shows something else.

    Parameters
    ----------
    cells
        The cells of all rows; `MISSING` shows nothing.
    strata
        The stratum of each row.
    rows
        Which rows hide a cell, in this order.
    given_up
        The columns, in the order in which they are given up.
    """
    of_kind(np.int32, cells, strata)
    of_kind(np.int64, rows, given_up)
    below(cells.shape[0], rows)
    below(cells.shape[1], given_up)
    if cells.shape[1] > 64:
        raise InternalError("A kernel was given more columns than it has bits.")
    hidden: int = call(
        "hide_towards_nearest", cells, *cells.shape, strata, rows, rows.size, given_up, result=ctypes.c_int64
    )
    return hidden
