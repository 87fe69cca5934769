"""Numbers back to delimited text: the text of a group is made once and repeated for each of its rows."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import Int32, call, of_kind

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]
Positions = NDArray[np.int32]

# What a field of the output is made of.
SPAN, CARRIED = 0, 1
# Room that the kernels need behind texts and behind the output, and that a text may need before its beginning.
SLACK, BEFORE = 64, 15


@dataclass(frozen=True)
class TextTable:
    """Texts of several columns one behind the other; a column whose base is -1 is written as numbers."""

    bases: Integers
    offsets: Integers
    heap: Bytes


@dataclass(frozen=True)
class SpanStyle:
    """How the cells of span columns are written.

    Per column: whether a single value is still written as a range; whether quotes are put around no cell (0), ranges
    (1) or every cell (2); whether it begins a new run of columns, in which cells are separated by the delimiter.
    ``lone`` says that the table has no other column.
    """

    ranged: Positions
    quotes: Positions
    opens: Positions
    lone: bool


def render_spans(
    low: Positions,
    high: Positions,
    first: int,
    stop: int,
    style: SpanStyle,
    table: TextTable,
    delimiter: str,
    out: Bytes,
    places: Integers,
    at: int,
) -> int:
    """Write the cells of span rows first..stop-1 and note behind which place the text of each run of columns begins."""
    of_kind(np.int32, low, high, style.ranged, style.quotes, style.opens)
    return int(
        call(
            "render_spans", low, high, low.shape[1], first, stop, style.ranged, style.quotes, style.opens, table.bases,
            table.offsets, table.heap, Int32(ord(delimiter)), Int32(style.lone), out, places, at, result=ctypes.c_int64,
        )
    )  # fmt: skip


def join_rows(
    first: int,
    stop: int,
    fields: Positions,
    numbers: Positions,
    text: Bytes,
    places: Integers,
    runs: int,
    index: Positions,
    shift: int,
    carried: Positions,
    table: TextTable,
    delimiter: str,
    out: Bytes,
) -> int:
    """Write the rows first..stop-1: in each field the text of the row's group, or the row's own carried cell.

    ``fields`` tells what each field is and ``numbers`` which run of span columns or which carried column; ``shift``
    is the group number at which ``places``, with one entry per group and run, begins.
    """
    of_kind(np.int32, fields, numbers, index, carried)
    return int(
        call(
            "join_rows", first, stop, fields, numbers, fields.size, text, places, runs, index if index.size else None,
            shift, carried, carried.shape[1], table.bases, table.offsets, table.heap, Int32(ord(delimiter)), out,
            result=ctypes.c_int64,
        )
    )  # fmt: skip
