"""A table in a file, whole or a few rows at a time; and whether the file holds more than its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from shoal.engines.io.digests import of_file
from shoal.engines.io.ordered_categories import put_together
from shoal.engines.io.parquet_writer import rechunked
from shoal.engines.io.sealed_files import Sealed
from shoal.engines.io.typed_columns import passed_on
from shoal.errors import DataError, ShoalError
from shoal.table import Origin, Written, printable


@dataclass(frozen=True, eq=False)
class StoredTable:
    """A table in a file.

    Attributes
    ----------
    sealed
        The file.
    kind
        What tables that were read from such a file are said to come from.
    schema
        The columns.
    pieces
        Gives some columns, in the pieces in which they lie in the file.
    notes
        What is to be said of the file.
    """

    sealed: Sealed
    kind: str
    schema: pa.Schema
    pieces: Callable[[Sequence[str]], Iterator[pa.Table]]
    notes: tuple[str, ...] = ()

    @property
    def origin(self) -> Origin:
        """Where it comes from."""
        path, written = self.sealed.path, self.sealed.written
        name = printable(path.name)
        return Origin(name, written.sha256, self.kind, self.notes, place=str(path), written=written)

    def whole(self) -> pa.Table:
        """Give all rows."""
        pieces = [*self.pieces(self.schema.names)]
        return put_together(pa.concat_tables(pieces or [self.schema.empty_table()]).replace_schema_metadata(None))

    def batches(self, names: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Give some columns, so many rows at a time."""
        return rechunked((piece.replace_schema_metadata(None) for piece in self.pieces(names)), rows)


def insist_on_names(path: Path, names: Sequence[str]) -> None:
    """Refuse columns without names of their own."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise DataError(f"Two columns of '{path}' are named '{twice}'.", "Give each column a name of its own.")


@contextmanager
def readable(path: Path, called: str) -> Iterator[None]:
    """Say that a file is damaged without repeating a library, whose message may show a cell."""
    try:
        yield
    except ShoalError:
        raise
    except Exception as error:  # noqa: BLE001 - its message may show a cell
        raise DataError(
            f"'{path}' is not {called} that can be read ({type(error).__name__}).", "Check the file, or get it again."
        ) from None


@contextmanager
def writable(schema: pa.Schema, called: str) -> Iterator[None]:
    """Say that a type cannot be written without repeating a library, whose message may show a cell."""
    try:
        yield
    except ShoalError:
        raise
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        kinds = ", ".join(dict.fromkeys(str(kind) for kind in schema.types))
        raise DataError(
            f"{called} cannot hold the release ({type(error).__name__}), whose columns are of the types {kinds}.",
            "Write Parquet, or leave out columns of other types than numbers, dates and text.",
        ) from None


def strange_bytes(
    table: StoredTable, names: Sequence[str], write: Callable[[Iterable[pa.Table], Path], Written]
) -> str | None:
    """Name what a file holds beside its rows: written anew, it must be the same, byte for byte."""
    if table.schema.names != list(names):
        return "columns that are not those of the release"
    with TemporaryDirectory() as folder:
        anew = Path(folder) / table.sealed.path.name
        write((nothing_behind(piece) for piece in table.pieces(names)), anew)
        return None if of_file(anew) == table.sealed.written else "bytes that its rows do not show"


def nothing_behind(piece: pa.Table) -> pa.Table:
    """Give columns with nothing in memory but the values of their cells."""
    return pa.table({name: passed_on(piece.column(name)) for name in piece.column_names})
