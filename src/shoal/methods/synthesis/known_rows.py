"""Which rows equal one of some known rows, exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Integers


@dataclass(frozen=True, eq=False)
class KnownRows:
    """Rows that were numbered by one column after the other, so that others can be looked up.

    Attributes
    ----------
    values
        The values of each column, in ascending order; NaN is a value of its own behind them.
    keys
        For each column, the numbers that rows can have up to there, in ascending order.
    counts
        How often each of the rows occurs.
    """

    values: tuple[Floats, ...]
    keys: tuple[Integers, ...]
    counts: Integers

    @classmethod
    def of(cls, rows: Floats) -> KnownRows:
        """Number the rows of a matrix."""
        values, keys = [], []
        key = np.zeros(rows.shape[0], np.int64)
        for column in rows.T:
            known = np.unique(column[~np.isnan(column)])
            mixed = key * (known.size + 1) + _codes(known, column)
            numbers, key = np.unique(mixed, return_inverse=True)
            values.append(known)
            keys.append(numbers)
        return cls(tuple(values), tuple(keys), np.bincount(key))

    def times(self, rows: Floats) -> Integers:
        """Tell how often each row occurs among those known."""
        key = np.zeros(rows.shape[0], np.int64)
        for known, numbers, column in zip(self.values, self.keys, rows.T, strict=True):
            codes = _codes(known, column)
            mixed = key * (known.size + 1) + codes
            at = np.minimum(np.searchsorted(numbers, mixed), numbers.size - 1)
            key = np.where((key >= 0) & (codes >= 0) & (numbers[at] == mixed), at, -1)
        return np.where(key >= 0, self.counts[key], 0)


def _codes(known: Floats, column: Floats) -> Integers:
    """Give the place of each value, that behind them all where there is none, and -1 where it is not known."""
    if not known.size:
        return np.where(np.isnan(column), 0, -1)
    at = np.minimum(np.searchsorted(known, column), known.size - 1)
    return np.where(np.isnan(column), known.size, np.where(known[at] == column, at, -1))
