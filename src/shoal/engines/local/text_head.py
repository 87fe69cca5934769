"""The header of delimited text: the names of its columns, its delimiter, and where its rows begin."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from shoal.engines.local.compressed import opened
from shoal.errors import DataError, looks_like_a_record

LONGEST_ROW = 1 << 24  # bytes; a longer one may be anything, and would have to be in memory as a whole
_CHUNK = 1 << 22
_MOST_COLUMNS = 1 << 20
_DELIMITERS = ",;\t|"
_EMPTY = '""'  # a name that is empty and meant so
_MARK = b"\xef\xbb\xbf"  # which some programs put before UTF-8
# A quote opens a name only at its beginning; inside a name it is part of it.
_QUOTED_NAME = re.compile(r'"(?:[^"]|"")*+"')
_QUOTED = re.compile(rb'"(?:[^"]|"")*+"')


@dataclass(frozen=True)
class Head:
    """What the beginning of a file tells: its delimiter, its header, where the rows begin, and what stands before."""

    delimiter: str
    header: tuple[str, ...]
    start: int
    line: int
    sha256: str


def read_head(path: Path, delimiter: str | None, encoding: str | None) -> Head:
    """Read the header line of a file and find its delimiter."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise DataError(f"'{path}' is not a file that can be read twice.", "Save its content to a file first.")
        with opened(path) as file:
            chunk, stop = _first_line(file, (delimiter or _DELIMITERS).encode())
    except FileNotFoundError:
        raise DataError(f"There is no file '{path}'.", "Check its name and folder.") from None
    except IsADirectoryError:
        raise DataError(f"'{path}' is a folder.", "Name a file.") from None
    except OSError as error:
        raise DataError(f"'{path}' cannot be read: {error.strerror}.", "Check its permissions.") from None
    if not chunk:
        raise DataError(f"'{path}' is empty.", "A table needs a header line and at least one record.")
    if chunk[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(f"'{path}' is UTF-16.", "Save it as UTF-8 or Latin-1 and read it again.")
    if b"\0" in chunk:
        raise DataError(f"'{path}' is not a text file.", "Read delimited text, or a file that ends in .parquet.")
    if stop < 0:
        raise DataError("A quote in the header line is never closed.", "Close it, or take it out.")
    if stop > LONGEST_ROW:
        raise DataError("The first line is longer than 16 million characters.", "Is it a header? Check the file.")
    # One character per byte: places in the text are places in the file.
    line = chunk[:stop].removeprefix(_MARK).rstrip(b"\r").decode("latin-1")
    if not line.strip():
        raise DataError(f"'{path}' has no header line.", "The first line must name the columns.")
    if "\r" in line.replace("\r\n", ""):
        raise DataError("The lines of the file end with carriage returns.", "Save it with line feeds, as others do.")
    if delimiter is None:
        delimiter = max(_DELIMITERS, key=_QUOTED_NAME.sub("", line).count)
    if line.count(delimiter) >= _MOST_COLUMNS:
        raise DataError("The header names more than a million columns.", "Leave out those that are not needed.")
    names = [_decode(name.encode("latin-1"), encoding) for name in _names(line, delimiter)]
    header = tuple(name or f"column {i + 1}" if name != _EMPTY else "" for i, name in enumerate(names))
    twice = sorted(name for name, times in Counter(header).items() if times > 1)
    if twice and looks_like_a_record(header):
        raise DataError("The first line names a column twice.", "Is it a header? It must name the columns.")
    if twice:
        raise DataError(f"The header names '{twice[0]}' more than once.", "Give each column a name of its own.")
    before = hashlib.sha256(chunk[: stop + 1]).hexdigest()
    return Head(delimiter, header, stop + 1, 2 + line.count("\n"), before)


def _first_line(file: BinaryIO, delimiters: bytes) -> tuple[bytes, int]:
    """Read as much of a file as its first line takes, and find where that ends; -1 when a quote stays open."""
    chunk = b""
    while True:
        more = b"" if len(chunk) > LONGEST_ROW else file.read(_CHUNK)
        chunk += more
        stop = _end_of_line(chunk, delimiters)
        if not more or 0 <= stop < len(chunk):
            return chunk, stop


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


def _end_of_line(text: bytes, delimiters: bytes) -> int:
    """Find the end of the first line, not counting line feeds inside quoted names; -1 when a quote stays open."""
    place = len(_MARK) if text.startswith(_MARK) else 0
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


def _decode(raw: bytes, encoding: str | None) -> str:
    try:
        return raw.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        if encoding is not None:
            raise DataError(
                f"The header line is not {encoding} text.", "Say how the file is encoded (--encoding latin-1)."
            ) from None
        return raw.decode("latin-1")
