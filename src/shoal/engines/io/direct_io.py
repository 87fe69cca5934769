"""Direct I/O: files are written and read past the page cache of the system (O_DIRECT).

What is written once, and read once or never, is no use in the cache. To find pages for it, and in a virtual machine to
fetch them from the host, costs many times what writing costs, and they crowd out those that others need. Only a slow
disk is better written to through the cache. Where the system or the file system has no direct I/O (macOS, Windows,
network shares), the same classes read and write plain files.
"""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np

from shoal.arrays import Bytes
from shoal.engines.process_memory import resident_share

# How many bytes are written at most, and what puts them into a buffer and tells how many they are.
Chunk = tuple[int, Callable[[Bytes], int]]

_PAGE = 4096  # offsets in memory and in files are multiples of it
_LARGE_PAGE = 1 << 21  # huge pages are handed to disks with less effort
_SMALL, _ROOM = 1 << 17, 1 << 23
_RAW = 1 << 20
_OPEN = 128
_TRIED = 1 << 26  # bytes after which it is known how fast a disk is
_FAST = 3e8  # bytes per second
_O_DIRECT = getattr(os, "O_DIRECT", 0)
# The system keeps what is written in pages as large as what comes at once. Large ones may have to be made first, or be
# fetched from the host of a virtual machine, which costs several times as much as writing does.
AT_ONCE = 1 << 18


def write_all(file: Any, content: bytes | memoryview) -> None:
    """Write all bytes, also to a file that may take fewer than it is given."""
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest[:AT_ONCE]) :]


class AlignedBuffer:
    """Memory aligned to pages, from and to which disks move bytes; shared by files that are worked on in turn."""

    def __init__(self) -> None:
        self.memory = _aligned(_SMALL)
        self.open = 0  # files that stay open between writes to them
        self._written, self._seconds = 0, 0.0

    def widen(self, room: int) -> None:
        """Make room for so many bytes, and for many at once; those that are there stay."""
        if room > self.memory.size:
            before, self.memory = self.memory, _aligned(max(room, _ROOM))
            self.memory[: before.size] = before

    @property
    def direct(self) -> bool:
        """Whether the disk is not known to be slow."""
        return self._written < _TRIED or self._written > _FAST * self._seconds

    def write(self, file: FileIO, size: int, at: int) -> None:
        """Write the first bytes of the buffer at an offset; size and offset are multiples of a page."""
        start, done, most = time.perf_counter(), 0, size if self.direct else AT_ONCE
        file.seek(at)
        while done < size:
            done += _moved(file, file.write, self.memory[done : min(size, done + most)])
        self._written += size
        self._seconds += time.perf_counter() - start

    def read(self, file: FileIO, start: int, stop: int) -> Bytes:
        """Give the bytes between two offsets, which are valid until something else is read or written."""
        first, got = start // _PAGE * _PAGE, 0
        wanted = -(-(stop - first) // _PAGE) * _PAGE
        self.widen(wanted)
        file.seek(first)
        while got < stop - first and (more := _moved(file, file.readinto, self.memory[got:wanted])):
            got += more
        return self.memory[start - first : min(got, stop - first)]


def _aligned(room: int) -> Bytes:
    page = _LARGE_PAGE if room >= _LARGE_PAGE else _PAGE
    held = np.empty(room + page, np.uint8)
    first = -held.ctypes.data % page
    return held[first : first + room]


def open_direct(path: Path, mode: str, *, direct: bool = True) -> FileIO:
    """Open a file, for direct I/O if that is asked for and the system has it."""

    def opener(name: str, flags: int) -> int:
        with contextlib.suppress(OSError):
            return os.open(name, flags | _O_DIRECT, 0o666)
        return os.open(name, flags, 0o666)

    file = open(path, mode, buffering=0, opener=opener if direct and _O_DIRECT else None)  # noqa: SIM115
    assert isinstance(file, FileIO)
    return file


def _moved(file: FileIO, move: Callable[[Any], int | None], some: Bytes) -> int:
    """Read or write some bytes, through the page cache if the file system does not allow it otherwise."""
    try:
        return move(some.data) or 0
    except OSError as error:
        if error.errno != errno.EINVAL or not _O_DIRECT:
            raise
    import fcntl

    fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) & ~_O_DIRECT)
    return move(some.data) or 0


class AppendFile:
    """A file that is appended to; what does not fill a page waits for more.

    It stays open until it ends, unless many others are. What is small goes through the page cache.
    """

    def __init__(self, path: Path, buffer: AlignedBuffer, *, small: bool = False) -> None:
        self.path, self.direct = path, buffer.direct and not small
        self._buffer = buffer
        self._written, self._rest = 0, b""
        self._file: FileIO | None = None

    @property
    def size(self) -> int:
        """How many bytes were added."""
        return self._written + len(self._rest)

    def add(self, chunks: Iterable[Chunk]) -> list[int]:
        """Append chunks, and give the offset at which each ends."""
        buffer, filled = self._buffer, len(self._rest)
        ends: list[int] = []
        buffer.memory[:filled] = np.frombuffer(self._rest, np.uint8)
        for room, fill in chunks:
            if filled + room > buffer.memory.size:
                filled = self.push(filled)
                buffer.widen(filled + room)
            filled += fill(buffer.memory[filled:])
            ends.append(self._written + filled)
        self.push(filled)
        return ends

    def push(self, filled: int) -> int:
        """Write the whole pages of the buffer, move the rest to its beginning, and tell how much that is."""
        whole = filled // _PAGE * _PAGE
        memory = self._buffer.memory
        if whole:
            with self._opened() as file:
                self._buffer.write(file, whole, self._written)
            self._written += whole
            memory[: filled - whole] = memory[whole:filled]
        self._rest = memory[: filled - whole].tobytes()
        return filled - whole

    def end(self) -> None:
        """Write what is left."""
        size = self.size
        with self._opened() as file:
            if self._rest:
                self._buffer.memory[:_PAGE] = np.frombuffer(self._rest.ljust(_PAGE, b"\0"), np.uint8)
                self._buffer.write(file, _PAGE, self._written)
            file.truncate(size)
        self.close()

    def close(self) -> None:
        """Close the file, whether or not all was written."""
        if self._file is not None:
            self._file.close()
            self._file = None
            self._buffer.open -= 1

    @contextlib.contextmanager
    def _opened(self) -> Iterator[FileIO]:
        if self.direct and not self._buffer.direct:  # the disk has turned out to be slow
            self.close()
            self.direct = False
        if self._file is None and self._buffer.open < _OPEN:
            self._file = open_direct(self.path, "r+b", direct=self.direct)
            self._buffer.open += 1
        if self._file is not None:
            yield self._file
            return
        with open_direct(self.path, "r+b", direct=self.direct) as file:
            yield file


def chunks_of(content: Any) -> list[Chunk]:
    """Give bytes as chunks."""
    rest = np.frombuffer(content, np.uint8)
    pieces = (rest[start : start + _RAW] for start in range(0, rest.size, _RAW))
    return [(some.size, partial(_copied, some)) for some in pieces]


def _copied(some: Bytes, room: Bytes) -> int:
    room[: some.size] = some
    return some.size


class DirectWriter:
    """A new file that is written from beginning to end, in the buffer that the disk takes it from."""

    def __init__(self, path: Path) -> None:
        path.touch(exist_ok=False)
        self._buffer = AlignedBuffer()
        self._file = AppendFile(path, self._buffer)
        self._filled = 0

    def room(self, size: int) -> Bytes:
        """Give memory for so many bytes, to be filled from its beginning."""
        if self._filled + size > self._buffer.memory.size:
            self._filled = self._file.push(self._filled)
            self._buffer.widen(self._filled + size)
        return self._buffer.memory[self._filled : self._filled + size]

    def took(self, size: int) -> None:
        """Write as many bytes as were filled."""
        self._filled += size

    def end(self) -> None:
        """Write what is left."""
        self._filled = self._file.push(self._filled)
        self._file.end()

    def close(self) -> None:
        """Close the file, whether or not all was written."""
        self._file.close()


class DirectReader:
    """A file that is read once from its beginning."""

    def __init__(self, file: FileIO, buffer: AlignedBuffer) -> None:
        self._file, self._buffer, self._at = file, buffer, 0
        self._here: Bytes = buffer.memory[:0]

    def readinto(self, buffer: memoryview) -> int:
        """Fill a buffer, perhaps not all of it; nothing comes after the end."""
        if not self._here.size:
            self._here = self._buffer.read(self._file, self._at, self._at + _ROOM // 2)
            self._at += self._here.size
        some = self._here[: len(buffer)]
        buffer[: some.size] = some.data
        self._here = self._here[some.size :]
        return some.size


@contextlib.contextmanager
def direct_reader(path: Path) -> Iterator[DirectReader | Any]:
    """Open a file to read it once: with direct I/O, unless it is in the page cache already."""
    if _in_memory(path):
        with path.open("rb") as file:
            yield file
        return
    with open_direct(path, "rb") as file:
        yield DirectReader(file, AlignedBuffer())


def _in_memory(path: Path) -> bool:
    """Tell whether most of a file is in the page cache."""
    with path.open("rb") as file, contextlib.suppress(ValueError, OSError):  # an empty file cannot be mapped
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return resident_share(np.frombuffer(mapped, np.uint8)) > 0.5
    return True
