"""Stable sorting by radix: linear time, no comparisons, rows ride along in the low half of a packed key."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import compiled

_DIGIT = 11


@compiled
def sort_packed(packed: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Sort by the high 32 bits, keeping the order of equal ones; the argument serves as scratch space."""
    n = packed.size
    buckets = 1 << _DIGIT
    counts = np.zeros((3, buckets), np.int64)
    mask = np.uint64(buckets - 1)
    for i in range(n):
        key = packed[i]
        for digit in range(3):
            counts[digit, (key >> np.uint64(32 + _DIGIT * digit)) & mask] += 1
    source = packed
    target = np.empty_like(packed)
    for digit in range(3):
        shift = np.uint64(32 + _DIGIT * digit)
        if n == 0 or counts[digit, (source[0] >> shift) & mask] == n:
            continue  # all keys agree in this digit
        total = 0
        for b in range(buckets):
            here = counts[digit, b]
            counts[digit, b] = total
            total += here
        for i in range(n):
            key = source[i]
            bucket = (key >> shift) & mask
            target[counts[digit, bucket]] = key
            counts[digit, bucket] += 1
        source, target = target, source
    return source


@compiled
def order_by_integers(keys: NDArray[np.int32]) -> NDArray[np.int32]:
    """Give the stable ascending order of 32-bit integers."""
    n = keys.size
    packed = np.empty(n, np.uint64)
    for i in range(n):
        packed[i] = (np.uint64(np.int64(keys[i]) + np.int64(2147483648)) << np.uint64(32)) | np.uint64(i)
    ordered = sort_packed(packed)
    order = np.empty(n, np.int32)
    for i in range(n):
        order[i] = np.int32(ordered[i] & np.uint64(0xFFFFFFFF))
    return order


@compiled
def order_by_lengths(keys: NDArray[np.float64]) -> NDArray[np.int32]:
    """Give the stable ascending order of non-negative finite floats.

    The 32 leading bits of the occupied range are sorted by radix; the few rows that agree in all of them are put
    right with a stable sort of their full keys.
    """
    n = keys.size
    order = np.empty(n, np.int32)
    if n == 0:
        return order
    bits = keys.view(np.uint64)
    low = bits[0]
    high = bits[0]
    for i in range(n):
        low = min(low, bits[i])
        high = max(high, bits[i])
    shift = np.uint64(0)
    while ((high - low) >> shift) >= np.uint64(4294967296):
        shift += np.uint64(1)
    packed = np.empty(n, np.uint64)
    for i in range(n):
        packed[i] = (((bits[i] - low) >> shift) << np.uint64(32)) | np.uint64(i)
    ordered = sort_packed(packed)
    for i in range(n):
        order[i] = np.int32(ordered[i] & np.uint64(0xFFFFFFFF))
    if shift == np.uint64(0):
        return order
    start = 0
    while start < n:
        stop = start + 1
        head = ordered[start] >> np.uint64(32)
        while stop < n and (ordered[stop] >> np.uint64(32)) == head:
            stop += 1
        if stop - start > 1:
            run = order[start:stop]
            if stop - start <= 32:
                for i in range(1, run.size):
                    row = run[i]
                    key = bits[row]
                    j = i - 1
                    while j >= 0 and bits[run[j]] > key:
                        run[j + 1] = run[j]
                        j -= 1
                    run[j + 1] = row
            else:
                order[start:stop] = run[np.argsort(keys[run], kind="mergesort")]
        start = stop
    return order
