"""Local suppression of points, until no combination of up to m points is had by fewer than k people."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Floats, Positions
from shoal.engines.combining import efforts, refuse_effort
from shoal.kernels.combinations import Holders
from shoal.linked.traces import Traces
from shoal.progress import stage


class TooDearError(Exception):
    """Suppression costs more than is to be spent."""


@dataclass(frozen=True, eq=False)
class LossBound:
    """What suppression may cost: a price for each label that somebody loses, and how much all may cost together."""

    prices: Floats
    most: float

    def refuse_more(self, before: Holders, left: Holders) -> None:
        """Give up as soon as what was removed costs more."""
        gone = before.people_of - left.people_of
        if float(gone @ self.prices) > self.most:
            raise TooDearError


def suppressed(holders: Holders, k: int, m: int, bound: LossBound | None = None) -> tuple[Holders, int]:
    """Take labels from people until k^m-anonymity holds; give what is left, and in how many rounds.

    In each round the smallest combinations that are too rare are looked at, by the counts at its beginning. What is
    removed makes others rarer, so there may be many rounds; they end as labels only disappear. The last finds none.
    """
    rounds, whole = 0, holders
    while True:
        found = _too_rare(holders, k, m)
        rounds += 1
        if not found:
            return holders, rounds
        stage(f"suppressing points, round {rounds}")
        rows, persons = (np.concatenate([part[i] for part in found]) for i in (0, 1))
        holders = holders.without(*holders.to_remove(rows, persons))
        if bound is not None:
            bound.refuse_more(whole, holders)


def _too_rare(holders: Holders, k: int, m: int) -> list[tuple[Positions, Positions]]:
    """Give the combinations of the smallest size that has some that are too rare, and who has each; else nothing."""
    for size in range(1, min(m, holders.longest) + 1):
        refuse_effort([efforts(holders, size)])
        found = [part for part in holders.having(size, k) if part[1].size]
        if found:
            return found
    return []


def suppressed_traces(traces: Traces, k: int, m: int, bound: LossBound | None = None) -> tuple[Traces, int]:
    """Take points from people until k^m-anonymity holds, among all of them or within the crowd of each."""
    if traces.person_classes is None:
        left, rounds = suppressed(traces.holders, k, m, bound)
        return replace(traces, offsets=left.offsets, labels=left.labels), rounds
    # The same point in two person_classes is two labels: so it is counted in each.
    number = max(traces.points.number, 1)
    own = traces.person_classes[traces.holders.persons].astype(np.int64) * number + traces.labels
    distinct, labels = np.unique(own, return_inverse=True)
    apart = Holders(traces.offsets, labels.reshape(-1).astype(np.int32), distinct.size)
    if bound is not None:
        bound = replace(bound, prices=bound.prices[distinct % number])
    left, rounds = suppressed(apart, k, m, bound)
    return replace(traces, offsets=left.offsets, labels=(distinct[left.labels] % number).astype(np.int32)), rounds
