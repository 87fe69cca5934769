"""Swapping: records change places between classes, so that boxes shrink and a confidential value stays spread."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Integers, Positions, Singles
from shoal.kernels import below, call, of_kind
from shoal.kernels.spans import Members

DEPTH = 64  # halves within halves
PENALTY = 100.0  # boxes are measured in units of what is counted, distances are below 1


@dataclass(frozen=True)
class SwapEffort:
    """How hard to look: the classes of a block, how often all are looked at, and when a record is worth trying.

    ``worth`` is the part of its share in the box, were it divided by all members, by which a record must stick out;
    those of classes that are too far from the table are always tried. Classes are put into blocks in another way at
    each ``turn``, of which that is the first.
    """

    block: int
    passes: int
    worth: float
    sweeps: int = 3
    turn: int = 0


@dataclass(frozen=True, eq=False)
class Spread:
    """The bin of each record, how many records of the table are in each bin, and the distance that is allowed."""

    bins: Positions
    counts: Integers
    t: float

    @classmethod
    def of(cls, bins: Positions, counts: Integers | int, t: float) -> Spread:
        """Take the counts of bins, or the number of bins that have one record each."""
        return cls(bins, np.ones(counts, np.int64) if isinstance(counts, int) else counts, t)

    def tables(self) -> tuple[Integers, NDArray[np.float64]]:
        """Give the cumulative counts and their running sum, with a leading zero."""
        cumulative = np.cumsum(self.counts)
        return cumulative, np.concatenate([np.zeros(1), np.cumsum(cumulative, dtype=np.float64)])


def swap_records(rows: Singles, full: Singles, members: Members, spread: Spread, effort: SwapEffort) -> Positions:
    """Let records change places between classes wherever that makes two of them cheaper together.

    ``rows`` holds coordinates in units of what is counted and ``full`` the most that each column may cost. ``members``
    are the records class after class, and where each class begins; neighbouring classes should be alike. No class gets
    farther from the table than is allowed, or than it was, and those that are too far come nearer where they can. Gives
    the records class after class.
    """
    records, starts = members
    of_kind(np.float32, rows, full)
    of_kind(np.int32, records, spread.bins)
    of_kind(np.int64, starts, spread.counts)
    below(rows.shape[0], records)
    below(spread.counts.size, spread.bins)
    sizes, wide = np.diff(starts), rows.shape[1]
    groups, largest = sizes.size, int(sizes.max(initial=0))
    if largest < 2 or groups < 2:
        return records
    homes: Integers = np.repeat(np.arange(groups), sizes)
    found = records[np.lexsort((spread.bins[records], homes))]
    block = min(effort.block, groups)
    most = int(np.sort(sizes)[-block:].sum())
    passed_at, levels = _levels(sizes, largest)
    terms = np.array([spread.t, effort.worth, PENALTY])
    floats = np.empty(most * (3 * wide + 1) + block, np.float32)
    doubles = np.empty(2 * (most + levels + largest) + block)
    tables = *spread.tables(), spread.counts.size, int(spread.counts.sum())
    for turn in range(effort.turn, effort.turn + effort.passes):
        order = _neighbours(rows, found, starts, block, turn)
        call(
            "swap_records", rows, wide, full, spread.bins, *tables, terms, found, starts, groups, passed_at, largest,
            levels, order, block, most, effort.sweeps, floats, doubles, np.empty(block + 1, np.int64),
            result=ctypes.c_int64,
        )  # fmt: skip
    return found


def _levels(sizes: Integers, largest: int) -> tuple[Integers, int]:
    """Say where the levels of classes of each size begin, -1 for those that do not occur, and how many there are."""
    occurring = np.unique(sizes)
    passed_at = np.full(largest + 1, -1, np.int64)
    passed_at[occurring] = np.append(0, np.cumsum(occurring + 1))[:-1]
    return passed_at, int((occurring + 1).sum())


def _neighbours(rows: Singles, records: Positions, starts: Integers, block: int, turn: int) -> Positions:
    """Order classes so that those of a block are alike, at first as they stand, then each time in another way."""
    groups, wide = starts.size - 1, rows.shape[1]
    order = np.arange(groups, dtype=np.int32)
    if turn == 0:
        return order
    placed = rows[records]
    centres = (np.minimum.reduceat(placed, starts[:-1]) + np.maximum.reduceat(placed, starts[:-1])) / 2
    scratch = np.empty(groups, np.float32), np.empty(4 * DEPTH, np.int64), np.empty(3 * wide)
    call("neighbourhoods", centres, groups, wide, block, turn, order, *scratch)
    return order
