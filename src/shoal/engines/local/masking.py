"""Masking of records that stand alone: one step after the other, on those that are still alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.axis import Axis
from shoal.engines import Counts
from shoal.engines.local.data import OWN, LocalData
from shoal.engines.local.publishing import enclosing, seated
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import count_labels, label_rows
from shoal.levels import Stretches
from shoal.schema import Schema

Positions = NDArray[np.int32]


def mask_alone(
    data: LocalData, schema: Schema, steps: Sequence[tuple[str, Stretches | None]], key: Sequence[str]
) -> tuple[Schema, LocalData, Mapping[str, Counts]]:
    """Bring one column after the other to its level in the records that no other record equals in the key.

    What is published follows from the original cell, so that levels need not nest; what is hidden stays hidden. Also
    gives the original positions of the cells that were changed, per column, and how often each occurs among them.
    """
    original_lo, original_hi = data.unfolded()
    lo, hi = original_lo.copy(), original_hi.copy()
    columns = np.array([data.at(name) for name in key], np.int64)
    axes: dict[str, Axis] = {}
    for name, stretches in steps:
        alone = _alone(lo, hi, columns)
        if alone.size == 0:
            break
        j = data.at(name)
        if stretches is None:
            lo[alone, j], hi[alone, j] = MISSING, TOP
            continue
        axes[name], low, high = seated(axes.get(name, schema[name].axis), stretches)
        inside, place = enclosing(stretches, original_lo[alone, j], original_hi[alone, j])
        inside &= lo[alone, j] != MISSING
        rows = alone[inside]
        lo[rows, j], hi[rows, j] = low[place[inside]], high[place[inside]]
    changed = (lo != original_lo) | (hi != original_hi)
    masked = {}
    for name in dict.fromkeys(name for name, _ in steps):
        j = data.at(name)
        masked[name] = np.unique(original_lo[changed[:, j], j], return_counts=True)
    return schema.with_axes(axes), replace(data, lo=lo, hi=hi, index=OWN), masked


def _alone(lo: Positions, hi: Positions, columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the rows whose cells in some columns no other row has."""
    labels, groups = label_rows(lo, hi, columns)
    return np.flatnonzero(count_labels(labels, groups)[labels] == 1)
