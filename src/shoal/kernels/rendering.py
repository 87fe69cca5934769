"""Numbers back to delimited text: cells are written once and repeated for the rows that follow with the same."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Bytes, Integers, Positions
from shoal.kernels import Int32, call, of_kind

# What a field of the output is made of.
SPAN, CARRIED = 0, 1
# Room that the kernel needs behind the output.
SLACK = 64


@dataclass(frozen=True)
class TextTable:
    """Texts of several columns one behind the other; a column whose base is -1 is written as numbers."""

    bases: Integers
    offsets: Integers
    heap: Bytes


@dataclass(frozen=True)
class SpanTexts:
    """The cells of quasi-identifiers, and how they are written.

    Per column: whether a single value is still written as a range; whether quotes are put around no cell (0), ranges
    (1) or every cell (2). ``runs`` says where each run of neighbouring columns begins, and where the last one ends;
    ``index`` names the matrix row of each record, if it is not the record's number.
    """

    low: Positions
    high: Positions
    index: Positions
    ranged: Positions
    quotes: Positions
    runs: Integers
    table: TextTable


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


def write_rows(first: int, stop: int, spans: SpanTexts, form: Form, out: Bytes) -> int:
    """Write the rows first..stop-1: in each field the cells of a run of quasi-identifiers, or one carried cell.

    Returns how many bytes were written. Cells are written once for rows that follow each other and have the same.
    """
    of_kind(np.int32, form.fields, form.numbers, form.carried, spans.low, spans.high, spans.ranged, spans.quotes)
    of_kind(np.int32, spans.index)
    of_kind(np.int64, spans.runs)
    places, sizes = np.empty((2, spans.runs.size), np.int64)
    return int(
        call(
            "write_rows", first, stop, form.fields, form.numbers, form.fields.size, spans.low, spans.high,
            spans.low.shape[1], spans.index if spans.index.size else None, spans.runs, spans.ranged, spans.quotes,
            spans.table.bases, spans.table.offsets, spans.table.heap, form.carried, form.carried.shape[1],
            form.table.bases, form.table.offsets, form.table.heap, Int32(ord(form.delimiter)), places, sizes, out,
            result=ctypes.c_int64,
        )
    )  # fmt: skip
