"""How diverse the values of a group are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Integers
from shoal.kernels import call, of_kind


@dataclass(frozen=True)
class Diversity:
    """Per group: its size, how many different values, the largest count, and those from the l-th on.

    ``logs`` is the sum of each count times its logarithm.
    """

    size: Integers
    distinct: Integers
    top: Integers
    tail: Integers
    logs: NDArray[np.float64]

    @property
    def entropy(self) -> NDArray[np.float64]:
        """The entropy of the values."""
        return np.log(self.size) - self.logs / self.size


def diversity(bins: NDArray[np.int32], starts: Integers, vocabulary: int, l: int) -> Diversity:
    """Count the values of each group. Records without a value (-1) are counted to the most frequent one."""
    of_kind(np.int32, bins)
    of_kind(np.int64, starts)
    size = np.diff(starts)
    distinct, top, tail = (np.empty(size.size, np.int64) for _ in range(3))
    logs = np.empty(size.size)
    counts = np.empty(int(size.max(initial=0)) + 1, np.int64)
    call(
        "diversity", bins, starts, size.size, l, np.zeros(max(vocabulary, 1), np.int64), counts,
        distinct, top, tail, logs,
    )  # fmt: skip
    return Diversity(size, distinct, top, tail, logs)
