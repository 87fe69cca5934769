"""Columns of parts as files: positions and codes in as few bytes as they need, other numbers as they are in memory."""

from __future__ import annotations

import math
import mmap
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.engines.writing import write_all
from shoal.kernels.narrow import pack, room_for, unpack

_CELLS = 1 << 16  # that are packed at once: few enough to stay near the processor


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
        """Give the numbers: those that are not packed where the system keeps them, without a copy."""
        if 0 in self.shape:
            return np.empty(self.shape, self.kind)
        with self.path.open("rb") as file:
            held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if not _is_packed(self.kind, self.shape):
            return np.frombuffer(held, self.kind).reshape(self.shape)
        packed, found = np.frombuffer(held, np.uint8), np.empty(self.shape, np.int32)
        rest = found.reshape(len(found), -1)
        while len(rest):
            size, rows = unpack(packed, rest)
            packed, rest = packed[size:], rest[rows:]
        return found


def write(path: Path, column: NDArray[Any], mode: Literal["xb", "ab"]) -> None:
    """Write a column to a new file, or behind what a file has."""
    with path.open(mode, buffering=0) as file:
        if not column.size:
            return
        if not _is_packed(column.dtype, column.shape):
            write_all(file, np.ascontiguousarray(column).data.cast("B"))
            return
        cells = np.ascontiguousarray(column).reshape(len(column), -1)
        columns = cells.shape[1]
        rows = min(max(_CELLS // columns, 1), len(cells))
        packed = np.empty(room_for(rows, columns), np.uint8)
        for start in range(0, len(cells), rows):
            size = pack(cells[start : start + rows], packed)
            write_all(file, packed[:size].data)


def _is_packed(kind: np.dtype[Any], shape: tuple[int, ...]) -> bool:
    return kind == np.int32 and len(shape) <= 2
