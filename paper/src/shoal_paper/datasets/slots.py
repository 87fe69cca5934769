"""Distributions as tables of slots: a power of two of places, filled with values in proportion to their weights.

A few random bits then choose a place. Only integers and single, correctly rounded floating-point operations are used,
so that the tables are the same on every machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Integers

Reals = NDArray[np.float64]
Slots = NDArray[Any]

LOG_TWO, LOG_THREE_QUARTERS = 0.6931471805599453, -0.2876820724517809


def totals(cells: NDArray[Any], axis: int) -> NDArray[Any]:
    """Add up one after the other: the order of a plain sum is up to the machine. Keeps the axis, with one cell."""
    return np.add.accumulate(cells, axis=axis).take([-1], axis=axis)


def whole(shares: NDArray[Any], total: int) -> Integers:
    """Round each row of shares to integers with a given sum, by the largest remainders; the first of equals wins."""
    exact = shares * (total / totals(shares, 1).astype(np.float64))
    out = np.floor(exact).astype(np.int64)
    order = np.argsort(out - exact, axis=1, kind="stable")
    ranks = np.argsort(order, axis=1, kind="stable")
    rounded: Integers = out + (ranks < total - out.sum(axis=1, keepdims=True))
    return rounded


def slots(shares: Any, bits: int, kind: Any = np.uint8) -> Slots:
    """Fill 2**bits places for each row of shares with the numbers of its columns; rows follow each other."""
    weights = whole(np.atleast_2d(np.asarray(shares)), 1 << bits)
    numbers = np.tile(np.arange(weights.shape[1], dtype=kind), len(weights))
    return np.repeat(numbers, weights.reshape(-1))


def stretches(shares: Reals, bits: int, kind: Any = np.uint16) -> Slots:
    """Fill slots as `slots` does, but end each value's stretch at the nearest place: many small shares stay together.

    Rounding each share by itself would leave out all that are below half a place.
    """
    ends = np.add.accumulate(shares, axis=1)
    ends = np.floor(ends * ((1 << bits) / ends[:, -1:]) + 0.5).astype(np.int64)
    weights = np.diff(ends, axis=1, prepend=0)
    return np.repeat(np.tile(np.arange(shares.shape[1], dtype=kind), len(shares)), weights.reshape(-1))


def scaled(cells: Reals, margin: Reals, axis: int) -> Reals:
    """Scale a table so that its totals along an axis are the given ones; where nothing is, nothing comes."""
    found = totals(cells, axis)
    margin = np.broadcast_to(margin, found.shape)
    out: Reals = cells * np.divide(margin, found, out=np.zeros_like(found), where=found > 0)
    return out


def power(base: Reals, exponent: float) -> Reals:
    """Raise positive numbers to a power, the same on every machine."""
    return exponential(exponent * logarithm(base))


def exponential(x: Reals) -> Reals:
    """Give e to the power of each number: a short series for its 4096th part, squared twelve times."""
    small = x / 4096
    grown = 1 + small * (1 + small * (0.5 + small * (1 / 6)))
    for _ in range(12):
        grown = grown * grown
    return grown


def logarithm(x: Reals) -> Reals:
    """Give the natural logarithm: of the power of two exactly, of the rest by a series that ends at 1e-16."""
    rest, twos = np.frexp(x)
    y = (rest - 0.75) / (rest + 0.75)  # at most 1/5
    square, term, out = y * y, y, np.zeros_like(y)
    for odd in range(1, 25, 2):
        out = out + term / odd
        term = term * square
    return 2 * out + LOG_THREE_QUARTERS + twos * LOG_TWO
