"""Targeted record swapping: households at risk exchange their places with others like them, elsewhere.

It is the algorithm of the European censuses (UK Office for National Statistics; Eurostat's Centre of Excellence), on
arrays: people in households, areas in levels from top to bottom, columns that make people recognizable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Array, Bits, Flags, Integers, Positions
from shoal.kernels.grouping import by_label, numbered
from shoal.kernels.household_pairs import Neighbourhoods, pair_households

_UNIT = 1 << 32  # a risk of one as a weight: sums of weights are exact


@dataclass(frozen=True, eq=False)
class Households:
    """People in households, as arrays.

    Attributes
    ----------
    of
        The household of each person, numbered from 0.
    areas
        The area of each household, by its number among those of the level: a column for each level, top to bottom.
    counts
        Of each household and level, the fewest people of an area who equal a member in the risk columns: the largest
        risk of its members is one in so many.
    agreeing
        Of each profile, in the order in which they are tried, a number for each household: those with equal numbers
        agree in it, and in their size.
    """

    of: Positions
    areas: Positions
    counts: Integers
    agreeing: Positions

    @classmethod
    def at(cls, of: Positions, places: Positions, risk: Positions, profiles: Sequence[Positions]) -> Households:
        """Look at people: their household, and the columns of their places, of risk, and of each profile.

        All people of a household must have the same places.
        """
        size = int(of.max(initial=-1)) + 1
        first = np.zeros(size, np.int64)
        first[of[::-1]] = np.arange(of.size - 1, -1, -1)
        areas = np.empty((size, places.shape[1]), np.int32)
        counts = np.empty((size, places.shape[1]), np.int64)
        key, alike = np.zeros(of.size, np.int64), together(*risk.T, rows=of.size)
        for level in range(places.shape[1]):
            key = together(key, places[:, level])  # a name may stand for several areas, in different ones above
            areas[:, level] = key[first]
            equals = together(key, alike)
            largest = np.full(size, of.size, np.int64)
            np.minimum.at(largest, of, np.bincount(equals)[equals])
            counts[:, level] = largest
        agreeing = np.stack([_members(of, size, profile) for profile in profiles])
        return cls(of, areas, counts, agreeing)

    @property
    def size(self) -> int:
        """The number of households."""
        return int(self.areas.shape[0])


def together(*columns: Array, rows: int = 0) -> Integers:
    """Number the combinations of columns from 0."""
    found = np.zeros(columns[0].size if columns else rows, np.int64)
    for column in columns:
        values, codes = numbered(column)
        found = numbered(found * values.size + codes)[1]
    return found


def _members(of: Positions, size: int, profile: Positions) -> Positions:
    """Number households by what their members are in some columns, whatever the order of these: equal ones alike."""
    kinds = together(*profile.T, rows=of.size)
    kinds_sorted = kinds[np.lexsort((kinds, of))]
    _, starts = by_label(of, size)
    found = np.diff(starts)  # the size comes first, and then member after member
    for place in range(int(found.max(initial=0))):
        has = np.diff(starts) > place
        member = np.full(size, -1, np.int64)
        member[has] = kinds_sorted[starts[:-1][has] + place]
        found = together(found, member)
    return found.astype(np.int32)


@dataclass(frozen=True, eq=False)
class SwappedPairs:
    """Who exchanged places with whom.

    Attributes
    ----------
    partner
        The household with which each has changed places; -1 if with none.
    at_risk
        How many households were at high risk, level by level.
    without
        The households at high risk that found nobody, level by level: outside their area no household agreed with
        them that had not been swapped before.
    """

    partner: Positions
    at_risk: Integers
    without: tuple[Positions, ...]

    @property
    def swapped(self) -> Flags:
        """Which households have another place now."""
        found: Flags = self.partner >= 0
        return found


def pair(people: Households, k: int, share: float, draw: Callable[[int], Bits]) -> SwappedPairs:
    """Pair households: at each level those at high risk, and at the lowest level others until a share is swapped.

    A household is at high risk if one of its members has fewer than k equals in its area. ``draw`` gives a random
    number of 64 bits for each household, for a purpose that has a number.
    """
    near = Neighbourhoods.of(people.agreeing, people.areas)
    partner = np.full(people.size, -1, np.int32)
    without, at_risk = [], []
    levels = people.areas.shape[1]
    for level in range(levels):
        area = np.ascontiguousarray(people.areas[:, level])
        high = people.counts[:, level] < k
        at_risk.append(int(high.sum()))
        left = _in_turn(high & (partner < 0), draw(2 * level))
        everyone = np.full(int(area.max(initial=-1)) + 1, np.iinfo(np.int64).max)
        weights: Integers = _UNIT // people.counts[:, level]
        missed = pair_households(near, area, weights, everyone, left, draw(2 * level + 1)[left], partner)
        without.append(np.sort(left[missed]))
    wanted = np.ceil(share * np.bincount(area).astype(np.float64) - 1e-9).astype(np.int64)
    wanted -= np.bincount(area[partner >= 0], minlength=wanted.size)
    left = _in_turn(partner < 0, draw(2 * levels))
    pair_households(near, area, weights, wanted, left, draw(2 * levels + 1)[left], partner)
    return SwappedPairs(partner, np.array(at_risk, np.int64), tuple(without))


def _in_turn(chosen: Flags, drawn: Bits) -> Positions:
    """Give households in a random order."""
    found = np.flatnonzero(chosen)
    return found[np.argsort(drawn[found], kind="stable")].astype(np.int32)
