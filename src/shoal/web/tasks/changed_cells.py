"""Cells that show another value than their own, as methods leave them that change values instead of hiding them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.domains.axis import Axis
from shoal.kernels import MISSING
from shoal.schema import RELEASED
from shoal.table import Table


def changed_cells(original: Table, released: Table) -> dict[str, float]:
    """Give by column what share of the cells show one value that is not their own, where some do.

    A range or a set says less than its own value, and nothing else. Nothing is said of a table of other records.
    """
    if original.rows != released.rows:
        return {}
    rows = np.arange(original.rows)
    found = {}
    for name in (each.name for each in original.schema.attributes if each.role in RELEASED):
        axes = original.schema[name].axis, released.schema[name].axis
        (low, high), (shown, end) = original.cells((name,), rows), released.cells((name,), rows)
        exact = _single(axes[0], low[:, 0], high[:, 0]) & _single(axes[1], shown[:, 0], end[:, 0])
        share = _others(axes, low[exact, 0], shown[exact, 0].astype(np.int32)) / max(1, original.rows)
        if share:
            found[name] = share
    return found


def _single(axis: Axis, low: Positions, high: Positions) -> NDArray[np.bool_]:
    """Tell which cells hold one value."""
    known: NDArray[np.bool_] = (low == high) & (low != MISSING)
    if axis.nominal and axis.values is not None:
        known &= low < len(axis.values)  # behind the values stand groups of them
    return known


def _others(axes: tuple[Axis, Axis], before: Positions, after: Positions) -> int:
    """Count the pairs of positions that stand for different values."""
    if axes[0] is axes[1]:
        return int(np.count_nonzero(before != after))
    pairs, times = np.unique(before.astype(np.int64) << 32 | after.view(np.uint32), return_counts=True)
    own, other = (pairs >> 32).tolist(), pairs.astype(np.uint32).view(np.int32).tolist()
    changed = [axes[0].value(one) != axes[1].value(two) for one, two in zip(own, other, strict=True)]
    return int(times[np.array(changed, bool)].sum())
