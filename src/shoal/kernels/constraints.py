"""Constraints on classes as kernels count them: k records or people, and how confidential values are spread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.kernels import of_kind
from shoal.kernels.grouping import label_rows


class ConstraintKind(IntEnum):
    """What is bounded: a total variation, the share of one value, or one of the three kinds of diversity."""

    VARIATION = 0
    SHARE = 1
    DISTINCT = 2
    ENTROPY = 3
    RECURSIVE = 4


@dataclass(frozen=True, eq=False)
class Constraint:
    """A constraint on a confidential column.

    ``counts`` says how often each of its bins occurs in the whole table, or how many people have it. For all kinds but
    a variation the last bin is that of cells without a value, which count to the most frequent one.
    """

    kind: ConstraintKind
    level: float
    counts: NDArray[np.int64]
    factor: float = 1.0


@dataclass(frozen=True, eq=False)
class Constraints:
    """All constraints on some rows: k of them, or k persons, in every class, and those on confidential values.

    ``codes`` has the bin of each row for each constraint; ``persons`` are numbered from 0, and count once for each bin.
    """

    k: int
    persons: Positions | None
    confidential: tuple[Constraint, ...]
    codes: Positions

    def taken(self, rows: Positions) -> Constraints:
        """Give the constraints on some of the rows."""
        persons = None if self.persons is None else np.unique(self.persons[rows], return_inverse=True)[1]
        return replace(
            self,
            persons=None if persons is None else persons.reshape(-1).astype(np.int32),
            codes=np.ascontiguousarray(self.codes[rows]),
        )

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The arguments of a kernel, with the scratch that it counts in."""
        of_kind(np.int32, self.codes, *([] if self.persons is None else [self.persons]))
        given = self.confidential
        counts = [constraint.counts for constraint in given]
        bins = [part.size for part in counts]
        persons = 0 if self.persons is None else int(self.persons.max(initial=-1)) + 1
        return (
            self.k, self.persons, len(given), self.codes,
            np.array([constraint.kind for constraint in given] + [0], np.int64), np.array([*bins, 0], np.int64),
            np.array([constraint.level for constraint in given] + [0.0]),
            np.array([constraint.factor for constraint in given] + [0.0]),
            np.concatenate([*counts, np.zeros(1, np.int64)]), np.array([part.sum() for part in counts] + [0], np.int64),
            np.zeros(sum(bins) + 1, np.int64), np.empty(max(bins, default=0) + 1, np.int64), *self._pairs(persons),
            np.zeros(len(given) + 1, np.int64), np.full(persons + 1, -1, np.int64),
        )  # fmt: skip

    def _pairs(self, persons: int) -> tuple[Positions | None, Positions, Positions]:
        """Number the pairs of a person and a bin, and give room to count pairs and people in."""
        if self.persons is None or not self.confidential:
            return None, np.zeros(1, np.int32), np.zeros(1, np.int32)
        pairs, number = np.empty_like(self.codes), 0
        for p in range(len(self.confidential)):
            cells = np.stack([self.persons, self.codes[:, p]], axis=1)
            labels, found = label_rows(cells, cells, np.arange(2))
            pairs[:, p] = labels + np.int32(number)
            number += found
        pairs[np.bincount(self.persons)[self.persons] == 1] = -1  # most people have one row, and need no look elsewhere
        return pairs, np.zeros(number + 1, np.int32), np.zeros(persons + 1, np.int32)
