"""How much memory there is, how much a table would need, and which engine therefore holds it."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.engines.file_forms import COMPRESSED
from shoal.engines.process_memory import available
from shoal.engines.sources import Source, is_parquet
from shoal.errors import ParameterError, RoomError, ShoalError
from shoal.schema import ReadOptions

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}
_SHARE = 0.6  # of the free memory that is used unless a limit is given
BASE = 110 * 10**6  # what the program takes before it has read anything
LEAST = 150 * 10**6
FRAMES = 60 * 10**6  # what the library for Parquet takes
TABLES = 110 * 10**6  # what a database takes, and the library that it speaks through
LEAST_OF_TABLES = 300 * 10**6
NAME = 190  # what the pseudonym of a person takes, and how it is found
_SORTING = 1 << 27  # what sorts the rows of a table for their digest
_EXPANDED = 8  # how much longer a compressed text may be than its file
_OBJECT = 48  # bytes of a cell that is an object of Python
_HEAD = 1 << 20
MOST_RECORDS = 2**31 - 1  # of a table in memory, where the number of a record has 32 bits


@dataclass(frozen=True)
class Need:
    """What a table would take: its records, about, and the memory to hold all of it and to work on it."""

    records: int
    memory: int


def refuse_too_many_records(records: int) -> None:
    """Refuse more records than can be numbered in memory."""
    if records > MOST_RECORDS:
        raise RoomError(
            f"The table has {records:,} records, and in memory at most {MOST_RECORDS:,} can be numbered.",
            "Let a file of them be held on disk (--memory 8GB; memory='8GB'), or use --engine spark.",
        )


def parse_size(text: str | int) -> int:
    """Read an amount of memory.

    >>> parse_size("2GB"), parse_size("512 MiB")
    (2000000000, 536870912)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]I?)?B?\s*", str(text), re.IGNORECASE)
    size = int(float(match[1]) * _UNITS[(match[2] or "").upper()]) if match else 0
    if size <= 0:
        raise ParameterError(f"'{text}' is not an amount of memory.", "Write --memory 2GB, or --memory 512MB.")
    if size < LEAST:
        raise ParameterError(
            f"A limit of {format_size(size)} leaves no room to work: the program itself needs {format_size(BASE)}.",
            f"Give --memory {format_size(LEAST)} or more.",
        )
    return size


def format_size(size: int) -> str:
    """Write an amount of memory as `parse_size` reads it."""
    unit, letter = next(((10**p, c) for p, c in ((9, "GB"), (6, "MB"), (3, "KB")) if size >= 10**p), (1, "B"))
    return f"{size / unit:.3g}{letter}"


def limit_of(memory: str | int | None) -> int:
    """Give the limit that is asked for, or a share of what is free."""
    return parse_size(memory) if memory is not None else max(LEAST, int(_SHARE * available()))


def estimate(source: Any, options: ReadOptions) -> Need | None:
    """Estimate what a file, a folder or a table would take in memory; None where that is not known.

    Other names for people are counted as if every record were another person's.
    """
    need = _estimate_of_cells(source, options)
    named = sum(treatment.names for treatment in options.roles.treatments.values())
    return need and Need(need.records, need.memory + need.records * NAME * named)


def _estimate_of_cells(source: Any, options: ReadOptions) -> Need | None:
    found = Source.parse(source) if isinstance(source, (str, Path, Source)) else None
    if found is None:
        return None
    with contextlib.suppress(OSError, ValueError, ShoalError):
        if found.is_table:
            from shoal.engines.io.databases import count_of

            records, columns = count_of(found)
            return Need(records, BASE + records * (bytes_per_record(columns) + 16 * columns))
        if found.is_folder or is_parquet(found.path):
            return _estimate_of_parquet(found)
        if found.is_typed_file:
            return _estimate_of_typed_file(found)
        return _estimate_of_text(found.path, options)
    return None  # what cannot be read is refused by the reader, in its own words


def estimate_writing(target: Any, limit: int) -> int:
    """Estimate what writing a release takes beside the table: the libraries that write it, and what they work with.

    Where a limit is too small for them anyway it says nothing about the table.
    """
    found = Source.parse(target)
    if found.is_table:
        return TABLES + _SORTING if limit >= LEAST_OF_TABLES else 0
    return 2 * FRAMES if found.kind == "folder" or is_parquet(found.path) else 0


def _estimate_of_text(path: Path, options: ReadOptions) -> Need:
    size = path.stat().st_size
    packed = path.suffix.lower() in COMPRESSED
    with path.open("rb") as file:
        head = b"" if packed else file.read(_HEAD)
    lines = max(head.count(b"\n"), 1)
    length = len(head) / lines if head else 40
    records = int((size * _EXPANDED if packed else size) / max(length, 1)) + 1
    roles = options.roles
    named = len({*roles.quasi, *roles.sensitive, *roles.plain, roles.subject, *roles.surveyed.values()} - {None})
    first = head.split(b"\n", 2)[:2]  # of which the first may only tell the delimiter
    most = max(line.count(sign) for line in first for sign in (b",", b";", b"\t", b"|")) + 1
    columns = named if named and roles.rest is None else most
    return Need(records, BASE + records * bytes_per_record(max(columns, 1)))


def _estimate_of_parquet(source: Source) -> Need:
    import pyarrow as pa
    import pyarrow.parquet as pq

    records = memory = 0
    for path in source.files():
        try:
            metadata = pq.read_metadata(path)
        except pa.ArrowException as error:
            raise ValueError from error
        records += metadata.num_rows
        memory += sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
        memory += metadata.num_rows * (bytes_per_record(metadata.num_columns) + 16 * metadata.num_columns)
    return Need(records, BASE + memory)


def _estimate_of_typed_file(source: Source) -> Need:
    """Estimate by the size of the file: most cells take about as much room there as they do in memory.

    Files of statistical programs say how many cells they have, each of which is an object while it is read.
    """
    form = source.form
    assert form is not None
    size = source.path.stat().st_size
    if form.form == "labelled":
        from shoal.engines.io.labelled.reading import size_of

        rows, columns = size_of(source.path)
        if rows is not None:
            return Need(rows, BASE + FRAMES + rows * (bytes_per_record(columns) + _OBJECT * columns))
    packed = source.path.suffix.lower() in (".zsav", ".orc", ".feather", ".xlsx", *COMPRESSED)
    text = size * (_EXPANDED if packed else 1)
    return Need(text // 20, BASE + FRAMES + (6 if form.whole else 3) * text)


def bytes_per_record(columns: int) -> int:
    """Give what a record takes in memory while a table is masked: its cells several times, and what sorts them."""
    return 12 * columns + 40
