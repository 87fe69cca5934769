"""Columns of a release that are kept in the type they came in: numbers of a list of categories, or what only Arrow has.

A list may name nothing that no row holds: it could be what a person had who was left out. And its order may not tell
where rows stood. So it is made of the release itself, once this is whole: categories that have an order are in it, and
others are sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.domains.axis import Axis
from shoal.engines.io.arrow import to_arrow
from shoal.engines.io.distinct_cells import by_bits, one_array
from shoal.engines.io.exact_types import bare, is_exact, restored, workable
from shoal.engines.io.ordered_categories import has_levels, is_listed
from shoal.engines.io.slices import slices
from shoal.engines.io.typed_columns import is_text, levels_of, plain_column
from shoal.engines.local_data import LocalData
from shoal.schema import RELEASED, SPANNED, Attribute, Schema

KEEPING = ("arrow", "parquet", "frame", "database")  # what has types for categories
_EXACT = ("arrow", "parquet")  # what has the types of Arrow
DistinctValues = Mapping[str, pa.Array]


@dataclass(frozen=True, eq=False)
class CategoryList:
    """How a column is kept.

    Attributes
    ----------
    kind
        The type of the column: one of categories, of texts, or one that only Arrow has.
    values
        The categories. None: each piece of the column has a list of those that it holds, as they come.
    """

    kind: pa.DataType
    values: pa.Array | None = None

    def of(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Give a column of plain values as it is kept."""
        if is_listed(self.kind):
            return pa.chunked_array([self._piece(piece) for piece in column.chunks], self.kind)
        if pa.types.is_null(self.kind):
            return pa.chunked_array([pa.nulls(len(column))]) if column.null_count == len(column) else column
        if not is_exact(self.kind):
            return column.cast(self.kind) if is_text(column.type) else column  # numbers and ranges are no texts
        return restored(column, self.kind) if column.type == workable(self.kind) else column

    def _piece(self, piece: pa.Array) -> pa.DictionaryArray:
        if self.values is None:
            encoded = piece.dictionary_encode()
            codes, values = encoded.indices, encoded.dictionary
        else:
            codes, values = _places_in(by_bits(self.values), by_bits(piece)), self.values
        return pa.DictionaryArray.from_arrays(
            codes.cast(self.kind.index_type), values.cast(self.kind.value_type), ordered=self.kind.ordered
        )


def _places_in(values: pa.Array, piece: pa.Array) -> pa.Array:
    """Give the place of each cell in a list, which may be far longer than the piece that is looked up in it."""
    encoded = piece.dictionary_encode()
    found = pc.index_in(values, encoded.dictionary).fill_null(-1).to_numpy()
    listed = np.flatnonzero(found >= 0)
    places = np.empty(len(encoded.dictionary), np.int64)
    places[found[listed]] = listed
    return pa.array(places).take(encoded.indices)


CategoryLists = Mapping[str, CategoryList]


def with_lists(table: pa.Table, lists: CategoryLists) -> pa.Table:
    """Give a table with some columns of plain values as numbers of their categories."""
    for place, name in enumerate(table.column_names):
        if name in lists:
            table = table.set_column(place, name, lists[name].of(table.column(name)))
    return table


@dataclass(frozen=True, eq=False)
class ListableColumn:
    """A column that may be kept as categories, and the orders that these may have, of which the first counts.

    Or a column that is kept in a type of its own.
    """

    kind: pa.DataType
    orders: tuple[pa.Array, ...]

    def categories(self, found: pa.Array) -> CategoryList | None:
        """Give the categories of a column that has some values; None if no order of them has all."""
        for order in self.orders:
            if pc.all(_among(found, order), min_count=0).as_py():
                kind = pa.dictionary(self.kind.index_type, self.kind.value_type, ordered=True)
                return CategoryList(kind, order.filter(_among(order, found)))
        return None if self.kind.ordered else CategoryList(self.kind, found.take(pc.sort_indices(found)))


def wanted(schema: Schema, came: Mapping[str, Any], exact: Collection[str], form: str) -> dict[str, ListableColumn]:
    """Find the columns that a form keeps in the type that they came in, and those on an axis of ordered categories.

    ``came`` are the columns that are released with the type that they came with, and ``exact`` the quasi-identifiers
    that are written as single values.
    """
    columns = {}
    for name in schema.of(*RELEASED) if form in KEEPING else ():
        own, order = came.get(name), _order_of(schema[name].axis)
        if form == "database" and (own is None or not has_levels(own.type)):
            continue
        if own is None or is_text(own.type):
            if order and (name in exact or name not in schema.of(*SPANNED)):
                columns[name] = ListableColumn(pa.dictionary(pa.int32(), pa.string(), ordered=True), order)
            elif form != "database" and (kind := _type_of_texts(schema[name], exact, form)) is not None:
                columns[name] = ListableColumn(kind, ())
        elif is_listed(own.type) and (is_text(own.type.value_type) or form != "parquet"):
            kind = _listed_type(own.type, form)
            levels = (levels_of(own),) if kind.ordered else ()
            columns[name] = ListableColumn(kind, (*(order if is_text(kind.value_type) else ()), *levels))
        elif (kind := _exact_type(schema[name].came_as, form)) is not None and workable(kind) == own.type:
            columns[name] = ListableColumn(kind, ())
    return columns


def _exact_type(came: pa.DataType | None, form: str) -> pa.DataType | None:
    """Give the type that a column came in, if it is worked on in another and a form has it."""
    if came is None or form not in _EXACT or not is_exact(came):
        return None
    no_parquet = pa.types.is_run_end_encoded(came) or (pa.types.is_decimal(came) and came.scale < 0)
    return None if form == "parquet" and no_parquet else bare(came)


def _listed_type(kind: pa.DataType, form: str) -> pa.DataType:
    """Give the type of categories that a form has: views into memory are texts of a list in those of Arrow alone."""
    value = bare(kind.value_type) if form == "arrow" else workable(kind.value_type)
    return pa.dictionary(kind.index_type, value, ordered=kind.ordered)


def _type_of_texts(attribute: Attribute, exact: Collection[str], form: str) -> pa.DataType | None:
    """Give the type that a column of texts came in, if it is another than that of plain ones and can be kept.

    Single values of a quasi-identifier that were categories are so again.
    """
    kind, axis = attribute.came_as, attribute.axis
    if kind is None or pa.types.is_large_string(kind):
        return kind
    if pa.types.is_null(kind):
        return kind if form in _EXACT and attribute.role not in SPANNED else None
    if is_exact(kind):
        return _exact_type(kind, form) if is_text(workable(kind)) else None
    if not is_listed(kind) or attribute.name not in exact or axis.kind != "category" or axis.groups:
        return None
    fits = axis.values is not None and len(axis.values) <= np.iinfo(kind.index_type.to_pandas_dtype()).max
    value = _listed_type(kind, form).value_type
    return pa.dictionary(kind.index_type if fits else pa.int32(), value) if is_text(value) else None


def _order_of(axis: Axis) -> tuple[pa.Array, ...]:
    """Give the texts of ordered categories, if there are any."""
    if axis.kind != "ordered" or axis.tree is not None or axis.values is None:
        return ()
    return (pa.array(axis.texts(np.arange(len(axis.values), dtype=np.int32)), pa.string()),)


def found_in(data: LocalData, schema: Schema, names: Collection[str]) -> DistinctValues:
    """Give the distinct values that released columns hold, of which all cells are exact."""
    found: dict[str, list[pa.Array]] = {name: [] for name in names}
    for some in slices(data):
        table = to_arrow(some, schema, "text", [True] * len(data.quasi), names)
        for name, seen in found.items():
            seen.append(_distinct(table.column(name)))
    return {name: _distinct(pa.chunked_array(seen)) for name, seen in found.items() if seen}


def _distinct(column: pa.ChunkedArray) -> pa.Array:
    """Give the distinct values of a column; of numbers, 0.0 and -0.0 are two."""
    found = pc.unique(by_bits(one_array(column))).drop_null()
    return found.view(column.type) if pa.types.is_floating(column.type) else found


def _among(values: pa.Array, others: pa.Array) -> pa.Array:
    """Tell which values are among others."""
    return pc.is_in(by_bits(values), by_bits(others))


def lists_of(
    columns: Mapping[str, ListableColumn], form: str, look: Callable[[Collection[str]], Iterable[DistinctValues]]
) -> dict[str, CategoryList]:
    """Give the categories of columns, when the release is whole.

    ``look`` gives the distinct values that pieces of it hold. A Parquet file lists the categories of each group of rows
    anew, so only those that have an order need one list for all.
    """
    whole = form != "parquet"
    looked = [name for name, column in columns.items() if column.orders or (whole and is_listed(column.kind))]
    pieces = list(look(looked)) if looked else []
    lists = {}
    for name, column in columns.items():
        if name not in looked:
            lists[name] = CategoryList(column.kind)
            continue
        seen = [piece[name] for piece in pieces if name in piece]
        found = column.categories(_distinct(pa.chunked_array(seen)))
        if found is not None:
            lists[name] = found if whole or found.kind.ordered else CategoryList(found.kind)
    return lists


def listed_in(data: LocalData, schema: Schema, form: str) -> dict[str, CategoryList]:
    """Give the categories of a release in memory."""
    single = (data.lo == data.hi).all(axis=0)
    exact = [name for name, alone, ranged in zip(data.quasi, single, data.ranged, strict=True) if alone and not ranged]
    columns = wanted(schema, data.sources, exact, form)
    return lists_of(columns, form, lambda names: [found_in(data, schema, names)])


def enums_of(lists: CategoryLists) -> dict[str, list[str]]:
    """Give the categories of columns as a database declares them, from low to high."""
    return {name: each.values.to_pylist() for name, each in lists.items() if each.values is not None}


def bare_column(kind: pa.DataType) -> pa.DataType:
    """Give the type of a whole column without remarks; one that is kept as categories stays so."""
    if not is_listed(kind):
        return bare(kind)
    return pa.dictionary(kind.index_type, bare(kind.value_type), ordered=kind.ordered)


def lists_found(pieces: Iterable[pa.Table]) -> dict[str, CategoryList]:
    """Give the categories that columns of a written table may have: those that its rows hold, in its own order."""
    kinds: dict[str, pa.DataType] = {}
    found: dict[str, list[pa.Array]] = {}
    orders: dict[str, pa.Array] = {}
    exact: dict[str, CategoryList] = {}
    for piece in pieces:
        exact |= {field.name: CategoryList(bare(field.type)) for field in piece.schema if is_exact(field.type)}
        for name in (field.name for field in piece.schema if is_listed(field.type)):
            column = piece.column(name)
            kinds.setdefault(name, bare_column(column.type))
            found[name] = [_distinct(pa.chunked_array([*found.get(name, []), _distinct(plain_column(column))]))]
            if column.num_chunks:
                orders.setdefault(name, levels_of(column))
    lists = exact
    for name, kind in kinds.items():
        column = ListableColumn(kind, (orders[name],) if kind.ordered and name in orders else ())
        listed = column.categories(found[name][0])
        if listed is not None:
            lists[name] = listed
    return lists
