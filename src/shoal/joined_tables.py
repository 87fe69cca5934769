"""What two tables tell together whose people have the same names: attributes in the one, rows in the other.

Who stands in a crowd in each table may stand alone in both: the attributes of somebody narrow down whose rows to look
at. It is counted over the people who are in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Bits, Integers, Offsets, Positions
from shoal.direct_identifiers import hashed_texts
from shoal.errors import ParameterError
from shoal.joined_rows import known_rows, listed, mixed, percent, points_of_people, rounded, with_subject
from shoal.table import Table


@dataclass(frozen=True)
class JoinedTables:
    """What two tables tell together.

    Attributes
    ----------
    column, other
        The column by which they are joined, and the name of the other table.
    people
        How many people are in both.
    by_other
        The share of people whom all that the other table shows of them singles out.
    rows, both
        By the number of rows that somebody knows here, the share of cases in which just one person has them; and in
        which just one has them and is in the other table as that person is.
    """

    column: str
    other: str
    people: int
    by_other: float
    rows: Mapping[int, float]
    both: Mapping[int, float]

    @property
    def sentence(self) -> str:
        """Say what that is."""
        numbers, alone, together = (
            listed(map(str, self.rows)),
            listed(map(percent, self.rows.values())),
            listed(map(percent, self.both.values())),
        )
        return (
            f"'{self.column}' joins {self.people:,} people to '{self.other}', which by itself singles out "
            f"{percent(self.by_other)}. Who knows {numbers} of somebody's rows here finds one person alone in {alone} "
            f"of cases; with what '{self.other}' shows of that person, in {together}."
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """Say it as all that joins rows does."""
        return (self.sentence,)

    def content(self) -> dict[str, Any]:
        """Give it as plain values."""
        shares = {"rows": self.rows, "both": self.both}
        return {
            "column": self.column, "other": self.other, "people": self.people, "by_other": rounded(self.by_other),
            **{name: {str(known): rounded(each) for known, each in found.items()} for name, found in shares.items()},
            "sentence": self.sentence,
        }  # fmt: skip


def joined_tables(here: Table, column: str, there: Table, there_by: str) -> JoinedTables:
    """Join two tables by the names of their people, and count whom both together single out."""
    names, offsets, labels = _people(here, column)
    others, starts, shown = _people(there, there_by)
    _, mine, theirs = np.intersect1d(names, others, assume_unique=True, return_indices=True)
    if not mine.size:
        raise ParameterError(
            f"Nobody is both in the table and in '{there.origin.name}'.",
            "Give both the same domain and the same key, or leave out what they are joined with.",
        )
    classes = np.unique(_signatures(starts, shown)[theirs], return_inverse=True)[1].reshape(-1).astype(np.int64)
    offsets, labels = _of_some(offsets, labels, mine)
    points = int(labels.max(initial=0)) + 1
    both = np.unique(np.repeat(classes, np.diff(offsets)) * points + labels, return_inverse=True)[1]
    alone = np.bincount(classes)[classes] == 1
    return JoinedTables(
        column, there.origin.name, int(mine.size), float(alone.mean()), known_rows(offsets, labels),
        known_rows(offsets, both.reshape(-1).astype(np.int32)),
    )  # fmt: skip


def _people(table: Table, column: str) -> tuple[NDArray[Any], Offsets, Positions]:
    """Give the names of people as texts, and what the quasi-identifiers show of each."""
    positions, offsets, labels = points_of_people(replace(table, schema=with_subject(table.schema, column)), column)
    return np.array(hashed_texts(table.schema[column].axis, positions)), offsets, labels


def _signatures(offsets: Offsets, labels: Positions) -> Bits:
    """Give a number for all that is shown of a person, whatever the order of the rows."""
    sums = np.append(np.uint64(0), np.cumsum(mixed(labels.astype(np.int64)), dtype=np.uint64))
    found: Bits = sums[offsets[1:]] - sums[offsets[:-1]]
    return found


def _of_some(offsets: Offsets, labels: Positions, people: Integers) -> tuple[Offsets, Positions]:
    """Give the points of some people."""
    sizes = np.diff(offsets)[people]
    starts = np.append(0, np.cumsum(sizes)).astype(offsets.dtype)
    places = np.repeat(offsets[:-1][people] - starts[:-1], sizes) + np.arange(starts[-1])
    return starts, labels[places]
