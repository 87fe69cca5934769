"""Files of SPSS, Stata and SAS out, with labels; and whether one holds more than its rows and its labels.

The same table gives the same file: none says when it was made. What is said of a variable goes first into the file, so
the table is held whole, as columns.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from shoal.domains.codebook import Codebook
from shoal.engines.io.digests import of_file
from shoal.engines.io.labelled.coding import CodedColumn, as_kept, coded
from shoal.engines.io.labelled.programs import Program, library, program_of
from shoal.engines.io.labelled.reading import LabelledFile
from shoal.engines.io.labelled.stata_writer import write_stata
from shoal.engines.io.sealed_files import Sealed
from shoal.errors import DataError, ShoalError
from shoal.extras import missing
from shoal.table import Written

_NAMES = {"SPSS": r"[^\W\d_@#$][\w.@#$]*|[@#$][\w.@#$]*", "Stata": r"[^\W\d]\w*", "SAS": r"[A-Za-z_][A-Za-z0-9_]*"}
_LONGEST = {"SPSS": 64, "Stata": 32, "SAS": 32}
# Where files say when they were made, and what they say instead.
_DAY, _CLOCK, _SAS_TIME = b"01 Jan 70", b"00:00:00", b"01JAN70:00:00:00"


def write_labelled(
    tables: Iterable[pa.Table],
    path: Path,
    book: Codebook | None,
    orders: Mapping[str, Sequence[str]],
    kept: Container[str] = (),
    measured: Container[str] = (),
) -> Written:
    """Write a table that comes in pieces.

    ``orders`` are the categories, from low to high, of columns with an order; ``kept`` are columns that are released as
    they are, ``measured`` those with numbers and days.
    """
    program = program_of(path)
    whole = pa.concat_tables(tables)
    for name in whole.column_names:
        _insist_on_name(name, program)
    columns = [
        coded(name, whole.column(name), program, book, orders.get(name), kept=name in kept, measured=name in measured)
        for name in whole.column_names
    ]
    _write(columns, whole.num_rows, path)
    return of_file(path)


def strange_contents(path: Path, names: Sequence[str]) -> str | None:
    """Name something in a file that is neither in its rows nor said of its variables; None if there is nothing.

    Written anew, it must be the same file, byte for byte.
    """
    file = LabelledFile(Sealed.of(path))
    if (said := file.remarks) is not None:
        return said
    if list(file.metadata.column_names) != list(names):
        return "columns that are not those of the release"
    (values,) = file.values()
    book = file.codebook
    for name in names:
        kept = as_kept(name, values[name], book.of(name)).variable.values
        if len(kept) < len(book.of(name).values):
            return f"labels of '{name}' for values that no row has"
    columns = [as_kept(name, values[name], book.of(name)) for name in names]
    with TemporaryDirectory() as folder:
        anew = Path(folder) / f"anew{path.suffix}"
        _write(columns, len(next(iter(values.values()), ())), anew)
        return None if of_file(anew) == file.sealed.written else "bytes that its rows do not show"


def _write(columns: Sequence[CodedColumn], rows: int, path: Path) -> None:
    program = program_of(path)
    if program.name == "Stata":
        write_stata(columns, rows, path)
        return
    assert program.writes is not None
    write = getattr(library(f"Writing '{path.name}'"), program.writes)
    try:
        write(_frame(columns), path, **_said(columns, program))
    except ShoalError:
        raise
    except Exception as error:  # noqa: BLE001 - its message may show a cell
        raise DataError(
            f"The release cannot be written as a file of {program.name} ({type(error).__name__}).",
            "Write Parquet or text.",
        ) from None
    _forget_time(path, program)


def _frame(columns: Sequence[CodedColumn]) -> Any:
    try:
        import polars as pl
    except ImportError:
        raise missing(
            "Writing a file of SPSS or SAS needs Polars", "stats", "Or write .dta, Parquet or text."
        ) from None
    kept = {c.name: c.values if pa.types.is_string(c.values.type) else c.values.cast(pa.float64()) for c in columns}
    return pl.from_arrow(pa.table(kept))


def _said(columns: Sequence[CodedColumn], program: Program) -> dict[str, Any]:
    """Give what is said of variables as the library takes it."""
    said = {column.name: column.variable for column in columns}
    texts = {column.name for column in columns if pa.types.is_string(column.values.type)}
    asked: dict[str, Any] = {
        "column_labels": {name: each.label for name, each in said.items() if each.label},
        "variable_format": {name: each.format for name, each in said.items() if each.format},
    }
    if program.name == "SAS":
        return asked
    asked["variable_value_labels"] = {name: dict(each.values) for name, each in said.items() if each.values}
    asked["missing_ranges"] = {
        name: [low if name in texts or low == high else {"lo": low, "hi": high} for low, high in each.missing]
        for name, each in said.items()
        if each.missing
    }
    asked["variable_measure"] = {name: each.measure for name, each in said.items() if each.measure}
    asked["variable_display_width"] = {name: each.width for name, each in said.items() if each.width}
    return asked | program.options


def _insist_on_name(name: str, program: Program) -> None:
    if len(name.encode()) > _LONGEST[program.name] or not re.fullmatch(_NAMES[program.name], name):
        raise DataError(
            f"'{name}' is not the name of a variable in {program.name}.",
            f"There, names have up to {_LONGEST[program.name]} letters, digits and underscores, with a letter first. "
            "Rename the column, or write Parquet or text.",
        )


def _forget_time(path: Path, program: Program) -> None:
    """Put a time that says nothing where a file says when it was made."""
    with path.open("r+b") as file:
        if program.name == "SPSS":
            file.seek(92)
            file.write(_DAY + _CLOCK)
            return
        head = file.read(800)
        for found in re.finditer(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d", head):
            file.seek(found.start())
            file.write(_SAS_TIME)
