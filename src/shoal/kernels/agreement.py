"""Agreement of released records with original ones: how many pairs agree in which columns, and who agrees best."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.kernels import call, of_kind
from shoal.kernels.linkage import LinkageCells

MOST_COLUMNS = 20


def agreement_counts(cells: LinkageCells, tolerance: Floats) -> Integers:
    """Count the pairs of a released and an original record by the columns in which they agree, as bits of a number.

    Numbers agree if their difference is at most the ``tolerance`` of their column, which other columns do not use.
    """
    n, m, numbers = cells.checked()
    of_kind(np.float64, tolerance)
    assert m <= MOST_COLUMNS
    counts = np.zeros(1 << m, np.int64)
    columns = np.ascontiguousarray(cells.records.T)
    call(
        "count_agreement", n, m, numbers, columns, tolerance, *cells.listed_sets, cells.rows.size, cells.low,
        cells.high, counts,
    )  # fmt: skip
    return counts


def best_counts(cells: LinkageCells, tolerance: Floats, scores: Floats) -> Integers:
    """Count for each released record the original ones of the highest score; 0 if its own is not among them.

    ``scores`` has one for each set of columns in which two records may agree.
    """
    n, m, numbers = cells.checked()
    of_kind(np.float64, tolerance, scores)
    assert scores.size == 1 << m
    found = np.empty(cells.rows.size, np.int64)
    columns = np.ascontiguousarray(cells.records.T)
    call(
        "count_best", n, m, numbers, columns, tolerance, *cells.listed_sets, cells.rows.size, cells.low, cells.high,
        cells.rows, scores, found,
    )  # fmt: skip
    return found
