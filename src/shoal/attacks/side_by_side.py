"""Several groups about one person laid side by side: what all of them have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from shoal.arrays import Floats, Integers


@dataclass(frozen=True, eq=False)
class PossibleSecrets:
    """What a release shows of people: for each of so many, the values of a secret, and how many rows have each.

    ``keys`` are the number of the person and of the value, in ascending order, in one number: see `width`.
    """

    people: int
    width: int
    keys: Integers
    rows: Floats

    @classmethod
    def of(cls, people: int, width: int, whose: Integers, values: Integers, rows: Integers | None = None) -> Self:
        """Count the rows of each value of each person."""
        keys, places = np.unique(whose.astype(np.int64) * width + values, return_inverse=True)
        counts = np.bincount(places.reshape(-1), rows, keys.size).astype(np.float64)
        return cls(people, width, keys, counts)

    @property
    def whose(self) -> Integers:
        """The person of each entry."""
        return self.keys // self.width

    @property
    def values(self) -> Integers:
        """The value of each entry."""
        return self.keys % self.width

    @property
    def left(self) -> Integers:
        """How many values are possible for each person."""
        return np.bincount(self.whose, minlength=self.people)

    @property
    def shares(self) -> Floats:
        """The share that each value has among the rows of its person."""
        whole = np.bincount(self.whose, self.rows, self.people)
        found: Floats = self.rows / whole[self.whose]
        return found

    def taken(self, people: Integers, own: Integers) -> Floats:
        """Give the shares of a value for some people, one each; 0 where it is not possible, or -1."""
        if not self.keys.size:
            return np.zeros(people.size)
        wanted = people.astype(np.int64) * self.width + own
        place = np.minimum(np.searchsorted(self.keys, wanted), self.keys.size - 1)
        found: Floats = np.where((self.keys[place] == wanted) & (own >= 0), self.shares[place], 0.0)
        return found


@dataclass(frozen=True, eq=False)
class Together:
    """What several releases show of people together.

    Attributes
    ----------
    posterior
        The values that all of them leave, each with what Bayes makes of its shares: their product, over its share in
        all rows for each release but the first.
    candidates
        In how many ways at most rows of all releases that fit a person can be rows of the same person: as many as have
        the same value in all.
    """

    posterior: PossibleSecrets
    candidates: Integers

    @classmethod
    def of(cls, shown: Sequence[PossibleSecrets], usual: Floats) -> Together:
        """Lay them side by side. ``usual`` is the share of each value among all rows."""
        first = shown[0]
        keys, weights, rows = first.keys, np.log(first.shares), first.rows
        for other in shown[1:]:
            keys, mine, theirs = np.intersect1d(keys, other.keys, assume_unique=True, return_indices=True)
            weights = weights[mine] + np.log(other.shares[theirs]) - np.log(usual[keys % first.width])
            rows = np.minimum(rows[mine], other.rows[theirs])
        whose = keys // first.width
        highest = np.full(first.people, -np.inf)
        np.maximum.at(highest, whose, weights)
        candidates = np.bincount(whose, rows, first.people).astype(np.int64)
        return cls(PossibleSecrets(first.people, first.width, keys, np.exp(weights - highest[whose])), candidates)
