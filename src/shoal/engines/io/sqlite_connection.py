"""Tables in SQLite, through the library of Python itself. Any cell may be of any type there, so columns are looked at.

A column is what its cells are: whole numbers, numbers, text or bytes; text if they are mixed. Days and moments are text
in the form of ISO in columns that are declared as such.
"""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.engines.io.database_types import TableColumn, literal, quoted
from shoal.engines.io.opaque_columns import is_opaque
from shoal.errors import DataError

_TYPES = {
    "bigint": pa.int64(), "double": pa.float64(), "varchar": pa.string(), "blob": pa.binary(), "boolean": pa.bool_(),
    "date": pa.date32(), "timestamp": pa.timestamp("us"), "mixed": pa.string(),
}  # fmt: skip
_OF_CELLS = {frozenset({"integer"}): "bigint", frozenset({"real"}): "double", frozenset({"integer", "real"}): "double",
             frozenset({"text"}): "varchar", frozenset({"blob"}): "blob"}  # fmt: skip
_DAY = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
_MOMENT = f"{_DAY}[ T][0-9][0-9]:[0-9][0-9]:[0-9][0-9]*"
_AT_ONCE = 1 << 14


@dataclass(eq=False)
class SQLite:
    """What is asked of an SQLite file within one transaction."""

    connection: sqlite3.Connection
    order: str = " ORDER BY rowid"
    here: str = ""
    _columns: list[TableColumn] = field(default_factory=list)

    @classmethod
    def opened(cls, path: Path, *, writing: bool) -> SQLite:
        """Open a file and begin a transaction."""
        if not writing and not path.exists():
            raise DataError(f"There is no file '{path}'.", "Check its name and folder.")
        mode = "rwc" if writing else "ro"
        made = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None)
        made.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
        return cls(made)

    def close(self) -> None:
        """Undo what was not committed."""
        self.connection.close()

    def tables(self) -> list[tuple[str, str, str]]:
        """Give the tables and views: schema, name and kind."""
        found = self.rows(
            "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
        )
        return [
            ("main", name, "BASE TABLE" if kind == "table" and "WITHOUT ROWID" not in (sql or "").upper() else "VIEW")
            for name, kind, sql in found
        ]

    def schema(self) -> str:
        """Give the schema in which names are looked for."""
        return "main"

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Give the rows of a query."""
        return self.connection.execute(query).fetchall()

    def arrow(self, query: str) -> pa.Table:
        """Give the rows of a query of columns that were described last."""
        return self.batches(query, _AT_ONCE).read_all()

    def batches(self, query: str, rows: int) -> pa.RecordBatchReader:
        """Give the rows of a query of columns that were described last, so many at a time."""
        schema = pa.schema([(column.name, _TYPES[column.kind]) for column in self._columns])

        def made() -> Iterator[pa.RecordBatch]:
            cursor = self.connection.execute(query)
            while some := cursor.fetchmany(rows):
                columns = zip(zip(*some, strict=True), schema, strict=True)
                yield pa.record_batch([_array(cells, each.type) for cells, each in columns], schema=schema)

        return pa.RecordBatchReader.from_batches(schema, made())

    def columns(self, schema: str, name: str) -> list[TableColumn]:
        """Give the columns of a table in their order."""
        declared = [(row[1], row[2].upper()) for row in self.rows(f"PRAGMA table_info({quoted(name)})")]
        return self._looked_at(declared, quoted(name))

    def described(self, query: str) -> list[TableColumn]:
        """Give the columns of a query."""
        self.run(f"CREATE TEMP VIEW shoal_query AS {query}")
        return self.columns("temp", "shoal_query")

    def _looked_at(self, declared: list[tuple[str, str]], table: str) -> list[TableColumn]:
        asked = []
        for name, kind in declared:
            column = quoted(name)
            asked.append(f"group_concat(DISTINCT CASE WHEN {column} IS NULL THEN NULL ELSE typeof({column}) END)")
            form = _DAY if kind == "DATE" else _MOMENT
            asked.append(f"min({column} GLOB {literal(form)})" if kind in ("DATE", "DATETIME", "TIMESTAMP") else "0")
            asked.append(f"min({column} IN (0, 1))" if kind in ("BOOLEAN", "BOOL") else "0")
        answers = iter(self.rows(f"SELECT {', '.join(asked)} FROM {table}")[0]) if asked else iter(())
        self._columns = []
        for name, kind in declared:
            cells = frozenset((next(answers) or "").split(",")) - {""}
            in_form, flags = next(answers), next(answers)
            found = _OF_CELLS.get(cells, "mixed" if cells else _declared(kind))
            if cells == {"text"} and in_form:
                found = "date" if kind == "DATE" else "timestamp"
            elif cells == {"integer"} and flags:
                found = "boolean"
            self._columns.append(TableColumn(name, found))
        return self._columns

    def enum(self, labels: Sequence[str]) -> str | None:
        """There are no enums."""
        return None

    def run(self, statement: str) -> None:
        """Run a statement."""
        self.connection.execute(statement)

    def retype(self, table: str, kinds: Mapping[str, str]) -> None:
        """Columns have the types that they were made with."""

    def put(self, schema: str, name: str, rows: pa.RecordBatchReader, quoted_name: str) -> None:
        """Make a table and fill it. Its definition, which SQLite keeps as it is, says who made it."""
        for each in rows.schema:
            _refuse_unfit(each)
        columns = ", ".join(f"{quoted(each.name)} {_definition(each.type)}" for each in rows.schema)
        self.run(f"CREATE TABLE {quoted(name)} (/* {self.remark_of_releases} */ {columns})")
        places = ", ".join("?" * len(rows.schema))
        for batch in rows:
            cells = zip(*(map(_cell, column.to_pylist()) for column in batch.columns), strict=True)
            self.connection.executemany(f"INSERT INTO {quoted(name)} VALUES ({places})", cells)

    remark_of_releases = "released by shoal"

    def mark(self, table: str, remark: str) -> None:
        """A table is marked when it is made."""

    def remark(self, schema: str, name: str) -> str | None:
        """Give the comment in the definition of a table, whose name is given as a literal."""
        found = self.rows(f"SELECT sql FROM sqlite_master WHERE name = {name}")
        made = bool(found) and f"(/* {self.remark_of_releases} */" in (found[0][0] or "")
        return self.remark_of_releases if made else None

    def folded(self, name: str) -> str:
        """Give a name in the form by which names are compared."""
        return name.lower()

    def commit(self) -> None:
        """Let others see what was done."""
        self.connection.execute("COMMIT")


def _declared(kind: str) -> str:
    """Give what a column without any cell is, by its declaration."""
    if "INT" in kind:
        return "bigint"
    if any(sign in kind for sign in ("REAL", "FLOA", "DOUB")):
        return "double"
    return {"DATE": "date", "DATETIME": "timestamp", "TIMESTAMP": "timestamp", "BOOLEAN": "boolean"}.get(
        kind, "varchar"
    )


def _array(cells: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_boolean(kind):
        return pa.array([None if cell is None else bool(cell) for cell in cells], kind)
    if pa.types.is_temporal(kind):
        return pa.array(cells, pa.string()).cast(kind)
    return pa.array(cells, kind)


def _refuse_unfit(column: pa.Field) -> None:
    kind = column.type
    unknown = is_opaque(kind) and not _is_bytes(kind)
    if unknown or pa.types.is_uint64(kind) or (pa.types.is_timestamp(kind) and kind.tz):
        raise DataError(
            f"Column '{column.name}' is of a type that SQLite cannot hold ({kind}).",
            "Leave it out, or write Parquet or a DuckDB table.",
        )


def _is_bytes(kind: pa.DataType) -> bool:
    return any(test(kind) for test in (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary))


def _definition(kind: pa.DataType) -> str:
    if pa.types.is_boolean(kind):
        return "BOOLEAN"
    if pa.types.is_integer(kind):
        return "INTEGER"
    if pa.types.is_floating(kind):
        return "REAL"
    if pa.types.is_date(kind):
        return "DATE"
    if pa.types.is_timestamp(kind):
        return "TIMESTAMP"
    return "BLOB" if _is_bytes(kind) else "TEXT"


def _cell(value: Any) -> Any:
    if isinstance(value, dt.datetime):
        return value.isoformat(" ")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value
