"""Places in a sorted order that are found when they are needed, in the way that suits what they are needed for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.parts.arranging import Arrays, arranged, homeward, keys_of, numbers_of, rows_in, taken
from shoal.engines.parts.data import PartedData, value_of
from shoal.engines.parts.labels import Labels, home
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.kernels.radix import order_by_keys

Positions = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Places:
    """Each record's place when sorted by keys, or what a kernel makes of it."""

    pool: Pool
    data: PartedData
    keys: tuple[Any, ...]
    kernel: Callable[[Any], Any] | None = None

    @cached_property
    def column(self) -> Handle:
        """The number of each record, beside the parts of the table."""
        bounds, kernel = self.data.bounds, self.kernel or _same
        if not self.keys:
            return self.pool.each(lambda number, cells: {"value": kernel(numbers_of(bounds, number))}, self.data.cells)
        there, before = self._sorted(moving=False)

        def send(number: int, part: Part) -> list[Arrays]:
            return homeward({"value": kernel(_places(part, before[number]))}, part["row"], bounds)

        return self.pool.exchange(send, len(self.data.sizes), there)

    def _sorted(self, *, moving: bool) -> tuple[Handle, list[int]]:
        """Bring records into ranges of keys, with their cells if these are to move; and count those before each."""
        shape, names = self.data.shape, [key if isinstance(key, str) else None for key in self.keys]

        def telling(number: int, cells: Part, codes: Part, *given: Part) -> tuple[list[Any], Any]:
            def ends() -> Arrays:
                here = shape.bare.unfolded(cells, codes)
                return {"lo": here.lo} if here.hi is here.lo else {"lo": here.lo, "hi": here.hi}

            beside = iter(given)
            keys = [value_of(next(beside)) if n is None else shape.local(cells, codes).positions(n) for n in names]
            return keys, ends if moving else dict

        others = [home(key) for key in self.keys if not isinstance(key, str)]
        held = self.data.cells, self.data.codes, *others
        keyed = not (moving and self._among_cells)
        there = arranged(self.pool, telling, self.data.bounds, *held, keyed=keyed, tell=rows_in)
        return there, [0, *np.cumsum(there.told).tolist()]

    @property
    def _among_cells(self) -> bool:
        """Whether all keys are quasi-identifiers."""
        return all(isinstance(key, str) and key in self.data.shape.quasi for key in self.keys)

    def classes(self) -> Labels | None:
        """Take the numbers for labels, each record beside those of its class; None unless they follow the order.

        Few classes reach over the end of a range: their records go where the class begins.
        """
        if not self.keys or self.kernel is None:
            return None
        kernel = self.kernel
        there, before = self._sorted(moving=True)
        quasi = self.data.shape.quasi
        among = [quasi.index(key) for key in self.keys] if self._among_cells else None
        numbers = self.pool.each(
            lambda number, part: {"label": kernel(_places(part, before[number], among))}, there,
            tell=lambda number, part: _limits(part["label"]),
        )  # fmt: skip
        limits: Sequence[tuple[int, int, bool] | None] = numbers.told
        filled = [number for number, limit in enumerate(limits) if limit is not None]
        if not all(limits[n][2] for n in filled) or any(limits[a][1] > limits[b][0] for a, b in pairwise(filled)):  # type: ignore[index]
            return None
        begins: dict[int, int] = {}  # where the class that each range begins with has begun
        for a, b in pairwise(filled):
            if limits[a][1] == limits[b][0]:  # type: ignore[index]
                begins[b] = begins[a] if a in begins and limits[a][0] == limits[a][1] else a  # type: ignore[index]
        first = _first_labels(limits, begins)
        parts = range(there.parts)

        def send(number: int, part: Part, found: Part) -> list[Arrays]:
            label, home_of = found["label"], begins.get(number)
            chosen = np.flatnonzero(label == label.min()) if home_of is not None else np.empty(0, np.int64)
            over = {name: taken(part, name, chosen.astype(np.int32)) for name in part}
            none = {name: column[:0] for name, column in over.items()}
            return [over if target == home_of else none for target in parts]

        left = self.pool.exchange(send, there.parts, there, numbers)

        def labels(number: int, found: Part, left: Part) -> Arrays:
            label = found["label"]
            own = (label - first[number]).astype(np.int32)
            last = own.max(initial=0)
            if number in begins:
                own[label == label.min()] = -1
            return {"label": np.append(np.full(left["row"].size, last, np.int32), own)}

        found = self.pool.each(labels, numbers, left)
        return Labels(self.pool, self.data.cells, (there, left, found), first, self.data.bounds)


def _same(places: Any) -> Any:
    return places


def _places(part: Part, before: int, among: Sequence[int] | None = None) -> NDArray[Any]:
    """Give the place of each record of a range among all, by its keys or some of its exact cells."""
    n = part["row"].size
    place = np.arange(n, dtype=part["row"].dtype)
    keys = keys_of(part) if among is None else [np.ascontiguousarray(part["lo"][:, j]) for j in among]
    order = order_by_keys(keys) if n else None
    if order is not None:
        place[order] = np.arange(n, dtype=place.dtype)
    place += place.dtype.type(before)
    return place


def _limits(labels: NDArray[Any]) -> tuple[int, int, bool] | None:
    """Give the lowest and highest label of a range, and whether none between them is lacking."""
    if labels.size == 0:
        return None
    low, high = int(labels.min()), int(labels.max())
    seen = np.zeros(high - low + 1, bool) if high - low <= labels.size else np.zeros(1, bool)
    if seen.size > high - low:
        seen[labels - low] = True
    return low, high, bool(seen.all())


def _first_labels(limits: Sequence[tuple[int, int, bool] | None], begins: dict[int, int]) -> NDArray[np.int64]:
    """Give the number of the first class of each range, and of all classes."""
    first, reached = [], 0
    for number, limit in enumerate(limits):
        first.append(reached if limit is None else limit[0] + (number in begins))
        reached = reached if limit is None else limit[1] + 1
    return np.array([*first, reached], np.int64)
