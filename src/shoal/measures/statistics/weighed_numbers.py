"""Numbers of records that count as much as their survey weights say.

A whole weight counts as so many equal records, and weights of one change nothing. Weights that sum to less than the
records that have any say nothing of how many people there are, only of their proportions: for the divisor of
deviations they are taken for weights with a mean of one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Floats


@dataclass(frozen=True, eq=False)
class WeighedNumbers:
    """Those of some numbers that are numbers, and that weigh anything; all weigh one if no weights are given."""

    values: Floats
    weights: Floats | None

    @classmethod
    def of(cls, numbers: Floats, weights: Floats | None) -> WeighedNumbers:
        """Leave out what does not count."""
        there: Flags = ~np.isnan(numbers)
        if weights is None:
            return cls(numbers[there], None)
        there &= weights > 0
        return cls(numbers[there], weights[there])

    @property
    def total(self) -> float:
        """What all of them weigh together."""
        return float(self.values.size if self.weights is None else self.weights.sum())

    @property
    def mean(self) -> float:
        """Their mean, if there are any."""
        return float(self.values.mean() if self.weights is None else self.weights @ self.values / self.total)

    @property
    def squares(self) -> float:
        """The sum of their squared deviations from the mean, in squared deviations: one less than there are."""
        many = max(self.total, self.values.size)
        return self.total * (many - 1) / many

    @property
    def deviation(self) -> float:
        """Their sample deviation; of equal ones 0, whatever the rounding of their mean."""
        if self.values.size < 2 or self.values.min() == self.values.max():
            return 0.0
        if self.weights is None:
            return float(self.values.std(ddof=1))
        apart = self.values - self.mean
        return float(np.sqrt(self.weights @ (apart * apart) / self.squares))
