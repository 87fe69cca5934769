"""Log-linear models of a cross-table: how many records each of its cells is expected to have.

With main effects alone columns are independent, and the expected count is a product of margins. With all interactions
of two columns it is found by iterative proportional fitting, over the cells that no empty margin of two columns rules
out: all others are expected to be empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.arrays import Floats, Integers, Positions

# Cells, times pairs of columns, of which each is gone through in every round: so many where a model may be fitted too,
# and so many where it is asked for.
EASY = 1_000_000
MOST = 40_000_000
_ROUNDS = 500
_CLOSE = 1e-9  # of the largest count of a margin


@dataclass(frozen=True, eq=False)
class LogLinear:
    """A fitted model.

    Attributes
    ----------
    name
        ``main effects`` or ``two-way interactions``.
    expected
        The expected count of each observed cell.
    deviance
        Twice the sum of f·ln(f/μ) over the observed cells.
    parameters
        How many it has.
    converged
        Whether the margins are met.
    """

    name: str
    expected: Floats
    deviance: float
    parameters: int
    converged: bool = True

    def information(self, records: int) -> float:
        """Give Schwarz's criterion, by which the lower of two models is the better one."""
        return self.deviance + self.parameters * float(np.log(records))


def main_effects(codes: Positions, counts: Integers) -> LogLinear:
    """Fit the columns as independent ones, given the codes of observed cells and how many records each has."""
    total = counts.sum()
    expected = np.full(counts.size, float(total))
    parameters = 1
    for column in codes.T:
        margin = np.bincount(column, counts)
        expected *= margin[column] / total
        parameters += int(np.count_nonzero(margin)) - 1
    return LogLinear("main effects", expected, _deviance(counts, expected), parameters)


def two_way(codes: Positions, counts: Integers, most: int = MOST) -> LogLinear | None:
    """Fit all interactions of two columns; None if there are too many cells for that."""
    sizes = [int(column.max()) + 1 for column in codes.T]
    pairs = list(combinations(range(len(sizes)), 2))
    if not pairs:
        return None
    margins: dict[tuple[int, int], Floats] = {}
    cells = np.arange(sizes[0], dtype=np.int32)[:, None]
    for j in range(1, len(sizes)):
        if len(cells) * sizes[j] > 2 * (most // len(pairs)):
            return None
        for i in range(j):
            found = np.bincount(_both(codes, i, j, sizes), counts, sizes[i] * sizes[j])
            margins[i, j] = found.astype(np.float64)
        cells = _grown(cells, sizes, margins)
    if len(cells) > most // len(pairs):
        return None
    keys = {(i, j): _both(cells, i, j, sizes) for i, j in pairs}
    fitted = np.ones(len(cells))
    largest = max(float(margin.max()) for margin in margins.values())
    off = np.inf
    for _ in range(_ROUNDS):
        off = 0.0
        for pair, margin in margins.items():
            now = np.bincount(keys[pair], fitted, margin.size)
            off = max(off, float(np.abs(now - margin).max()))
            fitted *= np.divide(margin, now, out=np.zeros(margin.size), where=now > 0)[keys[pair]]
        if off <= _CLOSE * largest:
            break
    weights = np.cumprod([1, *sizes[:0:-1]])[::-1].astype(np.int64)
    expected = fitted[np.searchsorted(cells.astype(np.int64) @ weights, codes.astype(np.int64) @ weights)]
    used = [len(set(column.tolist())) for column in codes.T]
    parameters = 1 + sum(size - 1 for size in used) + sum((used[i] - 1) * (used[j] - 1) for i, j in pairs)
    name = "two-way interactions"
    return LogLinear(name, expected, _deviance(counts, expected), parameters, off <= _CLOSE * largest)


def _both(codes: Positions, i: int, j: int, sizes: list[int]) -> Integers:
    return codes[:, i].astype(np.int64) * sizes[j] + codes[:, j]


def _grown(cells: Positions, sizes: list[int], margins: dict[tuple[int, int], Floats]) -> Positions:
    """Give the cells with one more column of which no margin of two columns is empty, in ascending order."""
    j = cells.shape[1]
    grown = np.empty((len(cells) * sizes[j], j + 1), np.int32)
    grown[:, :j] = np.repeat(cells, sizes[j], axis=0)
    grown[:, j] = np.tile(np.arange(sizes[j], dtype=np.int32), len(cells))
    there = np.ones(len(grown), np.bool_)
    for i in range(j):
        there &= margins[i, j][_both(grown, i, j, sizes)] > 0
    return grown[there]


def _deviance(counts: Integers, expected: Floats) -> float:
    return float(2 * (counts * np.log(counts / expected)).sum())
