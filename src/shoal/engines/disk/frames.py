"""Parquet and tables in databases in stretches, read one after the other, so that no more than one is in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.engines.local.arrow import refuse_twice
from shoal.engines.local.digests import of_file
from shoal.engines.parts.data import PartedData
from shoal.engines.parts.encoding import encode
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.engines.parts.reading import Asked, loaded, telling
from shoal.engines.scratch import Room
from shoal.engines.sources import Source
from shoal.errors import DataError
from shoal.schema import ReadOptions, Schema
from shoal.table import Origin, printable

_TOLD = 40  # bytes per distinct cell of a stretch
_TEXT = 250  # bytes per distinct cell of the table


def load_frames(
    pool: Pool, source: Source, options: ReadOptions, rows: Callable[[int], int], room: Room,
    watch: Callable[[int], None],
) -> tuple[Schema, PartedData, Origin]:  # fmt: skip
    """Read Parquet, a folder of it, or a table.

    ``rows`` tells how many of so many columns a stretch may have; ``watch`` is told after each how many bytes the
    distinct cells take, and may refuse to go on.
    """
    if source.is_table:
        from shoal.engines.local.databases import table_in_stretches

        with table_in_stretches(source, room) as (schema, rows_of, came_from):
            asked = Asked.of(schema, options)
            # All columns come from the database, and count for the digest.
            raw = _put(pool, rows_of(rows(len(schema))), asked, watch)
            return loaded(pool, raw, asked, options, came_from())
    schema, batches, origin = _opened(source)
    asked = Asked.of(schema, options)
    names = list(asked.assigned)
    raw = _put(pool, batches(names, rows(max(1, len(names)))), asked, watch)
    return loaded(pool, raw, asked, options, origin)


def _put(pool: Pool, stretches: Iterable[pa.Table], asked: Asked, watch: Callable[[int], None]) -> Handle:
    names, plain = list(asked.assigned), asked.plain
    arrow = pa.default_memory_pool()

    def parts() -> Iterator[Part]:
        found = _Distinct()
        for table in stretches:
            part = encode(table.select(names), plain)
            found.add(part)
            watch(found.bytes)
            yield part
            arrow.release_unused()  # which it would keep for itself otherwise

    return pool.put(parts(), tell=telling(names, plain))


class _Distinct:
    """How many bytes the distinct cells of all stretches take, about, until it is known which occur in several."""

    def __init__(self) -> None:
        self._told = 0
        self._cells: dict[str, int] = {}

    def add(self, part: Part) -> None:
        """Add those of a stretch: if most of its cells are distinct, those of other stretches are others."""
        for name in part:
            if name.startswith("first"):
                here, before = part[name].size, self._cells.get(name, 0)
                self._told += here
                self._cells[name] = before + here if 2 * here > part["rows"][0] else max(before, here)

    @property
    def bytes(self) -> int:
        return self._told * _TOLD + sum(self._cells.values()) * _TEXT


def _opened(source: Source) -> tuple[pa.Schema, Callable[[list[str], int], Iterable[pa.Table]], Origin]:
    """Find what is read: its columns, what gives it in stretches, and where it came from."""
    if source.is_folder:
        from shoal.engines.local.folders import dataset_of

        whole, origin = dataset_of(source.path)

        def scanned(names: list[str], rows: int) -> Iterator[pa.Table]:
            try:
                for batch in whole.to_batches(
                    columns=names, batch_size=rows, batch_readahead=1, fragment_readahead=1, use_threads=False
                ):
                    if batch.num_rows:
                        yield pa.Table.from_batches([batch])
            except (OSError, pa.ArrowException):
                raise DataError(f"A file in '{source.path}' is damaged.", "Check the files.") from None

        return whole.schema, scanned, origin
    path: Path = source.path
    try:
        file = pq.ParquetFile(path, memory_map=True)
    except FileNotFoundError:
        raise DataError(f"There is no file '{path}'.", "Check its name and folder.") from None
    except (OSError, pa.ArrowException):
        raise DataError(f"'{path}' is not a Parquet file that can be read.", "Check the file.") from None
    refuse_twice(file.schema_arrow.names)

    def read(names: list[str], rows: int) -> Iterator[pa.Table]:
        try:
            for batch in file.iter_batches(rows, columns=names, use_threads=False):
                yield pa.Table.from_batches([batch])
        except (OSError, pa.ArrowException):
            raise DataError(f"'{path}' is not a Parquet file that can be read.", "Check the file.") from None

    return file.schema_arrow, read, Origin(printable(path.name), of_file(path).sha256, "parquet", place=str(path))
