"""What a linked release publishes for the points of its original: the labels that cover each, and who has them."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Positions
from shoal.kernels.grouping import starts_of
from shoal.linked.traces import Traces
from shoal.measures.reidentification.known_points import InvertedLists
from shoal.populations.covering import covering


def known_in(original: Traces, released: Traces, seen: Traces | None = None) -> tuple[Positions, InvertedLists]:
    """Give for each point of the original the list of the people of the release who may have it, and the lists.

    A point may be anything that a published label covers. Where recoding is global, at most one label covers it;
    where it is local, who has any of those that do is a candidate. The same is true of points that are known more
    coarsely, as they are ``seen``: who has a label for any of the points that such a one may be is a candidate.
    """
    point, label = covering(original.points, released.points)
    number = original.points.number
    if seen is not None:
        number, coarse_of = seen.points.number, np.full(number, -1)
        fine, coarse = covering(original.points, seen.points)
        coarse_of[fine] = coarse
        pairs = np.stack([coarse_of[point], label], axis=1)
        point, label = np.unique(pairs[pairs[:, 0] >= 0], axis=0).T
    lists = InvertedLists.of(released.offsets, released.labels, released.points.number)
    counts = np.bincount(point, minlength=number)
    nobody = released.points.number
    list_of = np.full(number, nobody, np.int32)
    alone = counts[point] == 1
    list_of[point[alone]] = label[alone]
    joined: dict[tuple[int, ...], Positions] = {}  # the lists of points that several labels cover
    places: dict[tuple[int, ...], int] = {}
    begins = starts_of(counts)
    for one in np.flatnonzero(counts > 1).tolist():
        covers = tuple(label[begins[one] : begins[one + 1]].tolist())
        if covers not in joined:
            joined[covers] = np.unique(np.concatenate([_list(lists, each) for each in covers]))
            places[covers] = nobody + len(joined)
        list_of[one] = places[covers]
    sizes = np.array([0, *(each.size for each in joined.values())], np.int64)  # the first is that of nobody
    starts = np.append(lists.starts, lists.starts[-1] + np.cumsum(sizes))
    return list_of, InvertedLists(starts, np.concatenate([lists.people, *joined.values()]).astype(np.int32))


def _list(lists: InvertedLists, label: int) -> Positions:
    return lists.people[lists.starts[label] : lists.starts[label + 1]]
