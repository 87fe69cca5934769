"""Columns in the types of a form that has fewer than Arrow: where a value would become another one, it is refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.engines.io.typed_columns import insist_on_digits
from shoal.errors import DataError


def in_microseconds(name: str, column: pa.ChunkedArray | pa.Array, form: str) -> pa.ChunkedArray | pa.Array:
    """Give moments, times of day, durations or intervals in a form that holds nothing finer than microseconds."""
    kind = column.type
    if pa.types.is_interval(kind):
        fine = any(span is not None and span.nanoseconds % 1000 for span in pc.unique(column).to_pylist())
        if not fine:
            return column
    else:
        wanted = (
            pa.timestamp("us", kind.tz) if pa.types.is_timestamp(kind)
            else pa.duration("us") if pa.types.is_duration(kind) else pa.time64("us")
        )  # fmt: skip
        try:
            return column.cast(wanted)
        except pa.ArrowInvalid:
            if kind.unit != "ns":
                raise DataError(
                    f"Column '{name}' has moments beyond those that {form} can hold.", "Mend them, or write Parquet."
                ) from None
    raise DataError(
        f"Column '{name}' has times that are finer than a microsecond, which {form} cannot hold.",
        "Round them, leave the column out, or write Parquet.",
    )


def as_floats(name: str, column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """Give decimals as floats, where these are the same numbers."""
    floats = column.cast(pa.float64())
    pieces = (
        zip(column.chunks, floats.chunks, strict=True) if isinstance(column, pa.ChunkedArray) else [(column, floats)]
    )
    for piece, numbers in pieces:
        insist_on_digits(name, piece, np.asarray(numbers.fill_null(0.0)))
    return floats
