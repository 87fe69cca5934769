"""Delimited text in: what the file looks like, and its cells as numbers and codes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from shoal.engines.io.compressed import is_compressed, opened
from shoal.engines.io.digests import Digest
from shoal.engines.io.sealed_files import Sealed, changed
from shoal.engines.io.text_head import ENCODINGS, LONGEST_ROW, Head
from shoal.errors import DataError
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
    InternTable,
    RowParser,
)
from shoal.progress import Counted, counted
from shoal.table import Written

_CHUNK = 1 << 22
_LONGEST_CELL = 1 << 20


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
    written: Written
    content: Written
    encoding: str


def read_text(
    path: Path,
    head: Head,
    first: Sequence[str],
    second: Sequence[str],
    texts: Collection[str],
    encodings: Sequence[str],
) -> RawText:
    """Read some columns of a file into one matrix and others into another."""
    reading = TextReading(path, head, first, second, texts)
    (batch,) = reading.batches(None)
    return reading.result(encodings, batch.cells, batch.others)


@dataclass(frozen=True, eq=False)
class RowBatch:
    """Some rows of a file, as two matrices of numbers or codes. The next batch may be read into the same memory."""

    cells: NDArray[np.int32]
    others: NDArray[np.int32]


class TextReading:
    """The reading of some columns of a file into one matrix and of others into another, whole or in batches.

    Columns are taken for whole numbers until a cell says otherwise; the file is then read once more with these
    columns as text. ``texts`` names the columns that are text from the start, ``some`` the bytes to read, if not all.
    A file that is not in memory is not kept there if it is read with ``direct`` I/O; of one that was ``sealed`` only
    what it was then is read.
    """

    def __init__(
        self, path: Path, head: Head, first: Sequence[str], second: Sequence[str], texts: Collection[str],
        some: tuple[int, int] | None = None, *, direct: bool = False, sealed: Sealed | None = None,
    ) -> None:  # fmt: skip
        self.path, self.head, self.some, self.direct, self.sealed = path, head, some, direct, sealed
        self.places = {name: i for i, name in enumerate(first)} | {name: -1 - i for i, name in enumerate(second)}
        self.modes = np.array(
            [SKIP if n not in self.places else TEXT if n in texts else NUMBER for n in head.header], np.int32
        )
        self.widths = (len(first), len(second))
        self.blank_line = 0  # the first empty line at the end, if there are any
        self.written = self.content = Written("", 0)  # the file, and the text in it, when all was read
        # How often each text of a column occurs, by its code.
        self.counts: dict[str, NDArray[np.int64]] = {}

    def batches(self, rows: int | None) -> Iterator[RowBatch]:
        """Give the file in batches of so many rows, or as one; raises `ReadAgain` when it must be read again."""
        targets = np.array([self.places.get(name, 0) for name in self.head.header], np.int32)
        packed = is_compressed(self.path)
        size = 0 if packed else self.path.stat().st_size
        found, irregular, again = 0, np.ones(1, bool), ""
        while irregular.any():
            self.counts = {}
            file_digest, content = Digest(), Digest()
            with (
                counted(self._bytes(), again) as part,
                opened(self.sealed or self.path, self.some, direct=self.direct, digest=file_digest) as file,
            ):
                self._pass = reading = _Pass(file, size, self.head, self.modes, targets, self.widths, rows, content)
                reading.part, reading.packed = part, file_digest if packed else None
                for batch in reading.batches(rows):
                    irregular = reading.rows.irregular > 0
                    if irregular.any():
                        self.modes[irregular] = TEXT
                        if rows is not None:
                            raise ReadAgain
                    else:
                        self._count(batch)
                        found += batch.cells.shape[0]
                        yield batch
                irregular, self.blank_line = reading.rows.irregular > 0, reading.blank_line
                again = "once more"
            self.content = content.written
            self.written = file_digest.written if packed else self.content
        if found == 0:
            raise DataError(f"'{self.path}' has a header but no records.", "A table needs at least one record.")

    def _bytes(self) -> int:
        """Tell how many bytes of the file are to be read."""
        return self.some[1] - self.some[0] if self.some else self.path.stat().st_size

    def _count(self, batch: RowBatch) -> None:
        for column, name in enumerate(self.head.header):
            if self.modes[column] == TEXT:
                place = self.places[name]
                codes = batch.cells[:, place] if place >= 0 else batch.others[:, -1 - place]
                more = np.bincount(codes)
                before = self.counts.get(name, more[:0])
                self.counts[name] = _added(before, more)

    @property
    def texts(self) -> int:
        """How many different texts were found so far."""
        return int(self._pass.rows.words.state[0])

    def result(self, encodings: Sequence[str], cells: NDArray[np.int32], others: NDArray[np.int32]) -> RawText:
        """Tell what was found when all was read; the first of some encodings that fits is that of the texts."""
        texts, used = self._pass.texts(encodings)
        return RawText(cells, others, texts, self.counts, self.written, self.content, used)


class ReadAgain(Exception):  # noqa: N818 - nothing is wrong: the reading begins again
    """A column that was taken for numbers turned out to be text after batches of it had been given."""


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
        most: int | None,  # rows of a batch
        content: Digest,
    ) -> None:
        self.file, self.head = file, head
        self.part = Counted(0)  # how much of the file is read
        self.packed: Digest | None = None  # knows that of a compressed file
        self.size = size
        self.content = content
        # Room for the first chunk; what it holds then tells how much the whole file needs.
        room = min(self.size or _CHUNK, _CHUNK) // (2 * modes.size) + 1024
        room = room if most is None else min(room, most)
        cells, others = (np.empty((room, width), np.int32) for width in widths)
        irregular, scratch = np.zeros(modes.size, np.int64), np.empty(_LONGEST_CELL, np.uint8)
        self.rows = RowParser(
            modes, targets, cells, others, InternTable(modes.size), irregular, scratch, line=head.line
        )
        self.blank_line = 0

    def batches(self, most: int | None) -> Iterator[RowBatch]:
        """Read chunk by chunk; what follows the last line feed is kept for the next one."""
        raw = bytearray(_CHUNK + 1)
        held, seen, skip = 0, 0, self.head.start
        before = hashlib.sha256()  # of what stands before the rows
        while True:
            if held + 1 >= len(raw):  # one row fills the buffer: make room for more of it
                if held > LONGEST_ROW:
                    self._too_long("The row", "16 million")
                raw = raw + bytearray(len(raw))
            got = self.file.readinto(memoryview(raw)[held:-1])  # type: ignore[attr-defined]
            if raw.find(0, held, held + got) >= 0:
                raise DataError("The file holds zero bytes, so it is not text.", "Check how it was made.")
            fresh = memoryview(raw)[held : held + got]
            if not self.rows.irregular.any():  # else what is read here is read once more
                self.content.update(fresh)
            if self.head.start > 0 and seen <= self.head.start:
                before.update(fresh[: self.head.start - seen])
                if (got == 0 or seen + got >= self.head.start) and before.hexdigest() != self.head.sha256:
                    raise changed("The file")
            stop = held + got
            seen += got
            self.part.done = seen if self.packed is None else self.packed.size
            if got == 0 and stop > 0 and raw[stop - 1] != 10:
                raw[stop] = 10
                stop += 1
            place = min(skip, stop)
            skip -= place
            whole = raw.rfind(b"\n", place, stop) + 1 or place
            place = yield from self._take(np.frombuffer(raw, np.uint8), place, whole, seen, most, last=got == 0)
            if got == 0 or (seen == got and self.rows.irregular.any()):  # it is read again: the sooner the better
                break
            held = stop - place
            raw[:held] = raw[place:stop]
        if self.rows.row or most is None:
            yield self._batch()

    def _batch(self) -> RowBatch:
        return RowBatch(self.rows.cells[: self.rows.row], self.rows.others[: self.rows.row])

    def _take(
        self, buffer: NDArray[np.uint8], place: int, stop: int, seen: int, most: int | None, *, last: bool
    ) -> Generator[RowBatch, None, int]:
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
                yield self._batch()
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
                self._too_long("A cell of the row", "a million")

    def _too_long(self, what: str, most: str) -> None:
        raise DataError(
            f"{what} that begins on line {self.rows.line} is longer than {most} characters.",
            "Perhaps a closing quote or the end of a line is missing; or take the long column out.",
        )

    def _ragged(self, line: int, fields: int) -> None:
        raise DataError(
            f"Line {line} has {fields} field{'s' * (fields != 1)}, but {self.head.what} has {len(self.head.header)}.",
            "Mend the line, quote cells that contain the delimiter, or say which delimiter is used (--in-delimiter).",
        )

    def texts(self, encodings: Sequence[str]) -> tuple[dict[str, TextColumn], str]:
        """Give the texts of each column, and how they are encoded."""
        rows, words = self.rows, self.rows.words
        known = words.known[: words.state[0]]
        used, cut = _decoder(words.heap[: words.state[1]].tobytes(), known, encodings)
        texts: dict[str, TextColumn] = {}
        for column, name in enumerate(self.head.header):
            if rows.modes[column] == TEXT:
                mine = known[known[:, 0] == column]
                ends = zip(mine[:, 1].tolist(), (mine[:, 1] + mine[:, 2]).tolist(), strict=True)
                try:
                    found = [cut(a, b) for a, b in ends]
                except UnicodeDecodeError:
                    raise DataError(
                        f"Column '{name}' is not {used} text.", "Say how the file is encoded (--encoding windows-1252)."
                    ) from None
                texts[name] = TextColumn(found, mine[:, 4].tolist())
        return texts, used


def _decoder(heap: bytes, known: NDArray[np.int64], encodings: Sequence[str]) -> tuple[str, Callable[[int, int], str]]:
    """Find how texts are encoded, and give a function that cuts one out; most files are plain ASCII."""
    used = next((encoding for encoding in encodings if _is_so_encoded(heap, known, encoding)), None)
    if used in ENCODINGS and (used != "utf-8" or heap.isascii()):  # one byte per sign
        text = heap.decode(used)
        return used, lambda a, b: text[a:b]
    said = used or encodings[-1]
    return said, lambda a, b: heap[a:b].decode(said)


def _is_so_encoded(heap: bytes, known: NDArray[np.int64], encoding: str) -> bool:
    if encoding in ENCODINGS and heap.isascii():
        return True
    try:
        for at, length in known[:, 1:3].tolist():
            heap[at : at + length].decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _grown(matrix: NDArray[np.int32], filled: int, rows: int) -> NDArray[np.int32]:
    larger = np.empty((rows, matrix.shape[1]), np.int32)
    larger[:filled] = matrix[:filled]
    return larger
