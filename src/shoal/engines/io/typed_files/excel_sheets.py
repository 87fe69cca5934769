"""Sheets of Excel in and out. A workbook is read and written whole, as its libraries do."""

from __future__ import annotations

import datetime as dt
import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.engines.io.digests import of_file
from shoal.engines.io.narrowing import as_floats, in_microseconds
from shoal.engines.io.sealed_files import Sealed
from shoal.engines.io.typed_files.inferred_types import whole_days, whole_numbers
from shoal.engines.io.typed_files.stored_table import StoredTable, insist_on_names, readable
from shoal.errors import DataError, ParameterError, suggest
from shoal.extras import missing
from shoal.schema import ReadOptions
from shoal.table import Written

_CALLED = "a workbook of Excel"
_RANGE = re.compile(r"([A-Z]{1,3})([1-9]\d*):([A-Z]{1,3})([1-9]\d*)?", re.IGNORECASE)
_MOST_ROWS, _MOST_COLUMNS, _LONGEST = 1_048_576, 16_384, 32_767
_WHOLE = 2**53
_EXAMPLES = "Write --range B3:F200, or --range B3:F for all rows from the third on."
_FIRST_DAY = dt.date(1900, 3, 1)  # before it, Excel counts a day that never was, and before 1900 none at all
_MADE = dt.datetime(1980, 1, 1)  # when all workbooks say that they were made: the same table gives the same file


def opened_sheet(path: Path, options: ReadOptions) -> StoredTable:
    """Find what is on a sheet: the first one, or the one that is named; all of it, or a range."""
    sealed, workbook = opened_workbook(path)
    names = workbook.sheet_names
    sheet = options.sheet or (names[0] if names else "")
    if sheet not in names:
        near = suggest(sheet, names)
        raise ParameterError(
            f"'{path.name}' has no sheet '{sheet}'.",
            f"Did you mean '{near}'?" if near else f"It has {len(names):,} sheets: name one (--sheet NAME).",
        )
    where = _place(options.range)
    with readable(path, _CALLED):
        from fastexcel import ColumnNotFoundError

        try:
            found = workbook.load_sheet(sheet, schema_sample_rows=None, skip_whitespace_tail_rows=True, **where)
        except ColumnNotFoundError:
            raise ParameterError(
                f"'{options.range}' has columns or a first row that the sheet does not have.",
                _EXAMPLES,
            ) from None
        table = pa.Table.from_batches([found.to_arrow()])
    insist_on_names(path, table.column_names)
    for place, field in enumerate(table.schema):
        column = table.column(place)
        if pa.types.is_floating(field.type) and options.kinds.get(field.name) != "float":
            column = whole_numbers(column)
        elif pa.types.is_timestamp(field.type):
            said = options.kinds.get(field.name) == "datetime"
            column = column.cast(pa.timestamp("us")) if said else whole_days(column)
        elif pa.types.is_null(field.type):
            column = column.cast(pa.string())
        table = table.set_column(place, field.name, column)
    others = len(names) - 1
    notes = (f"sheet {names.index(sheet) + 1} of {len(names)}",) if others else ()
    if empty := _rows_without_a_value(table):
        notes = (*notes, f"rows without a value, which count as records: {empty:,}")

    def pieces(asked: Sequence[str]) -> Iterator[pa.Table]:
        yield table.select(list(asked))

    return StoredTable(sealed, "excel", table.schema, pieces, notes)


def _rows_without_a_value(table: pa.Table) -> int:
    empty = pa.chunked_array([pa.repeat(True, table.num_rows)])
    for column in table.columns:
        empty = pc.and_(empty, column.is_null())
    found: int = pc.sum(empty).as_py() or 0
    return found


def opened_workbook(path: Path) -> tuple[Sealed, Any]:
    """Open a workbook: its file, and what tells its sheets and reads them."""
    try:
        import fastexcel
    except ImportError:
        raise missing(f"Reading '{path.name}' needs fastexcel", "excel", "Or save the sheet as CSV.") from None
    logging.getLogger("fastexcel").setLevel(logging.ERROR)  # it warns of columns without a value
    sealed = Sealed.of(path)
    with readable(path, _CALLED), sealed.open() as file:
        return sealed, fastexcel.read_excel(file.read())


def _place(given: str | None) -> dict[str, Any]:
    """Say which cells are read: columns, the row of the names, and how many rows follow."""
    if given is None:
        return {}
    found = _RANGE.fullmatch(given.strip())
    if found is None or (found[4] and int(found[4]) <= int(found[2])):
        raise ParameterError(
            f"'{given}' is not a range of cells with names and at least one row below them.",
            _EXAMPLES,
        )
    rows = {"n_rows": int(found[4]) - int(found[2])} if found[4] else {}
    return {"use_columns": f"{found[1]}:{found[3]}".upper(), "header_row": int(found[2]) - 1, **rows}


def write_sheet(tables: Iterable[pa.Table], path: Path) -> Written:
    """Write a table that comes in pieces as the one sheet of a new workbook."""
    try:
        import xlsxwriter
    except ImportError:
        raise missing(f"Writing '{path.name}' needs XlsxWriter", "excel", "Or write .csv or .parquet.") from None
    whole = pa.concat_tables(tables)
    if whole.num_rows >= _MOST_ROWS or whole.num_columns > _MOST_COLUMNS:
        raise DataError(
            f"A sheet of Excel holds {_MOST_ROWS - 1:,} records in {_MOST_COLUMNS:,} columns, and these are "
            f"{whole.num_rows:,} in {whole.num_columns:,}.",
            "Write .parquet or .csv.",
        )
    columns = [_cells(name, whole.column(name)) for name in whole.column_names]
    # Rows go to the disk as they come; what is text stays text, whatever it begins with.
    how = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(str(path), how) as workbook:
        workbook.set_properties({"created": _MADE})
        sheet = workbook.add_worksheet()
        day, moment = (workbook.add_format({"num_format": how}) for how in ("yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"))
        put = {
            bool: sheet.write_boolean, int: sheet.write_number, float: sheet.write_number, str: sheet.write_string,
            dt.date: lambda row, place, value: sheet.write_datetime(row, place, value, day),
            dt.datetime: lambda row, place, value: sheet.write_datetime(row, place, value, moment),
        }  # fmt: skip
        for place, name in enumerate(whole.column_names):
            sheet.write_string(0, place, name)
        row = 1
        for batch in pa.table(dict(zip(whole.column_names, columns, strict=True))).to_batches(max_chunksize=1 << 14):
            for cells in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                for place, cell in enumerate(cells):
                    if cell is not None:
                        put[type(cell)](row, place, cell)
                row += 1
    return of_file(path)


def _cells(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give a column as cells of Excel hold it; days and moments that they do not hold as text."""
    kind = column.type
    if pa.types.is_boolean(kind):
        return column
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        if (pc.max(pc.utf8_length(column.cast(pa.string()))).as_py() or 0) > _LONGEST:
            raise DataError(
                f"Column '{name}' has texts of more than {_LONGEST:,} signs, which no cell of Excel holds.",
                "Leave it out, or write .parquet or .csv.",
            )
        texts = column.cast(pa.string())
        return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
    if pa.types.is_integer(kind):
        limits = pc.min_max(column).as_py()
        if max(abs(limits["min"] or 0), abs(limits["max"] or 0)) > _WHOLE:
            raise DataError(
                f"Column '{name}' has integers beyond 2^53, which Excel keeps as other numbers.",
                f"Write .parquet or .csv, or read them as codes (--kind {name}=category).",
            )
        return column
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = as_floats(name, column) if pa.types.is_decimal(kind) else column.cast(pa.float64())
        if pc.any(pc.is_inf(numbers)).as_py():
            raise DataError(
                f"Column '{name}' has infinite numbers, which no cell of Excel holds.",
                "Mend them, leave the cells empty, or write .parquet or .csv.",
            )
        return pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
    if pa.types.is_date(kind):
        return column if _since_1900(column) else column.cast(pa.date32()).cast(pa.string())
    if pa.types.is_timestamp(kind) and kind.tz is None:
        column = in_microseconds(name, column, "Excel")
        kind = column.type
        fine = pc.any(pc.not_equal(column.cast(pa.timestamp("ms"), safe=False).cast(kind), column)).as_py()
        return whole_days(column) if _since_1900(column) and not fine else column.cast(pa.string())
    raise DataError(
        f"Column '{name}' is of a type that no cell of Excel has ({kind}).", "Leave it out, or write .parquet."
    )


def _since_1900(column: pa.ChunkedArray) -> bool:
    first = pc.min(column.cast(pa.date32(), safe=False)).as_py()
    return first is None or first >= _FIRST_DAY
