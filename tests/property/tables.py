"""Random tables of every kind, and ways to hand them over: frames of three makes and text files."""

import csv
import datetime
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

MAKES = ("polars", "pandas", "arrow", "csv")
_ARROW = {
    "integer": pa.int64(),
    "float": pa.float64(),
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
    "category": pa.string(),
    "ordered": pa.string(),
}
_ODD = "ab;,|\t\"{}[]*\\' é€0.-"


@dataclass(frozen=True)
class Column:
    """Values of one kind; None is a missing cell."""

    kind: str
    values: tuple[object, ...]
    order: tuple[str, ...] = ()


@dataclass(frozen=True)
class Made:
    """A table as plain Python values: quasi-identifiers q0, q1, … and a confidential column s."""

    columns: dict[str, Column]

    @property
    def rows(self) -> int:
        return len(self.columns["s"].values)

    @property
    def quasi(self) -> list[str]:
        return [name for name in self.columns if name.startswith("q")]

    @property
    def options(self) -> dict[str, object]:
        """Give what shoal is told: roles, orders, and which texts are meant as categories."""
        return {
            "quasi": self.quasi,
            "sensitive": ["s"],
            "kinds": {name: "category" for name, column in self.columns.items() if column.kind == "category"},
            "orders": {name: column.order for name, column in self.columns.items() if column.kind == "ordered"},
            "masked": True,
        }

    def taken(self, rows: list[int]) -> "Made":
        """Give some rows in a given order."""
        return Made({n: replace(c, values=tuple(c.values[i] for i in rows)) for n, c in self.columns.items()})

    def frame(self, make: str) -> object:
        """Give the table as a frame."""
        table = pa.table({n: pa.array(c.values, _ARROW[c.kind]) for n, c in self.columns.items()})
        if make == "arrow":
            return table
        if make == "polars":
            return pl.from_arrow(table)
        return pd.DataFrame({name: _series(column) for name, column in self.columns.items()})

    def write(self, path: Path, delimiter: str = ",") -> None:
        """Write the table as text."""
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=delimiter)
            writer.writerow(self.columns)
            texts = [[text(value) for value in column.values] for column in self.columns.values()]
            writer.writerows(zip(*texts, strict=True))

    def source(self, make: str, folder: Path, delimiter: str = ",") -> object:
        """Give the table in any of the makes."""
        if make != "csv":
            return self.frame(make)
        path = folder / "original.csv"
        self.write(path, delimiter)
        return path


def _series(column: Column) -> pd.Series:
    if column.kind == "integer":
        return pd.Series(list(column.values), dtype="Int64")
    if column.kind == "float":
        return pd.Series(list(column.values), dtype="float64")
    if column.kind == "datetime":
        return pd.Series(list(column.values), dtype="datetime64[us]")
    return pd.Series(list(column.values), dtype="object")


def text(value: object) -> str:
    """Write a value as people write it in files."""
    if value is None:
        return ""
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    return repr(value) if isinstance(value, float) else str(value)


def is_plain(value: str) -> bool:
    """Tell whether a text is a category as it stands, and not a set, a pattern or a marked text."""
    return not (value.startswith("\\") or value.endswith("*") or (value.startswith("{") and value.endswith("}")))


def words(alphabet: str = _ODD, longest: int = 6) -> st.SearchStrategy[str]:
    """Give category texts with the signs that the grammar of cells uses."""
    made = st.text(st.sampled_from(alphabet), min_size=1, max_size=longest)
    return made.map(str.strip).filter(bool).filter(is_plain)


_DAYS = st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 12, 31))
_TIMES = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 12, 31))
# Far from overflow: squares of these numbers are numbers.
_FLOATS = st.floats(-1e12, 1e12, allow_subnormal=False).map(lambda x: x + 0.0)
_MANY = tuple(f"code {i:03}" for i in range(90))


@st.composite
def columns(draw: st.DrawFn, rows: int, kinds: tuple[str, ...] = tuple(_ARROW), *, gaps: bool = True) -> Column:
    """Draw a column: few or many different values, sometimes constant, sometimes with missing cells."""
    kind = draw(st.sampled_from(kinds))
    order: tuple[str, ...] = ()
    if kind == "ordered":
        order = tuple(draw(st.lists(st.text("abcdefg", min_size=1, max_size=3), min_size=1, max_size=7, unique=True)))
        one: st.SearchStrategy[object] = st.sampled_from(order)
    elif kind == "category" and draw(st.booleans()):
        one = st.sampled_from(_MANY)
    else:
        one = {
            "integer": st.integers(-50, 50) | st.integers(-(2**31) - 5, 2**31 + 5) | st.integers(-(2**62), 2**62),
            "float": st.sampled_from((0.0, 0.1, -2.5)) | _FLOATS,
            "date": _DAYS,
            "datetime": _TIMES,
            "category": words(),
        }[kind]
    if draw(st.booleans()):  # ties: only a few different values
        one = st.sampled_from(draw(st.lists(one, min_size=1, max_size=3)))
    if gaps and draw(st.booleans()):
        one = st.none() | one
    return Column(kind, tuple(draw(st.lists(one, min_size=rows, max_size=rows))), order)


@st.composite
def tables(
    draw: st.DrawFn,
    *,
    least: int = 1,
    most: int = 24,
    sensitive: tuple[str, ...] = tuple(_ARROW),
    kinds: tuple[str, ...] = tuple(_ARROW),
) -> Made:
    """Draw a table of one to four quasi-identifiers."""
    rows = draw(st.integers(least, most))
    made = {f"q{j}": draw(columns(rows, kinds)) for j in range(draw(st.integers(1, 4)))}
    place = draw(st.integers(0, len(made)))
    names = [*list(made)[:place], "s", *list(made)[place:]]
    made["s"] = draw(columns(rows, sensitive))
    return Made({name: made[name] for name in names})


@st.composite
def with_k(draw: st.DrawFn, **given: object) -> tuple[Made, int]:
    """Draw a table and a k that it can keep; often k is all rows."""
    made = draw(tables(least=2, **given))
    k = draw(st.integers(2, min(made.rows, 6)) | st.just(made.rows))
    return made, k
