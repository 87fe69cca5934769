"""What the cells of a column show: how many are exact, and how their values are spread over an axis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Positions
from shoal.domains.axis import Axis
from shoal.errors import ParameterError
from shoal.kernels import MISSING, TOP
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class ColumnCells:
    """The distinct cells of a column by their ends, and how many records have each."""

    axis: Axis
    lo: Positions
    hi: Positions
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, table: Table, name: str) -> ColumnCells:
        """Collect the cells of a quasi-identifier."""
        axis = table.schema[name].axis
        try:
            positions, counts = table.counts(name)  # which is faster, and works if every cell is exact
            return cls(axis, positions, positions, counts)
        except ParameterError:
            batches = table.boxes(lambda cells: (cells.lo[:, 0], cells.hi[:, 0], cells.counts), (name,))
        return cls(axis, *(np.concatenate(parts) for parts in zip(*batches, strict=True)))

    @cached_property
    def shown(self) -> NDArray[np.bool_]:
        """Which cells tell something: neither missing nor hidden."""
        shown: NDArray[np.bool_] = self.lo != MISSING
        return shown

    @cached_property
    def exact(self) -> int:
        """The number of records whose cell is one value."""
        single = self.shown & (self.lo == self.hi)
        if self.axis.nominal and self.axis.values is not None:
            single &= self.lo < len(self.axis.values)
        return int(self.counts[single].sum())

    @cached_property
    def informative(self) -> int:
        """The number of records whose cell tells something."""
        return int(self.counts[self.shown].sum())

    @cached_property
    def hidden(self) -> int:
        """The number of records whose cell is ``*``."""
        return int(self.counts[~self.shown & (self.hi == TOP)].sum())

    @cached_property
    def missing(self) -> int:
        """The number of records without a value."""
        return int(self.counts[self.hi == MISSING].sum())

    def limits(self) -> tuple[int, int]:
        """Give the lowest and highest position of an ordered axis that a cell covers."""
        return int(self.lo[self.shown].min()), int(self.hi[self.shown].max())

    def by_category(self) -> dict[str, float]:
        """Count the records of each category; a set counts evenly in all its members."""
        assert self.axis.values is not None
        size = len(self.axis.values)
        lo, counts = self.lo[self.shown], self.counts[self.shown].astype(np.float64)
        single = lo < size
        weights = np.bincount(lo[single], weights=counts[single], minlength=size)
        groups = [self.axis.groups[place - size].members for place in lo[~single].tolist()]
        sizes = np.array([len(members) for members in groups], np.int64)
        if sizes.sum():
            each = np.repeat(counts[~single] / np.maximum(sizes, 1), sizes)
            flat = np.fromiter(chain.from_iterable(groups), np.int64, int(sizes.sum()))
            weights = weights + np.bincount(flat, weights=each, minlength=size)
        return {str(self.axis.values[i]): float(weights[i]) for i in np.flatnonzero(weights > 0).tolist()}

    def by_position(self, lowest: int, highest: int) -> Floats:
        """Count the records at each position from the lowest to the highest; a range counts evenly in all of them."""
        lo, hi = self.lo[self.shown].astype(np.int64), self.hi[self.shown].astype(np.int64)
        each = self.counts[self.shown] / (hi - lo + 1)
        size = highest - lowest + 2
        begun = np.bincount(lo - lowest, weights=each, minlength=size)
        ended = np.bincount(hi - lowest + 1, weights=each, minlength=size)
        return np.cumsum(begun - ended, dtype=np.float64)[:-1]

    def ends(self) -> tuple[Floats, Floats, Floats]:
        """Give the ends of each cell as numbers, and how many records have it.

        A cell of whole numbers or days reaches to the beginning of the next one, so that it has a width.
        """
        lo, hi, counts = self.lo[self.shown], self.hi[self.shown], self.counts[self.shown].astype(np.float64)
        if self.axis.values is None:
            return lo.astype(np.float64), hi.astype(np.float64) + 1, counts
        numbers = self.axis.values.astype(np.float64)
        return numbers[lo], numbers[hi], counts

    def within(self, edges: Floats) -> Floats:
        """Count the records in bins; a range counts evenly over its length, and end bins hold what lies beyond."""
        low, high, counts = self.ends()
        low, high = low / 2, high / 2  # so that no difference is too large for a number
        wide = high - low
        inside = wide > 0
        below = [0.0]
        for edge in edges[1:-1].tolist():
            parts = np.where(low < edge / 2, 1.0, 0.0)
            parts[inside] = np.clip((edge / 2 - low[inside]) / wide[inside], 0.0, 1.0)
            below.append(float(parts @ counts))
        return np.diff([*below, float(counts.sum())])
