"""Combinations of labels that people have, how many have each, and labels to remove so that rare ones are gone.

Who has which labels is given as everyone's labels one behind the other, ascending and each once, from offsets on.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Flags, Integers, Offsets, Positions
from shoal.kernels import TOP, Int32, below, call, of_kind
from shoal.kernels.grouping import by_label, count_labels, starts_of

_AT_ONCE = 1 << 22  # combinations that are given together, unless more with one first label are found


@dataclass(frozen=True, eq=False)
class Holders:
    """Who has which labels, ready for counting.

    Parameters
    ----------
    offsets, labels
        Everyone's labels: person ``u`` has ``labels[offsets[u]:offsets[u + 1]]``, ascending and each once.
    vocabulary
        How many labels there are.
    """

    offsets: Offsets
    labels: Positions
    vocabulary: int

    def __post_init__(self) -> None:
        """Refuse what the kernels would stumble over."""
        of_kind(np.int64, self.offsets)
        of_kind(np.int32, self.labels)
        below(self.vocabulary, self.labels)

    @property
    def people(self) -> int:
        """How many people there are, those who have nothing included."""
        return self.offsets.size - 1

    @cached_property
    def lengths(self) -> Integers:
        """How many labels each person has."""
        return np.diff(self.offsets)

    @property
    def longest(self) -> int:
        """How many labels somebody has at most: no combination has more."""
        return int(self.lengths.max(initial=0))

    @cached_property
    def people_of(self) -> Integers:
        """How many people have each label."""
        return count_labels(self.labels, self.vocabulary)

    @cached_property
    def persons(self) -> Positions:
        """Whose each of the labels is."""
        return np.repeat(np.arange(self.people, dtype=np.int32), self.lengths)

    @cached_property
    def _ended(self) -> tuple[Positions, Positions]:
        """The labels with -1 behind those of each person, and whose each place is."""
        places = np.arange(self.labels.size) + self.persons
        points = np.full(self.labels.size + self.people, -1, np.int32)
        points[places] = self.labels
        return points, np.repeat(np.arange(self.people, dtype=np.int32), self.lengths + 1)

    @cached_property
    def _index(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places behind each label, label after label, and where those of each begin."""
        order, starts = by_label(self.labels, self.vocabulary)
        return (order + self.persons[order].astype(np.int64) + 1).astype(np.int64), starts

    @cached_property
    def _behind(self) -> Integers:
        """How many labels follow in each place, of the same person."""
        return np.repeat(self.offsets[1:], self.lengths) - np.arange(self.labels.size) - 1

    def effort(self, size: int) -> int:
        """Count the combinations of a size that people have, each as often as it is had."""
        lengths, times = np.unique(self.lengths, return_counts=True)
        return sum(comb(n, size) * many for n, many in zip(lengths.tolist(), times.tolist(), strict=True))

    def _bounds(self, size: int) -> NDArray[np.float64]:
        """Give how many combinations at most begin with each label."""
        behind = np.bincount(self._behind)
        ways = np.array([comb(n, size - 1) for n in range(behind.size)], np.float64)
        return np.bincount(self.labels, ways[self._behind], self.vocabulary).astype(np.float64)

    def combinations(
        self, size: int, fewer: int = TOP, only: Flags | None = None
    ) -> Iterator[tuple[Positions, Positions]]:
        """Give the combinations of a size that fewer people have than so many, and how many have each, in batches.

        Labels ascend in each. Those with the same first label are in one batch; ``only`` tells which that may be.
        """
        if size == 1:
            wanted = (self.people_of > 0) & (self.people_of < fewer)
            had = np.flatnonzero(wanted if only is None else wanted & only).astype(np.int32)
            yield had[:, None], self.people_of[had].astype(np.int32)
            return
        yield from self._found(size, fewer, None, only)

    def having(self, size: int, fewer: int) -> Iterator[tuple[Positions, Positions]]:
        """Give the same combinations once for each person who has one, and who that is, in batches."""
        if size == 1:
            rare = (self.people_of < fewer)[self.labels]
            yield self.labels[rare][:, None], self.persons[rare]
            return
        yield from self._found(size, fewer, self._ended[1])

    def _found(
        self, size: int, fewer: int, owners: Positions | None, only: Flags | None = None
    ) -> Iterator[tuple[Positions, Positions]]:
        if self.longest < size:
            return
        bounds, (index, starts) = self._bounds(size), self._index
        if only is not None:
            bounds[~only] = 0
            index = index[np.repeat(only, np.diff(starts))]
            starts = starts_of(np.where(only, np.diff(starts), 0))
        width = int(np.bincount(self.labels, self._behind, self.vocabulary).max())
        levels = size - 1
        counts = np.zeros(levels * self.vocabulary, np.int32)
        touched = np.empty_like(counts)
        slots = np.empty(levels * self.vocabulary, np.int64)
        lists = np.empty(max(levels - 1, 0) * width, np.int64)
        prefix = np.empty(size, np.int32)
        first = 0
        while first < self.vocabulary:
            ahead = np.cumsum(bounds[first:])
            last = first + max(1, int(np.searchsorted(ahead, _AT_ONCE, side="right")))
            room = min(int(ahead[last - first - 1]), _AT_ONCE)
            while room:  # one label may have more, of which few are rare: they are counted first
                rows, people = np.empty((room, size), np.int32), np.empty(room, np.int32)
                found = call(
                    "find_combinations", self._ended[0], owners, index, starts, first, last, self.vocabulary, width,
                    Int32(size), Int32(min(fewer, TOP)), counts, touched, prefix, slots, lists, rows, people, room,
                    result=ctypes.c_int64,
                )  # fmt: skip
                if found <= room:
                    yield rows[:found], people[:found]
                    break
                room = found
            first = last

    def relabelled(self, other: Positions, vocabulary: int) -> Holders:
        """Give everyone another label in the place of each, or none where that is below zero."""
        of_kind(np.int32, other)
        below(vocabulary, other[other >= 0])
        offsets, labels = np.empty_like(self.offsets), np.empty_like(self.labels)
        call("relabel_traces", self.offsets, self.labels, self.people, other, offsets, labels)
        return Holders(offsets, labels[: offsets[-1]].copy(), vocabulary)

    def without(self, who: Positions, which: Positions) -> Holders:
        """Take labels from people who have them."""
        gone = np.isin(self._keys(self.persons, self.labels), self._keys(who, which))
        lost = np.bincount(self.persons[gone], minlength=self.people)
        offsets = np.append(0, np.cumsum(self.lengths - lost))
        return Holders(offsets, self.labels[~gone], self.vocabulary)

    def _keys(self, persons: Positions, labels: Positions) -> NDArray[np.int64]:
        return persons.astype(np.int64) * self.vocabulary + labels

    def to_remove(self, rows: Positions, persons: Positions) -> tuple[Positions, Positions]:
        """Choose the labels that people are to lose so that none has one of these combinations: who loses which.

        Everyone loses the label first that is in most of the combinations, the least of several.
        """
        order, starts = by_label(persons, self.people)
        mine = np.ascontiguousarray(rows[order])
        who, which = (np.empty(self.labels.size, np.int32) for _ in range(2))
        counts, touched = np.zeros(self.vocabulary, np.int32), np.empty(self.vocabulary, np.int32)
        removed = call(
            "choose_removed", mine, Int32(rows.shape[1]), starts, self.people, counts, touched, who, which,
            result=ctypes.c_int64,
        )  # fmt: skip
        return who[:removed], which[:removed]
