"""Differences between original cells and the values that are shown for them, record by record, so that records weigh.

They are those that `cell_differences` adds up, where no record counts more than another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Integers, Positions
from shoal.kernels import MISSING
from shoal.measures.statistics.paired_columns import PairedTables
from shoal.measures.statistics.record_distances import ends_as_numbers
from shoal.measures.statistics.uniformity import ORIGINAL, Categories, Line
from shoal.measures.statistics.weighed_numbers import WeighedNumbers
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class WeighedDifferences:
    """The differences of the records that have a value of an attribute, and what they weigh.

    Attributes
    ----------
    name
        The attribute.
    ordered
        Whether differences are in standard deviations; else they are 1 where a record does not show its own category.
    gaps
        The differences.
    weights
        The weights of their records.
    whole
        What their squares would sum to if the mean, or the most frequent category, were shown for all.
    """

    name: str
    ordered: bool
    gaps: Floats
    weights: Floats
    whole: float


def weighed_differences(original: Table, released: Table, weights: Floats) -> Iterator[WeighedDifferences]:
    """Give the differences of each attribute that varies among the records that weigh."""
    tables = PairedTables.of(original, released)
    for name, ground in tables.grounds.items():
        before, after = tables.ends_of(name)
        first, last = ends_as_numbers(ground, ORIGINAL, *before)
        own = (first + last) / 2
        there = ~np.isnan(own) & (weights > 0)
        numbers = WeighedNumbers.of(own, weights)
        if (spread := numbers.deviation) == 0:
            continue
        if isinstance(ground, Line):
            guess = tables.column(name).guess
            gaps, whole = (own - np.where(np.isnan(guess), numbers.mean, guess)) / spread, numbers.squares
        else:
            codes, shown = (_codes(ground, side, ends[0]) for side, ends in enumerate((before, after)))
            gaps = (codes != shown).astype(np.float64)
            whole = numbers.total - float(np.bincount(codes[there], numbers.weights).max())
        yield WeighedDifferences(name, isinstance(ground, Line), gaps[there], weights[there], whole)


def _codes(ground: Categories, side: int, positions: Positions) -> Integers:
    """Give a number for each category or set of categories of one of the tables, -1 where there is none."""
    found, shown = np.full(positions.size, -1, np.int64), positions != MISSING
    found[shown] = ground.moves[side][positions[shown]]
    return found
