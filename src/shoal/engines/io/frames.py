"""A release as a frame of the user's kind: what is only passed on has the type that it came with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from shoal.engines.io.arrow import to_arrow
from shoal.engines.io.database_types import enum_of, quoted
from shoal.engines.io.narrowing import in_microseconds
from shoal.engines.io.ordered_categories import has_levels
from shoal.engines.io.released_categories import listed_in, with_lists
from shoal.engines.local_data import LocalData
from shoal.errors import DataError, ParameterError, ShoalError
from shoal.extras import missing
from shoal.schema import Schema


def to_frame(data: LocalData, schema: Schema, kind: str, cells: str | None) -> Any:
    """Give the released columns as a frame of the user's kind."""
    if kind not in _MAKERS:
        raise ParameterError(f"'{kind}' is not a kind of frame.", f"Kinds are: {', '.join(_MAKERS)}.")
    if cells not in (None, "struct", "text"):
        raise ParameterError(f"Generalized cells cannot be given as '{cells}'.", "Choose struct or text.")
    table = to_arrow(data, schema, cells or ("text" if kind == "pandas" else "struct"))
    table = with_lists(table, listed_in(data, schema, "arrow" if kind == "arrow" else "frame"))
    try:
        return _MAKERS[kind](table)
    except ImportError:
        extra = "db" if kind == "duckdb" else "frames"
        raise missing(f"A frame of this kind needs {_CALLED[kind]}", extra, "Or take an Arrow table.") from None
    except ShoalError:
        raise
    except Exception as error:  # noqa: BLE001 - its message may show a cell
        raise _unfit(table, kind, error) from None


def _unfit(table: pa.Table, kind: str, error: Exception) -> DataError:
    """Name the column of which a library makes no frame."""
    for field in table.schema:
        try:
            _MAKERS[kind](table.select([field.name]))
        except Exception:  # noqa: BLE001 - whatever it says of its cells
            return _no_such(field, kind)
    return DataError(
        f"{_CALLED[kind]} cannot take over the release ({type(error).__name__}).",
        "Take an Arrow table: release.to_arrow().",
    )


def _no_such(field: pa.Field, kind: str) -> DataError:
    return DataError(
        f"Column '{field.name}' is of a type that {_CALLED[kind]} cannot take over ({field.type}).",
        "Leave it out, or take an Arrow table: release.to_arrow().",
    )


def _pandas(table: pa.Table) -> Any:
    import pandas  # noqa: F401 - without it, Arrow says less clearly what is missing

    return table.to_pandas(integer_object_nulls=True)


def _polars(table: pa.Table) -> Any:
    import polars as pl

    for field in table.schema:
        if "decimal256" in str(field.type):  # of which Polars panics
            raise _no_such(field, "polars")
    frame: Any = pl.from_arrow(table)
    enums = {name: levels for name, levels in _levels(table).items() if levels}
    return frame.with_columns(*(pl.col(name).cast(pl.Enum(levels)) for name, levels in enums.items()))


def _duckdb(table: pa.Table) -> Any:
    import duckdb

    for place, field in enumerate(table.schema):
        kind, column = field.type, table.column(place)
        if pa.types.is_float16(kind):  # which it does not have
            column = column.cast(pa.float32())
        elif pa.types.is_duration(kind) or pa.types.is_interval(kind) or getattr(kind, "tz", None):
            column = in_microseconds(field.name, column, "DuckDB")
        table = table.set_column(place, field.name, column)
    frame, enums = duckdb.from_arrow(table), _levels(table)
    if not any(enums.values()):
        return frame
    names = [(name, quoted(name)) for name in table.column_names]
    kinds = {name: enum_of(levels) for name, levels in enums.items() if levels}
    return frame.project(", ".join(f"{q}::{kinds[name]} AS {q}" if name in kinds else q for name, q in names))


def _levels(table: pa.Table) -> dict[str, list[str]]:
    """Give the categories of columns that have an order of them."""
    ordered = [field.name for field in table.schema if has_levels(field.type)]
    return {name: table.column(name).chunk(0).dictionary.cast(pa.string()).to_pylist() for name in ordered}


_CALLED = {"arrow": "PyArrow", "polars": "Polars", "pandas": "pandas", "duckdb": "DuckDB"}
_MAKERS: dict[str, Callable[[pa.Table], Any]] = {
    "arrow": lambda table: table,
    "polars": _polars,
    "pandas": _pandas,
    "duckdb": _duckdb,
}
