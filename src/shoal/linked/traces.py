"""Traces: the set of distinct points that each person has, in whatever engine the rows lie.

A point is what the quasi-identifiers of a row say together: an item; or a shop, a day and a price. How often a person
has a point, and in which order, is no part of the trace. A row without any value is no point; who has no other has an
empty trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Flags, Integers, Offsets, Positions
from shoal.domains.axis import Axis
from shoal.engines.combining import holders_of
from shoal.engines.values import Spans
from shoal.errors import DataError, SchemaError
from shoal.kernels import MISSING
from shoal.kernels.combinations import Holders
from shoal.kernels.grouping import numbered
from shoal.schema import SPANNED
from shoal.table import Classes, Column, Given, Table


@dataclass(frozen=True, eq=False)
class TracePoints:
    """What labels stand for: of each, a cell in every column, by both ends on the axis of the column."""

    columns: tuple[str, ...]
    axes: tuple[Axis, ...]
    lo: Positions
    hi: Positions

    @property
    def number(self) -> int:
        """How many points there are."""
        return int(self.lo.shape[0])

    def texts(self) -> list[list[str]]:
        """Give the cells as texts, column by column."""
        return [
            axis.render_all(np.ascontiguousarray(self.lo[:, j]), np.ascontiguousarray(self.hi[:, j]))
            for j, axis in enumerate(self.axes)
        ]

    def take(self, which: Integers) -> TracePoints:
        """Give some of the points."""
        return TracePoints(self.columns, self.axes, self.lo[which], self.hi[which])

    def order(self) -> NDArray[np.int64]:
        """Sort the points column by column: numbers and dates by value, everything else by its text."""
        keys: list[NDArray[np.int64]] = []
        for j, axis in enumerate(self.axes):
            lo, hi = self.lo[:, j].astype(np.int64), self.hi[:, j].astype(np.int64)
            if axis.numeric:
                keys += [lo, hi]
                continue
            _, first, places = np.unique((lo << 32) + (hi - MISSING), return_index=True, return_inverse=True)
            texts = np.array(axis.render_all(self.lo[first, j].copy(), self.hi[first, j].copy()), dtype=object)
            keys.append(np.unique(texts, return_inverse=True)[1].reshape(-1)[places.reshape(-1)])
        return np.lexsort(keys[::-1])


@dataclass(frozen=True, eq=False)
class Traces:
    """The traces of people: person ``u`` has ``labels[offsets[u]:offsets[u + 1]]``, ascending and each once.

    Parameters
    ----------
    offsets, labels
        Where the labels of each person begin, with their end; and the labels.
    points
        What the labels stand for, sorted.
    person_classes
        The class of each person by other attributes, if combinations are to be counted within these.
    """

    offsets: Offsets
    labels: Positions
    points: TracePoints
    person_classes: Positions | None = None

    @property
    def people(self) -> int:
        """How many people there are, those with empty traces included."""
        return self.offsets.size - 1

    @cached_property
    def holders(self) -> Holders:
        """Who has which labels, as kernels take it."""
        return Holders(self.offsets, self.labels, self.points.number)

    @property
    def empty(self) -> int:
        """How many people have no point."""
        return int((self.holders.lengths == 0).sum())

    def relabelled(self, other: Positions, points: TracePoints) -> Traces:
        """Give everyone other points in the place of theirs, or none where a number is below zero."""
        found = self.holders.relabelled(other, points.number)
        return Traces(found.offsets, found.labels, points, self.person_classes)


def person_column(table: Table) -> str:
    """Name the column that tells people apart: the subject of an original, or the numbers in a linked release."""
    name = table.schema.person or table.schema.subject
    if name is None:
        raise SchemaError("Nothing says which rows belong to one person.", "Name the column: --subject p, subject='p'.")
    return name


def people_of(table: Table, *, insist: bool = True) -> Column:
    """Number the rows by the person that they belong to, who must be known unless nobody insists on that."""
    name = person_column(table)
    if insist and table.schema.subject is not None and table.counts(name)[0][0] == MISSING:
        raise DataError(
            f"Column '{name}' does not say for every row whose it is.", "Fill its empty cells, or remove these rows."
        )
    return table.number([name])


def points_of(table: Table, columns: Sequence[str] | None = None) -> Column:
    """Number the rows by their point; a row without any value has none, and a number below zero."""
    names = tuple(columns or table.schema.quasi)
    if not names:
        raise SchemaError("No column is a quasi-identifier.", "Name what points are made of: --quasi item,day.")
    places = _places(table, names)

    def said(rows: Spans) -> Flags:
        found: Flags = (rows.hi[:, places] != MISSING).any(axis=1)
        return found

    return table.combine(
        lambda number, point: np.where(point, number, np.int32(-1)), table.number(names), table.map_rows(said)
    )


def _places(table: Table, names: Sequence[str]) -> list[int]:
    """Give where columns stand among those of which the ends of cells are kept."""
    kept = table.schema.of(*SPANNED)
    return [kept.index(name) for name in names]


def traces_of(table: Table, columns: Sequence[str] | None = None, *, insist: bool = True) -> Traces:
    """Give the traces of the people of a table, over all quasi-identifiers or some of them.

    People stand in the order of the column that tells them apart, and points are sorted: neither depends on the engine.
    Unless it is insisted that every row is somebody's, the rows of nobody are one person, who stands first.
    """
    names, name = tuple(columns or table.schema.quasi), person_column(table)
    labels, whose = points_of(table, names), people_of(table, insist=insist)
    point, row = Given(labels), Given(table.rank([table.combine(np.zeros_like, labels)]))

    def collected(classes: Classes) -> tuple[Positions, Integers, Positions, Positions, Positions]:
        numbers = classes.columns[point]
        distinct, places = numbered(numbers)
        one = np.empty(distinct.size, np.int64)
        one[places] = np.arange(places.size)
        seen = one[distinct >= 0]
        persons = classes.columns[name][classes.starts[:-1]]
        return persons, classes.sizes, numbers, numbers[seen], classes.columns[row][seen]

    parts = table.groups(collected, whose, (name, point, row))
    persons, sizes, numbers, seen, rows = (np.concatenate([part[i] for part in parts]) for i in range(5))
    distinct, first = np.unique(seen, return_index=True)
    found = np.sort(rows[first])
    axes = tuple(table.schema[column].axis for column in names)
    points = TracePoints(names, axes, *table.cells(names, found.astype(np.int64)))
    points = points.take(np.searchsorted(found, rows[first]))
    order = points.order()
    place = np.empty(order.size, np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    label = np.full(int(numbers.max(initial=-1)) + 2, -1, np.int32)  # the last is for rows without a point
    label[distinct] = place
    rank = np.empty(persons.size, np.int32)
    rank[np.argsort(persons, kind="stable")] = np.arange(persons.size, dtype=np.int32)
    holders = holders_of(np.repeat(rank, sizes), label[numbers], order.size)
    return Traces(holders.offsets, holders.labels, points.take(order))
