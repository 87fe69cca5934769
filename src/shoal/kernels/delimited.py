"""Delimited text to numbers: one pass over the bytes, whole numbers parsed in place, other cells interned.

A column is read in one of three modes: ``SKIP``, ``NUMBER`` (canonical 32-bit integers or empty) or ``TEXT`` (each
distinct cell is stored once and the column holds its code). A number column in which another cell turns up is
reported, and the caller reads it again as text.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Integers, Positions
from shoal.kernels import Int32, call, of_kind

SKIP, NUMBER, TEXT = 0, 1, 2
DONE, MORE_ROWS, MORE_WORDS, RAGGED, OPEN_QUOTE, LONG_CELL, BLANK = 0, 1, 2, 3, 4, 5, 6


# Of this process: who knew it could make a file whose texts all share a slot, and which would take forever.
_KEY = np.frombuffer(os.urandom(16), np.uint64)


def _empty_slots() -> Positions:
    return np.full(1 << 12, -1, np.int32)


@dataclass
class InternTable:
    """The distinct texts of a file: a hash table, the texts one behind the other, and what is known of each.

    ``known`` holds per text its column, place in ``heap``, length, code and first line. ``state`` holds the number of
    texts, the filled part of the heap and, behind, the number of codes of each column, and the text that each had last.
    ``key`` is that of the hash: nothing that is found depends on it.
    """

    columns: int
    slots: Positions = field(default_factory=_empty_slots)
    known: Integers = field(default_factory=lambda: np.empty((1 << 11, 5), np.int64))
    heap: NDArray[np.uint8] = field(default_factory=lambda: np.empty(1 << 16, np.uint8))
    key: NDArray[np.uint64] = field(default_factory=lambda: _KEY)
    state: Integers = field(init=False)

    def __post_init__(self) -> None:
        """Begin with no texts."""
        self.state = np.zeros(2 + 2 * self.columns, np.int64)

    def grow(self, needed: int) -> None:
        """Make room for twice as many texts, and for one of a certain length."""
        self.heap = np.concatenate([self.heap, np.empty(self.heap.size + needed, np.uint8)])
        self.known = np.concatenate([self.known, np.empty((self.known.shape[0] + self.columns, 5), np.int64)])
        self.slots = np.full(1 << (2 * self.known.shape[0]).bit_length(), -1, np.int32)
        call("rehash", self.slots, self.slots.size, self.known, int(self.state[0]), self.heap, self.key)


@dataclass
class RowParser:
    """Where rows go: the columns of two matrices. A target counted down from -1 is a column of the second."""

    modes: Positions
    targets: Positions
    cells: Positions
    others: Positions
    words: InternTable
    irregular: Integers
    scratch: NDArray[np.uint8]
    row: int = 0
    line: int = 1

    def read(self, buffer: NDArray[np.uint8], start: int, stop: int, delimiter: str) -> tuple[int, int, int]:
        """Read the whole rows of ``buffer[start:stop]``, whose last byte is a line feed.

        Returns what stopped the reading, where, and a detail; ``row`` and ``line`` move on.
        """
        of_kind(np.uint8, buffer, self.words.heap, self.scratch)
        of_kind(np.int32, self.modes, self.targets, self.cells, self.others, self.words.slots)
        where = np.array([DONE, start, self.row, self.line, 0], np.int64)
        words = self.words
        call(
            "read_rows", buffer, start, stop, Int32(ord(delimiter)), self.modes, self.targets, self.modes.size,
            self.cells, self.cells.shape[1], self.others, self.others.shape[1], self.cells.shape[0],
            words.slots, words.slots.size, words.known, words.known.shape[0], words.heap, words.heap.size, words.state,
            words.key, self.irregular, self.scratch, self.scratch.size, where,
        )  # fmt: skip
        status, place, self.row, self.line, detail = where.tolist()
        return status, place, detail
