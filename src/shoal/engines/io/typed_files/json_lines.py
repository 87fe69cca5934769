"""JSON lines in and out: an object on each line, whose members are the cells.

To know the type of a column all of its values are looked at, so the table is held whole.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.engines.io.compressed import created, notes_on, opened
from shoal.engines.io.digests import of_file
from shoal.engines.io.exact_types import named
from shoal.engines.io.narrowing import as_floats
from shoal.engines.io.sealed_files import Sealed
from shoal.engines.io.typed_columns import plain_column
from shoal.engines.io.typed_files.inferred_types import dated_texts, of_ends
from shoal.engines.io.typed_files.stored_table import StoredTable, readable
from shoal.errors import DataError
from shoal.schema import ReadOptions
from shoal.table import Written

_CALLED = "a file of JSON lines"
_ENDS = pa.struct([("lo", pa.string()), ("hi", pa.string())])


def opened_json_lines(path: Path, options: ReadOptions) -> StoredTable:
    """Find what is in a file of JSON lines.

    Texts that are all days or moments are these, but in columns that are passed on as they are.
    """
    from pyarrow import json as reader

    sealed = Sealed.of(path)
    with readable(path, _CALLED), opened(path) as file:
        content = pa.py_buffer(file.read())
        if not content.size:
            raise DataError(f"'{path}' is empty.", "A table needs at least one record.")
        table = _parsed(path, reader, content, pa.schema([]))
        moments = [(f.name, kind) for f in table.schema if (kind := _as_texts(f.type)) != f.type]
        if moments:  # as they are written: the library takes the time of day from some texts, and adds it to others
            table = _parsed(path, reader, content, pa.schema(moments)).select(table.column_names)
        _insist_on_text(table)
    for place, field in enumerate(table.schema):
        texts, ends = pa.types.is_string(field.type), field.type == _ENDS
        if (texts or ends) and field.name not in options.roles.passed_on:
            dated = partial(dated_texts, spaced=field.name in options.roles.quasi)
            column = table.column(place)
            table = table.set_column(place, field.name, dated(column) if texts else of_ends(column, dated))
        elif pa.types.is_null(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pa.string()))

    def pieces(names: Sequence[str]) -> Iterator[pa.Table]:
        yield table.select(list(names))

    return StoredTable(sealed, "json lines", table.schema, pieces, notes_on(path))


def _insist_on_text(table: pa.Table) -> None:
    """Refuse text in another encoding, which the library takes as it comes."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            raise DataError(f"Column '{name}' holds text that is not UTF-8.", "Write it again as UTF-8.") from None


def _as_texts(kind: pa.DataType) -> pa.DataType:
    """Give a type with texts in place of all moments, however deep they lie."""
    if pa.types.is_timestamp(kind):
        return pa.string()
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, _as_texts(field.type)) for field in kind])
    return pa.list_(_as_texts(kind.value_type)) if pa.types.is_list(kind) else kind


def _parsed(path: Path, reader: Any, content: pa.Buffer, known: pa.Schema) -> pa.Table:
    how = reader.ParseOptions(explicit_schema=known if len(known) else None)
    try:
        return reader.read_json(
            pa.BufferReader(content), reader.ReadOptions(block_size=max(1 << 20, _longest_line(content))), how
        )
    except pa.ArrowInvalid as error:
        if "Column() changed from" in str(error):
            raise DataError(
                f"A line of '{path}' is no object.", "Write an object with all of its cells on each line."
            ) from None
        if "changed from" in str(error):
            raise DataError(
                f"A member of the objects in '{path}' is of several types, such as numbers and text.",
                "Write all of its values as text, or as numbers.",
            ) from None
        raise


def _longest_line(content: pa.Buffer) -> int:
    """Give the length of the longest line: a block of the reader must hold one."""
    raw, longest, start = content.to_pybytes(), 0, 0
    while (end := raw.find(b"\n", start)) >= 0:
        longest, start = max(longest, end - start), end + 1
    return max(longest, len(raw) - start) + 2


def write_json_lines(tables: Iterable[pa.Table], path: Path) -> Written:
    """Write a table that comes in pieces."""
    with created(path) as file:
        for table in tables:
            columns = {name: _held(name, table.column(name)) for name in table.column_names}
            for batch in pa.table(columns).to_batches():
                rows = ({name: _member(name, cell) for name, cell in row.items()} for row in batch.to_pylist())
                lines = [json.dumps(row, ensure_ascii=False) for row in rows]
                file.write(("\n".join(lines) + "\n").encode() if lines else b"")
    return of_file(path)


def _held(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give a column whose numbers are those that JSON is read as."""
    if pa.types.is_decimal(column.type):
        return as_floats(name, column)
    if pa.types.is_uint64(column.type) and (pc.max(column).as_py() or 0) >= 2**63:
        raise DataError(
            f"Column '{name}' has integers beyond 64 bits, which JSON is not read as.",
            f"Write Parquet, or read them as codes (--kind {name}=category).",
        )
    return plain_column(column) if named(column.type) else column


def _member(name: str, cell: Any) -> Any:
    try:
        return _plain(cell)
    except (TypeError, ValueError):
        raise DataError(
            f"Column '{name}' holds values that JSON has no form for.", "Leave it out, or write Parquet."
        ) from None


def _plain(value: Any) -> Any:
    """Give a value as JSON has it."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        if math.isinf(value):
            raise ValueError
        return None if math.isnan(value) else value
    if isinstance(value, dt.datetime | dt.date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if value is None or isinstance(value, str | int):
        return value
    raise TypeError(type(value).__name__)
