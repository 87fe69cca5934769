"""Connections to databases: their drivers, and what their errors mean.

What a server says is never shown as it is: it may hold a cell.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import pyarrow as pa

from shoal.engines.io.database_types import TableColumn, literal, quoted
from shoal.engines.io.sqlite_connection import SQLite
from shoal.engines.sources import Source
from shoal.engines.workspace import MemoryBudget, private_folder
from shoal.errors import DataError
from shoal.extras import missing

_AT_ONCE = str(1 << 22)  # bytes that a server sends before they are made into a batch


class Connection(Protocol):
    """What is asked of a database within one transaction.

    ``order`` sorts rows as they are kept, where they would not come so by themselves, and ``here`` keeps what is known
    of other databases out of a query.
    """

    order: str
    here: str

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Give the rows of a query."""
        ...

    def arrow(self, query: str) -> pa.Table:
        """Give the rows of a query as a table."""
        ...

    def batches(self, query: str, rows: int) -> pa.RecordBatchReader:
        """Give the rows of a query a few at a time, about so many if the driver lets one choose."""
        ...

    def columns(self, schema: str, name: str) -> list[TableColumn]:
        """Give the columns of a table in their order."""
        ...

    def enum(self, labels: Sequence[str]) -> str | None:
        """Name a type of the database whose values are these, and maybe others, in this order."""
        ...

    def run(self, statement: str) -> None:
        """Run a statement."""
        ...

    def retype(self, table: str, kinds: Mapping[str, str]) -> None:
        """Give columns of a table other types; all names are quoted."""
        ...

    def put(self, schema: str, name: str, rows: pa.RecordBatchReader, quoted: str) -> None:
        """Make a table and fill it."""
        ...

    def remark(self, schema: str, name: str) -> str | None:
        """Give the comment on a table, whose names are given as literals."""
        ...

    def folded(self, name: str) -> str:
        """Give a name in the form by which names are compared."""
        ...

    def tables(self) -> list[tuple[str, str, str]]:
        """Give the tables and views: schema, name and kind."""
        ...

    def schema(self) -> str:
        """Give the schema in which names without one are looked for."""
        ...

    def described(self, query: str) -> list[TableColumn]:
        """Give the columns of a query."""
        ...

    def mark(self, table: str, remark: str) -> None:
        """Put a comment on a table, whose name is quoted."""
        ...

    def commit(self) -> None:
        """Let others see what was done."""
        ...


class _WithCatalog:
    """A database that describes itself in the schema of information, and keeps comments on its tables."""

    here = ""

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        raise NotImplementedError

    def run(self, statement: str) -> None:
        raise NotImplementedError

    def tables(self) -> list[tuple[str, str, str]]:
        found = self.rows(
            "SELECT table_schema, table_name, table_type FROM information_schema.tables "
            f"WHERE table_schema NOT IN ('pg_catalog', 'information_schema'){self.here} ORDER BY 1, 2"
        )
        return [(schema, name, kind) for schema, name, kind in found]

    def schema(self) -> str:
        return str(self.rows("SELECT current_schema()")[0][0])

    def mark(self, table: str, remark: str) -> None:
        self.run(f"COMMENT ON TABLE {table} IS {literal(remark)}")


class _DuckDB(_WithCatalog):
    order = ""  # of insertion, which a setting preserves; to sort by it would take memory
    here = " AND table_catalog = current_database()"

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._connection.execute(query).fetchall()
        return found

    def arrow(self, query: str) -> pa.Table:
        return self._connection.sql(query).to_arrow_table()

    def batches(self, query: str, rows: int) -> pa.RecordBatchReader:
        return self._connection.sql(query).to_arrow_reader(rows)

    def columns(self, schema: str, name: str) -> list[TableColumn]:
        found = self.rows(
            "SELECT column_name, data_type FROM information_schema.columns "
            f"WHERE table_schema = {literal(schema)} AND table_name = {literal(name)}{self.here} "
            "ORDER BY ordinal_position"
        )
        return [TableColumn(column, kind.lower()) for column, kind in found]

    def described(self, query: str) -> list[TableColumn]:
        found = self.rows(f"DESCRIBE SELECT * FROM ({query}) AS shoal_query")
        return [TableColumn(row[0], row[1].lower()) for row in found]

    def enum(self, labels: Sequence[str]) -> str | None:
        return None

    def run(self, statement: str) -> None:
        self._connection.execute(statement)

    def retype(self, table: str, kinds: Mapping[str, str]) -> None:
        for name, kind in kinds.items():
            self._connection.execute(f"ALTER TABLE {table} ALTER COLUMN {name} TYPE {kind}")

    def put(self, schema: str, name: str, rows: pa.RecordBatchReader, quoted: str) -> None:
        self._connection.register("shoal_release", rows)
        self._connection.execute(f"CREATE TABLE {quoted} AS SELECT * FROM shoal_release")
        self._connection.unregister("shoal_release")

    def remark(self, schema: str, name: str) -> str | None:
        found = self.rows(f"SELECT comment FROM duckdb_tables() WHERE schema_name = {schema} AND table_name = {name}")
        return found[0][0] if found else None

    def folded(self, name: str) -> str:
        return name.lower()

    def commit(self) -> None:
        self._connection.commit()


class _Postgres(_WithCatalog):
    order = " ORDER BY tableoid, ctid"
    here = ""

    def __init__(self, connection: Any, cursor: Any) -> None:
        self._connection, self._cursor = connection, cursor

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        self._cursor.execute(query)
        found: list[tuple[Any, ...]] = self._cursor.fetchall()
        return found

    def arrow(self, query: str) -> pa.Table:
        self._cursor.execute(query)
        return self._cursor.fetch_arrow_table()

    def batches(self, query: str, rows: int) -> pa.RecordBatchReader:
        self._cursor.adbc_statement.set_options(**{"adbc.postgresql.batch_size_hint_bytes": _AT_ONCE})
        self._cursor.execute(query)
        return self._cursor.fetch_record_batch()

    def columns(self, schema: str, name: str) -> list[TableColumn]:
        found = self.rows(
            "SELECT a.attname, format_type(a.atttypid, a.atttypmod), "
            "(SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e "
            "WHERE e.enumtypid = a.atttypid) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
            "JOIN pg_namespace n ON n.oid = c.relnamespace "
            f"WHERE n.nspname = {literal(schema)} AND c.relname = {literal(name)} AND a.attnum > 0 "
            "AND NOT a.attisdropped AND has_column_privilege(c.oid, a.attnum, 'SELECT') ORDER BY a.attnum"
        )
        # What is kept as it was written is text: as values, its blanks and repeated names would be lost.
        kinds = {"json": "json as written"}
        columns = [
            TableColumn(column, kinds.get(kind, kind.lower()), tuple(labels or ())) for column, kind, labels in found
        ]
        return self._looked_at(columns, f"{quoted(schema)}.{quoted(name)}")

    def described(self, query: str) -> list[TableColumn]:
        within = f"({query}) AS shoal_query"
        names = self.arrow(f"SELECT * FROM {within} LIMIT 0").column_names
        typed = ", ".join(f"pg_typeof({quoted(name)})::text" for name in names)
        kinds = self.rows(
            f"SELECT {typed} FROM (SELECT 1) AS one LEFT JOIN (SELECT * FROM {within} LIMIT 0) AS q ON true"
        )
        plain = {"json": "json as written"}
        columns = [TableColumn(name, plain.get(kind, kind.lower())) for name, kind in zip(names, kinds[0], strict=True)]
        return self._looked_at(columns, within)

    def _looked_at(self, columns: list[TableColumn], table: str) -> list[TableColumn]:
        """Find out what types do not tell.

        Of arrays of arrays, and of those that do not begin at 1, the driver would make lists: they are read as text.
        Numbers of any size are read with as many digits as occur, where a decimal has as many.
        """
        kinds = {quoted(column.name): column.kind for column in columns}
        arrays = [name for name, kind in kinds.items() if kind.endswith("[]")]
        sizeless = [name for name, kind in kinds.items() if kind == "numeric"]
        asked = [f"bool_or(array_ndims({name}) > 1 OR array_lower({name}, 1) != 1)" for name in arrays]
        for name in sizeless:
            asked += [f"max(scale({name}))", f"max(length(trunc(abs({name}))::text))"]
            asked.append(f"bool_or({name} IN ('Infinity', '-Infinity'))")
        if not asked:
            return columns
        answers = iter(self.rows(f"SELECT {', '.join(asked)} FROM {table}")[0])
        found = {name: "odd arrays" for name in arrays if next(answers)}
        for name, scale, digits, endless in ((name, next(answers), next(answers), next(answers)) for name in sizeless):
            if digits is not None and not endless:
                found[name] = f"numeric({digits + (scale or 0)},{scale or 0})"
        return [replace(column, kind=found.get(quoted(column.name), column.kind)) for column in columns]

    def enum(self, labels: Sequence[str]) -> str | None:
        found = self.rows(
            "SELECT e.enumtypid::regtype::text, array_agg(e.enumlabel::text ORDER BY e.enumsortorder) "
            "FROM pg_enum e GROUP BY e.enumtypid ORDER BY count(*), 1"
        )
        fitting = (kind for kind, known in found if [each for each in known if each in set(labels)] == list(labels))
        return next(fitting, None)

    def run(self, statement: str) -> None:
        self._cursor.execute(statement)

    def retype(self, table: str, kinds: Mapping[str, str]) -> None:
        changes = (f"ALTER COLUMN {name} TYPE {kind} USING {name}::{kind}" for name, kind in kinds.items())
        self._cursor.execute(f"ALTER TABLE {table} {', '.join(changes)}")

    def put(self, schema: str, name: str, rows: pa.RecordBatchReader, quoted: str) -> None:
        self._cursor.adbc_ingest(name, rows, mode="create", db_schema_name=schema)

    def remark(self, schema: str, name: str) -> str | None:
        found = self.rows(
            "SELECT obj_description(c.oid, 'pg_class') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            f"WHERE n.nspname = {schema} AND c.relname = {name}"
        )
        return found[0][0] if found else None

    def folded(self, name: str) -> str:
        return name

    def commit(self) -> None:
        self._connection.commit()


@contextlib.contextmanager
def connected(source: Source, *, writing: bool = False, budget: MemoryBudget | None = None) -> Iterator[Connection]:
    """Begin a transaction. Whatever is not committed when the block ends is undone.

    A database that works in this process stays in the ``budget``, if one is given.
    """
    try:
        server = source.kind == "postgresql"
        with contextlib.ExitStack() as stack:
            if source.kind == "sqlite":
                yield stack.enter_context(contextlib.closing(SQLite.opened(source.path, writing=writing)))
                return
            if not server:
                opened = stack.enter_context(contextlib.closing(_duckdb(source, writing, _settings(budget, stack))))
                opened.begin()
                yield _DuckDB(opened)
                return
            opened = stack.enter_context(contextlib.closing(_postgres(source)))
            with opened.cursor() as cursor:
                yield _Postgres(opened, cursor)
    except _errors() as error:
        what, remedy = _meaning(error)
        shown = source.name if source.query else source  # a query may hold values
        raise DataError(f"'{shown}': {what}", remedy) from None


def _errors() -> tuple[type[Exception], ...]:
    """Give the errors of the drivers that are there."""
    found: list[type[Exception]] = [sqlite3.Error]
    with contextlib.suppress(ImportError):
        import duckdb

        found.append(duckdb.Error)
    with contextlib.suppress(ImportError):
        import adbc_driver_manager

        found.append(adbc_driver_manager.Error)
    return tuple(found)


def _settings(budget: MemoryBudget | None, stack: contextlib.ExitStack) -> dict[str, Any]:
    """Say how DuckDB is to work. What does not fit into the budget goes to a folder that is removed with the stack."""
    settings: dict[str, Any] = {"preserve_insertion_order": True}
    if budget is not None:
        folder = private_folder(budget.folder)
        stack.callback(folder.remove)
        settings |= {"memory_limit": f"{budget.memory}B", "threads": 1, "temp_directory": str(folder.path / "duckdb")}
    return settings


def _duckdb(source: Source, writing: bool, settings: Mapping[str, Any]) -> Any:
    try:
        import duckdb
    except ImportError:
        raise missing("A table in DuckDB needs its driver", "db") from None
    if not writing and not source.path.exists():
        raise DataError(f"There is no file '{source.path}'.", "Check its name and folder.")
    return duckdb.connect(str(source.path), read_only=not writing, config=dict(settings))


def _postgres(source: Source) -> Any:
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise missing("A table in PostgreSQL needs a driver", "db") from None
    return dbapi.connect(source.address)


# What drivers say, in small letters, and what it means.
_MEANINGS = (
    (("password", "28p01", "28000", "role "), "The server refused the user or the password.",
     "Check both; the password may also stand in PGPASSWORD or in a password file."),
    (("translate host name", "name or service"), "There is no host of this name.", "Check the host in the address."),
    (("connection refused", "timeout", "could not connect", "no such file or directory\n\tis the server"),
     "No server answers there.", "Check host and port, and whether the server runs."),
    (('fatal:  database "', "3d000"), "The server has no database of this name.", "Check the name after the host."),
    (("uri query parameter", "uri:"), "The address holds a setting that the driver does not know.",
     "Known are those of libpq, such as sslmode."),
    (("permission denied", "42501"), "The user may not do this.", "Ask for the right to read it, or to make tables."),
    (("3f000", "schema with name"), "There is no schema of this name.", "Create it, or choose another."),
    (("not a valid duckdb",), "The file is not a DuckDB database.", "Check the file."),
    (("file is not a database",), "The file is not an SQLite database.", "Check the file."),
    (("syntax error", "parser error"), "The query is not one that the database understands.", "Try it there first."),
    (("conflicting lock", "could not set lock", "different configuration", "database is locked"),
     "Another program has the file open.", "Close it there, and try again."),
    (("22021", "invalid byte sequence"), "A column holds zero bytes, which the database cannot hold.",
     "Take them out, or write Parquet."),
    (("no space left", "53100"), "The disk is full.", "Make room, and try again."),
    (("no such file", "cannot open file", "is a directory"), "The file cannot be opened.",
     "Check its name and folder."),
)  # fmt: skip


def _meaning(error: Exception) -> tuple[str, str]:
    """Tell what an error means without repeating it: it may show a cell, a user or a part of the address."""
    said = str(error).lower()
    for signs, what, remedy in _MEANINGS:
        if any(sign in said for sign in signs):
            return what, remedy
    state = getattr(error, "sqlstate", None)
    return (
        f"The database refused what was asked of it ({type(error).__name__}{f', {state}' if state else ''}).",
        "Check the table and the rights of the user; the server's log says more.",
    )
