"""What a column would show if it were coarser by one step: nodes one level up, or ranges of which two become one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.arrays import Flags, Integers, Positions
from shoal.domains.axis import Axis
from shoal.domains.hierarchy import Hierarchy
from shoal.kernels import MISSING, TOP
from shoal.populations.covering import distinct_cells

CoarseningStep = Literal["level", "bins"]


@dataclass(frozen=True, eq=False)
class CoarserCells:
    """The cells of a column one step coarser.

    Attributes
    ----------
    step
        What the step is: to the next ``level`` of its hierarchy, or to ``bins`` of twice the width.
    codes
        The number of the coarser cell of each record; equal cells have equal numbers.
    """

    step: CoarseningStep
    codes: Positions

    @classmethod
    def of(cls, axis: Axis, lo: Positions, hi: Positions) -> CoarserCells | None:
        """Find the coarser cells, given both ends of those that are there; None where nothing says what is coarser."""
        cells, which = distinct_cells(lo, hi)
        shown = cells[:, 0] != MISSING
        if axis.tree is not None:
            return cls("level", _above(axis.tree, cells, shown)[which])
        ranges = cells[shown]
        disjoint = (ranges[1:, 0] > ranges[:-1, 1]).all()
        if axis.nominal or not disjoint or not (ranges[:, 0] < ranges[:, 1]).any():
            return None
        numbers = np.empty(len(cells), np.int32)
        numbers[shown] = np.arange(shown.sum()) // 2
        numbers[~shown] = -1 - np.arange((~shown).sum())
        return cls("bins", numbers[which])


def _above(tree: Hierarchy, cells: Integers, shown: Flags) -> Positions:
    """Give the node over each cell; what is missing is a leaf with no node over it but the highest."""
    ends, parents, _ = tree.tables
    over = tree.above[min(1, len(tree.above) - 1)]
    node_at = {span: node for node, span in enumerate(map(tuple, ends.tolist()))}
    top = len(ends) - 1
    numbers = np.empty(len(cells), np.int32)
    for i, (low, high) in enumerate(cells.tolist()):
        if not shown[i]:
            numbers[i] = top if high == TOP else -1
        else:
            numbers[i] = over[low] if low == high else parents[node_at[low, high]]
    if (numbers == top).any() and (numbers[shown] == top).all():
        numbers[:] = top  # then all cells are *, missing ones too
    return numbers
