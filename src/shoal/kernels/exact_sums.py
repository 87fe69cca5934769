"""Exact sums of columns of numbers, and of the products of each two, which no order of records changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Integers
from shoal.kernels import call, of_kind

DIGITS = 48  # binary ones that are kept of each number


def exact_sums(
    rows: Floats, middle: Floats, unit: Floats, *, together: bool
) -> tuple[Integers, NDArray[Any], NDArray[Any]]:
    """Give how many numbers each column has, their sums, and those of their products, as whole numbers.

    A number counts as the whole one that is nearest to its distance from the middle in units, at most 2 to the power of
    48. ``together`` leaves out rows in which a number lacks (NaN); else products are those of each column with itself.
    """
    of_kind(np.float64, rows, middle, unit)
    n, m = rows.shape
    count, total, products = np.zeros(m, np.int64), np.zeros((m, 2), np.uint64), np.zeros((m, m, 2), np.uint64)
    held = np.ascontiguousarray(rows)
    call("exact_sums", held, n, m, middle, unit, int(together), np.empty(m, np.int64), count, total, products)
    lower = _whole(products)
    return count, _whole(total), lower + np.tril(lower, -1).T


def _whole(halves: NDArray[np.uint64]) -> NDArray[Any]:
    found: NDArray[Any] = halves[..., 1].astype(np.int64).astype(object) * 2**64 + halves[..., 0].astype(object)
    return found
