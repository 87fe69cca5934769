"""Standardized distances, hulls of groups, and the information loss of Eq. 3-4."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Offsets, Positions
from shoal.kernels import MISSING, Int32, call, of_kind

# The rows group after group, and where each group begins among them and the last one ends.
Members = tuple[Positions, Offsets]


def lengths(lo: Positions, hi: Positions, deviation: Floats, table: Floats, offsets: Offsets) -> Floats:
    """Give the standardized distance of each row from the all-zero record (Eq. 2).

    Cells without a value and attributes that do not vary contribute nothing.
    """
    of_kind(np.int32, lo, hi)
    length = np.empty(lo.shape[0])
    scratch = np.empty_like(deviation), np.empty_like(deviation)
    call("lengths", lo, hi, *lo.shape, deviation, table, offsets, *scratch, length)
    return length


def gaps(lo: Positions, hi: Positions) -> Positions:
    """Give a number for the pattern of missing cells of each row; rows without any have 0."""
    of_kind(np.int32, lo, hi)
    pattern = np.empty(lo.shape[0], np.int32)
    call("gaps", lo, hi, *lo.shape, pattern)
    return pattern


def hulls(lo: Positions, hi: Positions, members: Members) -> tuple[Positions, Positions]:
    """Give the smallest span around the cells of each group; ``*`` where missing and present cells mix."""
    order, starts = members
    of_kind(np.int32, lo, hi, order)
    of_kind(np.int64, starts)
    low = np.empty((starts.size - 1, lo.shape[1]), np.int32)
    high = np.empty_like(low)
    call("hulls", lo, hi, lo.shape[1], order, starts, low.shape[0], low, high)
    return low, high


def hulls_and_loss(cells: Positions, members: Members, deviation: Floats) -> tuple[Positions, Positions, Floats | None]:
    """Give the hulls of groups of plain numbers, and what `loss` gives for them; None for that if any cell is missing.

    No two numbers of a column are farther apart than positions reach.
    """
    order, starts = members
    of_kind(np.int32, cells, order)
    of_kind(np.int64, starts)
    m = cells.shape[1]
    low = np.empty((starts.size - 1, m), np.int32)
    high, scratch, sums = np.empty_like(low), (np.empty(m), np.empty(m)), np.empty(m + 1)
    lowest = call(
        "hulls_and_loss", cells, m, order, starts, low.shape[0], deviation, low, high, *scratch, sums,
        result=ctypes.c_int64,
    )  # fmt: skip
    return low, high, None if lowest == MISSING else sums


def bitsets(codes: Positions, labels: Positions, groups: int) -> NDArray[np.int64]:
    """Give the set of codes below 62 that occur in each group, as bits."""
    of_kind(np.int32, codes, labels)
    sets = np.zeros(groups, np.int64)
    call("bitsets", codes, codes.size, labels, sets)
    return sets


def loss(
    lo: Positions,
    hi: Positions,
    low: Positions,
    high: Positions,
    members: Members | None,
    deviation: Floats,
    lowest: Positions,
    highest: Positions,
    table: Floats,
    offsets: Offsets,
    *,
    complete: bool = False,
) -> Floats:
    """Give the distance between each record and its published form (Eq. 2 and 4), summed; then each attribute's own.

    ``low`` and ``high`` are published spans and ``members`` says which rows each is published for (None: each row
    has its own). The farthest end of the span stands for the cell; wildcards, and cells that lost or gained a value,
    take the limits of the attribute's domain. ``complete`` says that no cell of the rows lacks a value, which need not
    be found out again then.
    """
    of_kind(np.int32, lo, hi, low, high)
    n, m = lo.shape
    order, starts = (None, None) if members is None else members
    scratch, sums = (np.empty(m), np.empty(m)), np.empty(m + 1)
    limits = (deviation, lowest, highest, table, offsets)
    call("loss", lo, hi, n, m, low, high, order, starts, low.shape[0], *limits, Int32(complete), *scratch, sums)
    return sums
