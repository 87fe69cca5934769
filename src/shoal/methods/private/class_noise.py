"""What it costs to publish averages of classes: exact sensitivities, and the noise that buys a loss.

Neighbours differ in one record that is replaced. Classes of k follow an order that does not look at the data, so one
replacement changes each class by at most one record: of each of g classes the sum by at most the range of the column.
Of a column that is ordered by itself the changes of all classes add up to the range at most, because they telescope.

References
----------
J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez, S. Martínez: Enhancing data utility in differential privacy via
microaggregation-based k-anonymity, The VLDB Journal 23(5), 2014, doi:10.1007/s00778-014-0351-4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.private.accounting import Mechanism
from shoal.private.exact_numbers import at_least, root_at_least, written
from shoal.private.mechanisms import NoiseMechanism


@dataclass(frozen=True)
class ClassNoise:
    """The noise of the sums of one column, in whole steps of its domain.

    Attributes
    ----------
    steps
        The range of the column.
    classes
        How many classes there are.
    size
        How many records a class has; the last may have more.
    alone
        Whether classes follow the order of this column.
    mechanism
        ``gaussian``, whose loss is ρ, or ``laplace``, whose loss is ε.
    loss
        What publishing the averages may cost.
    """

    steps: int
    classes: int
    size: int
    alone: bool
    mechanism: Mechanism
    loss: Fraction

    @property
    def l1(self) -> int:
        """The most that one replacement can change all sums together."""
        return self.steps if self.alone else self.classes * self.steps

    @property
    def l2_squared(self) -> int:
        """The most that one replacement can change the sum of the squares of all sums' changes."""
        return self.steps**2 if self.alone else self.classes * self.steps**2

    @property
    def scale(self) -> float:
        """The smallest scale of the noise that costs no more than the loss."""
        if self.mechanism == "gaussian":
            return root_at_least(Fraction(self.l2_squared) / (2 * self.loss))
        return at_least(Fraction(self.l1) / self.loss)

    @property
    def noise(self) -> NoiseMechanism:
        """What draws it. Its own sensitivity is a whole number, so not below the root of the squares."""
        most = math.isqrt(self.l2_squared - 1) + 1 if self.mechanism == "gaussian" else self.l1
        return NoiseMechanism(self.mechanism, most, self.scale)

    def terms(self, step: Fraction) -> dict[str, Any]:
        """Give all of it as it stands in a certificate: of the sums in whole steps, and of averages in the unit."""
        each = float(step) / self.size
        return {
            "noise": self.mechanism,
            "loss": written(self.loss),
            "sums": {"l1": self.l1, "l2_squared": self.l2_squared, "scale": self.scale},
            "averages": {
                "l1": self.l1 * each,
                "l2": math.sqrt(self.l2_squared) * each,
                "scale": self.scale * each,
            },
        }
