"""Parquet in: one file or the files of a folder as one table, whole, in batches, or by groups of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.atomic_files.lakehouses import refuse_lakehouse
from shoal.engines.io.ordered_categories import as_believed, put_together, unordered
from shoal.engines.io.sealed_files import Sealed
from shoal.engines.io.typed_columns import unusable
from shoal.errors import DataError, ShoalError
from shoal.progress import along
from shoal.table import Origin, printable

# Who writes lists of categories in their order; others write them as they come.
_KEEPS_ORDER = ("parquet-cpp-arrow", "Polars")
_AT_ONCE = 4  # groups of rows that are read whole before anybody is heard
_BUFFER = 1 << 20  # bytes of each column that are read at once in batches


@dataclass(frozen=True)
class ParquetTable:
    """Parquet files with the same columns, one behind the other. It may travel to where they are read.

    ``added`` holds per file the values of columns that the names of its folders add.
    """

    schema: pa.Schema
    files: tuple[Sealed, ...]
    added: tuple[Mapping[str, Any], ...]
    origin: Origin

    def whole(self) -> pa.Table:
        """Give all rows."""
        tables = []
        files = along(zip(self.files, self.added, strict=True), len(self.files))
        for sealed, added in files:
            with opened(sealed) as file:
                try:
                    read = [*_some_groups(file)] if file.metadata.num_row_groups > _AT_ONCE else [file.read()]
                except pa.ArrowNotImplementedError:
                    raise _unreadable(file) from None
                tables += [self._whole_rows(some, added, self.schema.names) for some in read]
        return put_together(pa.concat_tables(tables))

    def batches(self, names: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Give some columns, so many rows at a time."""
        for sealed, added in zip(self.files, self.added, strict=True):
            with opened(sealed, buffer_size=_BUFFER, pre_buffer=False) as file:
                for batch in file.iter_batches(rows, columns=self._mine(names, added), use_threads=False):
                    if batch.num_rows:
                        yield self._whole_rows(pa.Table.from_batches([batch]), added, names)

    def groups(self) -> list[tuple[int, int, int]]:
        """Give the groups of rows: in which file each is, its number there, and how many rows it has."""
        found = []
        for place, sealed in enumerate(self.files):
            with opened(sealed) as file:
                groups = range(file.metadata.num_row_groups)
                found += [(place, group, file.metadata.row_group(group).num_rows) for group in groups]
        return found

    def rows_of(self, groups: Sequence[tuple[int, int]], names: Sequence[str]) -> pa.Table:
        """Give some columns of some groups of rows."""
        tables = []
        for place in dict.fromkeys(place for place, _ in groups):
            added = self.added[place]
            with opened(self.files[place]) as file:
                mine = [group for there, group in groups if there == place]
                read = file.read_row_groups(mine, columns=self._mine(names, added))
                tables.append(self._whole_rows(read, added, names))
        return pa.concat_tables(tables)

    def _mine(self, names: Sequence[str], added: Mapping[str, Any]) -> list[str]:
        """Give the columns that are read from a file: one at least, which tells how many rows there are."""
        return [name for name in names if name not in added] or [n for n in self.schema.names if n not in added][:1]

    def _whole_rows(self, table: pa.Table, added: Mapping[str, Any], names: Sequence[str]) -> pa.Table:
        """Give columns in their order, with those that the names of folders add."""
        kinds = {name: self.schema.field(name).type for name in names}
        columns = {
            name: pa.repeat(pa.scalar(added[name], kind), table.num_rows)
            if name in added
            else as_believed(table.column(name), kind)
            for name, kind in kinds.items()
        }
        return pa.table(columns)


def _some_groups(file: pq.ParquetFile) -> Iterator[pa.Table]:
    """Give all rows, a few groups at a time."""
    groups = range(file.metadata.num_row_groups)
    for first in along(groups[::_AT_ONCE]):
        yield file.read_row_groups([*groups[first : first + _AT_ONCE]])


def _unreadable(file: pq.ParquetFile) -> DataError:
    """Name the column that Arrow cannot read."""
    for field in file.schema_arrow:
        try:
            file.read(columns=[field.name])
        except pa.ArrowException:
            return unusable(field.name, field.type)
    return DataError("The columns of the Parquet file cannot be read together.", "Leave some of them out.")


def opened_file(path: Path) -> ParquetTable:
    """Find what is in a Parquet file."""
    refuse_lakehouse(path)
    sealed = Sealed.of(path)
    schema = schema_of(sealed)
    origin = Origin(
        printable(path.name), sealed.written.sha256, "parquet", place=str(path), written=sealed.written
    )  # fmt: skip
    return ParquetTable(schema, (sealed,), ({},), origin)


def schema_of(sealed: Sealed) -> pa.Schema:
    """Give the columns of a Parquet file, which must have different names."""
    with opened(sealed) as file:
        believed = str(file.metadata.created_by).startswith(_KEEPS_ORDER)
        schema = pa.schema([pa.field(f.name, f.type if believed else unordered(f.type)) for f in file.schema_arrow])
    if len(set(schema.names)) < len(schema.names):
        twice = next(name for name in schema.names if schema.names.count(name) > 1)
        raise DataError(
            f"Two columns of '{sealed.path}' are named '{twice}'.", "Give each column a name of its own."
        )  # fmt: skip
    return schema


@contextmanager
def opened(sealed: Sealed, **how: Any) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file; what is damaged shows when it is opened or when it is read."""
    with sealed.open() as raw:
        try:
            with pq.ParquetFile(raw, **how) as file:
                yield file
        except ShoalError:
            raise
        except (OSError, pa.ArrowException, UnicodeDecodeError):
            raise DataError(f"'{sealed.path}' is not a Parquet file that can be read.", "Check the file.") from None
