"""Kernels that are handed the records of one group after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Array, Floats
from shoal.engines.protocol import GroupKernel
from shoal.kernels.grouping import by_label


def map_groups(labels: Array, kernel: GroupKernel, columns: Sequence[Array], width: int) -> Floats:
    """Give each record the row of numbers that a kernel finds for it among those of its group, in their order."""
    names, places = np.unique(labels, return_inverse=True)
    order, starts = by_label(places.reshape(-1).astype(np.int32), names.size)
    found = np.empty((labels.size, width))
    for number, name in enumerate(names.tolist()):
        rows = order[starts[number] : starts[number + 1]]
        found[rows] = kernel(name, [column[rows] for column in columns])
    return found
