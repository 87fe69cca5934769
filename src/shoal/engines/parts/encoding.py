"""Encoding of the columns of a part: whole numbers as they are, other cells as codes of distinct cells.

The distinct cells of a part are few. They are part of its summary, from which it is found what the column is.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.arrays import Integers
from shoal.engines.io.distinct_cells import distinct_in, one_array
from shoal.engines.io.exact_types import named
from shoal.engines.io.ordered_categories import OrderedCategories, is_ordered, levels_in
from shoal.engines.io.typed_columns import as_numbers, passed_on, plain_column, unusable
from shoal.engines.parts.pool import Part


@dataclass(frozen=True)
class Distinct:
    """The distinct cells of a column in a part: how often each occurs, and in which row of the part first.

    ``levels`` are the lists of categories, from low to high, that the column has there.
    """

    cells: pa.Array
    counts: Integers
    rows: Integers
    levels: tuple[OrderedCategories, ...] = ()


def encode(table: pa.Table, plain: Collection[str]) -> dict[str, NDArray[Any]]:
    """Give columns as numbers: those that are plain, and codes of the others with their distinct cells."""
    part: dict[str, NDArray[Any]] = {"rows": np.array([table.num_rows])}
    for j, name in enumerate(table.column_names):
        try:
            part |= _encoded(name, j, table.column(name), plain)
        except (pa.ArrowException, KeyError):
            raise unusable(name, table.column(name).type) from None
    return part


def _encoded(name: str, j: int, whole: pa.ChunkedArray, plain: Collection[str]) -> dict[str, NDArray[Any]]:
    if name in plain:
        column = one_array(plain_column(whole))
        gone = np.asarray(column.is_null().to_numpy(zero_copy_only=False))
        return {f"number{j}": as_numbers(name, column)[0], f"gone{j}": gone}
    column = one_array(whole if named(whole.type) else passed_on(whole))
    codes, first = distinct_in(column)
    cells = np.frombuffer(_as_bytes(column.take(pa.array(first))), np.uint8)
    counts = np.bincount(codes, minlength=first.size)
    found: dict[str, NDArray[Any]] = {f"code{j}": codes, f"cells{j}": cells, f"first{j}": first, f"count{j}": counts}
    if is_ordered(whole.type):
        lists = pa.array(levels_in(whole), pa.list_(pa.string()))
        found[f"levels{j}"] = np.frombuffer(_as_bytes(lists), np.uint8)
    return found


def distinct_of(part: Part, j: int) -> Distinct:
    """Give the distinct cells of an encoded column."""
    levels = map(tuple, _from_bytes(part[f"levels{j}"]).to_pylist()) if f"levels{j}" in part else ()
    return Distinct(_from_bytes(part[f"cells{j}"]), part[f"count{j}"], part[f"first{j}"], tuple(levels))


def _from_bytes(some: NDArray[Any]) -> pa.Array:
    (column,) = pa.ipc.open_stream(pa.py_buffer(some)).read_all().columns
    return one_array(column)


def _as_bytes(column: pa.Array) -> bytes:
    sink = pa.BufferOutputStream()
    table = pa.table({"cells": column})
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    found: bytes = sink.getvalue().to_pybytes()
    return found
