"""Who could it be: the people who have all of some points that an attacker knows of somebody."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np

from shoal.arrays import Bytes, Flags, Floats, Integers, Offsets, Positions
from shoal.kernels import below, call, of_kind

# Masks of at most so many bytes are held for the candidates of one person.
_MOST_MASKS = 2**28
_NO_CANDIDATE = 2**63 - 1


class CandidateSets(NamedTuple):
    """How many sets of points nobody has, and exactly one candidate, for each person.

    ``smallest`` is the size of the smallest set of candidates that is not empty, 0 if all are.
    """

    none: Floats
    one: Floats
    smallest: int


def count_candidate_sets(
    starts: Offsets, known: Positions, list_starts: Offsets, holders: Positions, p: int, effort: int
) -> CandidateSets | None:
    """Count all sets of p points known of each person by how many candidates have them; None if it takes too long.

    Parameters
    ----------
    starts, known
        Where the points known of each person begin, and for each the number of the list of those who have it. People
        with fewer than p points have no set.
    list_starts, holders
        Where each list begins, and who is on it, in ascending order.
    p
        How many points are known at once.
    effort
        How many steps may be taken: about one for each word of memory that is looked at.
    """
    of_kind(np.int64, starts, list_starts)
    of_kind(np.int32, known, holders)
    below(list_starts.size - 1, known)
    people, longest = starts.size - 1, int(np.diff(starts).max(initial=0))
    candidates = int(holders.max(initial=-1)) + 1
    below(candidates, holders)
    lengths = np.diff(list_starts)[known]
    if p == 1:
        return _single_points(starts, lengths)
    met = np.concatenate(([0], np.cumsum(lengths)))[starts]
    room = min(candidates, int(np.diff(met).max(initial=0)))
    words = -(-longest // 64)
    if met[-1] > effort or room * words * 8 > _MOST_MASKS:
        return None
    none, one = np.empty(people), np.empty(people)
    smallest = call(
        "count_candidate_sets", starts, known, people, list_starts, holders, p, effort, room,
        np.full(candidates, -1, np.int32), np.empty(room, np.int32), np.empty(room * words, np.uint64),
        np.empty(room * p, np.int32), np.empty(2 * longest, np.uint64), longest, np.empty(longest, np.int64), none, one,
        result=ctypes.c_int64,
    )  # fmt: skip
    return None if smallest < 0 else CandidateSets(none, one, _some(smallest))


def count_candidates(drawn: Positions, list_starts: Offsets, holders: Positions) -> tuple[Bytes, int]:
    """Count the candidates who have all points of each row: none, one, or two for more; and the smallest such set.

    Each point is given as the number of the list of those who have it, in ascending order.
    """
    of_kind(np.int64, list_starts)
    of_kind(np.int32, drawn, holders)
    below(list_starts.size - 1, drawn)
    sets, p = drawn.shape
    counts = np.empty(sets, np.uint8)
    smallest = call(
        "count_candidates", drawn, sets, p, list_starts, holders, np.empty(p, np.int64), np.empty(p, np.int64), counts,
        result=ctypes.c_int64,
    )  # fmt: skip
    return counts, _some(smallest)


def _single_points(starts: Offsets, lengths: Integers) -> CandidateSets:
    """Count what one known point tells, which the lengths of the lists say."""

    def of_each(flags: Flags) -> Floats:
        return np.diff(np.concatenate(([0], np.cumsum(flags)))[starts]).astype(np.float64)

    smallest = int(lengths.min(initial=_NO_CANDIDATE, where=lengths > 0))
    return CandidateSets(of_each(lengths == 0), of_each(lengths == 1), _some(smallest))


def _some(smallest: int) -> int:
    return 0 if smallest == _NO_CANDIDATE else smallest
