"""Other points in the place of the points of people, the same for everybody."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Integers, Positions
from shoal.linked.traces import TracePoints, Traces


def recoded(traces: Traces, lo: Positions, hi: Positions) -> Traces:
    """Give everyone other cells in the place of each point, by both ends; points that have become equal are one."""
    width = len(traces.points.columns)
    rows, places = np.unique(np.concatenate([lo, hi], axis=1), axis=0, return_inverse=True)
    points = TracePoints(traces.points.columns, traces.points.axes, rows[:, :width], rows[:, width:])
    order = points.order()
    rank = np.empty(order.size, np.int32)
    rank[order] = np.arange(order.size, dtype=np.int32)
    return traces.relabelled(rank[places.reshape(-1)], points.take(order))


def compact(traces: Traces) -> Traces:
    """Forget the points that nobody has any more."""
    had = traces.holders.people_of > 0
    other = np.where(had, np.cumsum(had) - 1, -1).astype(np.int32)
    return traces.relabelled(other, traces.points.take(np.flatnonzero(had)))


def placed(traces: Traces, order: Integers) -> Traces:
    """Put each person into another place."""
    back = np.argsort(order)
    lengths = traces.holders.lengths[back]
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int64)
    rows = np.repeat(traces.offsets[:-1][back] - offsets[:-1], lengths) + np.arange(traces.labels.size)
    return Traces(offsets, traces.labels[rows], traces.points)
