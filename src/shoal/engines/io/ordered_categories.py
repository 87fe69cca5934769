"""Categories with an order of their own: ordered categoricals of pandas, enums of Polars and databases.

Arrow keeps them as numbers of a list of distinct values, which is in their order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from shoal.domains.texts import Reading
from shoal.engines.io.exact_types import bare
from shoal.engines.io.typed_columns import is_text, plain_column

OrderedCategories = tuple[str, ...]
# Values that are behind categories as often as text is, and that their texts give back.
_LISTED = (
    pa.types.is_integer, pa.types.is_float32, pa.types.is_float64, pa.types.is_decimal, pa.types.is_boolean,
    pa.types.is_date32, pa.types.is_timestamp,
)  # fmt: skip


def is_listed(kind: pa.DataType) -> bool:
    """Tell whether a type is one of categories: numbers of a list of texts, numbers, days or moments."""
    if not pa.types.is_dictionary(kind) or pa.types.is_null(kind.value_type):
        return False
    return is_text(kind.value_type) or any(test(kind.value_type) for test in _LISTED)


def is_ordered(kind: pa.DataType) -> bool:
    """Tell whether a type is one of categories with an order."""
    return is_listed(kind) and bool(kind.ordered)


def has_levels(kind: pa.DataType) -> bool:
    """Tell whether a type is one of categories with an order that are texts."""
    return is_ordered(kind) and is_text(kind.value_type)


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
    return pa.DictionaryArray.from_arrays(places, listed.cast(bare(kind.value_type)), ordered=True)


def in_agreed_order(values: pa.Array, lists: Iterable[OrderedCategories], kind: pa.DataType) -> pa.DictionaryArray:
    """Give distinct values as categories of a type: in the order on which lists agree, or in none."""
    whole = _agreed(lists) if is_ordered(kind) else None
    if whole is None:
        found = values.dictionary_encode()
        return pa.DictionaryArray.from_arrays(
            found.indices.cast(kind.index_type), found.dictionary.cast(bare(kind.value_type))
        )
    there = set(values.cast(pa.string()).to_pylist())
    return as_levels(values, tuple(text for text in whole if text in there), kind)


def unordered(kind: pa.DataType) -> pa.DataType:
    """Give a type whose categories have no order."""
    return pa.dictionary(kind.index_type, kind.value_type) if is_ordered(kind) else kind


def as_believed(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Give a column without an order among its categories where none is to be believed."""
    if not is_ordered(column.type) or is_ordered(kind):
        return column
    without = [pa.DictionaryArray.from_arrays(piece.indices, piece.dictionary) for piece in column.chunks]
    return pa.chunked_array(without, kind)


def put_together(table: pa.Table) -> pa.Table:
    """Give a table in one piece, with the order of categories on which its pieces agree, or none if they do not."""
    for place, field in enumerate(table.schema):
        if not is_ordered(field.type):
            continue
        column, lists = table.column(place), levels_in(table.column(place))
        if len(lists) < 2:
            continue
        whole = _agreed(lists)
        if whole is None:
            column = as_believed(column, unordered(field.type))
        else:  # lists that lack some are put together in another order otherwise
            pieces = plain_column(column).chunks
            column = pa.chunked_array([as_levels(piece, whole, field.type) for piece in pieces])
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
