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
    """Give by column what share of the cells show a value, a range or a set that their own value is not in.

    Columns without such cells are left out. Nothing is said of a table of other records.
    """
    if original.rows != released.rows:
        return {}
    rows = np.arange(original.rows)
    found = {}
    for name in (each.name for each in original.schema.attributes if each.role in RELEASED):
        axes = original.schema[name].axis, released.schema[name].axis
        (own, end), (low, high) = (
            tuple(side[:, 0].astype(np.int32) for side in table.cells((name,), rows)) for table in (original, released)
        )
        known = (own == end) & (own != MISSING) & (low != MISSING)
        if axes[0].nominal and axes[0].values is not None:
            known &= own < len(axes[0].values)  # behind the values stand sets of them
        count = _outside(*axes, own[known], low[known], high[known])
        if count:
            found[name] = count / original.rows
    return found


def _outside(before: Axis, after: Axis, own: Positions, low: Positions, high: Positions) -> int:
    """Count the cells whose own value is not in what they show."""
    if after.nominal:
        pairs, times = np.unique(own.astype(np.int64) << 32 | low.view(np.uint32), return_counts=True)
        ends = (pairs >> 32).tolist(), pairs.astype(np.uint32).view(np.int32).tolist()
        other = [before.value(one) not in _members(after, cell) for one, cell in zip(*ends, strict=True)]
        return int(times[np.array(other, bool)].sum())
    if after.numeric:
        value, least, most = (_numbers(axis, at) for axis, at in ((before, own), (after, low), (after, high)))
    else:  # an order is the same before and after, but some of its categories may be gone
        ranks = {category: rank for rank, category in enumerate(_categories(before))}
        of_after = np.array([ranks.get(category, -1) for category in _categories(after)], np.int64)
        value, least, most = own.astype(np.float64), of_after[low].astype(np.float64), of_after[high].astype(np.float64)
    return int(np.count_nonzero((value < least) | (value > most)))


def _members(axis: Axis, position: int) -> set[object]:
    return {axis.value(member) for member in axis.members(position)}


def _categories(axis: Axis) -> list[object]:
    return [] if axis.values is None else list(axis.values)


def _numbers(axis: Axis, positions: Positions) -> NDArray[np.float64]:
    numbers = axis.coordinates()
    return positions.astype(np.float64) if numbers is None else numbers[positions]
