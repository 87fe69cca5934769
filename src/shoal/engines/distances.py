"""How far published records are from their originals (Eq. 4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.domains.axis import Axis
from shoal.engines.values import Spans
from shoal.kernels import MISSING, TOP
from shoal.kernels.spans import Members, loss
from shoal.table import Table


def distances_between(original: Table, released: Table) -> NDArray[np.float64]:
    """Give the distances of all records from what is published for them, summed; then those of each attribute.

    The engine may have found them when it published the release; otherwise the tables are compared record by record.
    """
    found = released.data.distances_from(original.data)
    if found is not None:
        return found
    known = original.moments()
    complete = bool((known.count == original.rows).all())
    axes = [original.schema[name].axis for name in original.schema.quasi]

    def kernel(before: Spans, after: Spans, members: Members | None) -> NDArray[np.float64]:
        limits = [_on_common_axes(axes, side, before) for side in (known.lowest, known.highest)]
        return loss(
            before.lo, before.hi, after.lo, after.hi, members,
            known.deviation, limits[0], limits[1], before.table, before.offsets, complete=complete,
        )  # fmt: skip

    return original.fold(released, kernel)


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
