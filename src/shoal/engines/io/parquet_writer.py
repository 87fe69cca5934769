"""Parquet out, a group of rows at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.engines.io.digests import of_file
from shoal.errors import DataError
from shoal.table import Written

ROW_GROUP = 1 << 16  # rows of a Parquet file that lie together, and are in memory when they are written


def write_parquet(parts: Iterable[pa.Table], path: Path) -> Written:
    """Write a table that comes in parts to a Parquet file and give the digest of the file."""
    write_groups(rechunked(parts, ROW_GROUP), path)
    return of_file(path)


def write_groups(groups: Iterator[pa.Table], path: Path) -> bool:
    """Write groups of rows to a Parquet file, one after the other; without any there is no file."""
    first = next(groups, None)
    if first is None:
        return False
    with writable(first.schema), pq.ParquetWriter(path, first.schema) as writer:
        for group in chain([first], groups):
            writer.write_table(group, row_group_size=ROW_GROUP)
            pa.default_memory_pool().release_unused()  # which it would keep for itself otherwise
    return True


@contextmanager
def writable(schema: pa.Schema) -> Iterator[None]:
    """Say which column cannot be written to Parquet, if one cannot."""
    try:
        yield
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        for field in schema:
            try:
                pq.ParquetWriter(pa.BufferOutputStream(), pa.schema([field])).close()
            except pa.ArrowException:
                raise DataError(
                    f"Column '{field.name}' is of a type that Parquet cannot hold ({field.type}).",
                    "Leave it out, or convert it to numbers, dates or text.",
                ) from None
        raise DataError(
            "A column holds values that Parquet cannot hold, such as days that no calendar has.",
            "Mend them, or leave the column out.",
        ) from None


def rechunked(parts: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """Give a table that comes in parts in pieces of so many rows, the last with what is left."""
    held: list[pa.Table] = []
    for part in parts:
        held.append(part)
        while sum(each.num_rows for each in held) >= rows:
            whole = pa.concat_tables(held)
            yield whole.slice(0, rows).combine_chunks()
            held = [whole.slice(rows)]
    if sum(each.num_rows for each in held):
        yield pa.concat_tables(held).combine_chunks()
