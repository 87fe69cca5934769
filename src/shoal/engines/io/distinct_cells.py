"""The distinct cells of a column as Arrow holds it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.arrays import Integers
from shoal.engines.io.exact_types import named
from shoal.engines.io.opaque_columns import is_opaque, texts_of
from shoal.engines.io.typed_columns import plain_column


def distinct_in(column: pa.Array) -> tuple[NDArray[np.int32], Integers]:
    """Number the distinct cells as they first occur: the number of each cell, and where each is first seen."""
    if is_opaque(column.type) or named(column.type):
        column = pa.array(texts_of(column), pa.string())
    if pa.types.is_struct(column.type):
        codes = _pairs(column).astype(np.int32)
    else:
        indices = pc.dictionary_encode(by_bits(column), null_encoding="encode").indices
        codes = indices.to_numpy(zero_copy_only=False).astype(np.int32)
    first = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    first[codes[::-1]] = np.arange(codes.size - 1, -1, -1)
    return codes, first


def distinct_and_filled(column: pa.ChunkedArray) -> tuple[int, int]:
    """Count the different values of a column, and its cells that have one."""
    filled = len(column) - column.null_count
    return len(pc.unique(plain_column(column)).drop_null()), filled


def by_bits(column: Any) -> Any:
    """Give floats as whole numbers of the same bits: 0.0 and -0.0 are written differently, though they are equal."""
    return column.view(f"int{column.type.bit_width}") if pa.types.is_floating(column.type) else column


def _pairs(column: pa.Array) -> Integers:
    """Number the distinct pairs of ends of spans as they first occur."""
    ends = [distinct_in(pc.struct_field(column, name))[0].astype(np.int64) for name in ("lo", "hi")]
    key = (ends[0] << 32) | ends[1]
    key[np.asarray(column.is_null().to_numpy(zero_copy_only=False))] = -1
    _, first, codes = np.unique(key, return_index=True, return_inverse=True)
    places = np.empty(first.size, np.int64)
    places[np.argsort(first)] = np.arange(first.size)
    return places[codes]


def one_array(column: Any) -> pa.Array:
    """Give a column in one piece."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column


def comparable(values: pa.Array) -> list[tuple[Any, ...]]:
    """Give something for each value by which values of one column are sorted: none first, then by what they hold."""
    kind = values.type
    if is_opaque(kind):
        return comparable(pa.array(texts_of(values), pa.string()))
    if pa.types.is_dictionary(kind) or isinstance(kind, pa.BaseExtensionType):
        return comparable(one_array(plain_column(pa.chunked_array([values]))))
    if pa.types.is_struct(kind):
        ends = zip(*(comparable(pc.struct_field(values, i)) for i in range(kind.num_fields)), strict=True)
        valid = values.is_valid().to_pylist()
        return [(known, *pair) if known else (known,) for known, pair in zip(valid, ends, strict=True)]
    if pa.types.is_temporal(kind):
        values = values.view(f"int{kind.bit_width}")
    elif pa.types.is_floating(kind):
        values = by_bits(values)
    elif not pa.types.is_integer(kind):
        values = values.cast(pa.string())
    return [(value is not None, value if value is not None else 0) for value in values.to_pylist()]
