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
    alone = _alone(lo, hi, columns)
    for name, stretches in steps:
        if not alone.any():
            break
        j = data.at(name)
        rows = np.flatnonzero(alone & (lo[:, j] != MISSING) | alone & (hi[:, j] == MISSING))
        if stretches is None:
            low, high = np.full(rows.size, MISSING, np.int32), np.full(rows.size, TOP, np.int32)
        else:
            axes[name], lows, highs = seated(axes.get(name, schema[name].axis), stretches)
            inside, place = enclosing(stretches, original_lo[rows, j], original_hi[rows, j])
            rows, low, high = rows[inside], lows[place[inside]], highs[place[inside]]
        # Only what changes now may meet others, and only those that show one of the new cells already.
        alike = _shows(lo[:, j], hi[:, j], low, high)
        lo[rows, j], hi[rows, j] = low, high
        alike[rows] = True
        concerned = np.flatnonzero(alike)
        still = np.zeros(alone.size, bool)
        still[concerned] = _alone(lo[concerned], hi[concerned], columns)
        alone[rows] = still[rows]
    changed = (lo != original_lo) | (hi != original_hi)
    masked = {}
    for name in dict.fromkeys(name for name, _ in steps):
        j = data.at(name)
        masked[name] = np.unique(original_lo[changed[:, j], j], return_counts=True)
    return schema.with_axes(axes), replace(data, lo=lo, hi=hi, index=OWN), masked


def _alone(lo: Positions, hi: Positions, columns: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which rows have cells in some columns that no other row has."""
    labels, groups = label_rows(lo, hi, columns)
    lonely: NDArray[np.bool_] = (count_labels(labels, groups) == 1)[labels]
    return lonely


def _shows(lo: Positions, hi: Positions, low: Positions, high: Positions) -> NDArray[np.bool_]:
    """Tell which rows show one of some cells in a column."""
    found = np.zeros(lo.size, bool)
    wide = np.flatnonzero(lo != hi)
    if wide.size and low.size:
        found[wide] = np.isin(_packed(lo[wide], hi[wide]), np.unique(_packed(low, high)))
    return found


def _packed(lo: Positions, hi: Positions) -> NDArray[np.int64]:
    return lo.astype(np.int64) * 2**32 + hi
