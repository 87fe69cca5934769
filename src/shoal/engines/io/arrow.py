"""Arrow tables in and out: frames of every kind and Parquet files pass through here."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.domains.axis import Axis
from shoal.domains.cell_parser import Vocabulary, interpret
from shoal.domains.texts import Reading, Texts
from shoal.engines.io.database_types import TableColumn, as_typed, quoted
from shoal.engines.io.distinct_cells import one_array
from shoal.engines.io.exact_types import in_known_types, in_workable_types
from shoal.engines.io.frame_errors import reason_of, refuse_strange_names, refuse_strange_types
from shoal.engines.io.opaque_columns import is_hollow, is_opaque, texts_of
from shoal.engines.io.ordered_categories import (
    has_levels,
    levels_in,
    put_together,
    with_levels,
)
from shoal.engines.io.typed_columns import (
    as_declared,
    as_numbers,
    is_text,
    marks,
    passed_on,
    plain_column,
    unusable,
    zone_of,
)
from shoal.engines.local_data import LocalData, Words
from shoal.errors import DataError, ShoalError
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import numbered
from shoal.schema import RELEASED, Schema
from shoal.table import Origin

_LARGEST = 2147483646


def from_object(source: Any) -> tuple[pa.Table, Origin]:
    """Take any frame that speaks the Arrow stream protocol. Row labels are not data and stay behind."""
    refuse_strange_names(source)
    try:
        kind, table = _table_of(source)
    except ShoalError:
        raise
    except Exception as error:  # noqa: BLE001 - its message may show a cell
        raise reason_of(source, error) from None
    refuse_strange_types(source, table)
    sink = _HashSink()
    whole = in_known_types(put_together(table)).replace_schema_metadata(None)
    with pa.ipc.new_stream(pa.PythonFile(sink, mode="w"), whole.schema) as stream:
        stream.write_table(whole)
    labels = source.index if kind == "pandas" else None
    return whole, Origin(f"{kind} frame", sink.digest.hexdigest(), kind, _labelled(labels), labels=labels)


def _labelled(index: Any) -> tuple[str, ...]:
    """Note that rows had labels of their own, which are left behind."""
    usual = index is None or (type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1))
    return () if usual else ("row labels of the frame left out",)


def _table_of(source: Any) -> tuple[str, pa.Table]:
    kind = type(source).__module__.split(".")[0]
    if kind == "pandas":
        return kind, pa.Table.from_pandas(source, preserve_index=False)
    if kind in ("duckdb", "_duckdb"):
        kinds = zip(source.columns, map(str, source.types), strict=True)
        columns = [TableColumn(name, kind.lower()) for name, kind in kinds]
        wanted = ", ".join(column.selected(quoted(column.name)) for column in columns)
        return "duckdb", as_typed(source.project(wanted).to_arrow_table(), columns)
    if isinstance(source, pa.Table):
        return "arrow", source
    if hasattr(source, "__arrow_c_stream__"):
        if kind == "polars":  # it hands over texts as views into its memory, which is not what it calls them
            return kind, in_workable_types(pa.table(source))
        return "arrow", pa.table(source)
    raise DataError(
        f"A {type(source).__name__} is not a table.", "Give a path, or a pandas, Polars, PyArrow or DuckDB table."
    )


class _HashSink:
    """A file that keeps only the digest of what is written to it."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.closed = False

    def write(self, part: Any) -> int:
        self.digest.update(part)
        return len(part)

    def flush(self) -> None:
        return None

    def close(self) -> None:
        self.closed = True


@dataclass(frozen=True)
class Seen:
    """How often each cell of a column occurs, and in which row first, where only distinct cells are read."""

    counts: NDArray[np.int64]
    rows: NDArray[np.int64]


def read_column(
    name: str, column: pa.ChunkedArray, reading: Reading, seen: Seen | None = None
) -> tuple[Vocabulary, Positions, list[str] | None]:
    """Read a column as a vocabulary of distinct cells and the code of each row; and its texts, if it is text."""
    try:
        return _read_column(name, column, reading, seen)
    except pa.ArrowException:
        raise unusable(name, column.type) from None
    except UnicodeDecodeError:
        raise DataError(f"Column '{name}' holds text that is not UTF-8.", "Write it again as UTF-8.") from None


def as_read(column: pa.ChunkedArray, reading: Reading) -> tuple[pa.ChunkedArray, bool]:
    """Give a column as it is looked at, without a dictionary; and whether it is looked at as text."""
    column = plain_column(column)
    kind = column.type
    if pa.types.is_struct(kind) or is_opaque(kind):
        return column, False
    if (reading.kind == "category" or reading.hierarchy is not None) and not is_text(kind):
        column = column.cast(pa.string())
        kind = column.type
    text = pa.types.is_boolean(kind) or is_text(kind) or reading.order is not None
    return column.cast(pa.string()) if text else column, text


def _read_column(
    name: str, column: pa.ChunkedArray, reading: Reading, seen: Seen | None
) -> tuple[Vocabulary, Positions, list[str] | None]:
    given = plain_column(column).type
    if has_levels(column.type):
        ordered = with_levels(reading, levels_in(column), pc.unique(plain_column(column)).drop_null().to_pylist())
        if ordered is not reading:
            found = _read_column(name, plain_column(column), ordered, seen)
            return replace(found[0], reason="categories with an order"), *found[1:]
    column, text = as_read(column, reading)
    kind = column.type
    as_it_is = not reading.strict and reading.order is None and reading.hierarchy is None
    if is_opaque(kind) and not is_hollow(kind) and as_it_is and reading.kind in (None, "category"):
        return _read_opaque(column)
    if text:
        if reading.canonical and not is_text(given):
            raise _written_otherwise(name)  # values of other types may differ where their texts do not
        return _read_texts(name, column, reading, seen)
    if pa.types.is_struct(kind):
        return _read_spans(name, column, reading)
    encoded = column.combine_chunks()
    encoded = encoded if isinstance(encoded, pa.Array) else pa.concat_arrays(encoded.chunks)
    try:
        numbers, axis_kind = as_numbers(name, encoded)
    except DataError:
        if not as_it_is or reading.kind is not None:
            raise
        found = _read_texts(name, column.cast(pa.string()), replace(reading, kind="category"), seen)
        return replace(found[0], reason=f"typed as {kind}"), *found[1:]
    gone = np.asarray(encoded.is_null(nan_is_null=True).to_numpy(zero_copy_only=False))
    for mark in marks(reading.missing, axis_kind):
        gone = gone | (numbers == mark)
    if reading.kind is not None and reading.kind != axis_kind and not reading.shows_means(axis_kind):
        numbers = as_declared(name, numbers, axis_kind, reading.kind)
        axis_kind = reading.kind
    values, codes = numbered(numbers[~gone] if gone.any() else numbers)
    places = np.full(len(numbers), len(values), np.int32)
    places[~gone] = codes.reshape(-1)
    inside = values.size == 0 or (values[0] >= -_LARGEST and values[-1] <= _LARGEST)
    small = axis_kind in ("integer", "date") and inside
    positions = (values if small else np.arange(len(values))).astype(np.int32)
    lo = np.append(positions, np.int32(MISSING)).astype(np.int32)
    zone = zone_of(name, kind, values) if axis_kind == "datetime" else None
    axis = Axis(axis_kind) if small else Axis(axis_kind, values, zone=zone)  # type: ignore[arg-type]
    if reading.canonical and not _same_values(encoded, values_at(axis, lo[places])):
        raise _written_otherwise(name)
    return Vocabulary(axis, lo, lo, False, f"typed as {kind}"), places, None


def _read_opaque(column: pa.ChunkedArray) -> tuple[Vocabulary, Positions, list[str]]:
    """Read values of which nothing is known: each is a category of its own, named by its text."""
    encoded = pa.array(texts_of(one_array(column)), pa.string()).dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    codes = encoded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False).astype(np.int32)
    positions = {text: i for i, text in enumerate(sorted(texts))}
    lo = np.array([*(positions[text] for text in texts), MISSING], np.int32)
    axis = Axis("category", np.array(list(positions), dtype=object))
    return Vocabulary(axis, lo, lo, False, f"typed as {column.type}"), codes, [*texts, ""]


def _same_values(found: pa.Array, written: pa.Array) -> bool:
    """Tell whether a column is the very one that a release would hold, signs of zeros included."""
    if not found.equals(written):
        return False
    ends = [column.fill_null(0).to_numpy(zero_copy_only=False) for column in (found, written)]
    return not pa.types.is_floating(found.type) or bool((np.signbit(ends[0]) == np.signbit(ends[1])).all())


def _written_otherwise(name: str) -> DataError:
    return DataError(
        f"Column '{name}' has a cell that a release would write in another way.",
        "Each published cell has one form: ask for the file as it was released.",
    )


def _read_texts(
    name: str, column: pa.ChunkedArray, reading: Reading, seen: Seen | None
) -> tuple[Vocabulary, Positions, list[str] | None]:
    encoded = column.combine_chunks().dictionary_encode()
    encoded = encoded if isinstance(encoded, pa.DictionaryArray) else encoded.combine_chunks()
    texts = encoded.dictionary.to_pylist()
    if reading.canonical and "" in texts:
        raise _written_otherwise(name)  # a missing cell is null
    indices = encoded.indices.fill_null(len(texts)) if encoded.null_count else encoded.indices
    codes = indices.to_numpy(zero_copy_only=False).astype(np.int32)
    texts.append("")
    counts = np.bincount(codes, None if seen is None else seen.counts, minlength=len(texts)).astype(np.int64)
    rows = np.zeros(len(texts), np.int64)
    rows[codes[::-1]] = np.arange(len(codes), 0, -1) if seen is None else seen.rows[::-1]
    return interpret_texts(Texts(name, texts, counts.tolist(), rows.tolist()), reading), codes, texts


def interpret_texts(found: Texts, reading: Reading) -> Vocabulary:
    """Find what texts in a typed frame mean: they are meant as text, unless something is declared of them."""
    declared = reading.kind or reading.order or reading.hierarchy
    if declared is None and not _looks_published(found.texts):
        return replace(interpret(found, replace(reading, kind="category")), reason="text")
    return interpret(found, reading)


def _looks_published(texts: Sequence[str]) -> bool:
    """Find whether cells of text are ranges that were written by a release."""
    return any(text.startswith("[") and text.endswith("]") and ";" in text for text in texts)


def _read_spans(name: str, column: pa.ChunkedArray, reading: Reading) -> tuple[Vocabulary, Positions, None]:
    """Read a struct of two ends: both null is the wildcard, a null struct is a missing cell.

    Marks for missing values are texts of whole cells, so no end is one.
    """
    whole = column.combine_chunks()
    whole = whole if isinstance(whole, pa.Array) else pa.concat_arrays(whole.chunks)
    if sorted(field.name for field in whole.type) != ["hi", "lo"]:
        raise DataError(f"Column '{name}' is a struct without the fields lo and hi.", "A span has these two.")
    gone = np.asarray(whole.is_null().to_numpy(zero_copy_only=False))
    ends = [pa.chunked_array([pc.struct_field(whole, end)]) for end in ("lo", "hi")]
    open_ends = [np.asarray(end.is_null(nan_is_null=True).to_numpy()) & ~gone for end in ends]
    if (open_ends[0] != open_ends[1]).any():
        raise DataError(f"Column '{name}' has a span with one end.", "A span has two, or none if it is anything.")
    star = open_ends[0]
    bare = replace(reading, missing=frozenset({""}))
    both, codes, _ = read_column(name, pa.chunked_array([e.combine_chunks() for e in ends]), bare)
    n = len(whole)
    lo, hi = both.lo[codes[:n]], both.lo[codes[n:]]
    lo[star], hi[star] = MISSING, TOP
    lo[gone] = hi[gone] = MISSING
    if (lo > hi).any():
        raise DataError(f"Column '{name}' has a span whose lower end is above its upper end.", "Mend it.")
    pairs, places = np.unique(np.stack([lo, hi]), axis=1, return_inverse=True)
    cells = Vocabulary(both.axis, pairs[0].astype(np.int32), pairs[1].astype(np.int32), True, "spans")
    return cells, places.reshape(-1).astype(np.int32), None


def to_arrow(
    data: LocalData, schema: Schema, cells: str, exact: Sequence[bool] | None = None,
    only: Collection[str] | None = None,
) -> pa.Table:  # fmt: skip
    """Give the released columns, or only some; a generalized cell is a struct of its two ends or its text.

    Of a part of a table, ``exact`` says in which quasi-identifiers all cells of the whole are exact.
    """
    names = [name for name in schema.of(*RELEASED) if only is None or name in only]
    columns = []
    for name in names:
        axis = schema[name].axis
        if name in data.sources and not is_text(
            data.sources[name].type
        ):  # what is released as it is goes out as it came in
            columns.append(passed_on(data.sources[name]))
            continue
        if name in data.carried:
            columns.append(_carried(data, axis, name))
            continue
        j = data.at(name)
        lo, hi = np.ascontiguousarray(data.lo[:, j]), np.ascontiguousarray(data.hi[:, j])
        single = bool((lo == hi).all()) if exact is None else exact[j]
        if axis.called:  # some cells are no numbers
            column = _rendered(axis, lo, hi, data.ranged[j])
        elif single and not data.ranged[j] and not axis.groups and axis.tree is None:
            column = values_at(axis, lo)
        elif cells == "text" or axis.nominal or axis.tree is not None:
            column = _rendered(axis, lo, hi, data.ranged[j])
        else:
            gone = (lo == MISSING) & (hi == MISSING)
            ends = [values_at(axis, lo), values_at(axis, np.where(hi == TOP, MISSING, hi).astype(np.int32))]
            column = pa.StructArray.from_arrays(ends, ["lo", "hi"], mask=pa.array(gone))
        columns.append(column if data.index.size == 0 else column.take(pa.array(data.index)))
    return pa.table(dict(zip(names, columns, strict=True)))


def _carried(data: LocalData, axis: Axis, name: str) -> pa.Array:
    j = data.carried.index(name)
    words = data.words[j]
    codes = np.ascontiguousarray(data.codes[:, j])
    if words is None:
        return values_at(axis, codes)
    if axis.numeric and (words.lo == words.hi).all():
        return values_at(axis, words.lo[codes])
    texts = pa.array([text if text else None for text in words.texts], pa.string())
    return texts.take(pa.array(codes))


def values_at(axis: Axis, positions: Positions) -> pa.Array:
    """Give the values at positions, null where there is none."""
    gone = positions == MISSING
    safe = np.where(gone, 0, positions)
    if axis.values is None:
        column = pa.array(safe, mask=gone)
        return column.cast(pa.date32()) if axis.kind == "date" else column.cast(pa.int64())
    listed = axis.values if len(axis.values) else np.zeros(1, axis.values.dtype)
    if axis.numeric:
        column = pa.array(listed[safe], mask=gone)
        if axis.kind != "datetime":
            return column
        return column.cast(pa.timestamp("us", None if axis.zone is None else axis.zone.typed))
    texts = pa.array(axis.texts(np.arange(len(axis.values), dtype=np.int32)), pa.string())
    return texts.take(pa.array(safe, mask=gone))


def _rendered(axis: Axis, lo: Positions, hi: Positions, ranged: bool) -> pa.Array:
    _, first, places = np.unique((lo.astype(np.int64) << 32) + hi, return_index=True, return_inverse=True)
    texts = [text or None for text in axis.render_all(lo[first], hi[first], ranged=ranged)]
    return pa.array(texts, pa.string()).take(pa.array(places))


def carried_words(vocabulary: Vocabulary, texts: list[str] | None) -> Words:
    """Keep a carried column's texts; typed columns get the text of their values."""
    if texts is None or vocabulary.restyled:
        texts = vocabulary.axis.render_all(vocabulary.lo, vocabulary.hi, ranged=vocabulary.ranged)
    return Words(texts, vocabulary.lo, vocabulary.hi)
