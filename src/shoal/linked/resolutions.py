"""Points seen more coarsely: cells become stretches of their axes or nodes, the same for everybody."""

from __future__ import annotations

import numpy as np

from shoal.domains.resolution import Resolution
from shoal.engines.local.generalizing import enclosing
from shoal.kernels import MISSING, TOP
from shoal.linked.recoding import recoded
from shoal.linked.traces import Traces


def seen_at(traces: Traces, resolution: Resolution) -> Traces:
    """Give everyone the points that are seen at a resolution; a column that is left out is ``*`` in all of them.

    Where only columns that are left out had a value, there is no point any more.
    """
    points = traces.points
    at = {name: j for j, name in enumerate(points.columns)}
    left = [at[name] for name in resolution.columns(points.columns)]
    valued = (points.hi[:, left] != MISSING).any(axis=1)
    if not valued.all():
        other = np.where(valued, np.cumsum(valued) - 1, -1).astype(np.int32)
        traces = traces.relabelled(other, points.take(np.flatnonzero(valued)))
        points = traces.points
    lo, hi = points.lo.copy(), points.hi.copy()
    axes = dict(zip(points.columns, points.axes, strict=True))
    for name, parts in resolution.rules(axes, lambda name: np.unique(points.lo[:, at[name]])).items():
        j = at[name]
        inside, place = enclosing(parts, lo[:, j], hi[:, j])
        lo[inside, j], hi[inside, j] = parts.lows[place[inside]], parts.highs[place[inside]]
    for name in resolution.left_out:
        lo[:, at[name]], hi[:, at[name]] = MISSING, TOP
    return recoded(traces, lo, hi)
