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
# Room that the kernels need behind texts and behind the output.
SLACK = 64
# The last bytes of a slot, which tell the length of the text in it; and what they tell of a text that does not fit.
LENGTH, SPILT = np.dtype(np.uint16), 2**16 - 1


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
    slots: Bytes,
    slot: int,
    spill: Bytes,
    filled: int,
) -> int:
    """Write the cells of span rows first..stop-1, the text of each run of columns to a slot, all of one size.

    What does not fit goes to the spill; returns how much of that is filled.
    """
    of_kind(np.int32, low, high, style.ranged, style.quotes, style.opens)
    return int(
        call(
            "render_spans", low, high, low.shape[1], first, stop, style.ranged, style.quotes, style.opens, table.bases,
            table.offsets, table.heap, Int32(ord(delimiter)), Int32(style.lone), slots, slot, spill, filled,
            result=ctypes.c_int64,
        )
    )  # fmt: skip


@dataclass(frozen=True)
class Slots:
    """Texts in slots of one size, one for each group and run of columns; long ones in a spill."""

    texts: Bytes
    slot: int
    spill: Bytes
    runs: int


@dataclass(frozen=True)
class Form:
    """What a row of the output is.

    ``fields`` tells what each field is, and ``numbers`` which run of span columns or which carried column; a carried
    cell is a number, or stands for one of the texts of its column.
    """

    fields: Positions
    numbers: Positions
    carried: Positions
    table: TextTable
    delimiter: str


def join_rows(first: int, stop: int, spelling: Slots, index: Positions, shift: int, form: Form, out: Bytes) -> int:
    """Write the rows first..stop-1: in each field the text of the row's group, or the row's own carried cell.

    ``index`` tells the group of each row, if it is not the row's number; ``shift`` is the group at which slots begin.
    """
    of_kind(np.int32, form.fields, form.numbers, index, form.carried)
    return int(
        call(
            "join_rows", first, stop, form.fields, form.numbers, form.fields.size, spelling.texts, spelling.slot,
            spelling.spill, spelling.runs, index if index.size else None, shift, form.carried, form.carried.shape[1],
            form.table.bases, form.table.offsets, form.table.heap, Int32(ord(form.delimiter)), out,
            result=ctypes.c_int64,
        )
    )  # fmt: skip
