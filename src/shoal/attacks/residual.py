"""What is left of an attack's success beyond that with people who are not in the release, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Integers

_ROUNDING = 1e-12
_Z = 1.959963984540054  # of the 95 % interval of a normal distribution


@dataclass(frozen=True)
class Rate:
    """A share of people with whom an attack succeeds: exact, or found from a sample of so many.

    >>> rate = Rate(0.23, 100)
    >>> rate.middle, rate.half
    (0.23998824451588613, 0.08155558571285167)
    """

    value: float
    sampled: int | None = None

    @classmethod
    def of(cls, successes: Floats, counts: Integers, *, sampled: bool) -> Rate:
        """Take the mean over people who are counted by kind."""
        people = int(counts.sum())
        return cls(math.fsum(successes * counts) / people, people if sampled else None)

    @property
    def middle(self) -> float:
        """The middle of Wilson's interval; of an exact rate the rate itself."""
        m = self.sampled
        return self.value if m is None else (self.value * m + _Z**2 / 2) / (m + _Z**2)

    @property
    def half(self) -> float:
        """Half the width of Wilson's interval; of an exact rate nothing."""
        m = self.sampled
        if m is None:
            return 0.0
        spread = self.value * (1 - self.value) * m + _Z**2 / 4
        return _Z / (m + _Z**2) * math.sqrt(max(spread, 0.0))


def residual(rate: Rate, control: Rate | None) -> tuple[float | None, float | None, float | None]:
    """Give what is left of a rate beyond its control, with both bounds; nothing where that is not defined."""
    if control is None or control.value >= 1:
        return None, None, None
    a, c = rate.value, control.value
    left = (a - c) / (1 - c)
    error = math.hypot(rate.half / (1 - c), control.half * (a - 1) / (1 - c) ** 2)
    return left, left - error, left + error


def rank_sum(inside: Floats, weights: Integers, outside: Floats, others: Integers) -> float:
    """Give how likely a score of the first is above one of the second, ties by half: the area under the curve."""
    order = np.argsort(outside, kind="stable")
    line, below = outside[order], np.concatenate([[0], np.cumsum(others[order])])
    left, right = (below[np.searchsorted(line, inside, side)] for side in ("left", "right"))
    return math.fsum(weights * (left + right) / 2) / (int(weights.sum()) * int(others.sum()))


def evened(*scores: Floats) -> tuple[Floats, ...]:
    """Make scores equal that differ by rounding alone: sums of the same shares in another order are ties."""
    values, places = np.unique(np.concatenate(scores), return_inverse=True)
    new = np.concatenate([[True], np.diff(values) > _ROUNDING * np.abs(values[:-1])])
    first = values[new][np.cumsum(new) - 1]
    return tuple(np.split(first[places], np.cumsum([each.size for each in scores])[:-1]))
