"""Places in a sorted order that are found when they are needed, in the way that suits what they are needed for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.parts.data import PartsTable
from shoal.engines.parts.keys import keys_by_cells, keys_in
from shoal.engines.parts.labels import LabelColumn
from shoal.engines.parts.pool import Beside, Handle, Lazy, Part, Pool
from shoal.engines.parts.shuffle import Arrays, keys_of, numbers_of, restore_order, rows_in, shuffle_by_range, taken
from shoal.kernels.radix import order_by_keys, put_at


@dataclass(frozen=True, eq=False)
class RankColumn(Lazy):
    """Each record's place when sorted by keys, or what a kernel makes of it."""

    pool: Pool
    data: PartsTable
    keys: tuple[str | Beside, ...]
    kernel: Callable[[Any], Any] | None = None

    @cached_property
    def column(self) -> Handle:
        """The number of each record, beside the parts of the table."""
        bounds, kernel = self.data.bounds, self.kernel or _same
        if not self.keys:
            return self.pool.map(lambda number, cells: {"value": kernel(numbers_of(bounds, number))}, self.data.cells)
        there, before = self._sorted(None)

        def send(number: int, part: Part) -> list[Arrays]:
            return restore_order(
                {"value": _numbers(keys_of(part), part, before[number], kernel)[0]}, part["row"], bounds
            )

        return self.pool.shuffle(send, len(self.data.sizes), there)

    def _sorted(self, told: Callable[[Part], list[Any]] | None, *, moving: bool = False) -> tuple[Handle, list[int]]:
        """Bring records into ranges of keys, with their cells if these are to move; and count those before each.

        The keys come with them unless the cells have ``told`` them already.
        """
        shape = self.data.shape.bare
        keys, others = keys_in(self.data, self.keys)

        def telling(number: int, cells: Part, codes: Part, *given: Part) -> tuple[list[Any], Any]:
            def ends() -> Arrays:
                here = shape.unfolded(cells, codes)
                return {"lo": here.lo} if here.hi is here.lo else {"lo": here.lo, "hi": here.hi}

            return keys(cells, codes, given), ends if moving else dict

        held = self.data.cells, self.data.codes, *others
        there = shuffle_by_range(self.pool, telling, self.data.bounds, *held, keyed=told is None, summarize=rows_in)
        return there, [0, *np.cumsum(there.summaries).tolist()]

    def classes(self) -> LabelColumn | None:
        """Take the numbers for labels, each record beside those of its class; None unless they follow the order.

        Few classes reach over the end of a range: their records go where the class begins.
        """
        if not self.keys or self.kernel is None:
            return None
        kernel = self.kernel
        told = keys_by_cells(self.data, self.keys)
        there, before = self._sorted(told, moving=True)

        def number(number: int, part: Part) -> Arrays:
            label, limits = _numbers((told or keys_of)(part), part, before[number], kernel)
            lowest = label.dtype.type(limits[0] if label.size else 0)
            return {"label": (label - lowest).astype(np.int32, copy=False), "limits": limits}

        numbers = self.pool.map(number, there, summarize=lambda number, part: part["limits"].tolist())
        limits: Sequence[list[int]] = numbers.summaries
        filled = [number for number, limit in enumerate(limits) if limit]
        if not all(limits[n][2] for n in filled) or any(limits[a][1] > limits[b][0] for a, b in pairwise(filled)):
            return None
        begins: dict[int, int] = {}  # where the class that each range begins with has begun
        for a, b in pairwise(filled):
            if limits[a][1] == limits[b][0]:
                begins[b] = begins[a] if a in begins and limits[a][0] == limits[a][1] else a
        first = _first_labels(limits, begins)
        parts = range(there.parts)

        def send(number: int, part: Part, found: Part) -> list[Arrays]:
            home_of = begins.get(number)
            chosen = np.flatnonzero(found["label"] == 0) if home_of is not None else np.empty(0, np.int64)
            over = {name: taken(part, name, chosen.astype(np.int32)) for name in part}
            none = {name: column[:0] for name, column in over.items()}
            return [over if target == home_of else none for target in parts]

        left = self.pool.shuffle(send, there.parts, there, numbers)
        held = there, left, numbers
        return LabelColumn(self.pool, self.data.cells, held, first, self.data.bounds, frozenset(begins))


def _same(places: Any) -> Any:
    return places


def _numbers(
    keys: Sequence[NDArray[Any]], part: Part, before: int, kernel: Callable[[Any], Any]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Give what a kernel makes of the place of each record of a range among all, by its keys.

    Beside that the lowest and highest number, and whether none is lacking when they follow the order; nothing if there
    is no record.
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
    numbers = np.empty_like(found)
    numbers[order] = found
    return numbers, limits


def _first_labels(limits: Sequence[Sequence[int]], begins: dict[int, int]) -> NDArray[np.int64]:
    """Give the number of the first class of each range, and of all classes."""
    first, reached = [], 0
    for number, limit in enumerate(limits):
        first.append(limit[0] + (number in begins) if limit else reached)
        reached = limit[1] + 1 if limit else reached
    return np.array([*first, reached], np.int64)
