"""Rows with equal cells, found by hashing and confirmed cell by cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import compiled
from shoal.kernels.radix import sort_packed

Positions = NDArray[np.int32]


@compiled
def _mix(state: np.uint64, value: np.uint64) -> np.uint64:
    state = (state ^ value) * np.uint64(0x9E3779B97F4A7C15)
    return state ^ (state >> np.uint64(29))


@compiled
def _same(lo: Positions, hi: Positions, columns: NDArray[np.int64], a: int | np.int64, b: int | np.int64) -> bool:
    for j in columns:
        if lo[a, j] != lo[b, j] or hi[a, j] != hi[b, j]:
            return False
    return True


@compiled
def label_rows(lo: Positions, hi: Positions, columns: NDArray[np.int64]) -> tuple[Positions, int]:
    """Number the distinct rows of a pair of matrices over some columns, exactly.

    Returns the number of each row and how many numbers there are. Rows are sorted by a 32-bit hash; inside a run
    of equal hashes every row is compared with the representatives found so far, so a collision costs time, never
    correctness.
    """
    n = lo.shape[0]
    packed = np.empty(n, np.uint64)
    for i in range(n):
        state = np.uint64(0x243F6A8885A308D3)
        for j in columns:
            cell = (np.uint64(np.uint32(lo[i, j])) << np.uint64(32)) | np.uint64(np.uint32(hi[i, j]))
            state = _mix(state, cell)
        packed[i] = ((state >> np.uint64(32)) << np.uint64(32)) | np.uint64(i)
    ordered = sort_packed(packed)
    labels = np.empty(n, np.int32)
    found = 0
    start = 0
    while start < n:
        head = ordered[start] >> np.uint64(32)
        stop = start
        first = found
        while stop < n and (ordered[stop] >> np.uint64(32)) == head:
            row = np.int64(ordered[stop] & np.uint64(0xFFFFFFFF))
            label = -1
            # The rows that opened a number within this run are kept at the front of the run itself.
            for k in range(found - first):
                other = np.int64(ordered[start + k] & np.uint64(0xFFFFFFFF))
                if _same(lo, hi, columns, row, other):
                    label = first + k
                    break
            if label < 0:
                label = found
                seat = start + (found - first)
                ordered[stop], ordered[seat] = ordered[seat], ordered[stop]
                found += 1
            labels[row] = label
            stop += 1
        start = stop
    return labels, found


@compiled
def count_labels(labels: Positions, groups: int) -> NDArray[np.int64]:
    """Count the rows of each group."""
    sizes = np.zeros(groups, np.int64)
    for label in labels:
        sizes[label] += 1
    return sizes


@compiled
def order_by_label(labels: Positions, sizes: NDArray[np.int64]) -> Positions:
    """Give the rows group after group, in their own order inside a group."""
    seats = np.empty(sizes.size, np.int64)
    total = 0
    for g in range(sizes.size):
        seats[g] = total
        total += sizes[g]
    order = np.empty(labels.size, np.int32)
    for row in range(labels.size):
        label = labels[row]
        order[seats[label]] = row
        seats[label] += 1
    return order


@compiled
def count_distinct(codes: Positions, starts: NDArray[np.int64], vocabulary: int) -> NDArray[np.int64]:
    """Count the different codes inside each group of rows that stand side by side."""
    groups = starts.size - 1
    seen = np.full(vocabulary, -1, np.int64)
    distinct = np.zeros(groups, np.int64)
    for g in range(groups):
        for i in range(starts[g], starts[g + 1]):
            if seen[codes[i]] != g:
                seen[codes[i]] = g
                distinct[g] += 1
    return distinct
