"""Reading Parquet on the cluster: each worker its row groups."""

from __future__ import annotations

from pathlib import Path

from shoal.engines.io.folders import opened_folder
from shoal.engines.io.parquet_reader import opened_file
from shoal.engines.parts.data import PartsTable
from shoal.engines.parts.encoding import encode
from shoal.engines.parts.pool import Part
from shoal.engines.parts.reading import ColumnPlan, loaded, summary_of
from shoal.engines.spark.pool import SparkPool
from shoal.errors import DataError
from shoal.schema import ReadOptions, Schema
from shoal.table import Origin


def read_parquet(
    pool: SparkPool, path: Path, options: ReadOptions, rows: int, *, folder: bool
) -> tuple[Schema, PartsTable, Origin]:
    """Read a Parquet file or a folder of them, each worker its row groups."""
    files = opened_folder(path) if folder else opened_file(path)
    asked = ColumnPlan.of(files.schema, options)
    batches = _batches(files.groups(), rows)
    if not batches:
        raise DataError("The table has no records.", "A table needs at least one record.")
    names, plain = list(asked.assigned), asked.plain

    def load(number: int, part: Part) -> Part:
        begin, count, some = batches[number]
        return encode(files.rows_of(some, names).slice(begin, count), plain)

    raw = pool.map(load, pool.blank(len(batches)), summarize=summary_of(names, plain))
    return loaded(pool, raw, asked, options, files.origin)


def _batches(groups: list[tuple[int, int, int]], rows: int) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """Merge or split row groups so that each batch has about so many rows."""
    found: list[tuple[int, int, list[tuple[int, int]]]] = []
    open_rows, open_groups = 0, list[tuple[int, int]]()
    for place, group, size in groups:
        if open_groups and open_rows + size > rows:
            found.append((0, open_rows, open_groups))
            open_rows, open_groups = 0, []
        if size > 2 * rows:
            found += [(begin, min(rows, size - begin), [(place, group)]) for begin in range(0, size, rows)]
        elif size:
            open_rows, open_groups = open_rows + size, [*open_groups, (place, group)]
    return [*found, (0, open_rows, open_groups)] if open_groups else found
