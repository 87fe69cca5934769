"""What the three ways to t-closeness by microaggregation share: classes that are too far join the nearest one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.grouping import by_label
from shoal.kernels.microaggregation import Points
from shoal.methods import wanted
from shoal.methods.partitioner import Labels, Publisher, told
from shoal.methods.points import in_line, points_of
from shoal.methods.repair import merged_until_met
from shoal.models import PrivacyModel
from shoal.models.k_anonymity import KAnonymity
from shoal.models.t_closeness import TCloseness
from shoal.table import Classes, Table


@dataclass(frozen=True)
class CloseClusters(Publisher, ABC):
    """Form classes by microaggregation, and join those that miss t with the class whose mean is nearest.

    A method of this kind has a name, says in ``classes`` who belongs together and in ``done`` what it did.
    """

    enforces: ClassVar[tuple[str, ...]] = ("k-anonymity", "t-closeness", "l-diversity", "alpha-k")

    @abstractmethod
    def classes(self, table: Table, points: Points, models: Sequence[PrivacyModel]) -> tuple[Labels, int]:
        """Give the class of each record and how many there are."""
        ...

    @abstractmethod
    def done(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say how classes were formed: the beginning of a sentence."""
        ...

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Form the classes, join those that miss t, then those that break another promise, and publish them."""
        wanted(models, KAnonymity, self.name).demand(table.rows, None)
        points = points_of(table)
        labels, groups = self.classes(table, points, models)
        for model in models:
            if isinstance(model, TCloseness):
                labels, groups = joined_with_nearest(table, points, labels, groups, model)
        labels, groups = merged_until_met(table, in_line(points, labels, groups), groups, models)
        return self.released(table, labels, groups)

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        return (
            f"{self.done(table, models)}, joined classes that missed a promise with the nearest, "
            f"and {told(self.publish)}."
        )


def whole(rows: int) -> tuple[Labels, NDArray[np.int64]]:
    """Give all rows as one block."""
    return np.arange(rows, dtype=np.int32), np.array([0, rows], np.int64)


def joined_with_nearest(
    table: Table, points: Points, labels: Labels, groups: int, model: TCloseness
) -> tuple[Labels, int]:
    """Join the class that is farthest from the table with the class whose mean is nearest, until all are within t.

    The distance of classes that are joined is never above the larger of theirs, and all records together have none.
    """
    (carry,) = model.carries(table.schema)
    reference = model.reference(table)
    (whole,) = table.groups(labels, [carry])
    level = model.level(whole, table.schema, reference)
    values = np.split(whole.columns[carry], whole.starts[1:-1])
    order, starts = by_label(labels, groups)
    members = np.split(order, starts[1:-1])
    centres = np.array([_centre(points, rows) for rows in members])
    into = np.arange(groups, dtype=np.int32)
    while not model.met(level[[worst := int(level.argmax())]])[0]:
        gaps = _gaps(points, centres, centres[worst])
        gaps[worst] = np.inf
        nearest = int(gaps.argmin())
        values[nearest] = np.concatenate([values[nearest], values[worst]])
        members[nearest] = np.concatenate([members[nearest], members[worst]])
        one = Classes(np.array([0, values[nearest].size], np.int64), {carry: values[nearest]})
        level[nearest] = model.level(one, table.schema, reference)[0]
        centres[nearest] = _centre(points, members[nearest])
        centres[worst, :], level[worst], into[worst] = np.inf, -1.0, nearest
    while not np.array_equal(into, further := into[into]):
        into = further
    left, numbers = np.unique(into, return_inverse=True)
    return numbers.reshape(-1).astype(np.int32)[labels], left.size


def _centre(points: Points, rows: Labels) -> NDArray[np.float64]:
    """Give the mean of numbers, and the most frequent of categories, the lowest of several."""
    cells = points.cells[rows]
    middle: NDArray[np.float64] = cells.mean(axis=0)
    for j in range(points.numbers, cells.shape[1]):
        middle[j] = np.bincount(cells[:, j].astype(np.int64)).argmax()
    return middle


def _gaps(points: Points, centres: NDArray[np.float64], one: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the squared distances of middles from one of them; those at infinity are no more."""
    numbers = points.numbers
    gaps: NDArray[np.float64] = ((centres[:, :numbers] - one[:numbers]) ** 2).sum(axis=1)
    gaps += (centres[:, numbers:] != one[numbers:]) @ points.weights[numbers:]
    gaps[np.isinf(centres[:, 0])] = np.inf
    return gaps
