"""Distances between the distribution of a value inside a group and in the whole table."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Integers, Positions
from shoal.kernels import call, of_kind


def ordered_distance(bins: Positions, starts: Integers, counts: Integers | int) -> Floats:
    """Give the earth mover's distance of each group over ordered bins (Li et al., ordered distance).

    ``bins`` lists the bin of each record, group after group; ``counts`` tells how many records of the table are in
    each bin, or how many bins there are that have one each.
    """
    of_kind(np.int32, bins)
    of_kind(np.int64, starts)
    cumulative = areas = None
    size = counts if isinstance(counts, int) else counts.size
    if not isinstance(counts, int):
        of_kind(np.int64, counts)
        cumulative = np.cumsum(counts)
        areas = np.concatenate([np.zeros(1, np.int64), np.cumsum(cumulative)])
    distance = np.empty(starts.size - 1)
    call("ordered_distance", bins.copy(), starts, distance.size, cumulative, areas, size, distance)
    return distance


def total_variation(bins: Positions, starts: Integers, counts: Integers) -> Floats:
    """Give the total variation distance of each group's categories from the table's."""
    of_kind(np.int32, bins)
    of_kind(np.int64, starts, counts)
    distance = np.empty(starts.size - 1)
    call("total_variation", bins, starts, distance.size, counts, counts.size, np.zeros(counts.size, np.int64), distance)
    return distance
