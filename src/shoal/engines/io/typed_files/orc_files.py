"""ORC in and out, a stripe at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from shoal.engines.io.digests import of_file
from shoal.engines.io.exact_types import named
from shoal.engines.io.parquet_writer import ROW_GROUP, rechunked
from shoal.engines.io.sealed_files import Sealed
from shoal.engines.io.typed_columns import plain_column
from shoal.engines.io.typed_files.stored_table import StoredTable, insist_on_names, readable, writable
from shoal.errors import DataError
from shoal.schema import ReadOptions
from shoal.table import Written

_CALLED = "a file of ORC"
# Types that ORC does not have, and those that hold all of their values.
_WIDER = {
    pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64(), pa.float16(): pa.float32(),
    pa.date64(): pa.date32(),
}  # fmt: skip
_DIGITS = 38  # of a decimal


def opened_orc(path: Path, options: ReadOptions) -> StoredTable:
    """Find what is in a file of ORC, which keeps moments in nanoseconds.

    They are read in microseconds, but in columns that are passed on as they are.
    """
    from pyarrow import orc

    sealed = Sealed.of(path)
    with readable(path, _CALLED), sealed.open() as raw:
        file = orc.ORCFile(pa.PythonFile(raw, mode="r"))
        schema, stripes = file.schema.remove_metadata(), file.nstripes
        del file
    insist_on_names(path, schema.names)
    kept = options.roles.passed_on
    schema = pa.schema([pa.field(f.name, f.type if f.name in kept else _micro(f.type)) for f in schema])

    def pieces(names: Sequence[str]) -> Iterator[pa.Table]:
        with readable(path, _CALLED), sealed.open() as raw:
            file = orc.ORCFile(pa.PythonFile(raw, mode="r"))
            for number in range(stripes):
                table = pa.Table.from_batches([file.read_stripe(number, columns=list(names))])
                yield _exactly(table.select(list(names)), schema)
            del file

    return StoredTable(sealed, "orc", schema, pieces)


def _micro(kind: pa.DataType) -> pa.DataType:
    """Give a type with microseconds in place of nanoseconds, also at the ends of spans."""
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, _micro(field.type)) for field in kind])
    return pa.timestamp("us", kind.tz) if pa.types.is_timestamp(kind) else kind


def _exactly(table: pa.Table, schema: pa.Schema) -> pa.Table:
    for place, name in enumerate(table.column_names):
        if table.schema.field(name).type != schema.field(name).type:
            try:
                table = table.set_column(place, name, table.column(name).cast(schema.field(name).type))
            except pa.ArrowInvalid:
                raise DataError(
                    f"Column '{name}' has times that are finer than a microsecond.", "Write it again with microseconds."
                ) from None
    return table


def write_orc(tables: Iterable[pa.Table], path: Path) -> Written:
    """Write a table that comes in pieces."""
    from pyarrow import orc

    pieces = rechunked((_held(table) for table in tables), ROW_GROUP)
    first = next(pieces)
    with writable(first.schema, "A file of ORC"), orc.ORCWriter(str(path), compression="zstd") as file:
        file.write(first)
        for piece in pieces:
            file.write(piece)
    return of_file(path)


def _held(table: pa.Table) -> pa.Table:
    """Give columns in types that ORC has, where it has one for all values."""
    for place, field in enumerate(table.schema):
        kind, column = field.type, table.column(place)
        if kind in _WIDER:
            column = column.cast(_WIDER[kind])
        elif pa.types.is_decimal256(kind) and kind.precision <= _DIGITS:
            column = column.cast(pa.decimal128(kind.precision, kind.scale))
        elif named(kind):
            column = plain_column(column)
        if not _holds(column.type):
            raise DataError(
                f"Column '{field.name}' is of a type that ORC cannot hold ({kind}).", "Write Parquet or text."
            )
        table = table.set_column(place, field.name, column)
    return table


def _holds(kind: pa.DataType) -> bool:
    """Tell whether ORC has a type, which the library says only when it writes a file."""
    from pyarrow import orc

    if pa.types.is_uint64(kind):  # which the library writes as other numbers
        return False
    try:
        with orc.ORCWriter(pa.BufferOutputStream()) as file:
            file.write(pa.schema([pa.field("", kind)]).empty_table())
    except pa.ArrowException:
        return False
    return True
