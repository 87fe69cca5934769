"""People who have several records in a class, and what they have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.kernels import below, call, of_kind


def first_of_each(codes: Positions, starts: NDArray[np.int64], vocabulary: int) -> NDArray[np.bool_]:
    """Tell which rows are the first with their code inside a group of rows that stand side by side."""
    of_kind(np.int32, codes)
    of_kind(np.int64, starts)
    below(vocabulary, codes)
    first = np.empty(codes.size, np.uint8)
    call("mark_first", codes, starts, starts.size - 1, np.full(vocabulary, -1, np.int64), first)
    return first.view(np.bool_)


def disjoint_people(persons: Positions, bins: Positions, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count people in each group no two of whom have a bin in common; pairs with a bin below 0 do not count.

    To find most of them is hard, so those who have the fewest bins are taken first, and of these the lowest number.
    Each pair of a person and a bin is listed once in a group.
    """
    of_kind(np.int32, persons, bins)
    of_kind(np.int64, starts)
    number, vocabulary = int(persons.max(initial=0)) + 1, int(bins.max(initial=0)) + 1
    below(number, persons)
    largest = int(np.diff(starts).max(initial=0))
    found = np.empty(starts.size - 1, np.int64)
    call(
        "disjoint_people", persons, bins, starts, found.size, np.full(vocabulary, -1, np.int64),
        np.full(number, -1, np.int32), np.zeros(number, np.int32), np.empty(largest, np.int32),
        np.empty(largest, np.uint64), found,
    )  # fmt: skip
    return found
