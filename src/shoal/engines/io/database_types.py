"""Types of columns in databases: how each is read as Arrow, and which a column of Arrow is written as.

Both drivers speak Arrow. What they give in another type than the column has is put right here, and what they do not
know at all is read as text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from shoal.engines.io.exact_types import named, workable
from shoal.engines.io.narrowing import in_microseconds
from shoal.engines.io.opaque_columns import is_opaque
from shoal.engines.io.ordered_categories import as_levels, with_order
from shoal.engines.io.typed_columns import passed_on, plain_column
from shoal.errors import DataError

# What comes through the drivers as it is.
_NATIVE = {
    "boolean", "tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint",
    "real", "float", "double", "double precision", "text", "varchar", "character varying", "date",
    "timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamp without time zone",
    "timestamp with time zone", "time", "time without time zone", "interval", "bytea", "blob", "uuid", "jsonb",
    "hugeint",
}  # fmt: skip
# Different values of these may be read as one, or as something else than they are: no release has them.
_BLURRED = {"numeric", "uhugeint", "character"}
_WIDEST = 38  # digits of a decimal
_NO_PARTS = ("union", "bit", "uhugeint", "time with", "enum")  # of lists and structs that a driver gives as they are
_ENUM = pa.dictionary(pa.int32(), pa.string(), ordered=True)


@dataclass(frozen=True)
class TableColumn:
    """A column of a table in a database: its name, its type in small letters, and the labels of an enum of a server."""

    name: str
    kind: str
    labels: tuple[str, ...] = ()

    @property
    def base(self) -> str:
        """The type without its size."""
        return re.sub(r"\([\d, ]+\)", "", self.kind)

    @property
    def native(self) -> bool:
        """Whether the driver gives it as it is."""
        if self.kind.endswith("]"):
            inner = TableColumn("", re.sub(r"(\[\d*\])+$", "", self.kind))
            return inner.kind != self.kind and (inner.native or inner.base == "decimal")
        if self.kind.startswith(("struct(", "map(")):
            return not any(part in self.kind for part in _NO_PARTS)
        return self.base in _NATIVE or self.base in ("json", "decimal") or self.kind.startswith("enum(")

    @property
    def decimal(self) -> pa.DataType | None:
        """The type of a number with so many digits; None if it is another type, or has any number of them."""
        sized = re.fullmatch(r"(?:numeric|decimal)\((\d+)(?:, ?(-?\d+))?\)", self.kind)
        digits, scale = (int(sized[1]), int(sized[2] or 0)) if sized else (0, 0)
        return pa.decimal128(digits, scale) if 0 <= scale <= digits <= _WIDEST and digits else None

    def selected(self, quoted: str) -> str:
        """Give what reads the column, by its quoted name."""
        if self.base == "numeric":
            if self.decimal is None:
                return f"CAST({quoted} AS double precision) AS {quoted}"
            return f"CAST(NULLIF({quoted}, 'NaN') AS varchar) AS {quoted}"
        if self.base == "uhugeint":
            return f"CAST({quoted} AS double) AS {quoted}"
        return quoted if self.native else f"CAST({quoted} AS varchar) AS {quoted}"

    @property
    def in_releases(self) -> bool:
        """Whether a release may have a column of this type: no two of its values are read as one."""
        return (self.native or bool(self.labels) or self.decimal is not None) and self.base not in _BLURRED - (
            {"numeric"} if self.decimal is not None else set()
        )


def quoted(text: str) -> str:
    """Quote a name, so that it is nothing but a name."""
    return '"' + text.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text, so that it is nothing but a text."""
    return "'" + text.replace("'", "''") + "'"


def enum_of(labels: Sequence[str]) -> str:
    """Give the type of an enum of DuckDB."""
    return f"ENUM({', '.join(map(literal, labels))})"


def as_typed(table: pa.Table, columns: Sequence[TableColumn]) -> pa.Table:
    """Give what a driver gave with the types that the columns have, and without its remarks."""
    enums = {column.name for column in columns if column.kind.startswith("enum(")}
    table = with_order(table, enums)
    found = [_typed(table.column(place), column) for place, column in enumerate(columns)]
    return pa.table(found, names=[column.name for column in columns])


def _typed(column: pa.ChunkedArray, described: TableColumn) -> pa.ChunkedArray:
    if described.labels:
        return pa.chunked_array([as_levels(piece, described.labels, _ENUM) for piece in column.chunks], _ENUM)
    if described.base == "numeric" and described.decimal is not None:
        return column.cast(described.decimal)
    if described.kind == "uuid" and not named(column.type):
        pieces = [
            pa.array([None if text is None else bytes.fromhex(text.replace("-", "")) for text in piece.to_pylist()])
            for piece in column.chunks
        ]
        made = [pa.ExtensionArray.from_storage(pa.uuid(), piece.cast(pa.binary(16))) for piece in pieces]
        return pa.chunked_array(made, pa.uuid())
    if described.kind == "json" and not named(column.type):
        column = column.cast(pa.string())
        return pa.chunked_array([pa.ExtensionArray.from_storage(pa.json_(), c) for c in column.chunks], pa.json_())
    kind = column.type
    plain = pa.types.is_dictionary(kind) or workable(kind).equals(kind, check_metadata=True)
    return column if plain else passed_on(column)


def storable(table: pa.Table, database: str) -> pa.Table:
    """Give columns in types that a database has; what it cannot hold is refused."""
    return pa.table({name: _stored(name, table.column(name), database) for name in table.column_names})


def _stored(name: str, column: pa.ChunkedArray, database: str) -> pa.ChunkedArray:
    kind, server = column.type, database == "postgresql"
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    if pa.types.is_date64(kind):
        return column.cast(pa.date32())
    if pa.types.is_fixed_size_binary(kind) and not named(kind):
        return column.cast(pa.binary())
    if pa.types.is_decimal256(kind):
        return column.cast(pa.string())
    if pa.types.is_timestamp(kind) and (database != "duckdb" or kind.tz):
        return in_microseconds(name, column, "the database")
    if pa.types.is_time(kind) or pa.types.is_duration(kind) or pa.types.is_interval(kind):
        return in_microseconds(name, column, "the database")
    if named(kind) and database == "sqlite":
        return plain_column(column).cast(pa.string())
    if server and pa.types.is_uint64(kind):
        return column.cast(pa.decimal128(20, 0))
    if server and named(kind) == "arrow.json":
        return pa.chunked_array([piece.storage for piece in column.chunks], pa.string())
    if server and is_opaque(kind) and pa.types.is_nested(kind):
        inner = getattr(kind, "value_type", None)
        if inner is None or pa.types.is_map(kind) or is_opaque(inner) or pa.types.is_nested(inner) or named(inner):
            raise DataError(
                f"Column '{name}' holds values with parts, for which a server has no type.",
                "Leave it out, or write Parquet or a DuckDB table.",
            )
        return column.cast(pa.list_(inner))
    return column


def declared(schema: pa.Schema, database: str, enums: Mapping[str, Sequence[str]], known: Any) -> dict[str, str]:
    """Name the types that columns get once they are in a database, where a driver puts them in as another.

    ``enums`` are categories with an order, by column, and ``known`` finds the name of an enum of the server for some.
    """
    found: dict[str, str] = {}
    for field in schema if database != "sqlite" else ():
        kind = field.type
        if field.name in enums:
            enum = known(enums[field.name]) if database == "postgresql" else enum_of(enums[field.name])
            found |= {field.name: enum} if enum and enums[field.name] else {}
        elif pa.types.is_decimal256(kind) or (database == "postgresql" and pa.types.is_decimal(kind)):
            wide = database == "duckdb"  # which has 38 digits at most: text
            found |= {} if wide else {field.name: f"numeric({kind.precision},{kind.scale})"}
        elif database == "postgresql" and pa.types.is_uint64(kind):
            found[field.name] = "numeric(20,0)"
        elif database == "postgresql" and named(kind) == "arrow.json":
            found[field.name] = "jsonb"
    return found
