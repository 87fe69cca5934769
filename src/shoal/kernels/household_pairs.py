"""Targeted record swapping: households choose a partner to exchange their places with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Bits, Flags, Integers, Positions
from shoal.kernels import below, call, of_kind


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """Who agrees with whom: the households of each profile side by side, those of an area together.

    Attributes
    ----------
    order
        The households of each profile (a row each), so that those that agree stand side by side, area after area.
    place
        Where each household stands in it.
    agreeing
        The key of each household in each profile.
    """

    order: Positions
    place: Positions
    agreeing: Positions

    @classmethod
    def of(cls, agreeing: Positions, areas: Positions) -> Neighbourhoods:
        """Sort households by what they must agree on, then by their areas, of which a row has all levels."""
        of_kind(np.int32, agreeing, areas)
        order = np.stack([np.lexsort((*areas.T[::-1], key)) for key in agreeing]).astype(np.int32)
        place = np.empty_like(order)
        np.put_along_axis(place, order, np.arange(order.shape[1], dtype=np.int32)[None, :], axis=1)
        return cls(order, place, agreeing)

    def ends(self, area: Positions) -> Positions:
        """Give where those that agree with a household begin and end, and where those of its area among them do."""
        found = np.empty((*self.order.shape, 4), np.int32)
        for profile, (order, key) in enumerate(zip(self.order, self.agreeing, strict=True)):
            same_key = np.append(True, np.diff(key[order]) != 0)
            same_area = same_key | np.append(True, np.diff(area[order]) != 0)
            for at, begins in ((0, same_key), (2, same_area)):
                starts = np.append(np.flatnonzero(begins), order.size).astype(np.int32)
                which = np.cumsum(begins) - 1
                found[profile, order, at] = starts[which]
                found[profile, order, at + 1] = starts[which + 1]
        return found


def pair_households(
    near: Neighbourhoods, area: Positions, weights: Integers, wanted: Integers, choosing: Positions, drawn: Bits,
    partner: Positions,
) -> Flags:  # fmt: skip
    """Let households choose partners outside their area, in proportion to weights; gives who found nobody.

    ``wanted`` says how many households of each area are still to be swapped, and ``partner`` who has whom already (-1:
    nobody): both are brought up to date.
    """
    of_kind(np.int32, near.order, near.place, area, choosing, partner)
    of_kind(np.int64, weights, wanted)
    of_kind(np.uint64, drawn)
    profiles, households = near.order.shape
    below(households, choosing)
    below(wanted.size, area)
    missed = np.zeros(choosing.size, np.uint8)
    if choosing.size:
        tree = np.empty(profiles * (households + 1), np.uint64)
        call(
            "pair_households", households, profiles, near.order, near.place, near.ends(area), weights, area, wanted,
            choosing, choosing.size, drawn, tree, partner, missed,
        )  # fmt: skip
    return missed.astype(np.bool_)
