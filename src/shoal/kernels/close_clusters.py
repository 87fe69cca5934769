"""t-closeness through microaggregation: k-anonymity first, and t-closeness first."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.kernels import below, call, of_kind
from shoal.kernels.microaggregation import Points, room, tree_nodes
from shoal.kernels.swapping import Spread

FEW, WORDS = 256, 32  # as in close_clusters.c


def k_anonymity_first(points: Points, spread: Spread, k: int) -> tuple[Positions, int]:
    """Form classes of k by MDAV and exchange records for farther ones until t holds; tell how many there are.

    Some classes, mostly the last, may miss t.
    """
    n, m = points.checked()
    of_kind(np.int32, spread.bins)
    of_kind(np.int64, spread.counts)
    below(spread.counts.size, spread.bins)
    labels = np.empty(n, np.int32)
    scratch = np.empty(6 * k + 2), np.empty(k, np.int32), np.empty(2 * max(FEW, k))
    classes = call(
        "k_anonymity_first", points.cells, n, m, points.numbers, points.weights, points.offsets,
        np.arange(n, dtype=np.int32), spread.bins, *spread.tables(), spread.counts.size, k, np.array([spread.t]),
        *room(points, n), *scratch, labels, result=ctypes.c_int64,
    )  # fmt: skip
    return labels, classes


def t_closeness_first(points: Points, sizes: NDArray[np.int64], classes: int) -> Positions:
    """Form so many classes by MDAV that take one record from each stratum, and one more while a stratum has too many.

    Points are sorted by stratum; each has at least as many as there are classes, and all together fewer than one more
    for each class.
    """
    n, m = points.checked()
    of_kind(np.int64, sizes)
    starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
    nodes = np.array([tree_nodes(int(size)) for size in sizes], np.int64)
    floats_at, integers_at = (np.append(0, np.cumsum(each)) for each in ((32 * nodes + 2) * m, 32 * nodes + 2 * sizes))
    labels = np.empty(n, np.int32)
    call(
        "t_closeness_first", points.cells, n, m, points.numbers, points.weights, points.offsets,
        np.arange(n, dtype=np.int32), starts, sizes.size, classes, *room(points, n),
        np.empty(WORDS * sizes.size, np.int64), np.empty(int(floats_at[-1]), np.float32), floats_at,
        np.empty(int(integers_at[-1]), np.int32), integers_at, labels, result=ctypes.c_int64,
    )  # fmt: skip
    return labels
