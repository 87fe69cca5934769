"""Stable sorting by radix: linear time, no comparisons."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import below, call, of_kind


def order_by_integers(keys: NDArray[np.int32]) -> NDArray[np.int32]:
    """Give the stable ascending order of 32-bit integers."""
    of_kind(np.int32, keys)
    n = keys.size
    order = np.empty(n, np.int32)
    call("order_by_integers", keys, n, np.empty(n, np.uint64), np.empty(n, np.uint64), order)
    return order


def order_by_lengths(keys: NDArray[np.float64]) -> NDArray[np.int32]:
    """Give the stable ascending order of floats that are not negative, or of any keys by their bits."""
    of_kind(np.float64, keys)
    n = keys.size
    order = np.empty(n, np.int32)
    scratch = np.empty(n // 2 + 1, np.int32)
    call("order_by_lengths", keys, n, np.empty(n, np.uint64), np.empty(n, np.uint64), order, scratch)
    return order


def order_by_keys(keys: Sequence[NDArray[Any]]) -> NDArray[np.int32] | None:
    """Give the stable order by several keys, the first of which matters most; None: rows are in order already."""
    order: NDArray[np.int32] | None = None
    for key in reversed(keys):  # the least important first, each sort keeping the order of the last one
        if key.dtype != np.float64 and (key == key[:1]).all():
            continue
        here = key if order is None else key[order]
        step = order_by_lengths(here) if here.dtype == np.float64 else order_by_integers(here)
        order = step if order is None else order[step]
    return order


def places_in(order: NDArray[np.int32]) -> NDArray[np.int32]:
    """Give the place of each row in an order."""
    of_kind(np.int32, order)
    places = np.empty(order.size, np.int32)
    call("places_in", order, order.size, places)
    return places


def put_at(rows: NDArray[np.int32], numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Put each number where its row says; every row must occur once."""
    of_kind(np.int32, rows, numbers)
    below(rows.size, rows)
    out = np.empty(rows.size, np.int32)
    call("put_at", rows, rows.size, numbers, out)
    return out


def count_splits(keys: NDArray[np.uint64], splits: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Count the ascending splits up to each key; give the rows whose key is one of them, too."""
    of_kind(np.uint64, keys, splits)
    found, alike = np.empty(keys.size, np.int32), np.empty(keys.size, np.int32)
    size = call("count_splits", keys, keys.size, splits, splits.size, found, alike, result=ctypes.c_int64)
    return found, alike[:size].copy()


def runs_in(order: NDArray[np.int32], size: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number rows in an order by runs of one size, and say where each begins; the last takes what is left over."""
    of_kind(np.int32, order)
    runs = max(order.size // size, 1)
    numbers = np.empty(order.size, np.int32)
    call("runs_in", order, order.size, size, runs, numbers)
    starts = np.arange(runs + 1) * size
    starts[-1] = order.size
    return numbers, starts
