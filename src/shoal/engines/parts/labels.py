"""Labels that stay where they were made, beside the records of each class, until someone wants them in order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.parts.pool import Handle, Lazy, Part, Pool
from shoal.engines.parts.shuffle import Arrays, restore_order

_FEW = 1000  # rows between which the others are copied stretch by stretch


@dataclass(frozen=True, eq=False)
class LabelColumn(Lazy):
    """The classes of a table whose cells are held by ``cells``.

    Of ``there``, the first holds records, the last their labels in the part, from 0 on. What is between them, if there
    is anything, holds records from other parts that belong to the last class of a part. ``begun`` are the parts whose
    class 0 has begun in another one, where its records are. ``first`` is the number of the first class of each part
    that is not, and of all classes; ``bounds`` the number of the first record of each part of the table.
    """

    pool: Pool
    cells: Handle
    there: tuple[Handle, ...]
    first: NDArray[np.int64]
    bounds: NDArray[np.int64]
    begun: frozenset[int] = frozenset()

    @cached_property
    def column(self) -> Handle:
        """The label of each record, beside the parts of the table."""
        first, bounds, begun = self.first, self.bounds, self.begun

        def send(number: int, *parts: Part) -> list[Arrays]:
            found = together(("row",), number in begun, *parts)
            return restore_order({"value": found["label"] + np.int32(first[number])}, found["row"], bounds)

        return self.pool.shuffle(send, bounds.size - 1, *self.there)


def together(names: tuple[str, ...], begun: bool, part: Part, *beside: Part) -> Arrays:
    """Give some columns of the records that are in the classes of a part, and their labels."""
    *left, labels = beside
    label = labels["label"]
    gone = np.flatnonzero(label == 0) if begun else np.empty(0, np.int64)
    own = without(label, gone) - np.int32(1) if begun else label
    if not left or not left[0]["row"].size:
        return {name: without(part[name], gone) for name in names if name in part} | {"label": own}
    last = np.full(left[0]["row"].size, own.max(initial=0), np.int32)
    found = {name: without(part[name], gone, left[0][name]) for name in names if name in part}
    return found | {"label": np.concatenate([last, own])}


def without(column: NDArray[Any], gone: NDArray[np.int64], more: NDArray[Any] | None = None) -> NDArray[Any]:
    """Give the rows of a column behind others, if there are any, but without those that are gone, by their numbers."""
    if more is None and not gone.size:
        return column
    if gone.size > _FEW:
        column, gone = np.delete(column, gone, axis=0), gone[:0]
    between = [column[a + 1 : b] for a, b in pairwise([-1, *gone.tolist(), len(column)])]
    return np.concatenate(between if more is None else [more, *between])
