"""What people's points lost between an original and a release: how coarse they are, and which of them are gone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nsmallest

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Flags, Positions
from shoal.domains.axis import Axis
from shoal.kernels import MISSING, TOP
from shoal.linked.traces import TracePoints, Traces

_AT_ONCE = 1 << 22  # pairs of an original and a published point that are compared at once


def costs_of(points: TracePoints, values: TracePoints) -> NDArray[np.float64]:
    """Give how much of its columns each published point leaves open, from 0 for values to 1 for ``*`` in all.

    Of a column with a hierarchy that is the share of leaves that its node covers, of numbers and dates the share of the
    range of the original, and of categories all or nothing; a value costs nothing, and columns count alike.
    """
    found = np.zeros(points.number)
    for j, axis in enumerate(values.axes):
        lo, hi = points.lo[:, j].astype(np.int64), points.hi[:, j].astype(np.int64)
        star = (lo == MISSING) & (hi == TOP)
        if axis.tree is not None:
            share = (hi - lo + 1) / len(axis.tree.leaves)
        else:
            given = values.lo[:, j][values.lo[:, j] != MISSING].astype(np.int64)
            span = int(given.max() - given.min()) if given.size else 0
            share = (hi - lo) / max(span, 1) if _ordered(axis) else np.ones(points.number)
        found += np.where(star, 1.0, np.where(lo == hi, 0.0, np.minimum(share, 1.0)))
    return found / max(len(values.axes), 1)


def _ordered(axis: Axis) -> bool:
    return not axis.nominal


def _covering(original: TracePoints, released: TracePoints, costs: NDArray[np.float64]) -> Iterator[Positions]:
    """Give the cheapest published point that covers each original one, or -1; then the next, if there are."""
    cheapest = np.argsort(costs, kind="stable")
    at_once = max(1, _AT_ONCE // max(released.number, 1))
    listed: list[list[int]] = []
    for start in range(0, original.number, at_once):
        some = slice(start, start + at_once)
        inside: Flags = np.ones((original.lo[some].shape[0], released.number), np.bool_)
        for j in range(len(original.columns)):
            lo, hi = released.lo[cheapest, j], released.hi[cheapest, j]
            inside &= ((lo <= original.lo[some, j, None]) & (original.hi[some, j, None] <= hi)) | (
                (lo == MISSING) & (hi == TOP)
            )
        listed += [cheapest[row].tolist() for row in inside]
    for turn in range(max(map(len, listed), default=0)):
        yield np.array([each[turn] if turn < len(each) else -1 for each in listed], np.int32)


def set_loss(original: Traces, released: Traces) -> tuple[float, int]:
    """Give the mean cost of the original points, of which a suppressed one counts 1, and how many are suppressed.

    The people of both stand in the same order, and both are on the same axes.
    """
    total, held = original.labels.size, released.holders
    costs = costs_of(released.points, original.points)
    best = np.full(total, 1.0)
    gone = np.ones(total, np.bool_)
    persons, number = original.holders.persons.astype(np.int64), max(released.points.number, 1)
    have = held.persons.astype(np.int64) * number + held.labels
    for covering in _covering(original.points, released.points, costs):
        label = covering[original.labels]
        wanted = persons * number + label
        place = np.searchsorted(have, wanted)
        there = (label >= 0) & (np.append(have, -1)[np.minimum(place, have.size)] == wanted)
        best[there] = np.minimum(best[there], costs[label[there]])
        gone &= ~there
    return (float(best.sum()) / total if total else 0.0), int(gone.sum())


@dataclass(frozen=True)
class Retention:
    """The most frequent itemsets of an original: how many are no longer among those of a release, and their supports.

    ``gone`` is the share of the most frequent that are no longer so (tKd), and ``error`` the mean relative error of the
    supports of the pairs among them.
    """

    gone: float
    error: float
    itemsets: int
    pairs: int


def retention(original: Traces, released: Traces, top: int) -> Retention:
    """Compare the most frequent combinations of one point or two."""
    before, after = _frequent(original, top), _frequent(released, top)
    if not before:
        return Retention(0.0, 0.0, 0, 0)
    shared = len(before.keys() & after.keys())
    named = {text: label for label, text in enumerate(zip(*released.points.texts(), strict=True))}
    order = np.argsort(released.labels, kind="stable")
    starts = np.searchsorted(released.labels[order], np.arange(released.points.number + 1))
    persons = released.holders.persons[order]

    def support(items: tuple[tuple[str, ...], ...]) -> int:
        labels = [named[item] for item in items if item in named]
        if len(labels) < len(items):
            return 0
        first, second = (persons[starts[label] : starts[label + 1]] for label in labels)
        return int(np.intersect1d(first, second, assume_unique=True).size)

    pairs = {items: people for items, people in before.items() if len(items) == 2}
    errors = [abs(people - (now := support(items))) / ((people + now) / 2) for items, people in pairs.items()]
    return Retention(1 - shared / len(before), sum(errors) / max(len(errors), 1), len(before), len(pairs))


def _frequent(traces: Traces, top: int) -> dict[tuple[tuple[str, ...], ...], int]:
    """Give the most frequent combinations of one point or two with how many have each; of equals the smaller first."""
    best: list[tuple[int, int, tuple[int, ...]]] = []
    for size in (1, 2):
        for rows, people in traces.holders.combinations(size):
            least = np.partition(people, people.size - top)[people.size - top] if people.size > top else 0
            some = np.flatnonzero(people >= least)
            more = zip(people[some].tolist(), rows[some].tolist(), strict=True)
            best = nsmallest(top, [*best, *((-n, size, tuple(row)) for n, row in more)])
    texts = list(zip(*traces.points.texts(), strict=True))
    return {tuple(texts[label] for label in row): -n for n, _, row in best}
