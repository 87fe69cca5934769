"""Classes at the nodes of a lattice of levels: of a coarser node from those of a finer one, never from rows."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from shoal.arrays import Bits, Bytes, Flags, Integers, Positions
from shoal.errors import InternalError
from shoal.kernels import call, of_kind

_WORD = 63  # bits of a word that are used
_WORDS = 8


@dataclass(frozen=True, eq=False)
class Fields:
    """Where the number of each column's value lies in a key: its word, and its bits there."""

    word: Integers
    shift: Integers
    width: Integers

    @classmethod
    def of(cls, values: Sequence[int]) -> Fields:
        """Give every column a field that is wide enough for so many values, in as few words as they come to."""
        widths = [max(int(number - 1).bit_length(), 1) for number in values]
        words, shifts, filled = [], [], [0]
        for width in widths:
            if filled[-1] + width > _WORD:
                filled.append(0)
            words.append(len(filled) - 1)
            shifts.append(filled[-1])
            filled[-1] += width
        if len(filled) > _WORDS:
            raise InternalError("Keys of that many columns are too long.")
        return cls(np.array(words, np.int64), np.array(shifts, np.int64), np.array(widths, np.int64))

    @property
    def words(self) -> int:
        """How many words a key has."""
        return int(self.word.max(initial=0)) + 1

    def packed(self, codes: Sequence[Positions]) -> Bits:
        """Make keys of the numbers of values, column by column."""
        keys = np.zeros((codes[0].size, self.words), np.uint64)
        for word, shift, column in zip(self.word.tolist(), self.shift.tolist(), codes, strict=True):
            keys[:, word] |= column.astype(np.uint64) << np.uint64(shift)
        return keys

    def unpacked(self, keys: Bits, column: int) -> Positions:
        """Give the number of a column's value in each key."""
        word, shift, width = (int(each[column]) for each in (self.word, self.shift, self.width))
        return (keys[:, word] >> np.uint64(shift) & np.uint64((1 << width) - 1)).astype(np.int32)


@dataclass(frozen=True, eq=False)
class Tuples:
    """Different keys, and how many records have each."""

    keys: Bits
    counts: Integers

    @property
    def size(self) -> int:
        """How many there are."""
        return int(self.counts.size)

    def in_order(self) -> Tuples:
        """Give them in ascending order, added up where they are equal."""
        order = np.lexsort(self.keys.T[::-1])
        keys, counts = self.keys[order], self.counts[order]
        first = np.flatnonzero(np.append(True, (keys[1:] != keys[:-1]).any(axis=1))[: keys.shape[0]])
        if first.size == counts.size:
            return Tuples(np.ascontiguousarray(keys), counts)
        return Tuples(np.ascontiguousarray(keys[first]), np.add.reduceat(counts, first))


class Workspace:
    """Memory for rolling up, which is used again and again. What is rolled up is copied out of it."""

    def __init__(self, most: int, words: int) -> None:
        self.bits = max(4, int(2 * most).bit_length())
        self.slots = np.empty(1 << self.bits, np.int32)
        self._keys, self._sums = np.empty((most, words), np.uint64), np.empty(most, np.int64)

    def roll_up(
        self, tuples: Tuples, fields: Fields, columns: Sequence[int], above: Sequence[Positions], *, label: bool = False
    ) -> tuple[Tuples, Positions | None]:
        """Replace the values of some columns by those above them; also gives which class each key went to, if asked."""
        of_kind(np.uint64, tuples.keys)
        of_kind(np.int64, tuples.counts)
        if tuples.size > self._sums.size or tuples.keys.shape[1] != self._keys.shape[1]:
            raise InternalError("More was to be rolled up than there is room for.")
        from_, steps = _listed(above)
        at = np.array(columns, np.int64)
        labels = np.empty(tuples.size, np.int32) if label else None
        found: int = call(
            "roll_up", tuples.keys, tuples.counts, tuples.size, tuples.keys.shape[1], len(columns), fields.word[at],
            fields.shift[at], fields.width[at], from_, steps, self.bits, self.slots, self._keys, self._sums, labels,
            result=ctypes.c_int64,
        )  # fmt: skip
        return Tuples(self._keys[:found].copy(), self._sums[:found].copy()), labels


def _listed(above: Sequence[Positions]) -> tuple[Integers, Positions]:
    of_kind(np.int32, *above)
    sizes = np.array([0, *(each.size for each in above)], np.int64)
    return np.cumsum(sizes)[:-1], np.concatenate([np.zeros(0, np.int32), *above])


@dataclass(frozen=True, eq=False)
class Outliers:
    """What classes come to.

    Attributes
    ----------
    records
        Records in classes that are not kept.
    kept
        Classes that are.
    squares, all_squares
        The squares of the sizes of classes that are kept, and of all.
    """

    records: int
    kept: int
    squares: int
    all_squares: int
    _counted: Callable[[], tuple[Integers, ...]] = field(repr=False)

    @cached_property
    def by_value(self) -> tuple[Integers, ...]:
        """For each column, the records that are not kept by their value; counted when they are asked for."""
        return self._counted()


def count_outliers(
    tuples: Tuples, fields: Fields, values: Sequence[int], k: int, broken: Bytes | Flags | None = None
) -> Outliers:
    """Count what is in classes of fewer than k records, or is marked as broken, also by the values of columns."""
    of_kind(np.uint64, tuples.keys)
    of_kind(np.int64, tuples.counts)
    marks = None if broken is None else np.ascontiguousarray(broken).view(np.uint8)
    d = len(values)
    from_ = np.cumsum([0, *values]).astype(np.int64)

    def counted(by_value: Integers | None) -> Integers:
        found = np.zeros(4, np.int64)
        call(
            "count_outliers", tuples.keys, tuples.counts, tuples.size, tuples.keys.shape[1], marks, k, d,
            fields.word[:d], fields.shift[:d], fields.width[:d], from_[:-1].copy(), by_value, found,
        )  # fmt: skip
        return found

    def by_value() -> tuple[Integers, ...]:
        here = np.zeros(int(from_[-1]), np.int64)
        counted(here)
        return tuple(np.split(here, from_[1:-1]))

    outliers, kept, squares, every = counted(None).tolist()
    return Outliers(outliers, kept, squares, every, by_value)


@dataclass(frozen=True, eq=False)
class WholeLattice:
    """What every node of a lattice comes to, in the order of their levels, the last column's changing fastest.

    ``weights`` has for each column the weights of the records that are not kept.
    """

    outliers: Integers
    classes: Integers
    squares: Integers
    weights: Integers


def walk_lattice(
    tuples: Tuples, fields: Fields, steps: Sequence[Sequence[Positions]], weights: Sequence[Sequence[Integers]], k: int
) -> WholeLattice:
    """Look at all nodes. ``steps`` has for each column what is above the values of each level but the last one.

    The column whose first step joins most is the outermost: it leaves least for all others to do.
    """
    d = len(weights)
    heights = np.array([len(levels) for levels in weights], np.int64)
    strides = np.append(np.cumprod(heights[::-1])[::-1][1:], 1).astype(np.int64)
    order = np.argsort([-_joins(levels) for levels in weights], kind="stable")
    stride = int(heights.max())
    sizes = [[each.size for each in weights[j]] for j in order.tolist()]
    from_ = np.zeros((d, stride), np.int64)
    total = 0
    above: list[Positions] = []
    for c, j in enumerate(order.tolist()):
        for level, size in enumerate(sizes[c]):
            from_[c, level] = total
            step = steps[j][level] if level + 1 < heights[j] else np.zeros(size, np.int32)
            above.append(np.ascontiguousarray(step, np.int32))
            total += size
    nodes, words, n = int(heights.prod()), tuples.keys.shape[1], tuples.size
    bits = max(4, int(2 * n).bit_length())
    found = WholeLattice(
        np.empty(nodes, np.int64), np.empty(nodes, np.int64), np.empty(nodes, np.int64), np.empty((nodes, d), np.int64)
    )
    call(
        "walk_lattice", tuples.keys, tuples.counts, n, words, k, d, fields.word[order], fields.shift[order],
        fields.width[order], heights[order] - 1, strides[order], from_, stride, np.concatenate(above),
        np.concatenate([level for j in order.tolist() for level in weights[j]]).astype(np.int64),
        bits, np.empty(1 << bits, np.int32), np.empty(d * n * words, np.uint64), np.empty(d * n, np.int64),
        np.empty(d, np.int64), np.empty(d, np.int64), np.empty(d, np.int64), nodes, found.outliers, found.classes,
        found.squares, found.weights, result=ctypes.c_int64,
    )  # fmt: skip
    back = np.empty(d, np.int64)
    back[order] = np.arange(d)
    return WholeLattice(found.outliers, found.classes, found.squares, np.ascontiguousarray(found.weights[:, back]))


def _joins(levels: Sequence[Integers]) -> float:
    """Say how many values of a column become one in its first step."""
    return levels[0].size / levels[1].size if len(levels) > 1 else 1.0


def find_keys(keys: Bits, among: Bits) -> Positions:
    """Give the place of each key among others, which are in ascending order, or -1."""
    of_kind(np.uint64, keys, among)
    places = np.empty(keys.shape[0], np.int32)
    call("find_keys", keys, keys.shape[0], keys.shape[1], among, among.shape[0], places)
    return places
