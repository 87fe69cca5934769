"""Distances between the distribution of a value inside a group and in the whole table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import compiled

Bins = NDArray[np.int32]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@compiled
def _area(level: int, size: int, n: int, first: int, stop: int, cumulative: Counts, areas: Counts) -> int:
    """Sum |level * n - size * cumulative| over the bins first..stop-1, in whole numbers.

    The cumulative counts ascend, so one binary search finds where the difference changes its sign; prefix sums do
    the rest.
    """
    if first >= stop:
        return 0
    target = level * n
    a, b = first, stop
    while a < b:
        mid = (a + b) // 2
        if size * cumulative[mid] <= target:
            a = mid + 1
        else:
            b = mid
    below = target * (a - first) - size * (areas[a] - areas[first])
    above = size * (areas[stop] - areas[a]) - target * (stop - a)
    return int(below + above)


@compiled
def ordered_distance(bins: Bins, starts: Counts, cumulative: Counts, areas: Counts) -> Floats:
    """Give the earth mover's distance of each group over ordered bins (Li et al., ordered distance).

    ``bins`` lists the bin of each record, group after group; ``cumulative[i]`` counts the table's records in bins
    0..i and ``areas`` is its running sum with a leading zero. The sums are whole numbers, so a distance that equals
    the wanted bound is not lost to rounding.
    """
    groups = starts.size - 1
    m = cumulative.size
    distance = np.zeros(groups)
    if m < 2:
        return distance
    n = cumulative[m - 1]
    for g in range(groups):
        size = starts[g + 1] - starts[g]
        members = np.sort(bins[starts[g] : starts[g + 1]])
        if np.float64(n) * size * m < 4e18:
            whole = _area(0, size, n, 0, members[0], cumulative, areas)
            for i in range(size):
                stop = members[i + 1] if i + 1 < size else m
                whole += _area(i + 1, size, n, members[i], stop, cumulative, areas)
            distance[g] = whole / (np.float64(n) * size * (m - 1))
        else:
            part = 0.0
            j = 0
            for i in range(m):
                while j < size and members[j] <= i:
                    j += 1
                part += abs(j / size - cumulative[i] / n)
            distance[g] = part / (m - 1)
    return distance


@compiled
def total_variation(bins: Bins, starts: Counts, counts: Counts) -> Floats:
    """Give the total variation distance of each group's categories from the table's."""
    groups = starts.size - 1
    n = counts.sum()
    distance = np.zeros(groups)
    here = np.zeros(counts.size, np.int64)
    for g in range(groups):
        size = starts[g + 1] - starts[g]
        for i in range(starts[g], starts[g + 1]):
            here[bins[i]] += 1
        excess = np.int64(0)
        for i in range(starts[g], starts[g + 1]):
            b = bins[i]
            if here[b] > 0:
                excess += max(here[b] * n - counts[b] * size, 0)
                here[b] = 0
        distance[g] = excess / (np.float64(n) * size)
    return distance
