"""Local suppression of points, until no combination of up to m points is had by fewer than k people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.engines.combining import efforts, refuse_effort
from shoal.kernels.combinations import Holders
from shoal.linked.traces import Traces
from shoal.progress import stage


def suppressed(holders: Holders, k: int, m: int) -> tuple[Holders, int]:
    """Take labels from people until k^m-anonymity holds; give what is left, and in how many rounds.

    In each round the smallest combinations that are too rare are looked at, by the counts at its beginning. What is
    removed makes others rarer, so there may be many rounds; they end as labels only disappear. The last finds none.
    """
    rounds = 0
    while True:
        for size in range(1, m + 1):
            refuse_effort([efforts(holders, size)])
            found = [part for part in holders.having(size, k) if part[1].size]
            if found:
                break
        rounds += 1
        if not found:
            return holders, rounds
        stage(f"suppressing points, round {rounds}")
        rows, persons = (np.concatenate([part[i] for part in found]) for i in (0, 1))
        holders = holders.without(*holders.to_remove(rows, persons))


def suppressed_traces(traces: Traces, k: int, m: int) -> tuple[Traces, int]:
    """Take points from people until k^m-anonymity holds, among all of them or within the crowd of each."""
    if traces.person_classes is None:
        left, rounds = suppressed(traces.holders, k, m)
        return replace(traces, offsets=left.offsets, labels=left.labels), rounds
    # The same point in two person_classes is two labels: so it is counted in each.
    number = max(traces.points.number, 1)
    own = traces.person_classes[traces.holders.persons].astype(np.int64) * number + traces.labels
    distinct, labels = np.unique(own, return_inverse=True)
    apart = Holders(traces.offsets, labels.reshape(-1).astype(np.int32), distinct.size)
    left, rounds = suppressed(apart, k, m)
    return replace(traces, offsets=left.offsets, labels=(distinct[left.labels] % number).astype(np.int32)), rounds
