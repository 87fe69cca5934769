"""Points of an original and of its release on common axes: a release that was read again knows only what it shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.engines.local.aligning import alignment, used_positions, with_moves
from shoal.engines.local_data import OWN, LocalData
from shoal.linked.traces import TracePoints, Traces
from shoal.schema import Attribute, Role, Schema


def on_common_axes(original: Traces, released: Traces) -> tuple[Traces, Traces]:
    """Give the same traces, with points of both on the same axes."""
    both = original.points, released.points
    held = [_held(points) for points in both]
    schemas = [
        Schema(tuple(Attribute(name, Role.QUASI, axis) for name, axis in zip(points.columns, points.axes, strict=True)))
        for points in both
    ]
    first, second = (lambda name, data=data: used_positions(data, name) for data in held)
    plan = alignment(schemas[0], schemas[1], original.points.columns, (first, second))
    axes = tuple(plan.axes[name] for name in plan.names)
    moved = [with_moves(data, plan.names, moves) for data, moves in zip(held, (plan.first, plan.second), strict=True)]
    return (
        replace(original, points=TracePoints(plan.names, axes, moved[0].lo, moved[0].hi)),
        replace(released, points=TracePoints(plan.names, axes, moved[1].lo, moved[1].hi)),
    )


def _held(points: TracePoints) -> LocalData:
    codes = np.empty((points.number, 0), np.int32)
    return LocalData(points.columns, points.lo, points.hi, OWN, (False,) * len(points.columns), (), codes, ())
