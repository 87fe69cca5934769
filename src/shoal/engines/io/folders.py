"""Folders of Parquet files: one table whose parts lie beside each other."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from shoal.atomic_files.lakehouses import refuse_lakehouse
from shoal.engines.io.digests import of_files, of_folder
from shoal.engines.io.parquet_reader import ParquetTable, schema_of
from shoal.engines.io.parquet_writer import ROW_GROUP, groups_of, write_groups
from shoal.engines.io.released_categories import CategoryLists
from shoal.engines.io.sealed_files import Sealed
from shoal.engines.sources import Source, parquet_files
from shoal.errors import DataError, SchemaError
from shoal.table import Origin, Written

PART = 1 << 20  # how many records a part holds


def opened_folder(folder: Path) -> ParquetTable:
    """Find the Parquet files of a folder in the order of their names; folders named COLUMN=VALUE add a column."""
    if not folder.is_dir():
        raise DataError(f"There is no folder '{folder}'.", "Check its name; the name of a file ends without a slash.")
    try:
        next(folder.iterdir(), None)
        paths = parquet_files(folder)
    except OSError as error:
        raise DataError(f"'{folder}' cannot be read: {error.strerror}.", "Check its permissions.") from None
    refuse_lakehouse(folder, paths)
    if not paths:
        raise DataError(f"The folder '{folder}' holds no Parquet files.", "Name a file, or a folder with *.parquet.")
    files = tuple(map(Sealed.of, paths))
    first = schema_of(files[0])
    for sealed in files[1:]:
        _insist_alike(paths[0], _kinds(first), sealed.path, _kinds(schema_of(sealed)))
    added, fields = _added(folder, paths)
    plain = [field for field in first if field.name not in added[0]]
    written = of_files(folder, [(sealed.path, sealed.written) for sealed in files])
    source = Source("folder", folder)
    origin = Origin(source.name, written.sha256, "parquet", place=str(source), written=written)
    return ParquetTable(pa.schema([*plain, *fields]), files, added, origin)


def _added(folder: Path, paths: list[Path]) -> tuple[tuple[dict[str, Any], ...], list[pa.Field]]:
    """Give the columns that the names of folders add, and their values per file."""
    if all(path.parent == folder for path in paths):
        return tuple({} for _ in paths), []
    found = ds.dataset(
        [str(path) for path in paths], format="parquet", partition_base_dir=str(folder),
        partitioning=ds.partitioning(flavor="hive"),
    )  # fmt: skip
    keys = [ds.get_partition_keys(part.partition_expression) for part in found.get_fragments()]
    names = list(dict.fromkeys(name for mine in keys for name in mine))
    return tuple({n: mine.get(n) for n in names} for mine in keys), [found.schema.field(name) for name in names]


def _kinds(schema: pa.Schema) -> dict[str, pa.DataType]:
    return dict(zip(schema.names, schema.types, strict=True))


def _insist_alike(one: Path, ours: dict[str, pa.DataType], other: Path, theirs: dict[str, pa.DataType]) -> None:
    for name in (*ours, *theirs):
        if name not in ours or name not in theirs:
            has, lacks = (one, other) if name in ours else (other, one)
            raise SchemaError(
                f"'{has}' has a column '{name}', '{lacks}' has none.", "All files of a folder need the same columns."
            )
        if ours[name] != theirs[name]:
            raise SchemaError(
                f"Column '{name}' is {ours[name]} in '{one}' and {theirs[name]} in '{other}'.",
                "Give it the same type in all files of the folder.",
            )


def write_folder(parts: Iterable[pa.Table], folder: Path, lists: CategoryLists) -> Written:
    """Write a table that comes in parts as Parquet files in a new folder."""
    folder.mkdir()
    rows = min(ROW_GROUP, PART)
    groups = groups_of(parts, lists, rows)
    names = (folder / f"part-{number:05d}.parquet" for number in count())
    while write_groups(islice(groups, PART // rows), next(names)):
        pass
    return of_folder(folder)
