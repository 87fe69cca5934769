"""Where the patients of each hospital live: a gravity model, balanced on both sides.

The pull of a place is its number of people times a function that falls with distance. A hospital's reach is the
distance within which live a given multiple of the people that it would serve alone. Most patients come from around
it, where the pull falls with the eighth power of distances beyond the reach; the others are scattered, and their pull
falls with the square. Then the flows are balanced: each hospital gets the discharges that the state published, and
each place sends as many as its people need (doubly constrained gravity model, Furness's iteration).

References
----------
A. G. Wilson: A statistical theory of spatial distribution models. Transportation Research 1, 1967.
"""

from __future__ import annotations

import numpy as np

from shoal.datasets.assumptions import Assumptions
from shoal.datasets.slots import Numbers, Reals, Slots, scaled, totals

BALANCED = 12  # rounds: after these no place is off by more than some per cent


def distances(places: Numbers, sites: Numbers) -> Numbers:
    """Give the squared distance of each site from each place, in kilometres."""
    across = places[sites, 2][:, None] - places[:, 2]
    along = places[sites, 3][:, None] - places[:, 3]
    return across * across + along * along


def flows(places: Numbers, sites: Numbers, sizes: Numbers, assumed: Assumptions) -> Reals:
    """Give how many of each hospital's patients live at each place, as weights.

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
    people, apart = places[:, 4].astype(np.float64), distances(places, sites)
    order = np.argsort(apart, axis=1, kind="stable")
    around = np.cumsum(places[:, 4][order], axis=1)
    served = sizes * (places[:, 4].sum() * assumed.reach / sizes.sum())
    inside = np.minimum((around < served[:, None]).sum(axis=1, keepdims=True), len(places) - 1)
    reach = np.take_along_axis(apart, np.take_along_axis(order, inside, axis=1), axis=1)
    reach = np.maximum(reach, assumed.nearest * assumed.nearest)
    wide = reach / (reach + apart)
    near = wide * wide
    bias = np.where(places[sites, 1][:, None] == places[:, 1], assumed.own_county, 1.0)
    flow = sum(
        share * pull / totals(pull, 1)
        for share, pull in ((1 - assumed.scatter, people * bias * (near * near)), (assumed.scatter, people * wide))
    )
    wanted = sizes[:, None] / sizes.sum()
    for _ in range(BALANCED):
        flow = scaled(flow, people[None, :] / people.sum(), 0)
        flow = scaled(flow, wanted, 1)
    return flow


def neighbours(apart: Numbers, unfit: Slots) -> Slots:
    """Give the four nearest hospitals to which someone may go instead, none of which is unfit."""
    apart = apart + (unfit.astype(np.int64) << 32)
    apart[np.arange(len(apart)), np.arange(len(apart))] = 1 << 33
    return np.argsort(apart, axis=1, kind="stable")[:, :4].astype(np.int64).reshape(-1)
