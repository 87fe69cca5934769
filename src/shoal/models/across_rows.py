"""What somebody learns of a person who knows all rows of the person: what the classes of all of them have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Integers, Positions
from shoal.errors import GuaranteeError
from shoal.kernels.grouping import distinct
from shoal.models.confidential import bins_of, confidential
from shoal.models.linked_model import Measured
from shoal.models.people import Pairs, pairs_in, people_in, refuse_nobody, subject_of, values_had
from shoal.schema import Schema
from shoal.table import Carry, Classes, Column, Given, Table

_ENTRIES = 1 << 22  # pairs of a person and a value that are looked at together


@dataclass(frozen=True, eq=False)
class ClassValues:
    """The values of each class, class after class from ``starts`` on, how many people have each, and how many it has.

    ``share`` is that of each value in the whole table.
    """

    starts: Integers
    values: Positions
    having: Integers
    people: Integers
    share: Floats

    @classmethod
    def of(cls, table: Table, labels: Column, column: str) -> ClassValues:
        """Find them. A cell without a value is none that people could have in common."""
        schema, (known, counts) = table.schema, values_had(table, column)

        def found(classes: Classes) -> tuple[Integers, Positions, Integers, Integers]:
            return _distinct(pairs_in(classes, schema, bins_of(known, classes.columns[column])), classes, schema)

        parts = table.groups(found, labels, tuple(dict.fromkeys((column, *subject_of(schema)))))
        sizes, values, having, people = (np.concatenate([part[i] for part in parts]) for i in range(4))
        return cls(np.append(0, np.cumsum(sizes)), values, having, people, counts / counts.sum())


def _distinct(pairs: Pairs, classes: Classes, schema: Schema) -> tuple[Integers, Positions, Integers, Integers]:
    """Give how many values each class has, these, how many people have each, and how many people there are."""
    number = pairs.starts.size - 1
    of_class = np.repeat(np.arange(number, dtype=np.int64), np.diff(pairs.starts))
    there = pairs.bins >= 0
    found, having = np.unique((of_class[there] << 32) + pairs.bins[there], return_counts=True)
    sizes = np.bincount(found >> 32, minlength=number)
    return sizes.astype(np.int64), (found & 0xFFFFFFFF).astype(np.int32), having, people_in(classes, schema)


@dataclass(frozen=True, eq=False)
class CommonValues:
    """For some people, the values that all their classes have: how many, and their shares to an attacker.

    ``starts`` says where the values of each begin.
    """

    starts: Integers
    values: Positions
    shares: Floats


def common_values(people: Integers, classes: Integers, number: int, known: ClassValues) -> CommonValues:
    """Find what the classes of each of so many people have in common, given each pair of a person and a class once.

    A value that stays with a person has the share that Bayes gives it: the product of its shares in the classes, over
    its share in the table for each class but the first.
    """
    sizes = np.diff(known.starts)[classes]
    starts = np.append(0, np.cumsum(sizes))
    at = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes) + np.repeat(known.starts[:-1][classes], sizes)
    keys, places, counts = np.unique(
        (np.repeat(people, sizes) << 32) + known.values[at], return_inverse=True, return_counts=True
    )
    rooms = np.bincount(people, minlength=number)
    logs = np.log(known.having[at] / np.repeat(known.people[classes], sizes))
    weight = np.bincount(places.reshape(-1), weights=logs, minlength=keys.size)
    person, value = keys >> 32, (keys & 0xFFFFFFFF).astype(np.int32)
    everywhere = counts == rooms[person]
    person, value, weight = person[everywhere], value[everywhere], weight[everywhere]
    weight -= (rooms[person] - 1) * np.log(known.share[value])
    found = np.append(0, np.cumsum(np.bincount(person, minlength=number)))
    highest = np.full(number, -np.inf)
    np.maximum.at(highest, person, weight)
    shares = np.exp(weight - highest[person])
    total = np.bincount(person, weights=shares, minlength=number)
    return CommonValues(found, value, shares / total[person])


class AcrossRows(ABC):
    """A promise about what all rows of a person tell together, to somebody who knows the quasi-identifiers of all.

    Classes of which some person breaks it are merged with their neighbours by methods that merge classes.
    """

    name: ClassVar[str]
    by_class: ClassVar[bool] = False
    column: str | None

    @property
    @abstractmethod
    def promised(self) -> float:
        """The level that everybody is to reach, or not to exceed."""

    @abstractmethod
    def level_of(self, common: CommonValues, known: ClassValues) -> Floats:
        """Give the level that each of some people reaches."""

    @abstractmethod
    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which levels keep the promise."""

    @abstractmethod
    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the level that holds for all."""

    def carries(self, schema: Schema) -> tuple[Carry, ...]:
        """Name the confidential column, and the one that tells people apart."""
        return (confidential(schema, self.column, self.name), *subject_of(schema))

    def reference(self, table: Table) -> Any:
        """Give nothing, but refuse records of nobody."""
        refuse_nobody(table)

    def level(self, classes: Classes, schema: Schema, reference: Any) -> NDArray[np.float64]:
        """Give what holds in any case: classes alone do not tell it."""
        return np.full(classes.sizes.size, self.promised)

    def measured(self, table: Table) -> Measured:
        """Measure it on a table as it is published. Without a subject column every row is somebody else's."""
        labels = table.number(table.schema.quasi)
        level, failing, classes = self.found(table, labels)
        return Measured(level, failing.size, classes)

    def found(self, table: Table, labels: Column) -> tuple[float, Integers, int]:
        """Give the level that everybody reaches, the classes of people who do not reach the promise, and how many."""
        refuse_nobody(table)
        known = ClassValues.of(table, labels, confidential(table.schema, self.column, self.name))
        own, number = Given(labels), known.starts.size - 1
        subject = subject_of(table.schema)
        if not subject:
            level = self.level_of(_alone(number, known), known)
            return self.worst(level), np.flatnonzero(~self.met(level)), number

        def work(classes: Classes) -> tuple[float, Integers]:
            levels, broken = [], [np.empty(0, np.int64)]
            of_person = np.repeat(np.arange(classes.sizes.size, dtype=np.int64), classes.sizes)
            pairs = distinct((of_person << 32) + classes.columns[own])
            people, rooms = pairs >> 32, pairs & 0xFFFFFFFF
            weights = np.append(0, np.cumsum(np.diff(known.starts)[rooms]))
            first, ends = 0, np.flatnonzero(np.append(people[1:] != people[:-1], True)) + 1
            for cut in dict.fromkeys([*_cuts(weights[ends]), ends.size - 1]):
                last = int(ends[cut])
                some, there = people[first:last] - people[first], rooms[first:last]
                level = self.level_of(common_values(some, there, int(some[-1]) + 1, known), known)
                levels.append(self.worst(level))
                broken.append(np.unique(there[~self.met(level)[some]]))
                first = last
            return self.worst(np.array(levels)), np.unique(np.concatenate(broken))

        parts = table.groups(work, table.number(subject), (own,))
        failing = np.unique(np.concatenate([part[1] for part in parts]))
        return self.worst(np.array([part[0] for part in parts])), failing, number

    def demand(self, rows: int, subjects: int | None) -> None:
        """Ask for a column that says whose rows are whose."""
        if subjects is None:
            raise GuaranteeError(
                f"{self.name} is about all rows of a person, and nothing says whose they are.",
                "Name the column that does (subject=, --subject); without one l-diversity and t-closeness promise it.",
            )

    def convention(self, schema: Schema) -> str:
        """Say what the attacker knows."""
        return (
            "to somebody who knows the quasi-identifiers of all rows of a person, and that the value stays with the "
            "person; it is in all classes of these rows"
        )


def _alone(number: int, known: ClassValues) -> CommonValues:
    """Give what single rows tell: the values of their class."""
    sizes = np.diff(known.starts)
    return CommonValues(known.starts, known.values, known.having / np.repeat(known.people, sizes))


def _cuts(totals: Integers) -> list[int]:
    """Say after which people a stretch ends, so that none is too long."""
    whole = totals // _ENTRIES
    return np.flatnonzero(whole[1:] != whole[:-1]).tolist()
