"""Standardized distances, hulls of groups, and the information loss of Eq. 3-4."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import MISSING, TOP, compiled

Positions = NDArray[np.int32]
Floats = NDArray[np.float64]
Offsets = NDArray[np.int64]


@compiled
def _coordinate(position: int, column: int, table: Floats, offsets: Offsets) -> float:
    """Give the number behind a position: itself on a plain axis, looked up on a listed one."""
    if offsets[column] < 0:
        return np.float64(position)
    return float(table[offsets[column] + position])


@compiled
def moments(
    lo: Positions, hi: Positions, table: Floats, offsets: Offsets
) -> tuple[Offsets, Floats, Floats, Positions, Positions]:
    """Give per column the number of cells with a value, their mean and sample deviation, lowest and highest end.

    A generalized cell counts with the middle of its span; missing cells and wildcards do not count.
    """
    n, m = lo.shape
    count = np.zeros(m, np.int64)
    mean = np.zeros(m)
    deviation = np.zeros(m)
    lowest = np.full(m, TOP, np.int32)
    highest = np.full(m, MISSING, np.int32)
    for i in range(n):
        for j in range(m):
            if lo[i, j] != MISSING:
                count[j] += 1
                a = _coordinate(lo[i, j], j, table, offsets)
                b = _coordinate(hi[i, j], j, table, offsets)
                mean[j] += a if a == b else (a + b) / 2
                lowest[j] = min(lowest[j], lo[i, j])
                highest[j] = max(highest[j], hi[i, j])
    for j in range(m):
        if count[j] > 0:
            mean[j] /= count[j]
    for i in range(n):
        for j in range(m):
            if lo[i, j] != MISSING:
                a = _coordinate(lo[i, j], j, table, offsets)
                b = _coordinate(hi[i, j], j, table, offsets)
                d = (a if a == b else (a + b) / 2) - mean[j]
                deviation[j] += d * d
    for j in range(m):
        deviation[j] = np.sqrt(deviation[j] / (count[j] - 1)) if count[j] > 1 else 0.0
    return count, mean, deviation, lowest, highest


@compiled
def lengths(lo: Positions, hi: Positions, deviation: Floats, table: Floats, offsets: Offsets) -> Floats:
    """Give the standardized distance of each row from the all-zero record (Eq. 2).

    Cells without a value and attributes that do not vary contribute nothing.
    """
    n, m = lo.shape
    length = np.empty(n)
    for i in range(n):
        total = 0.0
        for j in range(m):
            if lo[i, j] != MISSING and deviation[j] > 0:
                a = _coordinate(lo[i, j], j, table, offsets)
                if hi[i, j] != lo[i, j]:
                    a = (a + _coordinate(hi[i, j], j, table, offsets)) / 2
                d = a / deviation[j]
                total += d * d
        length[i] = np.sqrt(total)
    return length


@compiled
def gaps(lo: Positions, hi: Positions) -> NDArray[np.int32]:
    """Number the pattern of missing cells of each row; rows without any have number 0."""
    n, m = lo.shape
    pattern = np.zeros(n, np.int32)
    for i in range(n):
        state = np.uint32(0)
        for j in range(m):
            if lo[i, j] == MISSING:
                state = (state ^ np.uint32(j + 1)) * np.uint32(2654435761) + np.uint32(hi[i, j] == MISSING)
        pattern[i] = np.int32(state & np.uint32(0x7FFFFFFF))
    return pattern


@compiled
def hulls(lo: Positions, hi: Positions, labels: Positions, groups: int) -> tuple[Positions, Positions]:
    """Give the smallest span around the cells of each group; ``*`` where missing and present cells mix."""
    n, m = lo.shape
    low = np.full((groups, m), TOP, np.int32)
    high = np.full((groups, m), MISSING, np.int32)
    for i in range(n):
        g = labels[i]
        for j in range(m):
            low[g, j] = min(low[g, j], lo[i, j])
            high[g, j] = max(high[g, j], hi[i, j])
    for g in range(groups):
        for j in range(m):
            if low[g, j] == MISSING and high[g, j] != MISSING:
                high[g, j] = TOP
    return low, high


@compiled
def bitsets(codes: Positions, labels: Positions, groups: int) -> NDArray[np.int64]:
    """Give the set of codes below 62 that occur in each group, as bits."""
    sets = np.zeros(groups, np.int64)
    for i in range(codes.size):
        if codes[i] != MISSING:
            sets[labels[i]] |= np.int64(1) << np.int64(codes[i])
    return sets


@compiled
def loss(
    lo: Positions,
    hi: Positions,
    low: Positions,
    high: Positions,
    index: Positions,
    deviation: Floats,
    lowest: Positions,
    highest: Positions,
    table: Floats,
    offsets: Offsets,
) -> Floats:
    """Give the distance between each record and its published form (Eq. 2 and 4), summed; then each attribute's own.

    ``low`` and ``high`` are published spans and ``index`` says which of them a row has (empty: its own). The
    farthest end of the span stands for the cell; wildcards, and cells that lost or gained a value, take the limits
    of the attribute's domain.
    """
    n, m = lo.shape
    direct = index.size == 0
    sums = np.zeros(m + 1)
    for i in range(n):
        g = i if direct else index[i]
        total = 0.0
        for j in range(m):
            if deviation[j] == 0:
                continue
            a, b = lo[i, j], hi[i, j]
            p, q = low[g, j], high[g, j]
            if (a == p and b == q and a == b) or (a == MISSING and p == MISSING and b == q):
                continue
            if p == MISSING:
                p, q = lowest[j], highest[j]
            if a == MISSING:
                a, b = lowest[j], highest[j]
            d = max(
                _coordinate(q, j, table, offsets) - _coordinate(a, j, table, offsets),
                _coordinate(b, j, table, offsets) - _coordinate(p, j, table, offsets),
            )
            d = max(d, 0.0) / deviation[j]
            total += d * d
            sums[j + 1] += d
        sums[0] += np.sqrt(total)
    return sums


@compiled
def uncovered(lo: Positions, hi: Positions, low: Positions, high: Positions, index: Positions) -> int:
    """Count the cells that lie outside the span published for them."""
    n, m = lo.shape
    direct = index.size == 0
    count = 0
    for i in range(n):
        g = i if direct else index[i]
        for j in range(m):
            star = low[g, j] == MISSING and high[g, j] == TOP
            if not star and (lo[i, j] < low[g, j] or hi[i, j] > high[g, j]):
                count += 1
    return count
