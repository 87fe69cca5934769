"""Folders of Parquet files: one table whose parts lie beside each other."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count, islice
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from shoal.engines import Written
from shoal.engines.local.digests import of_folder
from shoal.engines.local.parquet import ROW_GROUP, cut_anew, write_groups
from shoal.engines.sources import Source, parquet_files
from shoal.errors import DataError, SchemaError
from shoal.table import Origin

PART = 1 << 20  # how many records a part holds


def from_folder(folder: Path) -> tuple[pa.Table, Origin]:
    """Read the Parquet files of a folder in the order of their names; folders named COLUMN=VALUE add a column."""
    whole, origin = dataset_of(folder)
    try:
        return whole.to_table().combine_chunks(), origin
    except (OSError, pa.ArrowException):
        raise DataError(f"A file in '{folder}' is damaged.", "Check the files.") from None


def dataset_of(folder: Path) -> tuple[ds.Dataset, Origin]:
    """Find the Parquet files of a folder, which must be alike."""
    if not folder.is_dir():
        raise DataError(f"There is no folder '{folder}'.", "Check its name; the name of a file ends without a slash.")
    try:
        next(folder.iterdir(), None)
        files = parquet_files(folder)
    except OSError as error:
        raise DataError(f"'{folder}' cannot be read: {error.strerror}.", "Check its permissions.") from None
    if not files:
        raise DataError(f"The folder '{folder}' holds no Parquet files.", "Name a file, or a folder with *.parquet.")
    digest = of_folder(folder)
    first = columns_of(files[0])
    for path in files[1:]:
        _insist_alike(files[0], first, path, columns_of(path))
    whole = ds.dataset(
        [str(path) for path in files], format="parquet", partition_base_dir=str(folder),
        partitioning=ds.partitioning(flavor="hive"),
    )  # fmt: skip
    source = Source("folder", folder)
    return whole, Origin(source.name, digest.sha256, "parquet", place=str(source))


def columns_of(path: Path) -> dict[str, pa.DataType]:
    """Give the columns of a Parquet file and their types."""
    try:
        schema = pq.read_schema(path)
    except (OSError, pa.ArrowException):
        raise DataError(f"'{path}' is not a Parquet file that can be read.", "Check the file.") from None
    if len(set(schema.names)) < len(schema.names):
        twice = next(name for name in schema.names if schema.names.count(name) > 1)
        raise SchemaError(f"Two columns of '{path}' are named '{twice}'.", "Give each column a name of its own.")
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


def write_folder(parts: Iterable[pa.Table], folder: Path) -> Written:
    """Write a table that comes in parts as Parquet files in a new folder."""
    folder.mkdir()
    rows = min(ROW_GROUP, PART)
    groups = cut_anew(parts, rows)
    names = (folder / f"part-{number:05d}.parquet" for number in count())
    while write_groups(islice(groups, PART // rows), next(names)):
        pass
    return of_folder(folder)
