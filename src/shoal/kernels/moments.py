"""Means and deviations that do not depend on how the rows are divided: exact sums, put together at the end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Offsets, Positions
from shoal.kernels import MISSING, TOP, call, of_kind

# Distinct spans by their two ends, and how often each occurs.
SpanCounts = tuple[Positions, Positions, NDArray[np.int64]]


@dataclass(frozen=True)
class PartialMoments:
    """What some rows add to the moments of each column.

    Columns of plain numbers have whole sums: of both ends of each span, and of the square of that. Columns whose
    positions stand for other numbers have their distinct spans, counted.
    """

    count: tuple[int, ...]
    total: tuple[int, ...]
    squares: tuple[int, ...]
    lowest: Positions
    highest: Positions
    listed: dict[int, SpanCounts]


def partial_moments(lo: Positions, hi: Positions, offsets: Offsets) -> PartialMoments:
    """Add up the cells of each column that have a value; missing cells and wildcards do not count.

    ``offsets`` is -1 where the position is the number.
    """
    of_kind(np.int32, lo, hi)
    n, m = lo.shape
    count, total = np.empty(m, np.int64), np.empty(m, np.uint64)
    squares = np.empty((2, m), np.uint64)
    lowest, highest = np.empty(m, np.int32), np.empty(m, np.int32)
    call("sums", lo, hi, n, m, count, total, squares[0], squares[1], np.empty(m, np.uint64), lowest, highest)
    counts, low, exact = count.tolist(), lowest.astype(object), hi is lo
    # The kernel counts from the lowest value of each column; spans count twice, once with each end.
    above = [int(total[j]) for j in range(m)]
    square = [int(squares[0, j]) + (int(squares[1, j]) << 64) for j in range(m)]
    ends = 1 if exact else 2
    whole = [above[j] + counts[j] * ends * low[j] if counts[j] else 0 for j in range(m)]
    both = [
        square[j] + 2 * ends * low[j] * above[j] + counts[j] * (ends * low[j]) ** 2 if counts[j] else 0
        for j in range(m)
    ]
    scale = 2 // ends
    listed = {j: _pairs(lo[:, j], hi[:, j], exact=exact) for j in np.flatnonzero(offsets >= 0).tolist()}
    return PartialMoments(
        tuple(counts), tuple(scale * t for t in whole), tuple(scale * scale * s for s in both), lowest, highest, listed
    )


def _pairs(lo: Positions, hi: Positions, *, exact: bool) -> SpanCounts:
    present = lo != MISSING
    if exact:
        counts = np.bincount(lo[present])
        values = np.flatnonzero(counts).astype(np.int32)
        return values, values, counts[values].astype(np.int64)
    packed, counts = np.unique(lo[present].astype(np.int64) << 32 | hi[present], return_counts=True)
    return (packed >> 32).astype(np.int32), (packed & 0xFFFFFFFF).astype(np.int32), counts.astype(np.int64)


def moments(
    parts: Sequence[PartialMoments], table: Floats, offsets: Offsets
) -> tuple[Offsets, Floats, Floats, Positions, Positions]:
    """Give per column the number of cells with a value, their mean and sample deviation, lowest and highest end.

    A generalized cell counts with the middle of its span. ``offsets`` says where the numbers behind a column's
    positions begin in ``table``; -1 means that the position is the number.
    """
    columns = range(len(parts[0].count))
    count = [sum(part.count[j] for part in parts) for j in columns]
    lowest = np.minimum.reduce([part.lowest for part in parts], initial=np.int32(TOP))
    highest = np.maximum.reduce([part.highest for part in parts], initial=np.int32(MISSING))
    mean, deviation = np.zeros(len(columns)), np.zeros(len(columns))
    for j in columns:
        n = count[j]
        if n == 0:
            continue
        if offsets[j] >= 0:
            lo, hi, times = _together([part.listed[j] for part in parts])
            numbers = (table[offsets[j] + lo] + table[offsets[j] + hi]) / 2
            mean[j] = math.fsum((numbers * times).tolist()) / n
            square = math.fsum(((numbers - mean[j]) ** 2 * times).tolist()) / max(n - 1, 1)
        else:
            total, squares = sum(part.total[j] for part in parts), sum(part.squares[j] for part in parts)
            mean[j] = total / (2 * n)
            square = (n * squares - total * total) / (4 * n * max(n - 1, 1))
        # One value has no deviation, whatever the rounding of its mean.
        deviation[j] = math.sqrt(square) if n > 1 and lowest[j] != highest[j] else 0.0
    return np.array(count, np.int64), mean, deviation, lowest, highest


def _together(parts: Sequence[SpanCounts]) -> SpanCounts:
    if len(parts) == 1:
        return parts[0]
    lo, hi, times = (np.concatenate([part[i] for part in parts]) for i in range(3))
    packed, places = np.unique(lo.astype(np.int64) << 32 | hi, return_inverse=True)
    counts = np.zeros(packed.size, np.int64)
    np.add.at(counts, places.reshape(-1), times)
    return (packed >> 32).astype(np.int32), (packed & 0xFFFFFFFF).astype(np.int32), counts
