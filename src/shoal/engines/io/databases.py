"""Tables in databases: read whole or a few rows at a time, written in one transaction, under another name until then.

Both databases speak Arrow through their drivers and describe themselves in the same schema of information, so what
differs between them is only how they are opened and how rows get in and out.
"""

from __future__ import annotations

import contextlib
import itertools
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from shoal.engines.io.connections import Connection, connected
from shoal.engines.io.database_types import TableColumn, as_typed, declared, literal, quoted, storable
from shoal.engines.io.external_sort import SortedLines
from shoal.engines.io.ordered_categories import put_together
from shoal.engines.io.parquet_writer import rechunked
from shoal.engines.io.row_digests import RowDigest
from shoal.engines.io.slices import rows_at_once
from shoal.engines.sources import Source
from shoal.engines.values import Output
from shoal.engines.workspace import MemoryBudget, default_budget
from shoal.errors import DataError, ParameterError, suggest
from shoal.table import Origin, Written, printable

# Only a table with this remark is ever replaced: what shoal did not make it does not destroy.
_REMARK = "released by shoal"


def from_table(source: Source) -> tuple[pa.Table, Origin]:
    """Read a table in the order in which it is kept."""
    with connected(source) as db:
        asked = _asked(db, source)
        whole = put_together(as_typed(db.arrow(asked.query), asked.columns))
    with SortedLines(default_budget()) as lines:
        digest = RowDigest(whole.column_names, lines)
        digest.add(whole)
        return whole, _origin(source, digest)


def _origin(source: Source, digest: RowDigest) -> Origin:
    written = digest.written
    return Origin(source.name, written.in_order, "database", place=source.seen_from(None), written=written)


def count_of(source: Source) -> tuple[int, int]:
    """Tell how many rows and columns a table has."""
    with connected(source) as db:
        asked = _asked(db, source)
        return int(db.rows(f"SELECT count(*) FROM {asked.place}")[0][0]), len(asked.columns)


def strange_types(source: Source) -> str | None:
    """Name a column of a type that no release has: different values of it may be read as one."""
    with connected(source) as db:
        columns = _asked(db, source).columns
    strange = next((column.name for column in columns if not column.in_releases), None)
    return None if strange is None else f"values of another type in '{printable(strange)}'"


@contextlib.contextmanager
def table_in_batches(
    source: Source, budget: MemoryBudget
) -> Iterator[tuple[pa.Schema, Callable[[int], Iterator[pa.Table]], Callable[[], Origin]]]:
    """Read a table in the order in which it is kept, a few rows at a time.

    Gives its columns; what gives batches of about so many rows; and, when all have been read, where they came from.
    """
    with connected(source, budget=budget) as db:
        asked = _asked(db, source)
        head = as_typed(db.arrow(f"{asked.query} LIMIT 0"), asked.columns)
        with SortedLines(budget) as lines:
            digest = RowDigest(head.column_names, lines)

            def batches(rows: int) -> Iterator[pa.Table]:
                for batch in rechunked(_batches(db, asked, min(rows, rows_at_once(head.num_columns))), rows):
                    digest.add(batch)
                    yield batch

            yield head.schema, batches, lambda: _origin(source, digest)


def digest_of(source: Source, budget: MemoryBudget) -> Written:
    """Give the digest of a table's content."""
    with connected(source, budget=budget) as db:
        return _digest(db, _asked(db, source), budget)


def _digest(db: Connection, asked: _Asked, budget: MemoryBudget) -> Written:
    with SortedLines(budget) as lines:
        digest = RowDigest([column.name for column in asked.columns], lines)
        for batch in _batches(db, asked, rows_at_once(len(asked.columns))):
            digest.add(batch)
        return digest.written


def _batches(db: Connection, asked: _Asked, rows: int) -> Iterator[pa.Table]:
    batches = db.batches(asked.query, rows)
    return (as_typed(pa.Table.from_batches([batch]), asked.columns) for batch in batches)


@dataclass(frozen=True)
class _Asked:
    """What reads a table, where it is, and its columns."""

    query: str
    place: str
    columns: list[TableColumn]


def _asked(db: Connection, source: Source) -> _Asked:
    if source.query:
        columns = db.described(source.query)
        place = f"({source.query}) AS shoal_query"
        return _Asked(f"SELECT {_wanted(columns)} FROM {place}", place, columns)
    schema, name, kind = _found(db, source)
    return _reading(db, schema, name, kept=kind == "BASE TABLE")


def _reading(db: Connection, schema: str, name: str, *, kept: bool) -> _Asked:
    columns = db.columns(schema, name)
    order = db.order if kept else ""  # views keep no rows, so they have no order of their own
    place = f"{quoted(schema)}.{quoted(name)}"
    return _Asked(f"SELECT {_wanted(columns)} FROM {place}{order}", place, columns)


def _wanted(columns: Sequence[TableColumn]) -> str:
    return ", ".join(column.selected(quoted(column.name)) for column in columns)


def _matching(db: Connection, source: Source, tables: Sequence[tuple[str, str, str]]) -> tuple[str, str, str] | None:
    schema = source.schema or db.schema()
    wanted = (db.folded(schema), db.folded(source.table))
    return next((each for each in tables if (db.folded(each[0]), db.folded(each[1])) == wanted), None)


def _found(db: Connection, source: Source) -> tuple[str, str, str]:
    """Find a table, or say which one may have been meant."""
    tables = db.tables()
    found = _matching(db, source, tables)
    if found is None:
        mine = source.schema or db.schema()
        names = [name if schema == mine else f"{schema}.{name}" for schema, name, _ in tables]
        near = suggest(source.table if source.schema in (None, mine) else f"{source.schema}.{source.table}", names)
        hint = f"Did you mean '{near}'?" if near else "Check its name, its schema, and whether the user may read it."
        raise DataError(f"There is no table '{source.table}' that can be read in '{source}'.", hint)
    return found


def refuse_existing(source: Source) -> None:
    """Refuse a table that is there and must not be replaced."""
    if source.kind == "postgresql" or source.path.exists():
        with connected(source) as db:  # a database that is only read keeps every byte
            _refuse_existing(db, source)


def _refuse_existing(db: Connection, source: Source) -> tuple[str, str, str] | None:
    """Give the table that is to be replaced, if there is one; refuse to replace what shoal did not make."""
    there = _matching(db, source, db.tables())
    if there is None:
        return None
    if not source.replace:
        raise ParameterError(
            f"There is a table '{source.table}' in '{source}' already.",
            "Choose another name, or replace what an earlier release wrote: --overwrite, or &if_exists=replace.",
        )
    if db.remark(literal(there[0]), literal(there[1])) != _REMARK:
        raise DataError(
            f"The table '{source.table}' in '{source}' was not made by shoal, so it is not replaced.",
            "Choose another name, or drop the table yourself.",
        )
    return there


@contextlib.contextmanager
def storing(
    tables: Iterable[pa.Table], source: Source, budget: MemoryBudget, enums: Mapping[str, Sequence[str]]
) -> Iterator[Output]:
    """Write a table that comes in pieces; nothing is to be seen before `Stored.commit`, nor after a failure.

    ``enums`` are the columns that hold categories with an order, and these from low to high.
    """
    refuse_existing(source)

    def commit() -> None:
        there = _refuse_existing(db, source)
        if there is not None:
            db.run(f"DROP TABLE {quoted(there[0])}.{quoted(there[1])}")
        db.run(f"ALTER TABLE {quoted(home)}.{quoted(draft)} RENAME TO {quoted(source.table)}")
        db.commit()

    with connected(source, writing=True, budget=budget) as db:
        home, draft = source.schema or db.schema(), f"shoal_{secrets.token_hex(8)}"
        rest = iter(tables)
        first = next(rest)
        kinds = declared(first.schema, source.kind, enums, db.enum)
        _put(db, home, draft, (storable(table, source.kind) for table in itertools.chain([first], rest)))
        if kinds:
            db.retype(f"{quoted(home)}.{quoted(draft)}", {quoted(name): kind for name, kind in kinds.items()})
        strange = next((column.name for column in db.columns(home, draft) if not column.in_releases), None)
        if strange is not None:
            raise DataError(
                f"Column '{strange}' is of a type that the database does not keep as it is.",
                "Leave it out, or write Parquet.",
            )
        db.mark(f"{quoted(home)}.{quoted(draft)}", _REMARK)
        yield Output(_digest(db, _reading(db, home, draft, kept=True), budget), commit)


def _put(db: Connection, schema: str, name: str, tables: Iterator[pa.Table]) -> None:
    """Make a table of what comes in pieces. An error in a piece is raised as it is, not in the words of a driver."""
    failures: list[Exception] = []

    def batches() -> Iterator[pa.RecordBatch]:
        try:
            for table in itertools.chain([first], tables):
                yield from table.to_batches()
                pa.default_memory_pool().release_unused()  # which it would keep for itself otherwise
        except Exception as error:
            failures.append(error)
            raise

    first = next(tables)
    try:
        rows = pa.RecordBatchReader.from_batches(first.schema, batches())
        db.put(schema, name, rows, f"{quoted(schema)}.{quoted(name)}")
    except Exception:
        if failures:
            raise failures[0] from None
        raise
