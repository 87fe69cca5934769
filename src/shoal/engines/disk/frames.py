"""Parquet in stretches, read one after the other, so that no more than one is in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.engines.local.arrow import refuse_twice
from shoal.engines.local.digests import of_file
from shoal.engines.parts.data import PartedData
from shoal.engines.parts.encoding import encode
from shoal.engines.parts.pool import Pool
from shoal.engines.parts.reading import Asked, loaded
from shoal.engines.sources import Source
from shoal.errors import DataError
from shoal.schema import ReadOptions, Schema
from shoal.table import Origin, printable


def load_frames(
    pool: Pool, source: Source, options: ReadOptions, room: Callable[[int], int]
) -> tuple[Schema, PartedData, Origin]:
    """Read a Parquet file or a folder of them; ``room`` tells how many rows of so many columns a stretch may have."""
    schema, batches, origin = _opened(source)
    asked = Asked.of(schema, options)
    names = list(asked.assigned)
    stretches = batches(names, room(max(1, len(names))))
    raw = pool.put(encode(table.select(names), asked.plain) for table in stretches)
    return loaded(pool, raw, asked, options, origin)


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
