"""Means of groups of numbers that depend on nothing but the numbers: not on their order, nor on other groups.

Sums are exact and rounded once. So the mean of equal numbers is that number, none lies outside its group, and of two
groups in which each number of one is at most its counterpart, the means are in the same order: ranges stay ranges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

_EXACT = 2.0**53  # whole numbers up to this are floats


def means(numbers: NDArray[Any], first: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[Any]:
    """Give the mean of each group of numbers, which lie group after group: floats, or the nearest whole numbers.

    >>> means(np.array([1.0, 2.0, 1e-300, 1e-300]), np.array([0, 2]), np.array([2, 2])).tolist()
    [1.5, 1e-300]
    """
    lowest, highest = np.minimum.reduceat(numbers, first), np.maximum.reduceat(numbers, first)
    if numbers.dtype == np.int64:
        return lowest + _wholes(numbers - np.repeat(lowest, size), first, size)
    largest = float(np.abs(numbers).max(initial=0.0)) * float(size.max(initial=0))
    if largest <= _EXACT and bool((np.rint(numbers) == numbers).all()):
        sums = np.add.reduceat(numbers, first) / size
    else:
        sums = np.array([_mean(group) for group in _groups(numbers, first)])
    clipped: NDArray[np.float64] = np.clip(sums, lowest, highest)
    return clipped


def _groups(numbers: NDArray[Any], first: NDArray[np.int64]) -> list[list[Any]]:
    listed, ends = numbers.tolist(), [*first[1:].tolist(), numbers.size]
    return [listed[begin:end] for begin, end in zip(first.tolist(), ends, strict=True)]


def _mean(numbers: Sequence[float]) -> float:
    try:
        return math.fsum(numbers) / len(numbers)
    except OverflowError:  # on the way, or because the sum is no float
        total = sum(map(Fraction, numbers))
    try:
        return float(total) / len(numbers)
    except OverflowError:
        return float(total / len(numbers))


def _wholes(above: NDArray[np.int64], first: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the means of numbers from 0 on as whole numbers, halves as the even one."""
    if float(above.max(initial=0)) * float(size.max(initial=0)) <= _EXACT:
        return np.rint(np.add.reduceat(above, first) / size).astype(np.int64)
    return np.array([round(Fraction(sum(group), len(group))) for group in _groups(above, first)], np.int64)
