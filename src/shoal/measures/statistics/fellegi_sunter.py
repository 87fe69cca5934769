"""The model of Fellegi and Sunter, fitted by expectation and maximization to counts of agreement.

Pairs of records are either of one person or of two. A pair of one agrees in column j with chance m_j, one of two with
chance u_j, and columns agree independently of each other. Agreement never speaks against one person: m_j is at least
u_j (W. E. Winkler: Improved decision rules in the Fellegi-Sunter model of record linkage, ASA 1993).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Integers

_STEPS = 5_000
_STILL = 1e-11
# No chance is nearer to none or to certainty: its logarithm must be a number.
_LEAST = 1e-12


@dataclass(frozen=True)
class FellegiSunter:
    """What pairs of one person and of two agree in.

    Attributes
    ----------
    same, different
        The chances to agree in each column, of pairs of one person (m) and of two (u).
    share
        The share of pairs that are of one person (p).
    steps
        After how many steps nothing changed any more; None if that was not reached.
    """

    same: Floats
    different: Floats
    share: float
    steps: int | None

    @property
    def weights(self) -> tuple[Floats, Floats]:
        """What agreement and disagreement in each column say for one person, in bits."""
        return np.log2(self.same / self.different), np.log2((1 - self.same) / (1 - self.different))

    def scores(self) -> Floats:
        """Give the total weight of each set of columns in which two records may agree, as bits of a number."""
        agree, disagree = self.weights
        total = np.zeros(1 << agree.size)
        for j, bits in enumerate(_bits(np.arange(total.size), agree.size).T):
            total += np.where(bits, agree[j], disagree[j])
        # Sets that weigh the same do so whatever was added first.
        found: Floats = np.round(total, 9)
        return found


def fitted(patterns: Integers, counts: Floats, columns: int, share: float) -> FellegiSunter:
    """Fit the model to how many pairs agree in which columns.

    Parameters
    ----------
    patterns
        Sets of columns, as bits of a number.
    counts
        How many pairs agree in just these.
    columns
        How many columns there are.
    share
        The share of pairs of one person to begin with.
    """
    agree = _bits(patterns, columns).astype(np.float64)
    other, total = 1 - agree, float(counts.sum())
    pooled = counts @ agree / total
    same, different = np.full(columns, 0.9), np.full(columns, 0.1)
    for step in range(1, _STEPS + 1):
        log_same = np.log(share) + agree @ np.log(same) + other @ np.log1p(-same)
        log_other = np.log1p(-share) + agree @ np.log(different) + other @ np.log1p(-different)
        chance = np.exp(log_same - np.logaddexp(log_same, log_other))
        one, two = counts * chance, counts * (1 - chance)
        first, second = one @ agree / max(one.sum(), 1e-300), two @ agree / max(two.sum(), 1e-300)
        # Of chances that should be the other way round, equal ones are the likeliest.
        first, second = (np.where(first < second, pooled, side) for side in (first, second))
        now = _inside(first), _inside(second), float(_inside(np.array(one.sum() / total)))
        change = max(np.abs(now[0] - same).max(), np.abs(now[1] - different).max(), abs(now[2] - share))
        same, different, share = now
        if change < _STILL:
            return FellegiSunter(same, different, share, step)
    return FellegiSunter(same, different, share, None)


def _bits(patterns: Integers, columns: int) -> Integers:
    found: Integers = patterns[:, None] >> np.arange(columns) & 1
    return found


def _inside(chances: Floats) -> Floats:
    return np.clip(chances, _LEAST, 1 - _LEAST)
