"""Differences between original cells and the values that are shown for them, attribute by attribute."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats
from shoal.engines.values import Spans
from shoal.kernels import MISSING, TOP
from shoal.kernels.spans import Members
from shoal.table import Table


def sum_of_differences(
    original: Table, released: Table, numbers: Callable[[Floats], float], differences: Callable[[int], float]
) -> dict[str, float]:
    """Give per attribute that varies what a measure makes of the differences between original and shown values.

    Differences are in standard deviations. A range counts with its middle, and ``*``, or a cell that lost its value,
    with the mean: it says no more than that. Cells that had no value do not count, nor do attributes that do not vary.
    In an attribute without an order it is counted how many records do not show their own category.
    """
    moments = original.moments()
    names = original.schema.quasi
    nominal = [original.schema[name].axis.nominal for name in names]

    def kernel(before: Spans, after: Spans, members: Members | None) -> Floats:
        order, starts = members if members is not None else (slice(None), np.arange(after.lo.shape[0] + 1))
        times = np.diff(starts)
        sums = np.zeros(len(names))
        for j in range(len(names)):
            ends = [np.repeat(side[:, j], times) for side in (after.lo, after.hi)]
            own = before.lo[order, j], before.hi[order, j]
            there = own[0] != MISSING
            if nominal[j]:
                same = (own[0] == ends[0]) & (own[1] == ends[1]) & (ends[0] == ends[1])
                sums[j] = differences(int(np.count_nonzero(there & ~same)))
            elif moments.deviation[j] > 0:
                shown = there & (ends[0] != MISSING) & (ends[1] != TOP)
                published = np.where(shown, middle_numbers(after, ends[0], ends[1], j, shown), moments.mean[j])
                gaps = (middle_numbers(before, own[0], own[1], j, there) - published)[there] / moments.deviation[j]
                sums[j] = numbers(gaps)
        return sums

    sums = original.fold(released, kernel)
    return {name: float(sums[j]) for j, name in enumerate(names) if moments.deviation[j] > 0}


def middle_numbers(
    rows: Spans, lo: NDArray[np.int32], hi: NDArray[np.int32], j: int, there: NDArray[np.bool_]
) -> Floats:
    """Give the number that each span of a column counts with; any number where there is no value."""
    offset, first, last = int(rows.offsets[j]), np.where(there, lo, 0), np.where(there, hi, 0)
    if offset < 0:
        return (first.astype(np.float64) + last) / 2
    if not there.any():  # the column may have no numbers to look up
        return np.zeros(lo.size)
    found: Floats = (rows.table[offset + first] + rows.table[offset + last]) / 2
    return found
