"""Delimited text in: what the file looks like, and its cells as numbers and codes."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from shoal.engines.local.compressed import is_compressed, opened
from shoal.engines.local.digests import of_file
from shoal.errors import DataError, looks_like_a_record
from shoal.kernels.delimited import (
    BLANK,
    DONE,
    LONG_CELL,
    MORE_ROWS,
    MORE_WORDS,
    NUMBER,
    OPEN_QUOTE,
    RAGGED,
    SKIP,
    TEXT,
    Rows,
    Words,
)

_CHUNK = 1 << 22
_LONGEST_CELL = 1 << 20
_DELIMITERS = ",;\t|"
_EMPTY = '""'  # a name that is empty and meant so
# A quote opens a name only at its beginning; inside a name it is part of it.
_QUOTED_NAME = re.compile(r'"(?:[^"]|"")*+"')


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A column as codes of its distinct texts, each with the line it is first seen on."""

    texts: list[str]
    lines: list[int]


@dataclass(frozen=True, eq=False)
class RawText:
    """A delimited file: the columns of two matrices as numbers or codes, and the texts behind the codes."""

    cells: NDArray[np.int32]
    others: NDArray[np.int32]
    texts: dict[str, TextColumn]
    sha256: str
    encoding: str


@dataclass(frozen=True)
class Head:
    """What the beginning of a file tells: its delimiter, its header, where the rows begin, and its byte order mark."""

    delimiter: str
    header: tuple[str, ...]
    start: int
    line: int


def read_head(path: Path, delimiter: str | None, encoding: str | None) -> Head:
    """Read the header line of a file and find its delimiter."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise DataError(f"'{path}' is not a file that can be read twice.", "Save its content to a file first.")
        with opened(path) as file:
            chunk = file.read(_CHUNK)
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
    mark = 3 if chunk.startswith(b"\xef\xbb\xbf") else 0
    text = chunk[mark:].decode("latin-1")  # one character per byte: places in the text are places in the file
    stop = _end_of_line(text, delimiter or _DELIMITERS)
    if stop < 0:
        raise DataError("A quote in the header line is never closed.", "Close it, or take it out.")
    line = text[:stop].rstrip("\r")
    if not line.strip():
        raise DataError(f"'{path}' has no header line.", "The first line must name the columns.")
    if "\r" in line.replace("\r\n", ""):
        raise DataError("The lines of the file end with carriage returns.", "Save it with line feeds, as others do.")
    if delimiter is None:
        delimiter = max(_DELIMITERS, key=_QUOTED_NAME.sub("", line).count)
    names = [_decode(name.encode("latin-1"), encoding) for name in _names(line, delimiter)]
    header = tuple(name or f"column {i + 1}" if name != _EMPTY else "" for i, name in enumerate(names))
    twice = sorted(name for name, times in Counter(header).items() if times > 1)
    if twice and looks_like_a_record(header):
        raise DataError("The first line names a column twice.", "Is it a header? It must name the columns.")
    if twice:
        raise DataError(f"The header names '{twice[0]}' more than once.", "Give each column a name of its own.")
    return Head(delimiter, header, mark + stop + 1, 2 + line.count("\n"))


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


def _end_of_line(text: str, delimiters: str) -> int:
    """Find the end of the first line, not counting line feeds inside quoted names; -1 when a quote stays open."""
    place = 0
    mark = re.compile(f"[{re.escape(delimiters)}\n]")
    while True:
        if text.startswith('"', place):
            quoted = _QUOTED_NAME.match(text, place)
            if quoted is None:
                return -1
            place = quoted.end()
        found = mark.search(text, place)
        if found is None:
            return len(text)
        if found[0] == "\n":
            return found.start()
        place = found.end()


def read_text(
    path: Path, head: Head, first: Sequence[str], second: Sequence[str], texts: Collection[str], encoding: str | None
) -> RawText:
    """Read some columns of a file into one matrix and others into another.

    Columns are taken for whole numbers until a cell says otherwise; the file is then read once more with these
    columns as text. ``texts`` names the columns that are text from the start.
    """
    places = {name: i for i, name in enumerate(first)} | {name: -1 - i for i, name in enumerate(second)}
    modes = np.array([SKIP if n not in places else TEXT if n in texts else NUMBER for n in head.header], np.int32)
    targets = np.array([places.get(name, 0) for name in head.header], np.int32)
    widths = (len(first), len(second))
    packed = is_compressed(path)
    size = 0 if packed else path.stat().st_size
    with opened(path) as file:
        pass_ = _Pass(file, size, head, modes, targets, widths, digest=not packed)
        pass_.run()
    spoilt = pass_.rows.spoilt > 0
    sha256 = of_file(path).sha256 if packed else pass_.sha256
    if spoilt.any():
        modes[spoilt] = TEXT
        with opened(path) as file:
            pass_ = _Pass(file, size, head, modes, targets, widths, digest=False)
            pass_.run()
    if pass_.rows.row == 0:
        raise DataError(f"'{path}' has a header but no records.", "A table needs at least one record.")
    return pass_.result(sha256, encoding)


class _Pass:
    """One reading of a file from beginning to end, chunk by chunk."""

    def __init__(
        self,
        file: BinaryIO,
        size: int,  # 0 if only the end of the file will tell
        head: Head,
        modes: NDArray[np.int32],
        targets: NDArray[np.int32],
        widths: tuple[int, int],
        *,
        digest: bool,
    ) -> None:
        self.file, self.head = file, head
        self.size = size
        self.hasher = hashlib.sha256() if digest else None
        # Room for the first chunk; what it holds then tells how much the whole file needs.
        room = min(self.size or _CHUNK, _CHUNK) // (2 * modes.size) + 1024
        cells, others = (np.empty((room, width), np.int32) for width in widths)
        spoilt, scratch = np.zeros(modes.size, np.int64), np.empty(_LONGEST_CELL, np.uint8)
        self.rows = Rows(modes, targets, cells, others, Words(modes.size), spoilt, scratch, line=head.line)
        self.blank_line = 0

    @property
    def sha256(self) -> str:
        return self.hasher.hexdigest() if self.hasher else ""

    def run(self) -> None:
        """Read chunk by chunk; what follows the last line feed is kept for the next one."""
        raw = bytearray(_CHUNK + 1)
        held, seen, skip = 0, 0, self.head.start
        while True:
            if held + 1 >= len(raw):  # one row fills the buffer: make room for more of it
                raw = raw + bytearray(len(raw))
            got = self.file.readinto(memoryview(raw)[held:-1])  # type: ignore[attr-defined]
            if raw.find(0, held, held + got) >= 0:
                raise DataError("The file holds zero bytes, so it is not text.", "Check how it was made.")
            if self.hasher:
                self.hasher.update(memoryview(raw)[held : held + got])
            stop = held + got
            seen += got
            if got == 0 and stop > 0 and raw[stop - 1] != 10:
                raw[stop] = 10
                stop += 1
            place = min(skip, stop)
            skip -= place
            whole = raw.rfind(b"\n", place, stop) + 1 or place
            place = self._take(np.frombuffer(raw, np.uint8), place, whole, seen, last=got == 0)
            if got == 0:
                break
            held = stop - place
            raw[:held] = raw[place:stop]

    def _take(self, buffer: NDArray[np.uint8], place: int, stop: int, seen: int, *, last: bool) -> int:
        """Take the whole rows of a buffer; make room where the kernel asks for it."""
        rows = self.rows
        while True:
            before = rows.row
            status, place, detail = rows.read(buffer, place, stop, self.head.delimiter)
            if self.blank_line and rows.row > before:
                self._ragged(self.blank_line, 1)  # empty lines are allowed only where nothing follows them
            if status == DONE or (status == OPEN_QUOTE and not last):
                return place
            if status == MORE_ROWS:
                done = max(seen - (stop - place), 1)
                grown = self.size / done * 1.02 if self.size else 1.5
                expected = max(int(rows.row * grown), rows.row) + 4096
                rows.cells = _grown(rows.cells, rows.row, expected)
                rows.others = _grown(rows.others, rows.row, expected)
            elif status == MORE_WORDS:
                rows.words.grow(detail)
            elif status == RAGGED:
                self._ragged(rows.line, detail)
            elif status == BLANK:
                self.blank_line = self.blank_line or rows.line - 1
            elif status == OPEN_QUOTE:
                raise DataError(
                    f"A quoted cell that begins on line {rows.line} is never closed.",
                    "Close it, or write a quote inside a cell as two.",
                )
            elif status == LONG_CELL:
                raise DataError(
                    f"A quoted cell on line {rows.line} is longer than a million characters.",
                    "Perhaps its closing quote is missing; or leave the column out.",
                )

    def _ragged(self, line: int, fields: int) -> None:
        raise DataError(
            f"Line {line} has {fields} field{'s' * (fields != 1)}, but the header has {len(self.head.header)}.",
            "Mend the line, quote cells that contain the delimiter, or say which delimiter is used (--in-delimiter).",
        )

    def result(self, sha256: str, encoding: str | None) -> RawText:
        rows, words = self.rows, self.rows.words
        known = words.known[: words.state[0]]
        used, cut = _decoder(words.heap[: words.state[1]].tobytes(), known, encoding)
        texts: dict[str, TextColumn] = {}
        for column, name in enumerate(self.head.header):
            if rows.modes[column] == TEXT:
                mine = known[known[:, 0] == column]
                ends = zip(mine[:, 1].tolist(), (mine[:, 1] + mine[:, 2]).tolist(), strict=True)
                try:
                    found = [cut(a, b) for a, b in ends]
                except UnicodeDecodeError:
                    raise DataError(
                        f"Column '{name}' is not {used} text.", "Say how the file is encoded (--encoding latin-1)."
                    ) from None
                texts[name] = TextColumn(found, mine[:, 4].tolist())
        return RawText(rows.cells[: rows.row], rows.others[: rows.row], texts, sha256, used)


def _decoder(heap: bytes, known: NDArray[np.int64], encoding: str | None) -> tuple[str, Callable[[int, int], str]]:
    """Find how texts are encoded, and give a function that cuts one out; most files are plain ASCII."""
    if heap.isascii() and encoding in (None, "utf-8", "latin-1"):
        text = heap.decode("ascii")
        return encoding or "utf-8", lambda a, b: text[a:b]
    used = encoding or "utf-8"
    if encoding is None:
        try:
            for at, length in known[:, 1:3].tolist():
                heap[at : at + length].decode("utf-8")
        except UnicodeDecodeError:
            used = "latin-1"  # in which every byte means something
    return used, lambda a, b: heap[a:b].decode(used)


def _grown(matrix: NDArray[np.int32], filled: int, rows: int) -> NDArray[np.int32]:
    larger = np.empty((rows, matrix.shape[1]), np.int32)
    larger[:filled] = matrix[:filled]
    return larger


def _decode(raw: bytes, encoding: str | None) -> str:
    try:
        return raw.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        if encoding is not None:
            raise DataError(
                f"The header line is not {encoding} text.", "Say how the file is encoded (--encoding latin-1)."
            ) from None
        return raw.decode("latin-1")
