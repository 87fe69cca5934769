"""What is wrong with a frame that cannot be read: said of the column, and without a cell."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa

from shoal.errors import DataError, SchemaError, ShoalError

_CONVERT = "Leave it out, or convert it to numbers, dates or text."


def refuse_strange_names(source: Any) -> None:
    """Refuse columns whose names have several parts, as those of a pivot table of pandas."""
    if getattr(getattr(source, "columns", None), "nlevels", 1) > 1:
        raise SchemaError(
            "The names of the columns have several parts.",
            'Give each column one name: frame.columns = ["_".join(map(str, parts)) for parts in frame.columns].',
        )


def refuse_strange_types(source: Any, table: pa.Table) -> None:
    """Refuse types that Arrow only keeps for a library: their values would come out as something else."""
    kinds = dict(getattr(source, "schema", {}) or {}) if type(source).__module__.startswith("polars") else {}
    for field in table.schema:
        name = getattr(field.type, "extension_name", "")
        if name.startswith("pandas."):
            raise DataError(f"Column '{field.name}' is of a type of pandas alone ({name[7:]}).", _CONVERT)
        if str(kinds.get(field.name)) == "Object":
            raise DataError(f"Column '{field.name}' holds objects of Python.", _CONVERT)


def reason_of(source: Any, error: Exception) -> ShoalError:
    """Say why a frame could not be read. What a library says of it may show a cell, so only its form is used."""
    names = [str(name) for name in getattr(source, "columns", ())]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        return SchemaError(f"Two columns are named '{twice}'.", "Give each column a name of its own.")
    for name in names:
        kind = _kind_of(source, name)
        if kind is None or _readable(source, name):
            continue
        if kind.startswith("Sparse"):
            return DataError(f"Column '{name}' is sparse.", "Make it dense: .sparse.to_dense().")
        if kind in ("object", "str"):
            return DataError(f"Column '{name}' has values of several types.", "Make them all of one type.")
        return DataError(f"Column '{name}' is of a type that Arrow does not have ({kind}).", _CONVERT)
    if "pyspark" in type(source).__module__:
        return DataError(
            f"Spark could not give the frame ({type(error).__name__}).",
            "Use the Spark engine (engine='spark'); its workers need PyArrow and shoal.",
        )
    named = re.search(r"column (.+) with type", str(error))  # the rest of the message may show a cell
    if named is not None:
        return DataError(f"Column '{named[1]}' has values of several types.", "Make them all of one type.")
    return DataError(
        f"The {type(source).__name__} cannot be read as a table ({type(error).__name__}).",
        "Give a pandas, Polars, PyArrow or DuckDB table whose columns are of one type each.",
    )


def _kind_of(source: Any, name: str) -> str | None:
    """Give the type of a column of pandas or Polars, as these call it; None of other frames."""
    try:
        return str(source[name].dtype)
    except Exception:  # noqa: BLE001 - nothing is known of what it is
        return None


def _readable(source: Any, name: str) -> bool:
    try:
        column = source[[name]]
        pandas = type(source).__module__.startswith("pandas")
        _ = pa.Table.from_pandas(column, preserve_index=False) if pandas else pa.table(column)
    except Exception:  # noqa: BLE001 - whatever it says of its cells
        return False
    return True
