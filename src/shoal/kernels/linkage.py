"""Released cells beside original records: who is nearest to whom, and how far everyone is from everyone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Bits, Floats, Integers
from shoal.kernels import call, of_kind

_LEAF = 12
# Sums of squares that differ by less are equal: their last digits depend on how numbers were read.
SLACK = 1e-12


@dataclass(frozen=True)
class LinkageCells:
    """Original records, and the cells that were released for some of them.

    Attributes
    ----------
    records
        A row per original record: ``numbers`` columns of numbers, then codes of categories from 0; not a number where
        there is no value.
    low, high
        A row per released record: the ends of its cells. A category is its code as lower end, or -1 - s for the set s
        of its column; a cell without a value is not a number, and one that stands for anything reaches from minus
        infinity to infinity.
    rows
        The original record of each released one.
    numbers
        How many columns hold numbers.
    weights
        What the square of a difference counts in each column, and another category.
    sets, starts, words
        The categories of sets, one bit each: those of set s of column j are in ``words[j]`` words from
        ``starts[j] + s * words[j]`` on.
    """

    records: Floats
    low: Floats
    high: Floats
    rows: Integers
    numbers: int
    weights: Floats
    sets: Bits
    starts: Integers
    words: Integers

    def checked(self) -> tuple[int, int, int]:
        """Check what kernels trust, and give how many records there are, columns, and columns of numbers."""
        of_kind(np.float64, self.records, self.low, self.high, self.weights)
        of_kind(np.int64, self.rows, self.starts, self.words)
        of_kind(np.uint64, self.sets)
        n, m = self.records.shape
        assert self.low.shape == self.high.shape == (self.rows.size, m)
        assert not self.rows.size or 0 <= self.rows.min() <= self.rows.max() < n
        for j in range(self.numbers, m):
            codes, cells = self.records[:, j], self.low[:, j]
            codes, sets = codes[~np.isnan(codes)], -1 - cells[(cells < 0) & np.isfinite(cells)]
            if not sets.size:
                continue
            assert self.starts[j] + (sets.max() + 1) * self.words[j] <= self.sets.size
            assert 0 <= codes.min(initial=0) <= codes.max(initial=0) < 64 * self.words[j]
        return n, m, self.numbers

    @property
    def listed_sets(self) -> tuple[Bits, Integers, Integers]:
        """The categories of sets as kernels take them."""
        return self.sets, self.starts, self.words


def nearest_counts(cells: LinkageCells) -> Integers:
    """Count for each released record how many original ones are as near as its own; 0 if anyone is nearer."""
    n, m, numbers = cells.checked()
    levels = 1
    while _LEAF << (levels - 1) < n:
        levels += 1
    order = np.empty(n, np.int32)
    boxes, holes = np.empty((2**levels - 1) * 2 * m), np.empty((2**levels - 1) * m, np.uint8)
    call("grow_linkage_tree", n, m, numbers, cells.records, cells.weights, levels, order, boxes, holes)
    found = np.empty(cells.rows.size, np.int64)
    call(
        "count_nearest", n, m, numbers, cells.records[order], cells.weights, levels, boxes, holes, *cells.listed_sets,
        cells.rows.size, cells.low, cells.high, cells.records[cells.rows], np.array([SLACK]), found,
    )  # fmt: skip
    return found


def distances(cells: LinkageCells) -> Floats:
    """Give the distance between each released record and each original one."""
    n, m, numbers = cells.checked()
    found = np.empty((cells.rows.size, n))
    call(
        "linkage_distances", n, m, numbers, cells.records, cells.weights, *cells.listed_sets, cells.rows.size,
        cells.low, cells.high, found,
    )  # fmt: skip
    return found
