"""Categories with an order of their own: ordered categoricals of pandas, enums of Polars and databases.

Arrow keeps them as numbers of a list of distinct values, which is in their order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from shoal.domains.texts import Reading
from shoal.engines.io.typed_columns import is_text
from shoal.schema import RELEASED, Schema

OrderedCategories = tuple[str, ...]


def has_levels(kind: pa.DataType) -> bool:
    """Tell whether a type is one of categories with an order."""
    return pa.types.is_dictionary(kind) and bool(kind.ordered) and is_text(kind.value_type)


def levels_in(column: pa.ChunkedArray | pa.Array) -> list[OrderedCategories]:
    """Give the lists of categories, from low to high, that the pieces of a column have."""
    pieces = [column] if isinstance(column, pa.Array) else column.chunks
    found = [tuple(piece.dictionary.cast(pa.string()).drop_null().to_pylist()) for piece in pieces]
    return list(dict.fromkeys(found))


def with_levels(reading: Reading, lists: Iterable[OrderedCategories], occurring: Iterable[str]) -> Reading:
    """Say that a column is to be read in the order of its categories, unless something else was said of it.

    Categories that occur in no row are left out: they may be those of people who were. Lists of several pieces are
    believed if they agree.
    """
    if reading.kind not in (None, "ordered") or reading.order is not None or reading.hierarchy is not None:
        return reading
    whole = _agreed(lists)
    if whole is None or any(text != text.strip() for text in whole):
        return reading
    there = set(occurring) - reading.missing
    return replace(reading, kind="ordered", order=tuple(text for text in whole if text in there))


def _agreed(lists: Iterable[OrderedCategories]) -> OrderedCategories | None:
    """Give the list that has all categories of the others, in the same order; None if there is none."""
    known = sorted(set(lists), key=len)
    ranks = {text: rank for rank, text in enumerate(known[-1] if known else ())}
    for some in known:
        places = [ranks.get(text, -1) for text in some]
        if -1 in places or places != sorted(set(places)):
            return None
    return known[-1] if known else None


def as_levels(values: pa.Array, order: OrderedCategories, kind: pa.DataType) -> pa.DictionaryArray:
    """Give categories as numbers of an ordered list."""
    listed = pa.array(order, pa.string())
    places = pc.index_in(values.cast(pa.string()), listed).cast(kind.index_type)
    return pa.DictionaryArray.from_arrays(places, listed.cast(kind.value_type), ordered=True)


def unordered(kind: pa.DataType) -> pa.DataType:
    """Give a type whose categories have no order."""
    return pa.dictionary(kind.index_type, kind.value_type) if has_levels(kind) else kind


def as_believed(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Give a column without an order among its categories where none is to be believed."""
    if not has_levels(column.type) or has_levels(kind):
        return column
    bare = [pa.DictionaryArray.from_arrays(piece.indices, piece.dictionary) for piece in column.chunks]
    return pa.chunked_array(bare, kind)


def put_together(table: pa.Table) -> pa.Table:
    """Give a table in one piece; categories whose order its pieces do not agree on have none then."""
    for place, field in enumerate(table.schema):
        if has_levels(field.type) and _agreed(levels_in(table.column(place))) is None:
            column = as_believed(table.column(place), unordered(field.type))
            table = table.set_column(place, field.name, column)
    return table.combine_chunks()


def with_order(table: pa.Table, enums: Collection[str]) -> pa.Table:
    """Say of enums of a database that their lists are in order."""
    for place, field in enumerate(table.schema):
        if field.name in enums and pa.types.is_dictionary(field.type):
            kind = pa.dictionary(field.type.index_type, field.type.value_type, ordered=True)
            pieces = [
                pa.DictionaryArray.from_arrays(piece.indices, piece.dictionary, ordered=True)
                for piece in table.column(place).chunks
            ]
            table = table.set_column(place, field.name, pa.chunked_array(pieces, kind))
    return table


def enums_in(kinds: Mapping[str, pa.DataType], schema: Schema) -> dict[str, OrderedCategories]:
    """Give the categories, from low to high, of the columns that are released as they came, with an order."""
    axes = {name: schema[name].axis for name in schema.of(*RELEASED) if name in kinds and has_levels(kinds[name])}
    return {
        name: tuple(axis.values) for name, axis in axes.items() if axis.kind == "ordered" and axis.values is not None
    }
