"""Unbiased controlled rounding: a table of numbers becomes one of whole numbers with the same sums of rows and columns.

L. H. Cox: A constructive procedure for unbiased controlled rounding, JASA 82(398), 1987,
doi:10.1080/01621459.1987.10478456.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.errors import InternalError
from shoal.kernels import call, of_kind


def round_controlled(expected: Floats, drawn: Floats) -> Integers:
    """Round each cell to a neighbouring whole number: sums of rows and columns, which are whole numbers, stay.

    Each cell is on average what it was. ``drawn`` holds a random number from 0 to below 1 for each cell.
    """
    of_kind(np.float64, expected, drawn)
    if drawn.size < expected.size:
        raise InternalError("Controlled rounding was given too few random numbers.")
    rows, columns = expected.shape
    floor = np.floor(expected)
    fractions = np.ascontiguousarray(expected - floor)
    nodes = rows + columns
    scratch = np.empty(nodes + 1, np.int64), np.full(nodes, -1, np.int64), np.zeros(nodes, np.int64)
    call("round_fractions", fractions, rows, columns, drawn, *scratch)
    found: Integers = (floor + np.rint(fractions)).astype(np.int64)
    for axis in (0, 1):
        if not np.array_equal(found.sum(axis=axis), np.rint(expected.sum(axis=axis))):
            raise InternalError("Controlled rounding did not keep the sums of its table.")
    return found
