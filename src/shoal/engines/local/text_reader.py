"""Delimited text in: what the file looks like, and its cells as numbers and codes."""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.kernels.delimited import (
    DONE,
    MORE_ROWS,
    MORE_WORDS,
    NUMBER,
    OPEN_QUOTE,
    RAGGED,
    SKIP,
    TEXT,
    read_rows,
    reseat,
)

_CHUNK = 1 << 22
_LONGEST_CELL = 1 << 20
_DELIMITERS = ",;\t|"


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
        with path.open("rb") as file:
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
    stop, quoted = 0, False
    while stop < len(text) and (quoted or text[stop] != "\n"):
        quoted ^= text[stop] == '"'
        stop += 1
    line = text[:stop].rstrip("\r")
    if delimiter is None:
        outside = "".join(line.split('"')[::2])
        delimiter = max(_DELIMITERS, key=outside.count)
    names = next(csv.reader(io.StringIO(line, newline=""), delimiter=delimiter), [])
    header = tuple(
        _decode(name.encode("latin-1"), encoding).strip() or f"column {i + 1}" for i, name in enumerate(names)
    )
    if not header:
        raise DataError(f"'{path}' has no header line.", "The first line must name the columns.")
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise DataError(f"The header names '{twice[0]}' more than once.", "Give each column a name of its own.")
    return Head(delimiter, header, mark + stop + 1, 2 + line.count("\n"))


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
    with path.open("rb") as file:
        pass_ = _Pass(file, head, modes, targets, widths, digest=True)
        pass_.run()
        spoilt = pass_.spoilt > 0
        sha256 = pass_.sha256
        if spoilt.any():
            modes[spoilt] = TEXT
            file.seek(0)
            pass_ = _Pass(file, head, modes, targets, widths, digest=False)
            pass_.run()
    if pass_.row == 0:
        raise DataError(f"'{path}' has a header but no records.", "A table needs at least one record.")
    return pass_.result(sha256, encoding)


class _Pass:
    """One reading of a file from beginning to end, chunk by chunk."""

    def __init__(
        self,
        file: BinaryIO,
        head: Head,
        modes: NDArray[np.int32],
        targets: NDArray[np.int32],
        widths: tuple[int, int],
        *,
        digest: bool,
    ) -> None:
        self.file, self.head, self.modes, self.targets = file, head, modes, targets
        self.size = os.fstat(file.fileno()).st_size
        self.hasher = hashlib.sha256() if digest else None
        self.row, self.line = 0, head.line
        self.cells, self.others = (np.empty((1024, width), np.int32) for width in widths)
        self.seats = np.full(1 << 12, -1, np.int32)
        self.words = np.empty((1 << 11, 5), np.int64)
        self.heap = np.empty(1 << 16, np.uint8)
        self.state = np.zeros(2 + modes.size, np.int64)
        self.spoilt = np.zeros(modes.size, np.int64)
        self.scratch = np.empty(_LONGEST_CELL, np.uint8)
        self.blank_line = 0

    @property
    def sha256(self) -> str:
        return self.hasher.hexdigest() if self.hasher else ""

    def run(self) -> None:
        buffer = np.empty(_CHUNK + 1, np.uint8)
        held, seen, start = 0, 0, self.head.start
        while True:
            if held + 1 >= buffer.size:  # one row fills the buffer: make room for more of it
                buffer = np.concatenate([buffer, np.empty_like(buffer)])
            got = self.file.readinto(buffer[held:-1])  # type: ignore[attr-defined]
            if self.hasher:
                self.hasher.update(buffer[held : held + got].data)
            stop = held + got
            seen += got
            last = got == 0
            if last and stop > start and buffer[stop - 1] != 10:
                buffer[stop] = 10
                stop += 1
            place, inside_quote = self._rows(buffer, min(start, stop), stop, seen)
            if last:
                if place < stop and inside_quote:
                    raise DataError(
                        f"A quoted cell that begins on line {self.line} is never closed.",
                        "Close it, or write a quote inside a cell as two.",
                    )
                break
            start = max(start - stop, 0)
            held = stop - place
            buffer[:held] = buffer[place:stop]

    def _rows(self, buffer: NDArray[np.uint8], place: int, stop: int, seen: int) -> tuple[int, bool]:
        """Take the whole rows of a buffer; make room where the kernel asks for it."""
        while True:
            before = self.row
            status, place, self.row, self.line, detail = read_rows(
                buffer, place, stop, ord(self.head.delimiter), self.modes, self.targets, self.cells, self.others,
                self.row, self.line, self.seats, self.words, self.heap, self.state, self.spoilt, self.scratch,
            )  # fmt: skip
            if self.blank_line and self.row > before:
                self._ragged(self.blank_line, 1)
            if status == DONE:
                if detail == 2:
                    self.blank_line = self.blank_line or self.line - 1
                return place, detail == 1
            if status == MORE_ROWS:
                done = max(seen - (stop - place), 1)
                rows = max(int(self.row * self.size / done * 1.01), 2 * self.row) + 1024
                self.cells = _grown(self.cells, self.row, rows)
                self.others = _grown(self.others, self.row, rows)
            elif status == MORE_WORDS:
                self._more_words(detail)
            elif status == RAGGED:
                self._ragged(self.line, detail)
            elif status == OPEN_QUOTE:
                raise DataError(
                    f"A quoted cell on line {self.line} is longer than a million characters.",
                    "Perhaps its closing quote is missing; or leave the column out.",
                )

    def _ragged(self, line: int, fields: int) -> None:
        raise DataError(
            f"Line {line} has {fields} field{'s' * (fields != 1)}, but the header has {self.modes.size}.",
            "Mend the line, quote cells that contain the delimiter, or say which delimiter is used (--delimiter).",
        )

    def _more_words(self, needed: int) -> None:
        self.heap = np.concatenate([self.heap, np.empty(self.heap.size + needed, np.uint8)])
        self.words = np.concatenate([self.words, np.empty((self.words.shape[0] + self.modes.size, 5), np.int64)])
        self.seats = np.full(1 << (2 * self.words.shape[0] - 1).bit_length(), -1, np.int32)
        reseat(self.seats, self.words, int(self.state[0]), self.heap)

    def result(self, sha256: str, encoding: str | None) -> RawText:
        words = self.words[: self.state[0]]
        heap = self.heap[: self.state[1]].tobytes()
        used = encoding or _encoding_of(heap, words)
        texts: dict[str, TextColumn] = {}
        for column, name in enumerate(self.head.header):
            if self.modes[column] != TEXT:
                continue
            mine = words[words[:, 0] == column]
            ends = zip(mine[:, 1].tolist(), (mine[:, 1] + mine[:, 2]).tolist(), strict=True)
            try:
                found = [heap[a:b].decode(used) for a, b in ends]
            except UnicodeDecodeError:
                raise DataError(
                    f"Column '{name}' is not {used} text.", "Say how the file is encoded (--encoding latin-1)."
                ) from None
            texts[name] = TextColumn(found, mine[:, 4].tolist())
        return RawText(self.cells[: self.row], self.others[: self.row], texts, sha256, used)


def _grown(matrix: NDArray[np.int32], filled: int, rows: int) -> NDArray[np.int32]:
    larger = np.empty((rows, matrix.shape[1]), np.int32)
    larger[:filled] = matrix[:filled]
    return larger


def _encoding_of(heap: bytes, words: NDArray[np.int64]) -> str:
    """Find whether all texts are UTF-8; Latin-1, in which every byte means something, is what is left."""
    try:
        for at, length in words[:, 1:3].tolist():
            heap[at : at + length].decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _decode(raw: bytes, encoding: str | None) -> str:
    try:
        return raw.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
    except LookupError:
        raise DataError(f"There is no encoding '{encoding}'.", "Try utf-8 or latin-1.") from None
