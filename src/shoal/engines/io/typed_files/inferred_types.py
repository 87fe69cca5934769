"""Columns of files that have few types, such as JSON and Excel: whole numbers and days among their values."""

from __future__ import annotations

import re
from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from shoal.engines.io.distinct_cells import one_array

_WHOLE = 2**53
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6})?")
_ZONED = re.compile(_MOMENT.pattern + r"[+-]\d\d:\d\d")


def whole_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give floats that are all whole, and that floats hold, as whole numbers."""
    known = column.drop_null()
    if not len(known) or pc.any(pc.is_nan(known)).as_py():
        return column
    limits = pc.min_max(pc.abs(known)).as_py()
    if limits["max"] >= _WHOLE or not pc.all(pc.equal(pc.round(known), known)).as_py():
        return column
    return column.cast(pa.int64())


def whole_days(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give moments that are all at midnight as days."""
    days = column.cast(pa.date32(), safe=False)
    same = pc.equal(days.cast(column.type), column)
    return days if len(column.drop_null()) and pc.all(same).as_py() else column.cast(pa.timestamp("us"))


def dated_texts(column: pa.ChunkedArray, *, spaced: bool = False) -> pa.ChunkedArray:
    """Give texts that are all days, or all moments, in the form of ISO as these.

    Moments with an offset stay texts; if ``spaced``, with a blank before the time, as cells of text have it.
    """
    found = [text for text in pc.unique(column).to_pylist() if text is not None]
    if not found:
        return column
    try:
        if all(_DAY.fullmatch(text) for text in found):
            return column.cast(pa.date32())
        if all(_MOMENT.fullmatch(text) for text in found):
            return column.cast(pa.timestamp("us"))
        if spaced and all(_ZONED.fullmatch(text) for text in found):
            return pc.replace_substring(column, "T", " ")
    except pa.ArrowInvalid:  # a month has no such day
        return column
    return column


def of_ends(column: pa.ChunkedArray, found_in: Callable[[pa.ChunkedArray], pa.ChunkedArray]) -> pa.ChunkedArray:
    """Give spans of what is found in the texts at both of their ends."""
    whole = one_array(column)
    ends = one_array(found_in(pa.chunked_array([pc.struct_field(whole, end) for end in ("lo", "hi")])))
    both = [ends[: len(whole)], ends[len(whole) :]]
    return pa.chunked_array([pa.StructArray.from_arrays(both, ["lo", "hi"], mask=whole.is_null())])
