"""Patterns: which columns of a record are hidden, as bits, from those that cost least to those that cost most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Flags, Floats, Integers
from shoal.errors import ParameterError

MOST_COLUMNS = 20


def by_rising_cost(costs: Floats, importance: Sequence[float]) -> tuple[NDArray[np.int64], Floats]:
    """Give all patterns of some columns by rising cost, and what each costs; of equals what matters least comes first.

    >>> by_rising_cost(np.array([1.0, 1.0]), [1, 2])[0].tolist()
    [0, 2, 1, 3]
    """
    columns = len(importance)
    if columns > MOST_COLUMNS:
        raise ParameterError(
            f"Cells are hidden in {columns} columns, and {MOST_COLUMNS} is the most.",
            "Name fewer quasi-identifiers, or bring some to coarser levels with another method.",
        )
    patterns = np.arange(1 << columns, dtype=np.int64)
    spent, given_up = np.zeros(patterns.size), np.zeros(patterns.size)
    for j in range(columns):
        hidden = (patterns >> j & 1).astype(bool)
        spent[hidden] += costs[j]
        given_up[hidden] += importance[j]
    order = np.lexsort([patterns, -given_up, spent])
    return patterns[order], spent[order]


def hidden_in(patterns: NDArray[np.int64], column: int) -> Flags:
    """Tell which patterns hide a column."""
    found: Flags = (patterns >> column & 1).astype(np.bool_)
    return found


def shown_in(pattern: int, columns: int) -> Integers:
    """Give the columns that a pattern shows."""
    return np.array([j for j in range(columns) if not pattern >> j & 1], np.int64)


def cost_of(patterns: NDArray[np.int64], costs: Floats) -> Floats:
    """Give what some patterns cost for a record."""
    found = np.zeros(patterns.shape)
    for j, cost in enumerate(costs.tolist()):
        found += np.where(hidden_in(patterns, j), cost, 0.0)
    return found
