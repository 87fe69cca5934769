"""Reading Parquet on the cluster: each worker its row groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from shoal.engines.local.digests import of_file
from shoal.engines.local.folders import columns_of, dataset_of
from shoal.engines.parts.data import PartedData
from shoal.engines.parts.encoding import encode
from shoal.engines.parts.pool import Part
from shoal.engines.parts.reading import Asked, loaded, telling
from shoal.engines.spark.pool import SparkPool
from shoal.errors import DataError
from shoal.schema import ReadOptions, Schema
from shoal.table import Origin, printable


def read_parquet(
    pool: SparkPool, path: Path, options: ReadOptions, rows: int, *, folder: bool
) -> tuple[Schema, PartedData, Origin]:
    """Read a Parquet file or a folder of them, each worker its row groups."""
    files, origin = dataset_of(path) if folder else _seen_file(path)
    asked = Asked.of(files.schema, options)
    stretches = _stretches(files, rows)
    if not stretches:
        raise DataError("The table has no records.", "A table needs at least one record.")
    names, plain = list(asked.assigned), asked.plain

    def load(number: int, part: Part) -> Part:
        begin, count, some = stretches[number]
        table = ds.FileSystemDataset(some, files_schema, file_format).to_table(columns=names)
        return encode(table.slice(begin, count), plain)

    files_schema, file_format = files.schema, ds.ParquetFileFormat()
    return loaded(pool, pool.each(load, pool.blank(len(stretches)), tell=telling(names, plain)), asked, options, origin)


def _seen_file(path: Path) -> tuple[ds.Dataset, Origin]:
    if not path.exists():
        raise DataError(f"There is no file '{path}'.", "Check its name and folder.")
    columns_of(path)
    origin = Origin(printable(path.name), of_file(path).sha256, "parquet", place=str(path))
    return ds.dataset(str(path), format="parquet"), origin


def _stretches(files: ds.Dataset, rows: int) -> list[tuple[int, int, list[Any]]]:
    """Put row groups together, or cut them, so that each stretch has about so many rows."""
    found: list[tuple[int, int, list[Any]]] = []
    open_rows, open_groups = 0, list[Any]()
    for fragment in files.get_fragments():
        for group in fragment.split_by_row_group():
            size = group.row_groups[0].num_rows
            if open_groups and open_rows + size > rows:
                found.append((0, open_rows, open_groups))
                open_rows, open_groups = 0, []
            if size > 2 * rows:
                found += [(begin, min(rows, size - begin), [group]) for begin in range(0, size, rows)]
            elif size:
                open_rows, open_groups = open_rows + size, [*open_groups, group]
    return [*found, (0, open_rows, open_groups)] if open_groups else found
