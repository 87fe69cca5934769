"""The optimal univariate partition for ranges: neighbours, cut at the places that lose least."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Labels
from shoal.engines.values import Spans
from shoal.kernels import MISSING
from shoal.kernels.partition import number_by_first
from shoal.kernels.range_cuts import classes_before, cut_for_ranges
from shoal.methods.partitioning.metric_points import numbers_behind

PATIENCE = 1 << 28  # pairs of a place and a class that ends there; beyond, it takes too long


def can_be_cut(rows: Spans, k: int) -> bool:
    """Tell whether there is one attribute, with exact cells, and not too much to do."""
    n, columns = rows.lo.shape
    exact = rows.hi is rows.lo or bool((rows.hi == rows.lo).all())
    return columns == 1 and exact and n * k <= PATIENCE


def best_cut(rows: Spans, k: int) -> Labels:
    """Give the class of each row: there are no others, each with k of them in a row, that lose less (Eq. 3).

    Missing cells are a class of their own. If they are fewer than k some neighbours join them, where all together lose
    least; the others are cut as if these were not there.
    """
    gone = rows.lo[:, 0] == MISSING
    there, missing = np.flatnonzero(~gone), int(gone.sum())
    labels = np.zeros(gone.size, np.int32)
    lacking = max(k - missing, 0) if missing else 0  # how many must join the missing ones
    if there.size < k:
        return labels
    numbers = numbers_behind(rows, rows.lo[there], 0)[:, 0]
    sorts = np.argsort(numbers, kind="stable")
    order, values = there[sorts], numbers[sorts] - numbers.min()
    best, begins = cut_for_ranges(values, k)
    if lacking == 0:
        labels[order] = classes_before(begins, values.size) + np.int32(missing > 0)
        return labels
    behind, ends = cut_for_ranges(np.ascontiguousarray(values[-1] - values[::-1]), k)
    hidden = np.concatenate([np.zeros(1), np.cumsum(np.maximum(values, values[-1] - values))])
    # From k more on, those who join could be a class of their own.
    windows = [_window(best, behind, hidden, size) for size in range(lacking, min(lacking + k, values.size + 1))]
    _, at, stop = min(windows)
    labels[order[:at]] = 1 + classes_before(begins, at)
    labels[order[stop:]] = 1 + at + classes_before(ends, values.size - stop)[::-1]
    number_by_first(labels, 2 * labels.size + 2)
    return labels


def _window(best: Floats, behind: Floats, hidden: Floats, size: int) -> tuple[float, int, int]:
    """Find so many neighbours who join the missing ones and all others lose least; gives the loss, and both ends."""
    last = best.size - 1 - size
    costs = best[: last + 1] + hidden[size:] - hidden[: last + 1] + behind[last::-1]
    at = int(np.argmin(costs))
    return float(costs[at]), at, at + size
