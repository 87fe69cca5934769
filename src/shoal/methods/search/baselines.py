"""Baselines: classes of few records as other methods form them; among few, chance may favour any."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.arrays import Labels
from shoal.engines.values import Spans
from shoal.kernels.microaggregation import STRICT, mdav, part_of, split_rows, v_mdav
from shoal.methods.partitioning.metric_points import MetricSpace, set_apart

FEW = 1 << 10  # records
GAMMA = 0.2  # as V-MDAV has it if nothing is said


def baseline_partitions(space: MetricSpace, rows: Spans, k: int) -> Iterator[tuple[Labels, int]]:
    """Give the classes of MDAV, V-MDAV and Mondrian, and of all three with records left alone that are alike."""
    n, points = rows.lo.shape[0], space.points(rows)
    apart, kept = set_apart(rows, points, k)
    rest = np.flatnonzero(apart < 0).astype(np.int32)
    for chosen, groups in ((np.arange(n, dtype=np.int32), 0), (rest, kept)):
        if chosen.size < k:
            continue
        some, whole = points.taken(chosen), np.array([0, chosen.size], np.int64)
        parts = split_rows(some, k, mode=STRICT)
        for found, number in (
            mdav(some, k, np.arange(chosen.size, dtype=np.int32), whole),
            v_mdav(some, k, GAMMA),
            (part_of(*parts), parts[1].size - 1),
        ):
            labels = apart.copy()
            labels[chosen] = found + np.int32(groups)
            yield labels, groups + number
