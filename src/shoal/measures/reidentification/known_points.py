"""The attack by known points: whom single out some points of a person, of which an attacker learned by chance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Array, Integers, Offsets, Positions
from shoal.errors import ParameterError
from shoal.kernels.candidate_sets import count_candidate_sets, count_candidates
from shoal.kernels.grouping import by_label
from shoal.measures.statistics.sampling import chances, sampled_rows

# Some seconds of one processor. What takes more is sampled.
EFFORT = 3_000_000_000
PEOPLE = 20_000  # of whom a sample consists at most: its interval reaches at most 0.7 % to each side
_NORMAL = 1.959963984540054  # the 97.5 % quantile of the normal distribution
MOST_POINTS = 64


@dataclass(frozen=True, eq=False)
class InvertedLists:
    """Who has each point: where the list of each begins and all end, and the people on them in ascending order."""

    starts: Offsets
    people: Positions

    @classmethod
    def of(cls, offsets: Offsets, labels: Positions, points: int) -> InvertedLists:
        """List who has each of some points, from the points that each person has."""
        order, starts = by_label(labels, points)
        owners = np.repeat(np.arange(offsets.size - 1, dtype=np.int32), np.diff(offsets))
        return cls(starts, owners[order])


@dataclass(frozen=True)
class TraceAttack:
    """What someone learns who knows some points of each person.

    Attributes
    ----------
    points
        How many are known.
    people
        Who has so many: of them a mean is taken; if it is not exact, of as many as were drawn.
    unique
        The share of sets of so many points of a person that exactly one candidate has; a mean over people.
    not_found
        The share of such sets that no candidate has.
    smallest
        How many candidates there are at least where there are any; 0 if there are none. In a sample, at least there.
    exact
        Whether all sets were counted, and not one drawn for each of some people.
    lower, upper
        The 95 % interval of ``unique``, by the normal distribution; the share itself if it is exact.
    """

    points: int
    people: int
    unique: float
    not_found: float
    smallest: int
    exact: bool
    lower: float
    upper: float


def attack(
    offsets: Offsets,
    known: Positions,
    holders: InvertedLists,
    points: int,
    *,
    effort: int | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> TraceAttack:
    """Find how many candidates have sets of so many known points, exactly or by a sample.

    Parameters
    ----------
    offsets, known
        Where the points of each person begin, and for each the list of its holders. Different points may have one
        list: those that a release does not tell apart.
    holders
        The candidates who have each point: the people themselves, or those of a release.
    points
        How many points are known.
    effort
        How many steps counting may take until a sample is drawn instead. The same is found whatever the machine.
    sample
        Of how many people one set each is drawn then.
    seed
        What the sample is drawn by.
    """
    if isinstance(points, bool) or not isinstance(points, int) or not 1 <= points <= MOST_POINTS:
        raise ParameterError(f"Known points are a whole number from 1 to {MOST_POINTS}.", "Try --points 1,2,3,4.")
    sizes = np.diff(offsets)
    able = np.flatnonzero(sizes >= points)
    if not able.size:
        return TraceAttack(points, 0, 0.0, 0.0, 0, True, 0.0, 0.0)
    steps = EFFORT if effort is None else effort
    found = count_candidate_sets(offsets, known, holders.starts, holders.people, points, steps)
    if found is not None:
        ways = _binomials(sizes[able], points)
        unique, lost = _mean(found.one[able] / ways), _mean(found.none[able] / ways)
        return TraceAttack(points, int(able.size), unique, lost, found.smallest, True, unique, unique)
    people = able[sampled_rows(able.size, PEOPLE if sample is None else sample, seed)]
    drawn = known[offsets[people][:, None] + _subsets(people, sizes[people], points, seed)]
    counts, smallest = count_candidates(np.ascontiguousarray(drawn), holders.starts, holders.people)
    unique, lost = (float(np.count_nonzero(counts == number) / people.size) for number in (1, 0))
    half = _NORMAL * math.sqrt(unique * (1 - unique) / people.size)
    return TraceAttack(
        points, int(people.size), unique, lost, smallest, False, max(unique - half, 0.0), min(unique + half, 1.0)
    )


def _binomials(sizes: Integers, points: int) -> Array:
    """Give how many sets of so many points each size has, computed as the kernel does."""
    ways = np.ones(sizes.size)
    for i in range(1, points + 1):
        ways = ways * (sizes - points + i) / i
    return ways


def _mean(shares: Array) -> float:
    """Give the mean of shares, whatever the order of people."""
    return math.fsum(shares.tolist()) / shares.size


def _subsets(people: Integers, sizes: Integers, points: int, seed: int) -> Integers:
    """Draw so many different places below each size, all sets with the same chance (doi:10.1145/30401.315746)."""
    drawn = np.empty((people.size, points), np.int64)
    for i in range(points):
        last = sizes - points + i
        place = (chances(people * MOST_POINTS + i, seed + points) * (last + 1)).astype(np.int64)
        taken = (drawn[:, :i] == place[:, None]).any(axis=1)
        drawn[:, i] = np.where(taken, last, place)
    return drawn
