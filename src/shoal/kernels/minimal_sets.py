"""The smallest sets of columns that do something for each of many records."""

from __future__ import annotations

import ctypes

import numpy as np

from shoal.arrays import Integers, Positions
from shoal.errors import InternalError
from shoal.kernels import below, call, of_kind

MOST = 62  # columns: a set of them is the bits of a number above 0


class MinimalSets:
    """Sets of columns that were found for records, none of which holds another of the same record.

    A set must come after all that are inside it.

    >>> found = MinimalSets(3)
    >>> found.add(np.array([0, 2], np.int32), 0b001)
    >>> found.add(np.array([0, 1], np.int32), 0b011)
    >>> [side.tolist() for side in found.all()]
    [[0, 2, 1], [1, 1, 3]]
    """

    def __init__(self, records: int) -> None:
        """Begin with nothing, for records with numbers from 0 on."""
        self._heads = np.full(records, -1, np.int32)
        self._before, self._owners, self._sets = np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int64)
        self._used = 0

    def add(self, records: Positions, columns: int) -> None:
        """Add a set of columns, as bits, to those of the records that have none inside it."""
        of_kind(np.int32, records)
        below(self._heads.size, records)
        if not 0 < columns < 1 << MOST:
            raise InternalError("A set of columns does not fit into a number.")
        if self._used + records.size > self._sets.size:
            room = max(2 * self._sets.size, self._used + records.size)
            self._before, self._owners, self._sets = (
                np.concatenate([held[: self._used], np.empty(room - self._used, held.dtype)])
                for held in (self._before, self._owners, self._sets)
            )
        self._used = call(
            "add_minimal", records, records.size, columns, self._used, self._heads, self._before, self._owners,
            self._sets, result=ctypes.c_int64,
        )  # fmt: skip

    def all(self) -> tuple[Positions, Integers]:
        """Give the record of each set, and the set."""
        return self._owners[: self._used].copy(), self._sets[: self._used].copy()
