"""The type that a column came in, and the one in which it is worked on until it is released.

Arrow has types that no other values need: views into memory, runs of equal values, decimals in fewer bytes. Of some of
them it takes no rows, sorts none and counts none. Columns of such a type are worked on in another that holds the same
values, and become again what they were in files and frames that have it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Types with a name of their own that are worked on as they are; of others that Arrow knows, what they are kept as is.
_NAMED = ("arrow.uuid", "arrow.json")
_LIST_VIEWS = (pa.types.is_list_view, pa.types.is_large_list_view)


def named(kind: pa.DataType) -> str | None:
    """Give the name of a type that is worked on as it is; None if it has none."""
    if isinstance(kind, pa.BaseExtensionType) and kind.extension_name in _NAMED:
        return str(kind.extension_name)
    return None


def is_list_view(kind: pa.DataType) -> bool:
    """Tell whether a type is one of lists whose values may lie anywhere in memory."""
    return any(test(kind) for test in _LIST_VIEWS)


def bare(kind: pa.DataType) -> pa.DataType:
    """Give a type without remarks on what is inside of it, and without names that nobody knows."""
    if isinstance(kind, pa.Bool8Type) or named(kind):
        return kind
    if isinstance(kind, pa.FixedShapeTensorType):
        return pa.fixed_shape_tensor(bare(kind.value_type), kind.shape, permutation=kind.permutation)
    if pa.types.is_run_end_encoded(kind):
        return pa.run_end_encoded(kind.run_end_type, workable(kind.value_type))
    if is_list_view(kind):
        make = pa.large_list_view if pa.types.is_large_list_view(kind) else pa.list_view
        return make(_inner(kind.value_field, views=True))
    return _plain(kind, views=True)


def workable(kind: pa.DataType) -> pa.DataType:
    """Give the type in which the values of a type are worked on: every row can be taken, counted and sorted."""
    return _plain(kind, views=False)


def _plain(kind: pa.DataType, *, views: bool) -> pa.DataType:
    if isinstance(kind, pa.Bool8Type):
        return pa.bool_()
    if isinstance(kind, pa.BaseExtensionType):
        return kind if named(kind) else _plain(kind.storage_type, views=views)
    if pa.types.is_run_end_encoded(kind) or pa.types.is_dictionary(kind):
        return _plain(kind.value_type, views=views)
    if pa.types.is_struct(kind):
        return pa.struct([_inner(field, views=views) for field in kind])
    if pa.types.is_map(kind):
        key, item = (_inner(field, views=views) for field in (kind.key_field, kind.item_field))
        return pa.map_(key, item, keys_sorted=kind.keys_sorted)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_inner(kind.value_field, views=views), kind.list_size)
    if pa.types.is_large_list(kind) or pa.types.is_large_list_view(kind):
        return pa.large_list(_inner(kind.value_field, views=views))
    if pa.types.is_list(kind) or pa.types.is_list_view(kind):
        return pa.list_(_inner(kind.value_field, views=views))
    if views:
        return kind
    if pa.types.is_decimal(kind) and kind.scale < 0:  # which Arrow alone has
        digits = kind.precision - kind.scale
        return pa.decimal128(digits, 0) if digits <= 38 else pa.decimal256(digits, 0)
    if pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        return pa.decimal128(kind.precision, kind.scale)
    return pa.string() if pa.types.is_string_view(kind) else pa.binary() if pa.types.is_binary_view(kind) else kind


def _inner(field: pa.Field, *, views: bool) -> pa.Field:
    return pa.field(field.name, _plain(field.type, views=views), field.nullable)


def is_exact(kind: pa.DataType) -> bool:
    """Tell whether a column of a type is worked on in another, and becomes again what it was when it is released."""
    return not pa.types.is_dictionary(kind) and bare(kind) != workable(kind)


def in_workable_types(table: pa.Table) -> pa.Table:
    """Give a table with every column in a type in which it can be worked on; categories stay as they are."""
    return _cast(table, workable)


def in_known_types(table: pa.Table) -> pa.Table:
    """Give a table without types that only their makers know: a worker may have never heard of them."""
    return _cast(table, bare)


def _cast(table: pa.Table, to: Callable[[pa.DataType], pa.DataType]) -> pa.Table:
    for place, field in enumerate(table.schema):
        if not pa.types.is_dictionary(field.type) and to(field.type) != field.type:
            table = table.set_column(place, field.name, table.column(place).cast(to(field.type)))
    return table


def restored(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Give values that were worked on in the type that they came in, with nothing else in memory behind them."""
    return pa.chunked_array([_restored(chunk, kind) for chunk in column.chunks], kind)


def _restored(array: pa.Array, kind: pa.DataType) -> pa.Array:
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, _restored(array, kind.storage_type))
    if pa.types.is_run_end_encoded(kind):
        runs = pc.run_end_encode(array, run_end_type=kind.run_end_type)
        return pa.RunEndEncodedArray.from_arrays(runs.run_ends, _rewritten(runs.values), kind)
    whole = _rewritten(array)
    if not is_list_view(kind):
        return whole.cast(kind)
    large = pa.types.is_large_list_view(kind)
    lengths = pc.list_value_length(whole).fill_null(0)
    starts = np.append(0, np.cumsum(lengths.to_numpy(zero_copy_only=False)))[:-1]
    make, wide = (pa.LargeListViewArray, pa.int64()) if large else (pa.ListViewArray, pa.int32())
    values = whole.flatten().cast(kind.value_type)
    return make.from_arrays(
        pa.array(starts).cast(wide), lengths.cast(wide), values, type=kind, mask=whole.is_null()
    )  # fmt: skip


def _rewritten(array: pa.Array) -> pa.Array:
    """Give values in memory of their own: a view has all behind it, and where a run has no value, anything may lie."""
    return array.take(pa.array(np.arange(len(array))))
