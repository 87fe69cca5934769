"""The header of delimited text: the names of its columns, its delimiter, and where its rows begin."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from shoal.engines.io.compressed import opened
from shoal.engines.io.file_signatures import refuse_other_formats, refuse_other_texts
from shoal.engines.io.first_line import insist_on_names
from shoal.errors import DataError, looks_like_a_record
from shoal.schema import usable_delimiter

LONGEST_ROW = 1 << 24  # bytes; a longer one may be anything, and would have to be in memory as a whole
_CHUNK = 1 << 22
_MOST_COLUMNS = 1 << 20
_DELIMITERS = ",;\t|"
_EMPTY = '""'  # a name that is empty and meant so
_MARK = b"\xef\xbb\xbf"  # which some programs put before UTF-8
# A quote opens a name only at its beginning; inside a name it is part of it.
_QUOTED_NAME = re.compile(r'"(?:[^"]|"")*+"')
# "sep=;" is how spreadsheets say by what cells are separated.
_SEPARATED = re.compile(rb'(?:\xef\xbb\xbf)?"?sep=([^\r\n])"?\r?\n', re.IGNORECASE)
_SAMPLE = 1 << 16  # bytes below the first line that it is compared with
# How text is read if nothing is said: what is not UTF-8 comes from Windows; in Latin-1 every byte means something.
ENCODINGS = ("utf-8", "windows-1252", "latin-1")
_QUOTED = re.compile(rb'"(?:[^"]|"")*+"')


@dataclass(frozen=True)
class Head:
    """What the beginning of a file tells: its delimiter, its header, where the rows begin, and what stands before."""

    delimiter: str
    header: tuple[str, ...]
    start: int
    line: int
    sha256: str
    encoding: str = "utf-8"
    what: str = "the header"  # that tells how many columns there are


def read_head(path: Path, delimiter: str | None, encoding: str | None, header: bool | None = None) -> Head:
    """Read the header line of a file and find its delimiter.

    Without a ``header`` columns are named by their place; if nothing is said of it, the first line must not look like a
    record.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise DataError(f"'{path}' is not a file that can be read twice.", "Save its content to a file first.")
        with opened(path) as file:
            chunk, begin, stop = _first_line(file, (delimiter or _DELIMITERS).encode())
    except FileNotFoundError:
        raise DataError(f"There is no file '{path}'.", "Check its name and folder.") from None
    except IsADirectoryError:
        raise DataError(f"'{path}' is a folder.", "Name a file.") from None
    except OSError as error:
        raise DataError(f"'{path}' cannot be read: {error.strerror}.", "Check its permissions.") from None
    _insist_on_text(path, chunk, begin, stop)
    separated = _SEPARATED.match(chunk)
    if separated is not None and delimiter is None:
        delimiter = _usable(separated[1].decode("latin-1"))
    refuse_other_texts(str(path), chunk[begin:], delimited=delimiter is not None, named=header is True)
    # One character per byte: places in the text are places in the file.
    line = chunk[begin:stop].rstrip(b"\r").decode("latin-1")
    if header is False and not line:
        raise DataError(f"'{path}' begins with an empty line.", "Take it out.")
    if header is not False and not line.strip():
        raise DataError(f"'{path}' has no header line.", "The first line must name the columns.")
    if "\r" in _outside_quotes(line, delimiter or _DELIMITERS):
        raise DataError("The lines of the file end with carriage returns.", "Save it with line feeds, as others do.")
    if delimiter is None:
        delimiter = max(_DELIMITERS, key=_QUOTED_NAME.sub("", line).count)
    if line.count(delimiter) >= _MOST_COLUMNS:
        raise DataError("The header names more than a million columns.", "Leave out those that are not needed.")
    names = list(_names(line, delimiter))
    first = 1 + chunk.count(b"\n", 0, begin)
    if header is False:
        by_place = tuple(f"c{i + 1}" for i in range(len(names)))
        return Head(delimiter, by_place, begin, first, hashlib.sha256(chunk[:begin]).hexdigest(), what="the first line")
    if header is None:
        insist_on_names([name.removeprefix(_EMPTY) for name in names], _rows(chunk[stop + 1 :], delimiter))
    used, names = _decoded(names, encoding)
    named = tuple(name or f"column {i + 1}" if name != _EMPTY else "" for i, name in enumerate(names))
    twice = sorted(name for name, times in Counter(named).items() if times > 1)
    if twice and looks_like_a_record(named):
        raise DataError("The first line names a column twice.", "Is it a header? It must name the columns.")
    if twice:
        raise DataError(f"The header names '{twice[0]}' more than once.", "Give each column a name of its own.")
    before = hashlib.sha256(chunk[: stop + 1]).hexdigest()
    return Head(delimiter, named, stop + 1, first + 1 + line.count("\n"), before, used)


def _insist_on_text(path: Path, chunk: bytes, begin: int, stop: int) -> None:
    if not chunk:
        raise DataError(f"'{path}' is empty.", "A table needs a header line and at least one record.")
    refuse_other_formats(str(path), chunk)
    if chunk[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(f"'{path}' is UTF-16.", "Save it as UTF-8 or Windows-1252 and read it again.")
    if b"\0" in chunk:
        raise DataError(f"'{path}' is not a text file.", "Read delimited text, or a file that ends in .parquet.")
    if stop < 0:
        raise DataError("A quote in the header line is never closed.", "Close it, or take it out.")
    if stop - begin > LONGEST_ROW:
        raise DataError("The first line is longer than 16 million characters.", "Is it a header? Check the file.")


def _usable(sign: str) -> str:
    if usable_delimiter(sign):
        return sign
    raise DataError(
        "The first line says that cells are separated by a sign that cells are made of.", "Take the line out."
    )


def beginning_of(chunk: bytes) -> int:
    """Find where the first line begins: behind a byte order mark, and behind what spreadsheets say of the delimiter."""
    before = _SEPARATED.match(chunk)
    return before.end() if before is not None else len(_MARK) * chunk.startswith(_MARK)


def _first_line(file: BinaryIO, delimiters: bytes) -> tuple[bytes, int, int]:
    """Read as much of a file as its first line takes, and find where it begins and ends; -1 when a quote stays open."""
    chunk = b""
    while True:
        more = b"" if len(chunk) > LONGEST_ROW else file.read(_CHUNK)
        chunk += more
        begin = beginning_of(chunk)
        stop = _end_of_line(chunk, delimiters, begin)
        if not more or 0 <= stop < len(chunk):
            return chunk, begin, stop


def _rows(below: bytes, delimiter: str) -> Iterator[list[str]]:
    """Give some rows as far as they can be separated; whether they are well formed is found when they are read."""
    lines = below[:_SAMPLE].decode("latin-1")
    lines = lines if len(below) <= _SAMPLE else lines[: lines.rfind("\n") + 1]
    with contextlib.suppress(csv.Error):
        yield from csv.reader(io.StringIO(lines, newline=""), delimiter=delimiter)


def _outside_quotes(line: str, delimiters: str) -> str:
    """Give what of a line stands in no quoted cell, which may hold any sign. A quote inside of a cell begins none."""
    return re.sub(rf'(?<![^{re.escape(delimiters)}])"(?:[^"]|"")*+"', "", line)


def _names(line: str, delimiter: str) -> Iterator[str]:
    """Split the header: a name in quotes is taken as it is, blanks around others are not part of them."""
    mark = re.escape(delimiter)
    field = re.compile(f'(?:"((?:[^"]|"")*+)"|([^{mark}]*))({mark}|$)')
    place, end = 0, None
    while end != "":
        match = field.match(line, place)
        assert match is not None
        quoted, bare, end = match.groups()
        # Only plain blanks: other bytes that look like blanks here may be parts of letters.
        yield bare.strip(" \t\r") if quoted is None else quoted.replace('""', '"') or _EMPTY
        place = match.end()


def _end_of_line(text: bytes, delimiters: bytes, place: int) -> int:
    """Find the end of the first line, not counting line feeds inside quoted names; -1 when a quote stays open."""
    mark = re.compile(b"[" + re.escape(delimiters) + b"\n]")
    while True:
        if text.startswith(b'"', place):
            quoted = _QUOTED.match(text, place)
            if quoted is None:
                return -1
            place = quoted.end()
        found = mark.search(text, place)
        if found is None:
            return len(text)
        if found[0] == b"\n":
            return found.start()
        place = found.end()


def _decoded(names: Sequence[str], encoding: str | None) -> tuple[str, list[str]]:
    """Give names as text, from one character per byte; and how they are encoded."""
    for used in (encoding,) if encoding is not None else ENCODINGS:
        with contextlib.suppress(UnicodeDecodeError):
            return used, [name.encode("latin-1").decode(used) for name in names]
    raise DataError(
        f"The header line is not {encoding} text.", "Say how the file is encoded (--encoding windows-1252)."
    )
