"""How far published records are from their originals (Eq. 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.domains.axis import Axis
from shoal.engines.values import Boxes, Moments, Spans
from shoal.kernels import MISSING, TOP
from shoal.kernels.moments import PartialMoments, moments
from shoal.kernels.spans import Members, loss
from shoal.table import Table


def distances_between(original: Table, released: Table) -> NDArray[np.float64]:
    """Give the distances of all records from what is published for them, summed; then those of each attribute.

    The engine may have found them when it published the release; otherwise the tables are compared record by record.
    """
    found = released.data.distances_from(original.data)
    if found is not None:
        return found
    known = _among_all_categories(original, released)
    complete = bool((known.count == original.rows).all())
    axes = [original.schema[name].axis for name in original.schema.quasi]

    def kernel(before: Spans, after: Spans, members: Members | None) -> NDArray[np.float64]:
        limits = [_on_common_axes(axes, side, before) for side in (known.lowest, known.highest)]
        return loss(
            before.lo, before.hi, after.lo, after.hi, members,
            known.deviation, limits[0], limits[1], before.table, before.offsets, complete=complete,
        )  # fmt: skip

    return original.fold(released, kernel)


def _among_all_categories(original: Table, released: Table) -> Moments:
    """Give the moments of the original, with its categories where they lie among those of both tables.

    A release of another tool may show categories that the original lacks, which move others along the axis.
    """
    known = original.moments()
    deviation, lowest, highest = known.deviation.copy(), known.lowest.copy(), known.highest.copy()
    for j, name in enumerate(original.schema.quasi):
        axis = original.schema[name].axis
        if not axis.nominal or axis.values is None:
            continue
        move = axis.shared_with(released.schema[name].axis)[1]
        if move is None or (move[: len(axis.values)] == np.arange(len(axis.values))).all():
            continue
        low, high = (move[ends] for ends in axis.hull())
        lo, times = map(np.concatenate, zip(*original.boxes(_shown, (name,)), strict=True))
        cells = low[lo], high[lo], times
        ends = cells[0].min(initial=TOP, keepdims=True), cells[1].max(initial=MISSING, keepdims=True)
        part = PartialMoments((int(times.sum()),), (0,), (0,), *ends, {0: cells})
        places = np.arange(int(high.max(initial=0)) + 1, dtype=np.float64)
        found = moments([part], places, np.zeros(1, np.int64))
        deviation[j], lowest[j], highest[j] = (each[0] for each in found[2:])
    return replace(known, deviation=deviation, lowest=lowest, highest=highest)


def _shown(cells: Boxes) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Give the distinct cells of a column of categories that have a value, and how often each occurs."""
    there = cells.lo[:, 0] != MISSING
    return cells.lo[there, 0], cells.counts[there]


def _on_common_axes(axes: Sequence[Axis], positions: NDArray[np.int32], rows: Spans) -> NDArray[np.int32]:
    """Find positions of the original's axes among the numbers of the axes that it has in common with the release.

    Published means are numbers that the original need not have, so its own may have moved.
    """
    found = positions.copy()
    for j, axis in enumerate(axes):
        begin = int(rows.offsets[j])
        if begin < 0 or positions[j] in (MISSING, TOP):
            continue
        numbers = axis.coordinates()
        number = float(positions[j]) if numbers is None else numbers[positions[j]]
        stop = min((int(other) for other in rows.offsets if other > begin), default=rows.table.size)
        found[j] = np.searchsorted(rows.table[begin : stop - 1], number)  # the last, if none before it
    return found
