"""How far each record is from what is published for it (Eq. 2 and 4), record by record, so that records can weigh."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.arrays import Floats, Positions
from shoal.kernels import MISSING
from shoal.measures.statistics.paired_columns import PairedTables
from shoal.measures.statistics.uniformity import ORIGINAL, RELEASED, Categories, Line
from shoal.measures.statistics.weighed_numbers import WeighedNumbers
from shoal.table import Table


def distances_by_attribute(original: Table, released: Table, weights: Floats) -> Iterator[tuple[str, Floats]]:
    """Give the distance of each record in each attribute, in deviations of what weighs.

    They are those that `shoal.engines.distances` adds up, where no record counts more than another.
    """
    tables = PairedTables.of(original, released)
    for name, ground in tables.grounds.items():
        before, after = tables.ends_of(name)
        (first, last), shown = ends_as_numbers(ground, ORIGINAL, *before), ends_as_numbers(ground, RELEASED, *after)
        spread = WeighedNumbers.of((first + last) / 2, weights).deviation
        if spread == 0:
            yield name, np.zeros(original.rows)
            continue
        limits = np.nanmin(first), np.nanmax(last)
        low, high = (np.where(np.isnan(ends), limit, ends) for ends, limit in zip(shown, limits, strict=True))
        least, most = (np.where(np.isnan(ends), limit, ends) for ends, limit in zip((first, last), limits, strict=True))
        apart = np.maximum(np.maximum(high - least, most - low), 0.0) / spread
        # What had no value and shows none, or was and is ``*``, is as it was.
        same = np.isnan(first) & np.isnan(shown[0]) & (before[1] == after[1])
        yield name, np.where(same, 0.0, apart)


def ends_as_numbers(ground: Line | Categories, side: int, lo: Positions, hi: Positions) -> tuple[Floats, Floats]:
    """Give both ends of cells: numbers, or the places of the outermost categories; not numbers where there is none."""
    ends = np.full((2, lo.size), np.nan)
    shown = lo != MISSING
    if isinstance(ground, Line):
        ends[:, shown] = ground.numbers(side, lo[shown]), ground.numbers(side, hi[shown])
    else:
        low, high = ground.axes[side].hull()
        move = ground.moves[side]
        ends[:, shown] = move[low[lo[shown]]], move[high[hi[shown]]]
    return ends[0], ends[1]
