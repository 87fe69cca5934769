"""Intersection of boxes: how many meet a box, counted no further than is asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Bits, Positions
from shoal.kernels import MISSING, TOP, call, of_kind
from shoal.kernels.hilbert_curve import MOST_AXES, bits_for, curve_keys
from shoal.kernels.radix import order_by_lengths

FEW, ENOUGH, UNSETTLED = range(3)
_FAMILY = 16


def count_meeting(lo: Positions, hi: Positions, sets: Bits, k: int, effort: int) -> NDArray[np.uint8]:
    """Say of each box whether ``FEW``, fewer than k, meet it, itself among them, or ``ENOUGH`` do.

    Two boxes meet if their ends overlap in every column and their sets, given as bits, have something in common in
    every column of sets. A box for which more than ``effort`` others or hulls of others would have to be looked at is
    ``UNSETTLED``.
    """
    of_kind(np.int32, lo, hi)
    of_kind(np.uint64, sets)
    n, m, q = *lo.shape, sets.shape[1]
    k = min(k, n + 1)  # more than there are is more than a kernel need count
    order = _alike_together(lo, hi)
    total = n
    level = n
    while level > _FAMILY:
        level = -(-level // _FAMILY)
        total += level
    low, high, among = np.empty((total, m), np.int32), np.empty((total, m), np.int32), np.empty((total, q), np.uint64)
    for all_levels, boxes in ((low, lo), (high, hi), (among, sets)):
        np.take(boxes, order, axis=0, out=all_levels[:n])
    call("span_families", n, m, q, low, high, among)
    ordered = np.empty(n, np.uint8)
    call("count_meeting", n, m, q, low, high, among, k, effort, ordered)
    verdicts = np.empty(n, np.uint8)
    verdicts[order] = ordered
    return verdicts


def _alike_together(lo: Positions, hi: Positions) -> Positions:
    """Give an order of boxes in which neighbours are alike: along a curve through their middles."""
    axes = min(lo.shape[1], MOST_AXES)
    middles = np.empty((lo.shape[0], axes), np.int32)
    for d in range(axes):
        inside = lo[:, d] != MISSING
        lowest = int(lo[:, d].min(initial=TOP, where=inside))
        highest = int(hi[:, d].max(initial=MISSING, where=inside))
        if lowest > highest:
            lowest = highest = 0
        middle = (lo[:, d].astype(np.int64) + hi[:, d]) >> 1
        middles[:, d] = np.clip(middle, lowest, highest)
    origin = middles.min(axis=0).astype(np.float64)
    scale = 2.0 ** bits_for(axes) / (middles.max(axis=0) - origin + 1)
    plain = np.full(axes, -1, np.int64)
    keys = curve_keys(middles, middles, np.arange(axes), origin, scale, np.empty(0), plain)
    return order_by_lengths(keys)
