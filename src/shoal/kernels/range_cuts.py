"""The optimal univariate partition for ranges: where ascending numbers are best cut into classes."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Positions
from shoal.kernels import call, of_kind


def cut_for_ranges(values: Floats, k: int) -> tuple[Floats, Positions]:
    """Cut ascending numbers into classes of at least k that lose least: each as far as its class reaches from it.

    Gives what the numbers before each place cost, infinity where they cannot be divided, and where the last of their
    classes begins.
    """
    of_kind(np.float64, values)
    sums = np.concatenate([np.zeros(1), np.cumsum(values)])
    best, begins = np.empty(values.size + 1), np.empty(values.size + 1, np.int32)
    call("cut_for_ranges", values, values.size, k, sums, best, begins)
    return best, begins


def classes_before(begins: Positions, place: int) -> Positions:
    """Number the classes of the values before a place, of which it is known where each last one begins."""
    cuts = []
    while place > 0:
        cuts.append(place)
        place = int(begins[place])
    sizes = np.diff(np.array([0, *reversed(cuts)]))
    return np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)
