"""Masking of records that stand alone: one step after the other, on those that are still alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Counts, Integers, Positions
from shoal.domains.axis import Axis
from shoal.domains.levels import Stretches
from shoal.engines.local.generalizing import enclosing, with_stretches
from shoal.engines.local_data import OWN, LocalData
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import count_labels, label_rows
from shoal.schema import Schema


def mask_unique(
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
    alone = alone_in(lo, hi, columns)
    for name, stretches in steps:
        if not alone.any():
            break
        j = data.at(name)
        ends = np.array([MISSING], np.int32), np.array([TOP], np.int32)
        if stretches is not None:
            axes[name], *ends = with_stretches(axes.get(name, schema[name].axis), stretches)  # type: ignore[assignment]
        rows, low, high = masked_cells(
            lo[:, j], hi[:, j], original_lo[:, j], original_hi[:, j], alone, stretches, *ends
        )
        # Only what changes now may meet others, and only those that show one of the new cells already.
        alike = shows(lo[:, j], hi[:, j], low, high)
        lo[rows, j], hi[rows, j] = low, high
        alike[rows] = True
        concerned = np.flatnonzero(alike)
        still = np.zeros(alone.size, bool)
        still[concerned] = alone_in(lo[concerned], hi[concerned], columns)
        alone[rows] = still[rows]
    changed = (lo != original_lo) | (hi != original_hi)
    masked = {}
    for name in dict.fromkeys(name for name, _ in steps):
        j = data.at(name)
        masked[name] = np.unique(original_lo[changed[:, j], j], return_counts=True)
    return schema.with_axes(axes), replace(data, lo=lo, hi=hi, index=OWN), masked


def hide(data: LocalData, names: Sequence[str], which: Integers) -> LocalData:
    """Put ``*`` into cells of some columns, in the records whose number has the bit of the column."""
    lo, hi = (side.copy() for side in data.unfolded())
    for bit, name in enumerate(names):
        rows = np.flatnonzero(which >> bit & 1)
        lo[rows, data.at(name)], hi[rows, data.at(name)] = MISSING, TOP
    return replace(data, lo=lo, hi=hi, index=OWN)


def masked_cells(
    lo: Positions,
    hi: Positions,
    original_lo: Positions,
    original_hi: Positions,
    alone: NDArray[np.bool_],
    stretches: Stretches | None,
    lows: Positions,
    highs: Positions,
) -> tuple[NDArray[np.int64], Positions, Positions]:
    """Tell which rows change in a step, and to which cells; ``lows`` and ``highs`` are those that it may give."""
    rows = np.flatnonzero(alone & (lo != MISSING) | alone & (hi == MISSING))
    if stretches is None:
        return rows, np.full(rows.size, MISSING, np.int32), np.full(rows.size, TOP, np.int32)
    inside, place = enclosing(stretches, original_lo[rows], original_hi[rows])
    return rows[inside], lows[place[inside]], highs[place[inside]]


def alone_in(lo: Positions, hi: Positions, columns: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which rows have cells in some columns that no other row has."""
    labels, groups = label_rows(lo, hi, columns)
    lonely: NDArray[np.bool_] = (count_labels(labels, groups) == 1)[labels]
    return lonely


def shows(lo: Positions, hi: Positions, low: Positions, high: Positions) -> NDArray[np.bool_]:
    """Tell which rows show one of some cells in a column."""
    found = np.zeros(lo.size, bool)
    wide = np.flatnonzero(lo != hi)
    if wide.size and low.size:
        found[wide] = np.isin(_packed(lo[wide], hi[wide]), np.unique(_packed(low, high)))
    return found


def _packed(lo: Positions, hi: Positions) -> NDArray[np.int64]:
    return lo.astype(np.int64) * 2**32 + hi
