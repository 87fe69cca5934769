"""Where the patients of each hospital live: a gravity model, balanced on both sides, with race groups living apart.

The pull of a place is its number of people times a function that falls with distance. Most patients come from around
the hospital, where the pull falls with the eighth power of distances beyond its reach; the others are scattered, and
their pull falls with the square. Then the flows are balanced: each hospital gets the discharges that the state
published, and each place sends as many as its people need (doubly constrained gravity model, Furness's iteration).

Race groups live apart: within the flow around a hospital, each place has an affinity for each group. Half of its
variance is shared by the places of one area, the first three digits of the ZIP code. On average over the groups it is
one, so that places still send as many as they should.

References
----------
A. G. Wilson: A statistical theory of spatial distribution models. Transportation Research 1, 1967.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Integers
from shoal_paper.datasets.assumptions import Assumptions
from shoal_paper.datasets.slots import Reals, Slots, exponential, scaled, stretches, totals

HOME, FAR = 12, 14  # bits that choose a place around the hospital, and one of the scattered
BALANCED = 12  # rounds: after these no place is off by more than some per cent
AFFINITY = 1 << 42  # the second half of the key: the bits of no block of any table
APART = (0.5, 1.0, 1.0, 1.0, 0.25, 0.25, 1.0)  # how strongly each race group lives apart, next to the others


@dataclass(frozen=True, eq=False)
class Catchment:
    """Tables of slots: places around each hospital by race group, and scattered ones; with the share of the latter."""

    near: Slots
    far: Slots
    scattered: Reals


def distances(places: Integers, sites: Integers) -> Integers:
    """Give the squared distance of each site from each place, in kilometres."""
    across = places[sites, 2][:, None] - places[:, 2]
    along = places[sites, 3][:, None] - places[:, 3]
    apart: Integers = across * across + along * along
    return apart


def pulls(places: Integers, sites: Integers, sizes: Integers, assumed: Assumptions) -> tuple[Reals, Reals]:
    """Give the pull of each place on each hospital: around it, and on the scattered.

    Parameters
    ----------
    places
        By row: ZIP code, county, position on a grid of kilometres, inhabitants in tens.
    sites
        The place where each hospital stands.
    sizes
        The weight of each hospital.
    assumed
        Reach, scatter and the bias for the own county.
    """
    apart = distances(places, sites)
    order = np.argsort(apart, axis=1, kind="stable")
    around = np.cumsum(places[:, 4][order], axis=1)
    # A small hospital has a smaller share of those in its reach than a large one.
    served = np.sqrt(sizes / sizes.sum() / len(sizes)) * (places[:, 4].sum() * assumed.reach)
    inside = np.minimum((around < served[:, None]).sum(axis=1, keepdims=True), len(places) - 1)
    reach = np.take_along_axis(apart, np.take_along_axis(order, inside, axis=1), axis=1)
    reach = np.maximum(reach, assumed.nearest * assumed.nearest)
    wide = reach / (reach + apart)
    near = wide * wide
    people = places[:, 4] * np.where(places[sites, 1][:, None] == places[:, 1], assumed.own_county, 1.0)
    around_it, scattered = people * (near * near), people * wide
    return (1 - assumed.scatter) * around_it / totals(around_it, 1), assumed.scatter * scattered / totals(scattered, 1)


def affinities(places: Integers, races: Reals, normal: Integers, assumed: Assumptions) -> Reals:
    """Draw the affinity of each place for each race group: lognormal, and one on average over the groups.

    Parameters
    ----------
    places
        As for `pulls`.
    races
        The share of each group in the state.
    normal
        Quantiles of the normal distribution in 4096ths.
    assumed
        The standard deviation of its logarithm, and which draw.
    """
    _, area = np.unique(places[:, 0] // 100, return_inverse=True)
    generator = np.random.Philox(key=np.array([assumed.resample, AFFINITY], np.uint64))
    bits = (generator.random_raw(2 * len(races) * len(places)) >> np.uint64(54)).astype(np.int64)
    own, shared = normal.take(bits).reshape(2, len(races), len(places)) / 4096
    both = (own + shared[:, area]) * np.sqrt(0.5)
    drawn = exponential(assumed.segregation * np.array(APART)[:, None] * both)
    even: Reals = drawn / totals(drawn * races[:, None], 0)
    return even


def catchment(
    places: Integers, sites: Integers, sizes: Integers, races: Reals, normal: Integers, assumed: Assumptions
) -> Catchment:
    """Build the tables.

    Parameters
    ----------
    places, sites, sizes, assumed
        As for `pulls`.
    races, normal
        As for `affinities`.
    """
    around, scattered = pulls(places, sites, sizes, assumed)
    people = places[None, :, 4] / places[:, 4].sum()
    flow = both = around + scattered
    for _ in range(BALANCED):
        flow = scaled(flow, people, 0)
        flow = scaled(flow, sizes[:, None] / sizes.sum(), 1)
    balance = flow / both
    near, far = around * balance, scattered * balance
    apart = affinities(places, races, normal, assumed)
    return Catchment(
        np.concatenate([stretches(near * mine, HOME) for mine in apart]),
        stretches(far, FAR),
        (totals(far, 1) / totals(flow, 1)).reshape(-1),
    )


def neighbours(apart: Integers, unfit: Slots) -> Slots:
    """Give the four nearest hospitals to which someone may go instead, none of which is unfit."""
    apart = apart + (unfit.astype(np.int64) << 32)
    apart[np.arange(len(apart)), np.arange(len(apart))] = 1 << 33
    return np.argsort(apart, axis=1, kind="stable")[:, :4].astype(np.int64).reshape(-1)
