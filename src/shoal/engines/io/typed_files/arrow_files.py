"""Files of Arrow, which Feather is a name for, in and out: a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from shoal.engines.io.digests import of_file
from shoal.engines.io.ordered_categories import as_believed
from shoal.engines.io.parquet_writer import ROW_GROUP, rechunked
from shoal.engines.io.released_categories import CategoryLists, with_lists
from shoal.engines.io.sealed_files import Sealed
from shoal.engines.io.typed_files.stored_table import StoredTable, insist_on_names, nothing_behind, readable, writable
from shoal.table import Written

_CALLED = "a file of Arrow"
_FIRST_FEATHER = b"FEA1"


def opened_arrow(path: Path) -> StoredTable:
    """Find what is in a file of Arrow: with a footer, as a stream, or in the first version of Feather."""
    sealed = Sealed.of(path)
    with readable(path, _CALLED), sealed.open() as raw:
        start = raw.read(len(_FIRST_FEATHER))
        raw.seek(0)
        if start == _FIRST_FEATHER:
            from pyarrow import feather

            whole = feather.read_table(pa.PythonFile(raw, mode="r"))
            whole.validate(full=True)
            insist_on_names(path, whole.column_names)
            return StoredTable(sealed, "arrow", whole.schema, lambda names: iter([whole.select(list(names))]))
        seekable = start == b"ARRO"
        with _reader(raw, seekable=seekable) as reader:
            schema = reader.schema.remove_metadata()
    insist_on_names(path, schema.names)

    def pieces(names: Sequence[str]) -> Iterator[pa.Table]:
        with readable(path, _CALLED), sealed.open() as raw, _reader(raw, seekable=seekable) as reader:
            count = reader.num_record_batches if seekable else None
            batches = reader if count is None else (reader.get_batch(number) for number in range(count))
            for batch in batches:
                batch.validate(full=True)  # Arrow believes a file, and reads wherever a damaged one sends it
                table = pa.Table.from_batches([batch]).select(list(names))
                kinds = {name: schema.field(name).type for name in names}
                yield pa.table({name: as_believed(table.column(name), kind) for name, kind in kinds.items()})

    return StoredTable(sealed, "arrow", schema, pieces)


def _reader(raw: object, *, seekable: bool) -> pa.ipc.RecordBatchFileReader | pa.ipc.RecordBatchStreamReader:
    file = pa.PythonFile(raw, mode="r")
    return pa.ipc.open_file(file) if seekable else pa.ipc.open_stream(file)


def write_arrow(tables: Iterable[pa.Table], path: Path, lists: CategoryLists) -> Written:
    """Write a table that comes in pieces, compressed as Feather is; ``lists`` are the categories of some columns.

    The format keeps what lies in memory, also behind cells that have no value: nothing is put there first.
    """
    pieces = (with_lists(piece, lists) for piece in rechunked(map(nothing_behind, tables), ROW_GROUP))
    first = next(pieces)
    how = pa.ipc.IpcWriteOptions(compression="lz4")
    with (
        writable(first.schema, "A file of Arrow"),
        path.open("xb") as sink,
        pa.ipc.new_file(sink, first.schema, options=how) as file,
    ):
        file.write_table(first)
        for piece in pieces:
            file.write_table(piece)
    return of_file(path)
