"""Columns of parts as files: positions and codes in as few bytes as they need, other numbers as they are in memory."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.io.direct_io import AlignedBuffer, AppendFile, chunks_of, open_direct
from shoal.kernels.bit_packing import pack, room_for, unpack, unpack_some

_CELLS = 1 << 20  # that are packed at once
_RAW = 1 << 22  # bytes that are read at once
_LARGE = 1 << 20  # bytes for which a file is looked for that has pages already
_IDLE = 256  # files that are kept though nobody needs them


@dataclass(frozen=True)
class ColumnFile:
    """A column of a part: its file, the type of its numbers, and its shape.

    If it is packed, ``blocks`` tells where each block of rows begins and the last ends: in the column, and in the file.
    """

    path: Path
    kind: np.dtype[Any]
    shape: tuple[int, ...]
    blocks: NDArray[np.int64]
    buffer: AlignedBuffer
    direct: bool

    @property
    def size(self) -> int:
        """How many bytes it takes in memory."""
        return self.kind.itemsize * math.prod(self.shape)

    def read(self) -> NDArray[Any]:
        """Give the numbers, as a copy: the file may be written over as soon as nobody refers to the part."""
        found = np.empty(self.shape, self.kind)
        if not found.size:
            return found
        with open_direct(self.path, "rb", direct=self.direct) as file:
            if _is_packed(self.kind, self.shape):
                self._unpack(file, found.reshape(len(found), -1))
            else:
                content = found.reshape(-1).view(np.uint8)
                for start in range(0, content.size, _RAW):
                    some = content[start : start + _RAW]
                    some[:] = self.buffer.read(file, start, start + some.size)
        return found

    def _unpack(self, file: FileIO, found: NDArray[Any]) -> None:
        rows, places = self.blocks
        first = 0
        while first < rows.size - 1:
            stop = max(int(np.searchsorted(places, places[first] + _RAW, "right")) - 1, first + 1)
            packed = self.buffer.read(file, int(places[first]), int(places[stop]))
            for block in range(first, stop):
                size, _ = unpack(packed, found[rows[block] : rows[block + 1]])
                packed = packed[size:]
            first = stop

    def take(self, rows: NDArray[np.int32]) -> NDArray[Any]:
        """Give a few rows, by their ascending numbers, without reading the others."""
        found = np.empty((rows.size, *self.shape[1:]), self.kind)
        if not found.size:
            return found
        if not _is_packed(self.kind, self.shape):
            return self.read()[rows]
        with open_direct(self.path, "rb", direct=self.direct) as file:
            cuts, columns = np.searchsorted(rows, self.blocks[0]), math.prod(self.shape[1:])
            for block in np.flatnonzero(np.diff(cuts)).tolist():
                (first, _), places = self.blocks[:, block : block + 2].tolist()
                here = found[cuts[block] : cuts[block + 1]]
                some = rows[cuts[block] : cuts[block + 1]] - np.int32(first)
                here[:] = unpack_some(self.buffer.read(file, *places), some, columns).reshape(here.shape)
        return found


class Drafts:
    """Columns that are written to a folder, each perhaps a few rows at a time.

    A file that nobody needs any more is written over: a place on the disk, which would have to be found for a new one,
    is then there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._buffer = AlignedBuffer()
        self._made = 0
        self._idle: dict[Path, None] = {}

    def begin(self, column: NDArray[Any], pieces: int) -> Draft:
        """Give a file for about so many such pieces of a column, without any of its rows."""
        small = column.nbytes * pieces < _LARGE
        if self._idle and not small:
            path = self._idle.popitem()[0]
        else:
            self._made += 1
            path = self._folder / str(self._made)
            path.touch(exist_ok=False)
        return Draft(AppendFile(path, self._buffer, small=small), self._buffer, column.dtype, column.shape[1:])

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

    def __init__(self, file: AppendFile, buffer: AlignedBuffer, kind: np.dtype[Any], row: tuple[int, ...]) -> None:
        self.path = file.path
        self._file, self._buffer = file, buffer
        self._kind, self._row = kind, row
        self._rows = 0
        self._blocks = [(0, 0)]

    def add(self, column: NDArray[Any]) -> None:
        """Put rows behind those that are there."""
        if column.size and not _is_packed(column.dtype, column.shape):
            self._file.add(chunks_of(np.ascontiguousarray(column)))
        elif column.size:
            cells = np.ascontiguousarray(column).reshape(len(column), -1)
            rows = min(max(_CELLS // cells.shape[1], 1), len(cells))
            blocks = [cells[start : start + rows] for start in range(0, len(cells), rows)]
            ends = self._file.add((room_for(*block.shape), partial(pack, block)) for block in blocks)
            self._blocks += zip(self._rows + np.cumsum([len(block) for block in blocks]), ends, strict=True)
        self._rows += len(column)

    def drop(self) -> None:
        """Write no more."""
        self._file.close()

    def done(self) -> ColumnFile:
        """Give the column, now that all of its rows are there."""
        self._file.end()
        shape, blocks = (self._rows, *self._row), np.array(self._blocks, np.int64).T
        return ColumnFile(self.path, self._kind, shape, blocks, self._buffer, self._file.direct)


def _is_packed(kind: np.dtype[Any], shape: tuple[int, ...]) -> bool:
    return kind == np.int32 and len(shape) <= 2
