"""Labels that stay beside the records of each class, where they were made, until they are needed in order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.parts.columns import Grouped, LazyColumn
from shoal.engines.parts.data import Arrays, PartsTable
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.engines.parts.shuffle import restore_order

_FEW = 1000  # rows between which the others are copied range by range


@dataclass(frozen=True, eq=False)
class LabelColumn(LazyColumn):
    """The label of each record of a table, whose records were shuffled to form classes.

    ``records`` are the shuffled records, and ``labels`` their labels in the part, from 0 on. ``first`` is the number of
    the first class that begins in each part, and of all classes. A class may begin in one part and end in another:
    ``continued`` are the parts whose class 0 began elsewhere, and ``moved`` holds such records where their class began.
    """

    pool: Pool
    data: PartsTable
    records: Handle
    labels: Handle
    first: NDArray[np.int64]
    moved: Handle | None = None
    continued: frozenset[int] = frozenset()

    def compute(self) -> Handle:
        """Send each label back to where its record is in the table."""
        first, bounds, grouped = self.first, self.data.bounds, self._grouped("row")
        records = grouped.records

        def send(number: int, *parts: Part) -> list[Arrays]:
            here = records(number, *parts)
            return restore_order({"value": here["label"] + np.int32(first[number])}, here["row"], bounds)

        return self.pool.shuffle(send, bounds.size - 1, *grouped.handles)

    def grouped(self, cells: Handle) -> Grouped | None:
        """Give the records by class, if they have these cells."""
        return self._grouped("row", *self.data.shape.sides) if cells is self.data.cells else None

    def _grouped(self, *names: str) -> Grouped:
        continued, moved = self.continued, () if self.moved is None else (self.moved,)
        return Grouped(
            lambda number, *parts: _whole_classes(names, number in continued, *parts),
            (self.records, self.labels, *moved),
        )


def _whole_classes(names: tuple[str, ...], continued: bool, part: Part, labels: Part, *moved: Part) -> Arrays:
    """Give some columns of the records whose classes begin in a part, and their labels."""
    label = labels["label"]
    gone = np.flatnonzero(label == 0) if continued else np.empty(0, np.int64)
    own = _without(label, gone) - np.int32(1) if continued else label
    if not moved or not moved[0]["row"].size:
        return {name: _without(part[name], gone) for name in names} | {"label": own}
    last = np.full(moved[0]["row"].size, own.max(initial=0), np.int32)
    found = {name: _without(part[name], gone, moved[0][name]) for name in names}
    return found | {"label": np.concatenate([last, own])}


def _without(column: NDArray[Any], gone: NDArray[np.int64], before: NDArray[Any] | None = None) -> NDArray[Any]:
    """Give the rows of a column without those that are gone, behind other rows if there are any."""
    if before is None and not gone.size:
        return column
    if gone.size > _FEW:
        column, gone = np.delete(column, gone, axis=0), gone[:0]
    between = [column[a + 1 : b] for a, b in pairwise([-1, *gone.tolist(), len(column)])]
    return np.concatenate(between if before is None else [before, *between])
