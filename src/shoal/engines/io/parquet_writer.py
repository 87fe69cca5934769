"""Parquet out, a group of rows at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.engines.io.digests import of_file
from shoal.engines.io.distinct_cells import one_array
from shoal.engines.io.ordered_categories import is_ordered
from shoal.engines.io.released_categories import CategoryLists, with_lists
from shoal.errors import DataError
from shoal.table import Written

ROW_GROUP = 1 << 16  # rows of a Parquet file that lie together, and are in memory when they are written


def write_parquet(parts: Iterable[pa.Table], path: Path, lists: CategoryLists) -> Written:
    """Write a table that comes in parts to a Parquet file and give the digest of the file."""
    write_groups(groups_of(parts, lists), path)
    return of_file(path)


def groups_of(parts: Iterable[pa.Table], lists: CategoryLists, rows: int = ROW_GROUP) -> Iterator[pa.Table]:
    """Give a table that comes in parts as groups of rows, with some columns as numbers of their categories."""
    return (with_lists(group, lists) for group in rechunked(parts, rows))


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
            yield _in_one_piece(whole.slice(0, rows))
            held = [whole.slice(rows)]
    if sum(each.num_rows for each in held):
        yield _in_one_piece(pa.concat_tables(held))


def _in_one_piece(table: pa.Table) -> pa.Table:
    """Give a table in one piece, but for categories whose order each piece tells on its own."""
    columns = (column if is_ordered(column.type) else one_array(column) for column in table.columns)
    return pa.table(dict(zip(table.column_names, columns, strict=True))) if table.num_columns else table
