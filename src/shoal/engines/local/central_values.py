"""One value for a group of rows: the mean or median of its numbers and dates, the median or mode of its categories.

A cell that is a range already counts with each of its ends, so that ranges become ranges. A group in which cells are
missing beside others, or are ``*``, is published as ``*``; one that has nothing but missing cells stays without.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.domains.axis import Axis
from shoal.engines.local.exact_means import means
from shoal.engines.local_data import LocalData
from shoal.engines.values import Publication
from shoal.kernels import MISSING
from shoal.kernels.grouping import by_label
from shoal.kernels.radix import order_by_integers
from shoal.kernels.spans import Members, hulls
from shoal.schema import Schema

Ends = tuple[NDArray[Any], NDArray[Any]]


def represent(
    data: LocalData, schema: Schema, labels: Positions, groups: int, publish: Publication
) -> tuple[Schema, LocalData]:
    """Give each group one value per quasi-identifier, on an axis that has it."""
    lo, hi = data.unfolded()
    members = by_label(labels, groups)
    low, high = hulls(lo, hi, members)
    axes: dict[str, Axis] = {}
    for j, name in enumerate(data.quasi):
        axis = schema[name].axis
        shown = low[:, j] != MISSING
        if not shown.any():
            continue
        column = _Column(axis, np.ascontiguousarray(lo[:, j]), np.ascontiguousarray(hi[:, j]), labels, members, shown)
        if publish == "mode" or axis.nominal or axis.tree is not None:
            ends = column.mode()
        elif not axis.numeric:
            ends = column.lower_median()
        else:
            axes[name], ends = _placed(axis, column.mean() if publish == "mean" else column.median())
        low[shown, j], high[shown, j] = ends
    released = replace(data, lo=low, hi=high, index=labels, ranged=(False,) * len(data.quasi))
    released.cache.members = members
    return schema.with_axes(axes), released


class _Column:
    """The cells of one quasi-identifier in groups, of which those are looked at that have no missing cell."""

    def __init__(
        self, axis: Axis, lo: Positions, hi: Positions, labels: Positions, members: Members, shown: NDArray[np.bool_]
    ) -> None:
        self.axis, self.labels, self.shown = axis, labels, shown
        self.ends = (lo,) if (lo == hi).all() else (lo, hi)
        self.order, starts = members
        self.first, self.size = starts[:-1], np.diff(starts)

    def _both(self, found: list[NDArray[Any]]) -> Ends:
        return found[0][self.shown], found[-1][self.shown]

    def _sorted(self, keys: Positions) -> Positions:
        """Give the rows group after group, in each by their keys."""
        by_key = order_by_integers(keys)
        return by_key[by_label(self.labels[by_key], self.size.size)[0]]

    def _numbers(self, positions: Positions) -> NDArray[Any]:
        """Give the numbers at positions: days and microseconds as whole numbers, all others as floats."""
        safe = np.where(positions == MISSING, 0, positions)
        whole = self.axis.kind in ("date", "datetime")
        if self.axis.values is None:
            return safe.astype(np.int64 if whole else np.float64)
        numbers = self.axis.values[np.minimum(safe, len(self.axis.values) - 1)]
        return numbers if whole else numbers.astype(np.float64)

    def mean(self) -> Ends:
        """Give the mean of each group."""
        return self._both(
            [means(self._numbers(positions)[self.order], self.first, self.size) for positions in self.ends]
        )

    def median(self) -> Ends:
        """Give the median of each group, which lies halfway between the two middle numbers if there are two."""
        found = []
        for positions in self.ends:
            numbers = self._numbers(positions)[self._sorted(positions)]
            a, b = numbers[self.first + (self.size - 1) // 2], numbers[self.first + self.size // 2]
            halfway = a + (b - a) // 2 if numbers.dtype == np.int64 else np.where(a == b, a, a * 0.5 + b * 0.5)
            found.append(halfway)
        return self._both(found)

    def lower_median(self) -> Ends:
        """Give the position in the middle of each group, the lower one if there are two: a category has no halves."""
        places = self.first + (self.size - 1) // 2
        return self._both([positions[self._sorted(positions)[places]] for positions in self.ends])

    def mode(self) -> Ends:
        """Give the most frequent cell of each group, of several the lowest."""
        pairs, codes = (self.ends[0], self.ends[0]), self.ends[0]
        if len(self.ends) == 2:
            distinct, places = np.unique(np.stack(self.ends), axis=1, return_inverse=True)
            pairs, codes = (distinct[0], distinct[1]), places.reshape(-1).astype(np.int32)
        rows = self._sorted(codes)
        mine, cells = self.labels[rows], codes[rows]
        run = np.flatnonzero(np.append(True, (mine[1:] != mine[:-1]) | (cells[1:] != cells[:-1])))
        often = np.diff(np.append(run, rows.size))
        first_run = np.searchsorted(run, self.first)
        # One number says which run is the longest and, among equals, the first.
        best = np.maximum.reduceat(often * run.size - np.arange(run.size), first_run)
        chosen = cells[run[-best % run.size]]
        if len(self.ends) == 1:
            return self._both([chosen])
        return self._both([pairs[0][chosen], pairs[1][chosen]])


def _placed(axis: Axis, ends: Ends) -> tuple[Axis, Ends]:
    """Give an axis that has these numbers, and where they are on it.

    The mean of whole numbers need not be one, so a column of them becomes one of floats; a day stays a day.
    """
    if axis.kind == "date" and axis.values is None:
        return axis, (ends[0].astype(np.int32), ends[1].astype(np.int32))
    numbers = ends if axis.kind in ("date", "datetime") else (ends[0] + 0.0, ends[1] + 0.0)
    values = np.unique(np.concatenate(numbers))
    kind = "float" if axis.kind == "integer" else axis.kind
    places = [np.searchsorted(values, side).astype(np.int32) for side in numbers]
    return replace(axis, kind=kind, values=values), (places[0], places[1])
