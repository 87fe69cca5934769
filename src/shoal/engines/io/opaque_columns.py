"""Columns that are passed on as they are, whatever their type: lists, structs, bytes, durations.

No cell of such a column lies on an axis. It is known by a text that no other value of the column has, which tells the
order of a release and its digest; what goes out is the value.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.engines.io.exact_types import named, workable
from shoal.errors import DataError

_PER_SECOND = {"s": 0, "ms": 3, "us": 6, "ns": 9}  # digits of a second that a unit counts
_LISTS = (
    pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list, pa.types.is_list_view,
    pa.types.is_large_list_view,
)  # fmt: skip
_BYTES = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary, pa.types.is_binary_view)


def is_opaque(kind: pa.DataType) -> bool:
    """Tell whether nothing is known of a type but its values: they have no order and are no categories."""
    if pa.types.is_struct(kind):
        ends = {field.name: field.type for field in kind}
        return set(ends) != {"lo", "hi"} or any(pa.types.is_nested(end) or is_opaque(end) for end in ends.values())
    return pa.types.is_nested(kind) or _is_any(kind, _BYTES) or pa.types.is_duration(kind) or pa.types.is_interval(kind)


def is_hollow(kind: pa.DataType) -> bool:
    """Tell whether a type holds a place for nothing: structs without fields, lists of no values, no type at all."""
    if pa.types.is_null(kind) or (pa.types.is_fixed_size_list(kind) and kind.list_size == 0):
        return True
    inner = [kind.field(place).type for place in range(kind.num_fields)] if pa.types.is_nested(kind) else []
    return (pa.types.is_struct(kind) and not inner) or any(map(is_hollow, inner))


def has_no_text(kind: pa.DataType) -> bool:
    """Tell whether a text file has no form for the values of a type."""
    if pa.types.is_dictionary(kind):
        return has_no_text(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return not named(kind) and has_no_text(workable(kind))
    return is_opaque(kind) and not (pa.types.is_duration(kind) or pa.types.is_interval(kind))


def refuse_without_text(kinds: Mapping[str, pa.DataType]) -> None:
    """Refuse to write columns to a text file that has no form for them."""
    for name, kind in kinds.items():
        if has_no_text(kind):
            raise DataError(
                f"Column '{name}' holds {_called(kind)}, for which text has no form.",
                "Write Parquet (a name that ends in .parquet), or leave the column out.",
            )


def _called(kind: pa.DataType) -> str:
    return "bytes" if _is_any(kind, _BYTES) else "lists" if _is_any(kind, _LISTS) else "values with parts"


def _is_any(kind: pa.DataType, tests: Iterable[Any]) -> bool:
    return any(test(kind) for test in tests)


def cleaned(array: pa.Array) -> pa.Array:
    """Give the same values in memory that holds nothing else, and in a type that says nothing else.

    Memory may hold more than the rows show: what stood there before rows were left out or cells emptied.
    """
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        storage = cleaned(array.storage)
        return pa.ExtensionArray.from_storage(kind, storage) if named(kind) else storage.cast(workable(kind))
    if pa.types.is_dictionary(kind):
        return cleaned(_values(array))
    if pa.types.is_run_end_encoded(kind):
        return cleaned(pc.run_end_decode(array))
    gone = array.is_null()
    if pa.types.is_struct(kind):
        fields = [cleaned(pc.struct_field(array, [i])) for i in range(kind.num_fields)]
        return pa.StructArray.from_arrays(fields, fields=list(workable(kind)), mask=gone)
    if pa.types.is_map(kind):
        lists = cleaned(_entries(array))
        keys, items = lists.values.flatten()
        return pa.MapArray.from_arrays(lists.offsets, keys, items, workable(kind), mask=gone)
    if pa.types.is_fixed_size_list(kind):
        order = np.cumsum(~gone.to_numpy(zero_copy_only=False)) - 1
        rows = np.where(gone.to_numpy(zero_copy_only=False), -1, order)[:, None]
        places = np.where(rows < 0, -1, rows * kind.list_size + np.arange(kind.list_size)).reshape(-1)
        values = cleaned(pc.list_flatten(array)).take(pa.array(places, mask=places < 0))
        return pa.FixedSizeListArray.from_arrays(values, type=workable(kind), mask=gone)
    if _is_any(kind, _LISTS):
        lengths = pc.list_value_length(array).fill_null(0).to_numpy(zero_copy_only=False)
        large = pa.types.is_large_list(workable(kind))
        offsets = pa.array(np.append(0, np.cumsum(lengths)).astype(np.int64 if large else np.int32))
        make = pa.LargeListArray if large else pa.ListArray
        return make.from_arrays(offsets, cleaned(pc.list_flatten(array)), type=workable(kind), mask=gone)
    return array.cast(workable(kind)).take(pa.array(np.arange(len(array))))


def _values(array: pa.DictionaryArray) -> pa.Array:
    """Give the values that are kept as numbers of distinct ones."""
    return array.dictionary.cast(workable(array.type.value_type)).take(array.indices)


def _entries(array: pa.MapArray) -> pa.ListArray:
    """Give maps as lists of their entries."""
    pairs = pa.StructArray.from_arrays([array.keys, array.items], ["key", "value"])
    offsets = pa.array(np.array(array.offsets))  # a slice of them cannot stand beside cells without a value
    return pa.ListArray.from_arrays(offsets, pairs, mask=array.is_null())


def leaves_of(array: pa.Array) -> list[pa.Array]:
    """Give the columns that values are made of, as Parquet keeps them."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return leaves_of(array.storage)
    if pa.types.is_dictionary(kind):
        return leaves_of(_values(array))
    if pa.types.is_struct(kind):
        return [leaf for i in range(kind.num_fields) for leaf in leaves_of(pc.struct_field(array, [i]))]
    if pa.types.is_map(kind):
        return leaves_of(_entries(array))
    return leaves_of(pc.list_flatten(array)) if _is_any(kind, _LISTS) else [array.cast(workable(kind))]


def texts_of(array: pa.Array) -> list[str | None]:
    """Give each value a text that only equal values have; None where there is no value."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        if named(kind) == "arrow.uuid":
            return [None if each is None else str(uuid.UUID(bytes=each)) for each in array.storage.to_pylist()]
        return texts_of(array.storage)
    if pa.types.is_dictionary(kind):
        return texts_of(_values(array))
    gone = array.is_null().to_pylist()
    if pa.types.is_struct(kind):
        names = [json.dumps(field.name) for field in kind]
        columns = [_inner(pc.struct_field(array, [i])) for i in range(kind.num_fields)]
        rows = zip(*columns, strict=True) if columns else ((),) * len(array)
        pairs = (zip(names, row, strict=True) for row in rows)
        texts = ["{" + ", ".join(f"{name}: {text}" for name, text in row) + "}" for row in pairs]
        return [None if missing else text for missing, text in zip(gone, texts, strict=True)]
    if pa.types.is_map(kind):
        return texts_of(_entries(array))
    if _is_any(kind, _LISTS):
        ends = np.append(0, np.cumsum(pc.list_value_length(array).fill_null(0).to_numpy(zero_copy_only=False)))
        inner = _inner(pc.list_flatten(array))
        texts = ["[" + ", ".join(inner[a:b]) + "]" for a, b in pairwise(ends.tolist())]
        return [None if missing else text for missing, text in zip(gone, texts, strict=True)]
    return _leaves(array)


def _inner(array: pa.Array) -> list[str]:
    """Give texts as they stand inside of others: in quotes, so that no value looks like several."""
    return ["null" if text is None else json.dumps(text, ensure_ascii=False) for text in texts_of(array)]


def _leaves(array: pa.Array) -> list[str | None]:
    kind = array.type
    if _is_any(kind, _BYTES):
        return [None if each is None else each.hex() for each in array.to_pylist()]
    if pa.types.is_floating(kind):
        return [None if each is None else repr(each) for each in array.cast(pa.float64()).to_pylist()]
    if pa.types.is_duration(kind):
        counts = array.cast(pa.int64()).to_pylist()
        return [None if each is None else f"PT{_seconds(each, _PER_SECOND[kind.unit])}S" for each in counts]
    if pa.types.is_interval(kind):
        spans = array.to_pylist()
        return [None if s is None else f"P{s.months}M{s.days}DT{_seconds(s.nanoseconds, 9)}S" for s in spans]
    texts: list[str | None] = array.cast(pa.string()).to_pylist()
    if pa.types.is_temporal(kind) and any(text is not None and text.startswith("<") for text in texts):
        texts = array.view(f"int{kind.bit_width}").cast(pa.string()).to_pylist()  # days that no calendar has
    return texts


def _seconds(count: int, digits: int) -> str:
    """Write a number of parts of a second as seconds, exactly."""
    whole, part = divmod(abs(count), 10**digits)
    return "-" * (count < 0) + str(whole) + (f".{part:0{digits}}".rstrip("0") if part else "")
