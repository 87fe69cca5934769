"""Lists behind each other, and stretches of them that are small enough to be held at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.arrays import Integers

AT_ONCE = 1 << 22  # entries of lists that are held together


def stretches(sizes: Integers, most: int = AT_ONCE) -> Iterator[slice]:
    """Divide a row of lists into stretches with so many entries at most, or of one list.

    >>> list(stretches(np.array([2, 2, 5, 1]), 4))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    behind = np.cumsum(sizes)
    start = 0
    while start < sizes.size:
        done = int(behind[start - 1]) if start else 0
        end = max(int(np.searchsorted(behind, done + most, "right")), start + 1)
        yield slice(start, end)
        start = end


def spread(starts: Integers, sizes: Integers) -> Integers:
    """Give the places of the entries of lists, one list behind the other, that begin somewhere and have some length.

    >>> spread(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    behind = np.cumsum(sizes)
    return np.arange(int(behind[-1]) if behind.size else 0) + np.repeat(starts - behind + sizes, sizes)
