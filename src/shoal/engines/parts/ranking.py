"""Ranks of records in a sorted order, computed in the way that suits what they are needed for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Array
from shoal.engines.parts.columns import Grouped, LazyColumn
from shoal.engines.parts.data import Arrays, PartsTable, column_part
from shoal.engines.parts.keys import keys_by_cells, keys_in
from shoal.engines.parts.labels import LabelColumn
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.engines.parts.shuffle import keys_of, numbers_of, restore_order, rows_in, shuffle_by_range, take
from shoal.kernels.radix import order_by_keys, put_at


@dataclass(frozen=True, eq=False)
class RankColumn(LazyColumn):
    """Each record's rank when sorted by keys, or what a kernel makes of it."""

    pool: Pool
    data: PartsTable
    keys: tuple[str | LazyColumn, ...]
    kernel: Callable[[Any], Any] | None = None

    def compute(self) -> Handle:
        """Sort the records, and send their ranks back to where they are in the table."""
        bounds, kernel = self.data.bounds, self.kernel or _same
        if not self.keys:
            return self.pool.map(lambda number, cells: column_part(kernel(numbers_of(bounds, number))), self.data.cells)
        there, before = self._shuffled()

        def send(number: int, part: Part) -> list[Arrays]:
            return restore_order({"value": _ranks(keys_of(part), part, before[number], kernel)[0]}, part["row"], bounds)

        return self.pool.shuffle(send, len(self.data.sizes), there)

    def then(self, kernel: Callable[..., Array]) -> LazyColumn | None:
        """Apply a kernel to the ranks when they are computed."""
        return None if self.kernel else replace(self, kernel=kernel)

    def _shuffled(self, *, with_cells: bool = False, keyed: bool = True) -> tuple[Handle, list[int]]:
        """Move records to ranges of keys, with or without their cells and keys; and count those before each range."""
        shape = self.data.shape.quasi_only
        keys, columns = keys_in(self.data, self.keys)

        def extract(number: int, cells: Part, codes: Part, *given: Part) -> tuple[list[Any], Any]:
            moving = (lambda: shape.columns(shape.unfolded(cells, codes))) if with_cells else dict
            return keys(cells, codes, given), moving

        there = shuffle_by_range(self.pool, self.data, extract, *columns, keyed=keyed, summarize=rows_in)
        return there, [0, *np.cumsum(there.summaries).tolist()]

    def grouped(self, cells: Handle) -> Grouped | None:
        """Take the values for labels, if those of records in the order of the keys never skip or descend.

        Few classes reach over the end of a range: their records go where the class begins.
        """
        if not self.keys or self.kernel is None or cells is not self.data.cells:
            return None
        kernel, again = self.kernel, keys_by_cells(self.data, self.keys)
        there, before = self._shuffled(with_cells=True, keyed=again is None)

        def label(number: int, part: Part) -> Arrays:
            label, limits = _ranks((again or keys_of)(part), part, before[number], kernel)
            lowest = label.dtype.type(limits[0] if label.size else 0)
            return {"label": (label - lowest).astype(np.int32, copy=False), "limits": limits}

        labels = self.pool.map(label, there, summarize=lambda number, part: part["limits"].tolist())
        limits: Sequence[list[int]] = labels.summaries
        filled = [number for number, limit in enumerate(limits) if limit]
        if not all(limits[n][2] for n in filled) or any(limits[a][1] > limits[b][0] for a, b in pairwise(filled)):
            return None
        begins: dict[int, int] = {}  # the part where the first class of each range begins, if it is another
        for a, b in pairwise(filled):
            if limits[a][1] == limits[b][0]:
                begins[b] = begins[a] if a in begins and limits[a][0] == limits[a][1] else a
        first, parts = _first_labels(limits, begins), range(there.parts)

        def send(number: int, part: Part, found: Part) -> list[Arrays]:
            begin = begins.get(number)
            chosen = np.flatnonzero(found["label"] == 0) if begin is not None else np.empty(0, np.int64)
            over = {name: take(part, name, chosen.astype(np.int32)) for name in part}
            none = {name: column[:0] for name, column in over.items()}
            return [over if target == begin else none for target in parts]

        moved = self.pool.shuffle(send, there.parts, there, labels)
        return LabelColumn(self.pool, self.data, there, labels, first, moved, frozenset(begins)).grouped(cells)


def _same(ranks: Any) -> Any:
    return ranks


def _ranks(
    keys: Sequence[NDArray[Any]], part: Part, before: int, kernel: Callable[[Any], Any]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Give what a kernel makes of the rank of each record of a range, with so many records before it.

    Also gives the first and last value in the order of the keys, and whether values in between never skip or descend;
    nothing if there is no record.
    """
    row = part["row"]
    found: NDArray[Any] = kernel(np.arange(before, before + row.size, dtype=row.dtype))
    if not row.size:
        return found, np.empty(0, np.int64)
    steps = found[1:] - found[:-1]
    limits = np.array([found[0], found[-1], steps.min(initial=0) >= 0 and steps.max(initial=0) <= 1], np.int64)
    order = order_by_keys(keys)
    if order is None:
        return found, limits
    if found.dtype == np.int32:
        return put_at(order, found), limits
    values = np.empty_like(found)
    values[order] = found
    return values, limits


def _first_labels(limits: Sequence[Sequence[int]], begins: dict[int, int]) -> NDArray[np.int64]:
    """Give the number of the first class of each range, and of all classes."""
    first, reached = [], 0
    for number, limit in enumerate(limits):
        first.append(limit[0] + (number in begins) if limit else reached)
        reached = limit[1] + 1 if limit else reached
    return np.array([*first, reached], np.int64)
