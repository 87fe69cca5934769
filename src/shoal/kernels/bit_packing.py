"""Positions in as few bytes as they need, and back: what is packed tells how to unpack it."""

from __future__ import annotations

import ctypes

import numpy as np

from shoal.arrays import Bytes, Positions
from shoal.errors import InternalError
from shoal.kernels import below, call, of_kind

_COUNTS, _FIELDS, _ABREAST = 2, 3, 16  # as in C


def room_for(rows: int, columns: int) -> int:
    """Give how many bytes packed rows may have."""
    return 4 * (_COUNTS + _FIELDS * columns + rows * columns)


def pack(cells: Positions, packed: Bytes) -> int:
    """Pack the rows of a matrix into a buffer, and give how many bytes of it they take."""
    of_kind(np.int32, cells)
    of_kind(np.uint8, packed)
    n, m = cells.shape
    if packed.size < room_for(n, m):
        raise InternalError("There is no room for the rows that are packed.")
    size: int = call("pack_rows", cells, n, m, _work(m), packed, result=ctypes.c_int64)
    return size


def unpack(packed: Bytes, cells: Positions) -> tuple[int, int]:
    """Unpack what a buffer begins with into the first rows of a matrix, and give how many bytes and rows that were."""
    of_kind(np.int32, cells)
    of_kind(np.uint8, packed)
    n, m = cells.shape
    size, rows = extent(packed)
    if size < room_for(0, m) or rows > n:
        raise InternalError("Packed rows are not those that were wanted.")
    call("unpack_rows", packed, m, _work(m), cells)
    return size, rows


def unpack_some(packed: Bytes, rows: Positions, columns: int) -> Positions:
    """Unpack only some rows of what a buffer begins with, by their numbers."""
    of_kind(np.int32, rows)
    of_kind(np.uint8, packed)
    size, number = extent(packed)
    if size < room_for(0, columns):
        raise InternalError("Packed rows are not those that were wanted.")
    below(number, rows)
    cells = np.empty((rows.size, columns), np.int32)
    call("unpack_some", packed, columns, rows, rows.size, _work(columns), cells)
    return cells


def extent(packed: Bytes) -> tuple[int, int]:
    """Give how many bytes and rows has what a buffer begins with."""
    size, rows = packed[: 4 * _COUNTS].view(np.uint32).tolist() if packed.size >= 4 * _COUNTS else (0, 0)
    if not 0 < size <= packed.size or rows == 0:
        raise InternalError("Packed rows are not whole.")
    return size, rows


def _work(columns: int) -> Positions:
    """Give what the kernels work in: four numbers for each cell of a few rows."""
    return np.empty(4 * _ABREAST * columns, np.int32)
