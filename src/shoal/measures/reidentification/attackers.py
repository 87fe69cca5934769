"""Three attackers: what each finds who looks for the people of a table by their quasi-identifiers.

The *prosecutor* knows that a person is in the table; the *journalist* does not, and wants to show that anybody can be
found; the *marketer* wants as many as possible. For the last two it matters how many people of the population are in
each class. All averages are over records, not over classes.

K. El Emam, F. K. Dankar: Protecting privacy using k-anonymity, JAMIA 15(5), 2008, doi:10.1197/jamia.M2716; F. K.
Dankar, K. El Emam: A method for evaluating marketer re-identification risk, PAIS 2010, doi:10.1145/1754239.1754271.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from shoal.measures.reidentification.thresholds import Threshold


@dataclass(frozen=True)
class Attacked:
    """What an attacker finds.

    Attributes
    ----------
    highest
        The largest chance to find a record.
    at_risk
        The share of records whose chance is above the threshold.
    success
        The share of records that are found on average.
    """

    highest: float
    at_risk: float
    success: float

    @property
    def plain(self) -> dict[str, float]:
        """The same as plain values."""
        return {"highest": self.highest, "at_risk": self.at_risk, "success": self.success}


class SizePairs:
    """How many classes there are of each size in a table and in its population.

    Sums are taken over these pairs in order, so that they are the same however the classes were found.

    Parameters
    ----------
    counts
        For each pair of sizes, in the table and in the population, the number of classes.
    """

    def __init__(self, counts: Counter[tuple[int, float]]) -> None:
        self._pairs = sorted(counts.items())
        self.records = sum(size * number for (size, _), number in self._pairs)
        self.classes = sum(number for _, number in self._pairs)

    @classmethod
    def alone(cls, sizes: Counter[int]) -> SizePairs:
        """Give the pairs of a table that is its own population."""
        return cls(Counter({(size, float(size)): number for size, number in sizes.items()}))

    @classmethod
    def sampled(cls, sizes: Counter[int], fraction: float) -> SizePairs:
        """Give the pairs of a table of which every record stands for as many people."""
        return cls(Counter({(size, size / fraction): number for size, number in sizes.items()}))

    @property
    def covered(self) -> float:
        """How many people of the population are in classes that the table has."""
        return math.fsum(whole * number for (_, whole), number in self._pairs)

    @property
    def least(self) -> float:
        """How many people are in the smallest class of the population that the table has."""
        return min((whole for (_, whole), _ in self._pairs), default=0.0)

    def prosecutor(self, threshold: Threshold) -> Attacked:
        """Give what somebody finds who knows that a person is in the table."""
        highest = 1 / min((size for (size, _), _ in self._pairs), default=1)
        risky = sum(size * number for (size, _), number in self._pairs if size < threshold.smallest)
        return Attacked(highest, risky / self.records, self.classes / self.records)

    def journalist(self, threshold: Threshold) -> Attacked:
        """Give what somebody finds who knows the population, and not who of it is in the table."""
        risky = sum(size * number for (size, whole), number in self._pairs if threshold.above(whole))
        success = max(self.classes / self.covered, self.marketer())
        return Attacked(1 / self.least, risky / self.records, success)

    def marketer(self) -> float:
        """Give the share of records that somebody finds who links all of them to the population."""
        return math.fsum(size / whole * number for (size, whole), number in self._pairs) / self.records
