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
from shoal.joined_rows import EFFORT, KNOWN, listed, mixed, percent, rounded, with_subject
from shoal.linked.traces import Traces, traces_of
from shoal.measures.reidentification.known_points import InvertedLists, attack
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
    names, rows = _people(here, column)
    others, attributes = _people(there, there_by)
    _, mine, theirs = np.intersect1d(names, others, assume_unique=True, return_indices=True)
    if not mine.size:
        raise ParameterError(
            f"Nobody is both in the table and in '{there.origin.name}'.",
            "Give both the same domain and the same key, or leave out what they are joined with.",
        )
    classes = np.unique(_signatures(attributes)[theirs], return_inverse=True)[1].reshape(-1).astype(np.int64)
    offsets, labels = _of_some(rows, mine)
    whose = np.repeat(classes, np.diff(offsets))
    both = np.unique(whose * max(rows.points.number, 1) + labels, return_inverse=True)[1].reshape(-1).astype(np.int32)
    alone = np.bincount(classes)[classes] == 1
    return JoinedTables(
        column, there.origin.name, int(mine.size), float(alone.mean()), _curve(offsets, labels), _curve(offsets, both)
    )


def _people(table: Table, column: str) -> tuple[NDArray[Any], Traces]:
    """Give the names of people as texts, and what the quasi-identifiers show of them, in the order of their column."""
    positions = table.counts(column)[0].astype(np.int32)
    traces = traces_of(replace(table, schema=with_subject(table.schema, column)))
    return np.array(hashed_texts(table.schema[column].axis, positions)), traces


def _signatures(traces: Traces) -> Bits:
    """Give a number for all that is shown of a person, whatever the order of the rows."""
    sums = np.append(np.uint64(0), np.cumsum(mixed(traces.labels.astype(np.int64)), dtype=np.uint64))
    found: Bits = sums[traces.offsets[1:]] - sums[traces.offsets[:-1]]
    return found


def _of_some(traces: Traces, people: Integers) -> tuple[Offsets, Positions]:
    """Give the points of some people."""
    sizes = np.diff(traces.offsets)[people]
    offsets = np.append(0, np.cumsum(sizes)).astype(traces.offsets.dtype)
    places = np.repeat(traces.offsets[:-1][people] - offsets[:-1], sizes) + np.arange(offsets[-1])
    return offsets, traces.labels[places]


def _curve(offsets: Offsets, labels: Positions) -> dict[int, float]:
    lists = InvertedLists.of(offsets, labels, int(labels.max(initial=-1)) + 1)
    found = {known: attack(offsets, labels, lists, known, effort=EFFORT) for known in KNOWN}
    return {known: each.unique for known, each in found.items() if each.people}
