"""Information loss: how far published records are from their originals (Eq. 3 and 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.axis import Axis
from shoal.engines import Spans
from shoal.kernels import MISSING, TOP
from shoal.kernels.spans import Members, loss
from shoal.measures import Direction, Score
from shoal.table import Table


@dataclass(frozen=True)
class InformationLoss:
    """The mean standardized distance between original and published records, per attribute.

    A published range counts with its end that is farthest from the original value, a wildcard with the limits of the
    attribute's domain, a set of categories with its members' places on the axis. Attributes that do not vary
    contribute nothing.

    References
    ----------
    D. Sánchez, S. Martínez, J. Domingo-Ferrer, supplement of doi:10.1126/science.aad9295, Eq. 2-4.
    """

    name: ClassVar[str] = "information-loss"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def score(self, original: Table, released: Table) -> Score:
        """Add up the distances of all records."""
        names = original.schema.quasi
        sums = original.engine.distances(original, released)
        if sums is None:
            sums = _distances(original, released)
        per_attribute = {name: sums[j + 1] / original.rows for j, name in enumerate(names)}
        return Score.exact(self.name, sums[0] / (original.rows * len(names)), {"per_attribute": per_attribute})


def _distances(original: Table, released: Table) -> NDArray[np.float64]:
    """Compare the two tables record by record."""
    known = original.moments()
    complete = bool((known.count == original.rows).all())
    axes = [original.schema[name].axis for name in original.schema.quasi]

    def kernel(before: Spans, after: Spans, members: Members | None) -> NDArray[np.float64]:
        limits = [_on_common_axes(axes, side, before) for side in (known.lowest, known.highest)]
        return loss(
            before.lo, before.hi, after.lo, after.hi, members,
            known.deviation, limits[0], limits[1], before.table, before.offsets, complete=complete,
        )  # fmt: skip

    return original.engine.fold(original, released, kernel)


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
