"""Records that change places between classes, so that boxes shrink and a confidential value stays spread."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import below, call, of_kind

Floats = NDArray[np.float32]
Positions = NDArray[np.int32]
Counts = NDArray[np.int64]

DEPTH = 64  # halves within halves
PENALTY = 100.0  # boxes are measured in units of what is counted, distances are below 1


@dataclass(frozen=True)
class Trading:
    """How hard to look: the classes of a block, how often all are looked at, and when a record is worth trying.

    ``worth`` is the part of its share in the box, were it divided by all members, by which a record must stick out.
    """

    block: int
    passes: int
    worth: float
    sweeps: int = 3


@dataclass(frozen=True, eq=False)
class Spread:
    """The bin of each record, how many records of the table are in each bin, and the distance that is allowed."""

    bins: Positions
    counts: Counts
    t: float

    @classmethod
    def of(cls, bins: Positions, counts: Counts | int, t: float) -> Spread:
        """Take the counts of bins, or the number of bins that have one record each."""
        return cls(bins, np.ones(counts, np.int64) if isinstance(counts, int) else counts, t)

    def tables(self) -> tuple[Counts, NDArray[np.float64]]:
        """Give the cumulative counts and their running sum, with a leading zero."""
        cumulative = np.cumsum(self.counts)
        return cumulative, np.concatenate([np.zeros(1), np.cumsum(cumulative, dtype=np.float64)])


def trade(rows: Floats, full: Floats, seats: Positions, spread: Spread, effort: Trading) -> Positions:
    """Let records change places between classes of one size wherever that makes two of them cheaper together.

    ``rows`` holds coordinates in units of what is counted and ``full`` the most that each column may cost. ``seats``
    has one line per class with its records; neighbouring lines should be alike. No class gets farther from the table
    than is allowed, or than it was, and those that are too far come nearer where they can.
    """
    of_kind(np.float32, rows, full)
    of_kind(np.int32, seats, spread.bins)
    of_kind(np.int64, spread.counts)
    below(rows.shape[0], seats)
    below(spread.counts.size, spread.bins)
    (groups, size), wide = seats.shape, rows.shape[1]
    if size < 2 or groups < 2:
        return seats
    by_bin = np.argsort(spread.bins[seats], axis=1, kind="stable")
    found = np.take_along_axis(seats, by_bin, axis=1)
    block = min(effort.block, groups)
    reach = math.ceil(2 * spread.t * size)  # a record more or less moves the distance by up to 1 / size
    terms = np.array([spread.t, effort.worth / size, PENALTY])
    floats = np.empty(block * ((3 * wide + 1) * size + 1), np.float32)
    doubles = np.empty(block * (2 * size + 1) + 4 * size + 4)
    tables = *spread.tables(), spread.counts.size, int(spread.counts.sum())
    for turn in range(effort.passes):
        order = _neighbours(rows, found, block, turn)
        call(
            "trade", rows, wide, full, spread.bins, *tables, terms, found, groups, size, reach, order, block,
            effort.sweeps, floats, doubles, result=ctypes.c_int64,
        )  # fmt: skip
    return found


def _neighbours(rows: Floats, seats: Positions, block: int, turn: int) -> Positions:
    """Order classes so that those of a block are alike, at first as they stand, then each time in another way."""
    groups, wide = seats.shape[0], rows.shape[1]
    order = np.arange(groups, dtype=np.int32)
    if turn == 0:
        return order
    lowest, highest = rows[seats[:, 0]], rows[seats[:, 0]]
    for column in seats.T[1:]:
        lowest, highest = np.minimum(lowest, rows[column]), np.maximum(highest, rows[column])
    centres = (lowest + highest) / 2
    scratch = np.empty(groups, np.float32), np.empty(4 * DEPTH, np.int64), np.empty(3 * wide)
    call("neighbourhoods", centres, groups, wide, block, turn, order, *scratch)
    return order
