"""Tables of lakehouses in: the rows that their log says are there, through the library of each kind."""

from __future__ import annotations

import contextlib
import datetime as dt
import re
from collections.abc import Callable, Iterator

import pyarrow as pa

from shoal.atomic_files.lakehouses import Lakehouse, lakehouse_at, metadata_files, refuse_lakehouse
from shoal.engines.io.delta_tables import Batches, opened_delta
from shoal.engines.io.external_sort import SortedLines
from shoal.engines.io.parquet_writer import rechunked
from shoal.engines.io.row_digests import RowDigest
from shoal.engines.sources import Source
from shoal.engines.workspace import MemoryBudget, default_budget
from shoal.errors import DataError, ParameterError, ShoalError
from shoal.extras import how_to_install
from shoal.table import Origin

_HINT = "version-hint.text"


def from_lakehouse(source: Source, at_version: str | None = None) -> tuple[pa.Table, Origin]:
    """Read all rows that a table has now, or had in a version."""
    with lakehouse_in_batches(source, default_budget(), at_version) as (schema, batches, came_from):
        rows = list(batches(1 << 20))
        return pa.concat_tables(rows or [schema.empty_table()]).combine_chunks(), came_from()


@contextlib.contextmanager
def lakehouse_in_batches(
    source: Source, budget: MemoryBudget, at_version: str | None = None
) -> Iterator[tuple[pa.Schema, Callable[[int], Iterator[pa.Table]], Callable[[], Origin]]]:
    """Read the rows that a table has now, a few at a time, as `table_in_batches` reads a table in a database.

    What is digested is the rows: the same ones may lie in other files tomorrow.
    """
    found = lakehouse_at(source.path)
    if found is None or found.kind not in _READERS:
        refuse_lakehouse(source.path)
        raise AssertionError("a folder that is no lakehouse was to be read as one")
    with _in_words(found):
        schema, stored, version = _READERS[found.kind](found, _asked(at_version))
        bare = pa.schema([pa.field(field.name, field.type) for field in schema])
        notes = (f"{found.kind} table, version {version}",)
        with SortedLines(budget) as lines:
            digest = RowDigest(bare.names, lines)

            def batches(rows: int) -> Iterator[pa.Table]:
                some = (pa.Table.from_batches([batch]).cast(bare) for batch in stored() if batch.num_rows)
                for table in rechunked(some, rows):
                    digest.add(table)
                    yield table

            def came_from() -> Origin:
                written, place = digest.written, source.path
                named = Source("folder", place)
                return Origin(named.name, written.in_order, "lakehouse", notes, place=str(named), written=written)

            yield bare, batches, came_from


def _delta(found: Lakehouse, version: int | dt.datetime | None) -> tuple[pa.Schema, Batches, int]:
    from deltalake import DeltaTable

    table = DeltaTable(str(found.folder))
    if version is not None:
        if isinstance(version, int) and not 0 <= version <= table.version():
            raise _no_version(found, version, f"The last one is {table.version():,}.")
        table.load_as_version(version)
    return *opened_delta(table), table.version()


def _iceberg(found: Lakehouse, version: int | dt.datetime | None) -> tuple[pa.Schema, Batches, int]:
    from pyiceberg.table import StaticTable

    table = StaticTable.from_metadata(_current(found))
    snapshot = None
    if isinstance(version, int):
        snapshot = table.snapshot_by_id(version)
    elif version is not None:
        snapshot = table.snapshot_as_of_timestamp(int(version.timestamp() * 1000))
    if version is not None and snapshot is None:
        raise _no_version(found, version, "Its snapshots have numbers, which its catalog lists.")
    chosen = None if snapshot is None else snapshot.snapshot_id
    reader = table.scan(snapshot_id=chosen).to_arrow_batch_reader()
    return reader.schema, lambda: iter(reader), chosen or table.metadata.current_snapshot_id or 0


def _no_version(found: Lakehouse, version: int | dt.datetime, remedy: str) -> ParameterError:
    return ParameterError(f"'{found.folder}' has no version {version}.", remedy)


def _asked(version: str | None) -> int | dt.datetime | None:
    """Read a version: its number, or a moment, at which it was the last one."""
    if version is None:
        return None
    try:
        if version.isdecimal():
            return int(version)
        moment = dt.datetime.fromisoformat(version)
    except ValueError:
        raise ParameterError(
            f"'{version}' is neither the number of a version nor a moment.",
            "Write --at-version 3, or --at-version 2026-01-31T12:00:00+00:00.",
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


_READERS: dict[str, Callable[[Lakehouse, int | dt.datetime | None], tuple[pa.Schema, Batches, int]]] = {
    "Delta Lake": _delta,
    "Apache Iceberg": _iceberg,
}
_LIBRARIES = {"Delta Lake": "deltalake", "Apache Iceberg": "pyiceberg"}


def _current(found: Lakehouse) -> str:
    """Give the file that tells what an Iceberg table is now: the one that a hint names, else the one counted last."""
    files = metadata_files(found.folder)
    hint = found.folder / "metadata" / _HINT
    if hint.is_file():
        current = hint.read_text(encoding="utf-8").strip()
        named = [path for path in files if current in (path.name, _number(path.name))]
    else:
        last = max((int(_number(path.name)) for path in files), default=-1)
        named = [path for path in files if int(_number(path.name)) == last]
    if len(named) != 1:
        raise DataError(
            f"'{found.folder}' does not say what the table is now: its catalog knows.",
            'Read it through the catalog, and give its rows: shoal.read(catalog.load_table("NAME").scan().to_arrow()).',
        )
    return str(named[0])


def _number(name: str) -> str:
    """Give the number by which a file of metadata is counted: 00002-….metadata.json, v2.metadata.json."""
    counted = re.match(r"v?0*(\d+)[.-]", name)
    return counted[1] if counted else "-1"


@contextlib.contextmanager
def _in_words(found: Lakehouse) -> Iterator[None]:
    """Say what went wrong without repeating a library, which may show a cell."""
    library = _LIBRARIES[found.kind]
    try:
        yield
    except ShoalError:
        raise
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != library:
            raise
        raise DataError(
            f"'{found.folder}' is a table of {found.kind}, whose files also hold rows that were deleted or changed.",
            f"{how_to_install('lake')}\nThat brings {library}, which reads it as it is now.",
        ) from None
    except Exception as error:  # noqa: BLE001 - its message may hold a cell
        raise DataError(
            f"'{found.folder}' is a table of {found.kind} that {library} cannot read ({type(error).__name__}).",
            "It may have what the library does not know, or lie elsewhere than it says: copy its rows elsewhere.",
        ) from None
