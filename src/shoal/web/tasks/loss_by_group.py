"""Loss by group: how much detail is lost in the records of each group of people."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Positions
from shoal.domains.axis import Axis
from shoal.engines import Boxes, Spans
from shoal.kernels import MISSING
from shoal.kernels.spans import Members
from shoal.measures.granularity import domains, widths
from shoal.table import Table
from shoal.web.tasks.messages import GroupLoss

_BANDS = 6
_LEAST = 10  # records that a group must have to be named


@dataclass(frozen=True)
class _Groups:
    """The people that a quasi-identifier tells apart: the first value of each group, and what the group is called."""

    column: str
    place: int
    first: Positions
    names: list[str]


def loss_by_group(original: Table, released: Table) -> dict[str, tuple[GroupLoss, ...]]:
    """Average what is lost over the groups of each quasi-identifier: its values, or bands of them if they are many.

    What a record loses is the mean width of its cells, from 0 to 1.
    """
    quasi = original.schema.quasi
    groups = [each for j, name in enumerate(quasi) if (each := _groups(original, j, name)) is not None]
    axes = {name: released.schema[name].axis for name in quasi}
    lengths = domains(original)

    def kernel(before: Spans, after: Spans, members: Members | None) -> Floats:
        order, starts = members if members is not None else (slice(None), np.arange(after.lo.shape[0] + 1))
        cells = [widths(after.lo[:, j], after.hi[:, j], axes[name], lengths[name]) for j, name in enumerate(quasi)]
        lost = np.repeat(np.mean(cells, axis=0), np.diff(starts))
        sums = []
        for known in groups:
            positions = before.lo[order, known.place]
            inside = positions != MISSING
            group = np.searchsorted(known.first, positions[inside], side="right") - 1
            for counted in (None, lost[inside]):
                sums.append(np.bincount(group, weights=counted, minlength=len(known.names)).astype(np.float64))
        return np.concatenate([np.zeros(0), *sums])

    sums = _as_numbers(original).fold(_as_numbers(released), kernel)
    found = {}
    for known in groups:
        people, lost, sums = np.split(sums, [len(known.names), 2 * len(known.names)])
        rows = tuple(
            GroupLoss(group=text, records=int(count), lost=float(total / count))
            for text, count, total in zip(known.names, people, lost, strict=True)
            if count >= _LEAST
        )
        if len(rows) > 1:
            found[known.column] = rows
    return found


def _as_numbers(table: Table) -> Table:
    """Give a table whose cells are their positions, so that a set of categories is known from others by its number."""
    return replace(table, schema=table.schema.with_axes(dict.fromkeys(table.schema.quasi, Axis("integer"))))


def _groups(original: Table, j: int, name: str) -> _Groups | None:
    """Give the groups of a column; None where some cells are coarse already, or categories are too many."""

    def cells(boxes: Boxes) -> tuple[Positions, Positions, NDArray[np.int64]]:
        return boxes.lo[:, 0], boxes.hi[:, 0], boxes.counts

    low, high, times = (np.concatenate(each) for each in zip(*original.boxes(cells, (name,)), strict=True))
    filled = low != MISSING
    values, at = np.unique(low[filled], return_inverse=True)
    axis = original.schema[name].axis
    if not values.size or not np.array_equal(low, high) or (axis.nominal and values.size > 4 * _BANDS):
        return None
    if axis.nominal or values.size <= _BANDS:
        return _Groups(name, j, values, axis.texts(values))
    return _Groups(name, j, *_bands(values, np.bincount(at, weights=times[filled]).astype(np.int64), axis))


def _bands(values: Positions, counts: NDArray[np.int64], axis: Axis) -> tuple[Positions, list[str]]:
    """Cut an ordered axis into bands that hold about as many records each."""
    before = np.cumsum(counts) - counts
    begun = np.searchsorted(before, np.linspace(0, counts.sum(), _BANDS, endpoint=False), side="left")
    edges = np.unique(np.minimum(begun, values.size - 1))  # many records may have the last value
    ends = [*(edges[1:] - 1).tolist(), values.size - 1]
    low, high = axis.texts(values[edges]), axis.texts(values[ends])
    return values[edges], [a if a == b else f"{a} to {b}" for a, b in zip(low, high, strict=True)]
