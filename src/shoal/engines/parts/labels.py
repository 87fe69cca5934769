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

    Of ``there``, the first holds records, the last their labels in the part, -1 where a record went elsewhere. What is
    between them, if there is anything, holds records that came from other parts, whose labels stand before the others.
    ``first`` is the number of the first class of each part, and of all classes; ``bounds`` the number of the first
    record of each part of the table.
    """

    pool: Pool
    cells: Handle
    there: tuple[Handle, ...]
    first: NDArray[np.int64]
    bounds: NDArray[np.int64]

    @cached_property
    def column(self) -> Handle:
        """The label of each record, beside the parts of the table."""
        first, bounds = self.first, self.bounds

        def send(number: int, *parts: Part) -> list[Arrays]:
            found = together(("row",), *parts)
            return homeward({"value": found["label"] + np.int32(first[number])}, found["row"], bounds)

        return self.pool.exchange(send, bounds.size - 1, *self.there)


def together(names: tuple[str, ...], part: Part, *beside: Part) -> Arrays:
    """Give some columns of the records that are in the classes of a part, and their labels."""
    *left, labels = beside
    label = labels["label"]
    found = {name: part[name] for name in names if name in part}
    if left and left[0]["row"].size:
        found = {name: np.concatenate([left[0][name], column]) for name, column in found.items()}
    if label.min(initial=0) < 0:
        here = np.flatnonzero(label >= 0).astype(np.int32)
        found, label = {name: rows_of(column, here) for name, column in found.items()}, label[here]
    return found | {"label": label}


def home(column: Any) -> Handle:
    """Give a column as it lies beside the parts of its table: a handle, or something that makes one when asked."""
    found: Handle = getattr(column, "column", column)
    return found
