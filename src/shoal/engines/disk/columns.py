"""Columns of parts as files: positions and codes in as few bytes as they need, other numbers as they are in memory."""

from __future__ import annotations

import contextlib
import math
import mmap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.writing import write_all
from shoal.kernels.narrow import extent, pack, room_for, unpack

_CELLS = 1 << 19  # that are packed at once: few enough to stay near the processor
_LARGE = 1 << 20  # bytes for which a file is looked for that has pages already
_IDLE = 256  # files that are kept though nobody needs them


@dataclass(frozen=True)
class Column:
    """A column of a part: its file, the type of its numbers, and its shape."""

    path: Path
    kind: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many bytes it takes in memory."""
        return self.kind.itemsize * math.prod(self.shape)

    def read(self) -> NDArray[Any]:
        """Give the numbers, as a copy: the file may be written over as soon as nobody refers to the part."""
        if 0 in self.shape:
            return np.empty(self.shape, self.kind)
        if not _is_packed(self.kind, self.shape):
            return np.fromfile(self.path, self.kind).reshape(self.shape)
        packed, found = self._mapped(np.dtype(np.uint8)), np.empty(self.shape, np.int32)
        rest = found.reshape(len(found), -1)
        while len(rest):
            size, rows = unpack(packed, rest)
            packed, rest = packed[size:], rest[rows:]
        return found

    def take(self, rows: NDArray[np.int32]) -> NDArray[Any]:
        """Give a few rows, by their ascending numbers, without reading the others."""
        found = np.empty((rows.size, *self.shape[1:]), self.kind)
        if not found.size:
            return found
        if not _is_packed(self.kind, self.shape):
            found[:] = self._mapped(self.kind).reshape(self.shape)[rows]
            return found
        packed, first, filled = self._mapped(np.dtype(np.uint8)), 0, 0
        while filled < rows.size:
            size, number = extent(packed)
            here = rows[filled : np.searchsorted(rows, first + number)]
            if here.size:
                some = np.empty((number, *self.shape[1:]), np.int32)
                unpack(packed, some.reshape(number, -1))
                found[filled : filled + here.size] = some[here - first]
            packed, first, filled = packed[size:], first + number, filled + here.size
        return found

    def _mapped(self, kind: np.dtype[Any]) -> NDArray[Any]:
        """Give what is in the file where the system keeps it, for as long as it is not written over."""
        with self.path.open("rb") as file:
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), kind)


class Drafts:
    """Columns that are written to a folder, each perhaps a few rows at a time.

    A file that nobody needs any more is written over: the system then has pages for what is written, which it would
    have to find, and a virtual machine to fetch, for a new one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = 0
        self._idle: dict[Path, None] = {}

    def begin(self, column: NDArray[Any], pieces: int) -> Draft:
        """Give a file for about so many such pieces of a column, without any of its rows."""
        if column.nbytes * pieces >= _LARGE and self._idle:
            return Draft(self._idle.popitem()[0], column.dtype, column.shape[1:])
        self._made += 1
        path = self._folder / str(self._made)
        path.touch(exist_ok=False)
        return Draft(path, column.dtype, column.shape[1:])

    def let_go(self, paths: Iterable[Path]) -> None:
        """Take files back that nobody needs; small ones are removed, and those that are too many."""
        for path in paths:
            with contextlib.suppress(OSError):  # the folder may be gone
                if path.stat().st_size >= _LARGE and len(self._idle) < _IDLE:
                    self._idle[path] = None
                else:
                    path.unlink()


class Draft:
    """A column that is being written."""

    def __init__(self, path: Path, kind: np.dtype[Any], row: tuple[int, ...]) -> None:
        self.path = path
        self._kind, self._row = kind, row
        self._rows = self._bytes = 0

    def add(self, column: NDArray[Any]) -> None:
        """Put rows behind those that are there."""
        self._rows += len(column)
        if not column.size:
            return
        with self.path.open("r+b", buffering=0) as file:
            file.seek(self._bytes)
            if _is_packed(column.dtype, column.shape):
                _write_packed(file, column)
            else:
                write_all(file, np.ascontiguousarray(column).data.cast("B"))
            self._bytes = file.tell()

    def done(self) -> Column:
        """Give the column, now that all of its rows are there."""
        with self.path.open("r+b", buffering=0) as file:
            file.truncate(self._bytes)
        return Column(self.path, self._kind, (self._rows, *self._row))


def _write_packed(file: Any, column: NDArray[Any]) -> None:
    cells = np.ascontiguousarray(column).reshape(len(column), -1)
    columns = cells.shape[1]
    rows = min(max(_CELLS // columns, 1), len(cells))
    packed = np.empty(room_for(rows, columns), np.uint8)
    for start in range(0, len(cells), rows):
        size = pack(cells[start : start + rows], packed)
        write_all(file, packed[:size].data)


def _is_packed(kind: np.dtype[Any], shape: tuple[int, ...]) -> bool:
    return kind == np.int32 and len(shape) <= 2
