"""Cutting a sorted table into classes, piece by piece, so that little of it is gathered at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines import Piece, Spans
from shoal.engines.local.data import LocalData, spans
from shoal.kernels.grouping import gather_rows
from shoal.schema import Schema

Positions = NDArray[np.int32]
ROWS = 1 << 17


def cut(
    data: LocalData,
    schema: Schema,
    order: Positions,
    keys: Sequence[NDArray[Any]],
    least: int,
    kernel: Callable[[Piece], Positions],
    columns: Mapping[Any, Positions],
    *,
    end: bool = True,
) -> tuple[Positions, int]:
    """Hand the rows to a kernel in their order, and number the groups of all pieces together.

    What a kernel leaves over comes first in the next piece; what is left over in the end is labelled -1. Unless these
    rows are the ``end`` of the table, no piece is the last one.
    """
    whole = spans(data, schema)
    labels = np.empty(data.rows, np.int32)
    left, groups, start = np.empty(0, np.int32), 0, 0
    while start < data.rows:
        stop = _end(order, keys, start + max(ROWS, least), least)
        rows = np.concatenate([left, order[start:stop]])
        at = rows if data.index.size == 0 else data.index[rows]
        lo = gather_rows(whole.lo, at)
        some = Spans(lo, lo if whole.hi is whole.lo else gather_rows(whole.hi, at), whole.table, whole.offsets)
        carried = {name: column[rows] for name, column in columns.items()}
        mine = kernel(Piece(some, carried, last=end and stop == data.rows))
        over = mine < 0
        left = rows[over]
        labels[rows] = mine + np.int32(groups)  # those of rows left over are written again
        groups += int(mine.max()) + 1
        start = stop
    labels[left] = -1
    return labels, groups


def _end(order: Positions, keys: Sequence[NDArray[Any]], stop: int, least: int) -> int:
    """Give the end of a piece: between rows with different keys, and not so late that the next would be too short."""
    while stop < order.size:
        rows = order[stop : stop + ROWS]
        same = np.ones(rows.size, bool)
        for key in keys:
            # Keys are compared as they are sorted, by their bits: they need not be numbers.
            bits = key.view(np.uint64) if key.dtype == np.float64 else key
            same &= bits[rows] == bits[order[stop - 1]]
        if not same.all():
            stop += int(same.argmin())
            break
        stop += rows.size
    return order.size if order.size - stop < least else stop
