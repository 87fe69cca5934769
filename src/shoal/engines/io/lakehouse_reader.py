"""Tables of lakehouses in: the rows that their log says are there, through the library of each kind."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

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


@dataclass(frozen=True)
class LakehouseVersion:
    """A version that a table has or had: its number, and when it came to be, as ISO 8601 says."""

    number: int
    at: str


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
    found = _known(source.path)
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


def digest_of_lakehouse(folder: Path, at_version: str | None) -> str:
    """Give the digest of the rows that a table has now, or had in a version, a few of them at a time."""
    with lakehouse_in_batches(Source("folder", folder), default_budget(), at_version) as (_, batches, came_from):
        for _rows in batches(1 << 16):
            pass
        return came_from().sha256


def lies_in_its_folder(folder: Path, at_version: str | None) -> bool:
    """Tell whether the folder of a table holds all its rows, after links are followed: its log may name any place."""
    found = _known(folder)
    with _in_words(found):
        if found.kind == "Delta Lake":
            named = _delta_table(found, _asked(at_version)).file_uris()
        else:
            scan, _ = _iceberg_scan(found, _asked(at_version))
            named = [each.file_path for task in scan.plan_files() for each in (task.file, *task.delete_files)]
        root = os.path.realpath(folder)
        return all(Path(os.path.realpath(way)).is_relative_to(root) for name in named for way in _ways(name))


def _ways(name: str) -> tuple[str, str]:
    """Give the paths that an address may stand for, as it is and with its signs decoded; of no file, one outside."""
    scheme, _, path = name.rpartition("://")
    path = path if scheme in ("", "file") else os.sep
    return path, unquote(path)


def versions_of(folder: Path, most: int = 100) -> tuple[LakehouseVersion, ...]:
    """Give the versions that a table tells of, the newest first."""
    found = _known(folder)
    with _in_words(found):
        if found.kind == "Delta Lake":
            said = [(each["version"], each["timestamp"]) for each in _delta_table(found, None).history(most)]
        else:
            snapshots = _iceberg_table(found).metadata.snapshots
            said = [(each.snapshot_id, each.timestamp_ms) for each in reversed(snapshots)][:most]
        moments = [dt.datetime.fromtimestamp(milliseconds / 1000, dt.UTC) for _, milliseconds in said]
        return tuple(LakehouseVersion(number, at.isoformat()) for (number, _), at in zip(said, moments, strict=True))


def _known(folder: Path) -> Lakehouse:
    found = lakehouse_at(folder)
    if found is None or found.kind not in _READERS:
        refuse_lakehouse(folder)
        raise AssertionError("a folder that is no lakehouse was to be read as one")
    return found


def _delta(found: Lakehouse, version: int | dt.datetime | None) -> tuple[pa.Schema, Batches, int]:
    table = _delta_table(found, version)
    return *opened_delta(table), table.version()


def _delta_table(found: Lakehouse, version: int | dt.datetime | None) -> Any:
    from deltalake import DeltaTable

    table = DeltaTable(str(found.folder))
    if version is not None:
        if isinstance(version, int) and not 0 <= version <= table.version():
            raise _no_version(found, version, f"The last one is {table.version():,}.")
        table.load_as_version(version)
    return table


def _iceberg(found: Lakehouse, version: int | dt.datetime | None) -> tuple[pa.Schema, Batches, int]:
    scan, number = _iceberg_scan(found, version)
    reader = scan.to_arrow_batch_reader()
    return reader.schema, lambda: iter(reader), number


def _iceberg_table(found: Lakehouse) -> Any:
    from pyiceberg.table import StaticTable

    return StaticTable.from_metadata(_current(found))


def _iceberg_scan(found: Lakehouse, version: int | dt.datetime | None) -> tuple[Any, int]:
    table = _iceberg_table(found)
    snapshot = None
    if isinstance(version, int):
        snapshot = table.snapshot_by_id(version)
    elif version is not None:
        snapshot = table.snapshot_as_of_timestamp(int(version.timestamp() * 1000))
    if version is not None and snapshot is None:
        raise _no_version(found, version, "Its snapshots have numbers, which its catalog lists.")
    chosen = None if snapshot is None else snapshot.snapshot_id
    return table.scan(snapshot_id=chosen), chosen or table.metadata.current_snapshot_id or 0


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
