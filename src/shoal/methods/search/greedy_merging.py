"""Greedy merging: classes that break a promise join others, where that costs little and helps much."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Integers, Labels, Levels, Positions
from shoal.engines.values import Promise
from shoal.kernels.grouping import by_label, starts_of
from shoal.kernels.merge_costs import cheapest_partners
from shoal.table import Carry, Classes

REACH = 64  # how many places away along the order of classes a partner may be
FEW = (2, 8)  # the fewest and the most partners of which it is found out how much they help
TRIALS = 1 << 16  # of partners in a round, about
MOST_LACK = 10.0  # that counts: some levels are infinite


@dataclass(frozen=True, eq=False)
class Requirement:
    """A promise that every class is to keep, and the level that is promised."""

    promise: Promise
    level: float

    def lack(self, level: Levels, sizes: Integers) -> Levels:
        """Say how much classes lack, for all of their records; 0 where they keep the promise."""
        short = self.level - level if self.promise.higher_is_better else level - self.level
        return np.where(self.promise.met(level), 0.0, np.clip(short, 1e-9, MOST_LACK)) * sizes


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Where the rows of a piece lie: ends of their cells in units of what is counted, and the most a cell costs."""

    lower: NDArray[np.float32]
    upper: NDArray[np.float32]
    full: NDArray[np.float32]

    def boxes(self, order: Labels, starts: Integers) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Give the ends of the boxes around classes."""
        lo = np.minimum.reduceat(self.lower[order], starts[:-1])
        return lo, np.maximum.reduceat(self.upper[order], starts[:-1])


def merge_greedily(
    coordinates: Coordinates, columns: Mapping[Carry, Positions], labels: Labels, groups: int, required: Requirement
) -> tuple[Labels, int]:
    """Join each class that breaks a promise with the one that helps it most for what that costs, until none does.

    Labels number the classes along an order in which neighbours are alike. A single class may be left that fails.
    """
    promise = required.promise
    order, starts = by_label(labels, groups)
    level = promise.level(_of(columns, order, starts, promise))
    lo, hi = coordinates.boxes(order, starts)
    while starts.size > 2 and not (met := promise.met(level)).all():
        sizes, bad = np.diff(starts), np.flatnonzero(~met)
        few = int(np.clip(TRIALS // bad.size, *FEW))
        partners, more = cheapest_partners(lo, hi, coordinates.full, sizes, bad, REACH, few)
        at, which = np.nonzero(partners >= 0)
        pairs = np.stack([bad[at], partners[at, which]])
        together = promise.level(_of(columns, *_united(order, starts, pairs), promise))
        lack = required.lack(level, sizes)
        gain = lack[pairs[0]] + lack[pairs[1]] - required.lack(together, sizes[pairs].sum(axis=0))
        worth = np.full(partners.shape, -1.0)
        worth[at, which] = (np.maximum(gain, 0.0) + 1e-12) / (np.maximum(more[at, which], 0.0) + 1e-6)
        best = worth.argmax(axis=1)
        everyone = np.arange(bad.size)
        into = _couples(bad, partners[everyone, best], worth[everyone, best], sizes.size)
        first = into == np.arange(sizes.size)
        number = (np.cumsum(first) - 1)[into]
        labels = number.astype(np.int32)[labels]
        # What was not joined is as it was.
        grown, came = number[~first], np.flatnonzero(~first)
        low, high, level = lo[first], hi[first], level[first]
        low[grown], high[grown] = np.minimum(low[grown], lo[came]), np.maximum(high[grown], hi[came])
        lo, hi = low, high
        order, starts = by_label(labels, int(first.sum()))
        level[grown] = promise.level(_of(columns, *_some(order, starts, grown), promise))
    return labels, starts.size - 1


def _of(columns: Mapping[Carry, Positions], rows: NDArray[Any], starts: Integers, promise: Promise) -> Classes:
    return Classes(starts, {name: columns[name][rows] for name in promise.carry})


def _some(order: Labels, starts: Integers, chosen: Integers) -> tuple[Labels, Integers]:
    """Give the rows of some classes, one after the other, and where each begins."""
    sizes = np.diff(starts)[chosen]
    begin = starts_of(sizes)
    return order[np.arange(begin[-1]) + np.repeat(starts[:-1][chosen] - begin[:-1], sizes)], begin


def _united(order: Labels, starts: Integers, pairs: Integers) -> tuple[Labels, Integers]:
    """Give the rows of pairs of classes, each pair as one."""
    rows, begin = _some(order, starts, pairs.T.reshape(-1))
    return rows, np.ascontiguousarray(begin[::2])


def _couples(bad: Integers, partners: Integers, worth: Levels, groups: int) -> Integers:
    """Say what each class becomes a part of; each joins one other at most, those first for whom it is worth most."""
    into, free = np.arange(groups), np.ones(groups, bool)
    for at in np.argsort(-worth, kind="stable").tolist():
        one, other = int(bad[at]), int(partners[at])
        if free[one] and free[other]:
            free[one] = free[other] = False
            into[max(one, other)] = min(one, other)
    return into
