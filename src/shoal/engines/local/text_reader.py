"""Delimited text in: what the file looks like, and its cells as numbers and codes."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
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
    counts: dict[str, NDArray[np.int64]]
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
    """Read some columns of a file into one matrix and others into another."""
    reading = TextReading(path, head, first, second, texts)
    (stretch,) = reading.stretches(None)
    return reading.result(encoding, stretch.cells, stretch.others)


@dataclass(frozen=True, eq=False)
class Stretch:
    """Some rows of a file, as two matrices of numbers or codes. The next stretch may be read into the same memory."""

    cells: NDArray[np.int32]
    others: NDArray[np.int32]


class TextReading:
    """The reading of some columns of a file into one matrix and of others into another, whole or in stretches.

    Columns are taken for whole numbers until a cell says otherwise; the file is then read once more with these
    columns as text. ``texts`` names the columns that are text from the start, ``some`` the bytes to read, if not all.
    A file that is not in memory is not kept there if it is read ``straight``.
    """

    def __init__(
        self, path: Path, head: Head, first: Sequence[str], second: Sequence[str], texts: Collection[str],
        some: tuple[int, int] | None = None, *, straight: bool = False,
    ) -> None:  # fmt: skip
        self.path, self.head, self.some, self.straight = path, head, some, straight
        self.places = {name: i for i, name in enumerate(first)} | {name: -1 - i for i, name in enumerate(second)}
        self.modes = np.array(
            [SKIP if n not in self.places else TEXT if n in texts else NUMBER for n in head.header], np.int32
        )
        self.widths = (len(first), len(second))
        self.sha256, self.blank_line = "", 0  # the first empty line at the end, if there are any
        # How often each text of a column occurs, by its code.
        self.counts: dict[str, NDArray[np.int64]] = {}

    def stretches(self, rows: int | None) -> Iterator[Stretch]:
        """Give the file in stretches of so many rows, or as one; raises `Spoilt` when it must be read again."""
        targets = np.array([self.places.get(name, 0) for name in self.head.header], np.int32)
        packed = is_compressed(self.path)
        size = 0 if packed else self.path.stat().st_size
        found, spoilt = 0, np.ones(1, bool)
        while spoilt.any():
            self.counts = {}
            with opened(self.path, self.some, straight=self.straight) as file:
                digest = not packed and not self.sha256 and self.some is None
                self._pass = reading = _Pass(
                    file, size, self.head, self.modes, targets, self.widths, rows, digest=digest
                )
                for stretch in reading.stretches(rows):
                    spoilt = reading.rows.spoilt > 0
                    if spoilt.any():
                        self.modes[spoilt] = TEXT
                        if rows is not None:
                            raise Spoilt
                    else:
                        self._count(stretch)
                        found += stretch.cells.shape[0]
                        yield stretch
                spoilt, self.blank_line = reading.rows.spoilt > 0, reading.blank_line
            self.sha256 = self.sha256 or (of_file(self.path).sha256 if packed else reading.sha256)
        if found == 0:
            raise DataError(f"'{self.path}' has a header but no records.", "A table needs at least one record.")

    def _count(self, stretch: Stretch) -> None:
        for column, name in enumerate(self.head.header):
            if self.modes[column] == TEXT:
                place = self.places[name]
                codes = stretch.cells[:, place] if place >= 0 else stretch.others[:, -1 - place]
                more = np.bincount(codes)
                before = self.counts.get(name, more[:0])
                self.counts[name] = _added(before, more)

    @property
    def texts(self) -> int:
        """How many different texts were found so far."""
        return int(self._pass.rows.words.state[0])

    def result(self, encoding: str | None, cells: NDArray[np.int32], others: NDArray[np.int32]) -> RawText:
        """Tell what was found when all was read."""
        texts, used = self._pass.texts(encoding)
        return RawText(cells, others, texts, self.counts, self.sha256, used)


class Spoilt(Exception):  # noqa: N818 - nothing is wrong: the reading begins again
    """A column that was taken for numbers turned out to be text after stretches of it had been given."""


def _added(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    long, short = (one, other) if one.size >= other.size else (other, one)
    total = long.copy()
    total[: short.size] += short
    return total


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
        most: int | None,  # rows of a stretch
        *,
        digest: bool,
    ) -> None:
        self.file, self.head = file, head
        self.size = size
        self.hasher = hashlib.sha256() if digest else None
        # Room for the first chunk; what it holds then tells how much the whole file needs.
        room = min(self.size or _CHUNK, _CHUNK) // (2 * modes.size) + 1024
        room = room if most is None else min(room, most)
        cells, others = (np.empty((room, width), np.int32) for width in widths)
        spoilt, scratch = np.zeros(modes.size, np.int64), np.empty(_LONGEST_CELL, np.uint8)
        self.rows = Rows(modes, targets, cells, others, Words(modes.size), spoilt, scratch, line=head.line)
        self.blank_line = 0

    @property
    def sha256(self) -> str:
        return self.hasher.hexdigest() if self.hasher else ""

    def stretches(self, most: int | None) -> Iterator[Stretch]:
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
            place = yield from self._take(np.frombuffer(raw, np.uint8), place, whole, seen, most, last=got == 0)
            if got == 0:
                break
            held = stop - place
            raw[:held] = raw[place:stop]
        if self.rows.row or most is None:
            yield self._stretch()

    def _stretch(self) -> Stretch:
        return Stretch(self.rows.cells[: self.rows.row], self.rows.others[: self.rows.row])

    def _take(
        self, buffer: NDArray[np.uint8], place: int, stop: int, seen: int, most: int | None, *, last: bool
    ) -> Generator[Stretch, None, int]:
        """Take the whole rows of a buffer; make room where the kernel asks for it."""
        rows = self.rows
        while True:
            before = rows.row
            status, place, detail = rows.read(buffer, place, stop, self.head.delimiter)
            if self.blank_line and rows.row > before:
                self._ragged(self.blank_line, 1)  # empty lines are allowed only where nothing follows them
            if status == DONE or (status == OPEN_QUOTE and not last):
                return place
            if status == MORE_ROWS and most is not None and rows.row >= most:
                yield self._stretch()
                rows.row = 0
            elif status == MORE_ROWS:
                done = max(seen - (stop - place), 1)
                grown = self.size / done * 1.02 if self.size else 1.5
                expected = max(int(rows.row * grown), rows.row) + 4096
                expected = expected if most is None else min(expected, most)
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

    def texts(self, encoding: str | None) -> tuple[dict[str, TextColumn], str]:
        """Give the texts of each column, and how they are encoded."""
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
        return texts, used


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
