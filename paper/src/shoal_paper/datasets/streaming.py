"""Columns that come block by block: put together as a frame, or written to a file of any length in little memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from shoal.engines.io.compressed import created
from shoal.engines.sources import is_parquet

Block = Mapping[str, NDArray[Any]]


def frame_of(blocks: Iterable[Block]) -> pa.Table:
    """Give the blocks as one frame."""
    return pa.Table.from_batches(map(_batch, blocks))


def write_blocks(path: Path, blocks: Iterable[Block], delimiter: str = ",") -> None:
    """Write the blocks one after the other: Parquet by its suffix, delimited text otherwise.

    Texts are written without quotes, so none may hold a delimiter, a quote or the end of a line.
    """
    batches = map(_batch, blocks)
    first = next(batches)
    if is_parquet(path):
        with pq.ParquetWriter(path, first.schema) as writer:
            writer.write_batch(first)
            for batch in batches:
                writer.write_batch(batch)
        return
    plain = pa.csv.WriteOptions(include_header=False, quoting_style="none", delimiter=delimiter)
    with created(path) as file:
        file.write((delimiter.join(first.schema.names) + "\n").encode())
        pa.csv.write_csv(first, file, plain)
        for batch in batches:
            pa.csv.write_csv(batch, file, plain)


def _batch(block: Block) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({name: pa.array(column) for name, column in block.items()})
