"""Labels that stay where they were made, beside the records of each class, until someone wants them in order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.parts.arranging import Arrays, homeward, rows_of
from shoal.engines.parts.pool import Handle, Part, Pool


@dataclass(frozen=True, eq=False)
class Labels:
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
            return homeward({"value": found["label"] + np.int32(first[number])}, found["row"], bounds)

        return self.pool.exchange(send, bounds.size - 1, *self.there)


def together(names: tuple[str, ...], begun: bool, part: Part, *beside: Part) -> Arrays:
    """Give some columns of the records that are in the classes of a part, and their labels."""
    *left, labels = beside
    label = labels["label"]
    here = np.flatnonzero(label).astype(np.int32) if begun else None
    more = left[0]["row"].size if left else 0
    found = {name: _behind(left[0][name] if more else None, part[name], here) for name in names if name in part}
    own = label if here is None else rows_of(label, here) - np.int32(1)
    last = np.full(more, own.max(initial=0), np.int32)
    return found | {"label": np.concatenate([last, own]) if more else own}


def _behind(more: NDArray[Any] | None, column: NDArray[Any], here: NDArray[np.int32] | None) -> NDArray[Any]:
    """Put the rows of a column, or some of them, behind others if there are any."""
    if more is None:
        return column if here is None else rows_of(column, here)
    if here is None:
        return np.concatenate([more, column])
    found = np.empty((len(more) + here.size, *column.shape[1:]), column.dtype)
    found[: len(more)] = more
    rows_of(column, here, found[len(more) :])
    return found
