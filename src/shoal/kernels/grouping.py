"""Rows with equal cells, found by hashing and confirmed cell by cell."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.kernels import TOP, below, call, of_kind


def label_rows(lo: Positions, hi: Positions, columns: NDArray[np.int64]) -> tuple[Positions, int]:
    """Number the distinct rows of a pair of matrices over some columns, exactly, in the order in which they come.

    Returns the number of each row and how many numbers there are.
    """
    of_kind(np.int32, lo, hi)
    of_kind(np.int64, columns)
    n, m = lo.shape
    labels = np.empty(n, np.int32)
    slots = np.empty(2 * n + 1, np.uint64)
    groups = call("label_rows", lo, hi, n, m, columns, columns.size, slots, slots.size, labels, result=ctypes.c_int64)
    return labels, groups


def mix_rows(lo: Positions, hi: Positions, columns: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Give one number for the cells of each row in some columns: equal cells, equal numbers."""
    of_kind(np.int32, lo, hi)
    of_kind(np.int64, columns)
    n, m = lo.shape
    bits = np.empty(n, np.uint64)
    call("mix_rows", lo, hi, n, m, columns, columns.size, bits)
    return bits


def numbered(keys: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Give the distinct numbers in ascending order, and the place of each number among them.

    Whole numbers that lie close together, as codes and ages do, are ticked off on a list instead of sorted.
    """
    if keys.size and np.issubdtype(keys.dtype, np.integer):
        low, high = int(keys.min()), int(keys.max())
        if high - low < 4 * keys.size + 1_000_000:
            from_low = keys.astype(np.int64) - low
            ticked = np.zeros(high - low + 1, np.int64)
            ticked[from_low] = 1
            values = np.flatnonzero(ticked)
            ticked[values] = np.arange(values.size)
            return values + low, ticked[from_low]
    values, places = np.unique(keys, return_inverse=True)
    return values, places.reshape(-1)


def distinct(keys: NDArray[Any]) -> NDArray[Any]:
    """Give the distinct numbers in ascending order.

    They are sorted: of millions of numbers that differ, that takes a hundredth of the time in which NumPy hashes them.

    >>> distinct(np.array([3, 1, 3, 2])).tolist()
    [1, 2, 3]
    """
    ordered = np.sort(keys, axis=None)
    new = np.ones(ordered.size, bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]


def places_among(values: NDArray[Any], keys: NDArray[Any]) -> NDArray[np.int64]:
    """Give the place of each whole number among distinct ones in ascending order, of which it must be one.

    Where these lie close together, as the places on an axis do, each is looked up on a list of all between them.

    >>> places_among(np.array([2, 3, 7]), np.array([7, 7, 2])).tolist()
    [2, 2, 0]
    """
    if not values.size or int(values[-1]) - int(values[0]) >= 4 * values.size + 1_000_000:
        return np.searchsorted(values, keys)
    first = int(values[0])
    table = np.zeros(int(values[-1]) - first + 1, np.int64)
    table[values.astype(np.int64) - first] = np.arange(values.size)
    found: NDArray[np.int64] = table[keys.astype(np.int64) - first]
    return found


def count_labels(labels: Positions, groups: int, weights: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Count the rows of each group, each as often as it weighs."""
    of_kind(np.int32, labels)
    below(groups, labels)
    if weights is not None:
        of_kind(np.int64, weights)
    sizes = np.zeros(groups, np.int64)
    call("count_labels", labels, labels.size, weights, sizes)
    return sizes


def common_positions(labels: Positions, positions: Positions, groups: int) -> Positions:
    """Give the position that all rows of each group have in common, and `MISSING` where they have none."""
    of_kind(np.int32, labels, positions)
    below(groups, labels)
    found = np.full(groups, TOP, np.int32)
    call("common_positions", labels, positions, labels.size, found)
    return found


def starts_of(sizes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Give where groups of these sizes begin that stand one behind the other, and where the last one ends."""
    starts = np.zeros(sizes.size + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def by_label(labels: Positions, groups: int) -> tuple[Positions, NDArray[np.int64]]:
    """Give the rows group after group, in their own order inside a group, and where each group begins and all end."""
    starts = starts_of(count_labels(labels, groups))
    order = np.empty(labels.size, np.int32)
    call("order_by_label", labels, labels.size, starts[:-1].copy(), order)
    return order, starts


def count_distinct(codes: Positions, starts: NDArray[np.int64], vocabulary: int) -> NDArray[np.int64]:
    """Count the different codes inside each group of rows that stand side by side."""
    of_kind(np.int32, codes)
    of_kind(np.int64, starts)
    distinct = np.empty(starts.size - 1, np.int64)
    call("count_distinct", codes, starts, distinct.size, np.full(vocabulary, -1, np.int64), distinct)
    return distinct


def gather_rows(cells: Positions, rows: Positions) -> Positions:
    """Copy some rows of a matrix, in a given order."""
    of_kind(np.int32, cells, rows)
    below(cells.shape[0], rows)
    out = np.empty((rows.size, cells.shape[1]), np.int32)
    call("gather_rows", cells, cells.shape[1], rows, rows.size, out)
    return out
