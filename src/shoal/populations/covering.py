"""Points or records of a table, and the published cells of another that cover them."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Integers, Offsets, Positions
from shoal.domains.axis import Axis
from shoal.engines.local.aligning import Used, alignment
from shoal.engines.local_data import moved
from shoal.errors import SchemaError
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import starts_of
from shoal.linked.traces import TracePoints
from shoal.schema import Attribute, Role, Schema


def covering(original: TracePoints, released: TracePoints) -> tuple[Integers, Integers]:
    """Give all pairs of a point of the original and a published label that covers it, in the order of the points."""
    if set(original.columns) != set(released.columns):
        raise SchemaError(
            "The points of the two tables are not made of the same columns.",
            f"Those of the original are: {', '.join(original.columns)}.",
        )
    before, after = _schema(original), _schema(released)
    plan = alignment(before, after, original.columns, (_used(original), _used(released)))
    point = np.arange(original.number)
    prefix = np.zeros(original.number, np.int64)  # of the labels that cover the point in the columns so far
    label = np.zeros(released.number, np.int64)
    for j, name in enumerate(original.columns):
        axis, there = plan.axes[name], released.columns.index(name)
        cells, cell_of = distinct_cells(*_moved(original, j, plan.first[name]))
        others, other_of = distinct_cells(*_moved(released, there, plan.second[name]))
        starts, covers = containing(axis, cells, others)
        counts = np.diff(starts)[cell_of[point]]
        within = np.arange(counts.sum()) - np.repeat(starts_of(counts)[:-1], counts)
        other = covers[np.repeat(starts[cell_of[point]], counts) + within]
        point, keys = np.repeat(point, counts), np.repeat(prefix, counts) * len(others) + other
        found, label = np.unique(label * len(others) + other_of, return_inverse=True)
        prefix = np.searchsorted(found, keys)
        there_is = np.append(found, -1)[prefix] == keys
        point, prefix = point[there_is], prefix[there_is]
    order = np.argsort(label.reshape(-1), kind="stable")  # every label is a prefix of its own by now
    return point, order[prefix]


def _schema(points: TracePoints) -> Schema:
    columns = zip(points.columns, points.axes, strict=True)
    return Schema(tuple(Attribute(name, Role.QUASI, axis) for name, axis in columns))


def _used(points: TracePoints) -> Used:
    def used(name: str) -> Positions:
        j = points.columns.index(name)
        ends = np.unique(np.concatenate([points.lo[:, j], points.hi[:, j]]))
        found: Positions = ends[(ends != MISSING) & (ends != TOP)]
        return found

    return used


def _moved(points: TracePoints, j: int, move: Positions | None) -> tuple[Positions, Positions]:
    ends = np.ascontiguousarray(points.lo[:, j]), np.ascontiguousarray(points.hi[:, j])
    if move is None:
        return ends
    if move.ndim == 1:
        return moved(ends[0], move), moved(ends[1], move)
    return _listed(ends[0], move), _listed(ends[1], move)


def _listed(positions: Positions, move: Positions) -> Positions:
    inside, out = (positions != MISSING) & (positions != TOP), positions.copy()
    out[inside] = move[1][np.searchsorted(move[0], positions[inside])]
    return out


def distinct_cells(lo: Positions, hi: Positions) -> tuple[Integers, Integers]:
    """Give the distinct cells, both ends of each in a line, in ascending order, and the number of each cell."""
    keys = (lo.astype(np.int64) << 32) + (hi.astype(np.int64) - MISSING)
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return np.stack([lo[first], hi[first]], axis=1).astype(np.int64), number.reshape(-1)


def containing(axis: Axis, cells: Integers, others: Integers) -> tuple[Offsets, Integers]:
    """Give for each of some cells where the numbers of the others begin that cover it, and these numbers."""
    if axis.nominal:
        assert axis.values is not None
        size = len(axis.values)
        spread = [[low] if low < size else [*axis.members(low), low] for low in others[:, 0].tolist()]
        owner = np.repeat(np.arange(len(others)), [len(each) for each in spread])
        values = np.array([value for each in spread for value in each], np.int64)
        place = np.searchsorted(cells[:, 0], values)
        there = (np.append(cells[:, 0], TOP)[place] == values) & (values != MISSING)
        stars, nothing = (np.flatnonzero((others == (MISSING, end)).all(axis=1)) for end in (TOP, MISSING))
        alike = np.flatnonzero((cells == (MISSING, MISSING)).all(axis=1))
        pairs = [
            (place[there], owner[there]),
            (np.repeat(np.arange(len(cells)), stars.size), np.tile(stars, len(cells))),
            (np.repeat(alike, nothing.size), np.tile(nothing, alike.size)),
        ]
        cell, other = (np.concatenate([pair[i] for pair in pairs]) for i in range(2))
    else:
        begin = np.searchsorted(cells[:, 0], others[:, 0], side="left")
        end = np.searchsorted(cells[:, 0], others[:, 1], side="right")
        counts = np.maximum(end - begin, 0)
        within = np.arange(counts.sum()) - np.repeat(starts_of(counts)[:-1], counts)
        cell, other = np.repeat(begin, counts) + within, np.repeat(np.arange(len(others)), counts)
        inside = cells[cell, 1] <= others[other, 1]
        cell, other = cell[inside], other[inside]
    order = np.argsort(cell, kind="stable")
    return starts_of(np.bincount(cell, minlength=len(cells))), other[order]
