"""Agreement of released records with original ones: how many pairs agree in which columns, and who agrees best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Integers
from shoal.kernels import call, of_kind
from shoal.kernels.grouping import numbered, starts_of
from shoal.kernels.linkage import LinkageCells

MOST_COLUMNS = 20
_NONE = 2**32 - 1  # the code of no value


class Agreement:
    """Released records beside original ones, which agree in some columns.

    Numbers agree if their difference is at most the tolerance of their column, which other columns do not use.
    """

    def __init__(self, cells: LinkageCells, tolerance: Floats) -> None:
        """Give each different value of a column a code, in ascending order."""
        n, m, numbers = cells.checked()
        of_kind(np.float64, tolerance)
        assert m <= MOST_COLUMNS
        assert tolerance.size == m
        self._cells, self._tolerance = cells, tolerance
        self._codes: NDArray[np.uint32] = np.full((m, n), _NONE, np.uint32)
        values = []
        for j, column in enumerate(cells.records.T):
            known = ~np.isnan(column)
            if j < numbers:
                different, places = numbered(column[known])
                values.append(different)
            else:
                places = column[known].astype(np.int64)
            self._codes[j, known] = places
        self._values = np.concatenate([np.empty(0), *values])
        self._from = starts_of(np.array([each.size for each in values], np.int64))

    def counts(self) -> Integers:
        """Count the pairs of a released and an original record by the columns in which they agree, as bits."""
        cells, (n, m, numbers) = self._cells, self._cells.checked()
        found = np.zeros(1 << m, np.int64)
        call(
            "count_agreement", n, m, numbers, self._codes, self._values, self._from, self._tolerance,
            *cells.listed_sets, cells.rows.size, cells.low, cells.high, found,
        )  # fmt: skip
        return found

    def best(self, scores: Floats) -> Integers:
        """Count for each released record the original ones of the highest score; 0 if its own is not among them.

        ``scores`` has one for each set of columns in which two records may agree.
        """
        cells, (n, m, numbers) = self._cells, self._cells.checked()
        of_kind(np.float64, scores)
        assert scores.size == 1 << m
        found = np.empty(cells.rows.size, np.int64)
        call(
            "count_best", n, m, numbers, self._codes, self._values, self._from, self._tolerance, *cells.listed_sets,
            cells.rows.size, cells.low, cells.high, cells.rows, scores, found,
        )  # fmt: skip
        return found
