"""Classes of a population, for promises about it: the records of a table show the classes of people who are theirs.

Who is in a table comes from its population. So the population is put into classes, large enough for the promise, and
each record shows the class of somebody there who has its very values, no two of them the same person's. People who are
not in the table make classes larger at no cost to it, and what is released is a part of a release of everybody: if the
population is the table, it is k-anonymous.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from shoal.arrays import Array, Flags, Floats, Integers, Positions
from shoal.engines.distances import distances_between
from shoal.engines.packed_cells import packed
from shoal.engines.values import Boxes
from shoal.errors import GuaranteeError, ParameterError
from shoal.kernels.grouping import distinct, label_rows, starts_of
from shoal.models import PrivacyModel
from shoal.models.delta_presence import DeltaPresence
from shoal.models.k_anonymity import KAnonymity
from shoal.models.k_map import KMap
from shoal.models.outside_population import OutsidePopulation, of_population, with_sizes
from shoal.models.people import people_in, subject_of
from shoal.models.reidentification_risk import ReidentificationRisk
from shoal.populations.matched_classes import MatchedClasses
from shoal.populations.people_of_classes import high_ends, low_ends
from shoal.populations.shared_axes import all_single, on_shared, shared_axes
from shoal.schema import Schema
from shoal.table import Carry, Classes, Column, Given, Table


class FormsClasses(Protocol):
    """A method that puts the records of a table into classes of at least k."""

    joins_classes: ClassVar[bool]  # whether records may show classes already, which it then joins

    def formed(self, table: Table, models: Sequence[PrivacyModel]) -> Table:
        """Give the table with what its classes show."""
        ...


def within_population(method: FormsClasses, table: Table, models: Sequence[PrivacyModel]) -> Table:
    """Form classes of the population until promises about it are kept, and join them where others are not.

    Parameters
    ----------
    method
        What forms the classes.
    table
        The table that comes from the population.
    models
        What is promised, of which some is about the population.

    If k-anonymity is promised of the table as well, what the method does with that alone may be enough for promises
    about the population: of both ways the one is taken that loses less. A method that cannot join the classes of the
    population has this way only, where more is promised of the table.
    """
    about = of_population(models)
    others = with_sizes([model for model in models if not of_population([model])])
    matched = PopulationMatching.of(table, about)
    for size in _sizes(about, matched.population.rows):
        shown = matched.shown(method.formed(matched.population, [KAnonymity(size), *matched.shares(about)]))
        if kept(shown, about):
            break
    if not others:
        return shown
    least = [model for model in others if isinstance(model, KAnonymity)]
    further = [model for model in others if model not in least]
    found = []
    if method.joins_classes:
        found.append(method.formed(shown, [*(least or [KAnonymity(2)]), *further]))
    if least or not found:
        found.append(method.formed(table, [KAnonymity(max(size, *(model.k for model in least), 2)), *further]))
    ways = [way for way in found if kept(way, about)]
    return min(ways or found[:1], key=lambda one: float(distances_between(table, one)[0]))


def kept(table: Table, models: Sequence[OutsidePopulation]) -> bool:
    """Tell whether promises about a population are kept."""
    return all(model.measured(table).failing == 0 for model in models)


def _sizes(models: Sequence[OutsidePopulation], most: int) -> Iterator[int]:
    """Give how many people classes are to have: what is surely needed, then more, as far as means ask for it."""
    least, enough = 2, 2
    for model in models:
        if isinstance(model, KMap):
            least = max(least, model.k)
        if isinstance(model, ReidentificationRisk):
            at_once = 1.0 if model.share else model.highest
            least = max(least, math.ceil(1 / at_once - 1e-9))
            enough = max(enough, math.ceil(1 / min(model.highest, model.average or 1.0) - 1e-9))
    if max(least, enough) > most:
        raise GuaranteeError(f"The population has only {most:,} people.", "Ask for less.")
    yield least
    while least < enough:
        least = min(enough, least + max(1, least // 8))
        yield least


@dataclass(frozen=True, eq=False)
class PopulationMatching:
    """A population whose people are matched with the records of a table that have the same values, one with each.

    Attributes
    ----------
    table
        The table.
    population
        The population.
    columns
        Its columns, in the order of the table's quasi-identifiers.
    matches
        The place of each person's record among all, sorted by their cells; -1 for who is not in the table.
    """

    table: Table
    population: Table
    columns: tuple[str, ...]
    matches: Column

    @classmethod
    def of(cls, table: Table, models: Sequence[OutsidePopulation]) -> PopulationMatching:
        """Match people and records."""
        there = models[0].people_of(table)
        for model in models[1:]:
            if model.people_of(table).table is not there.table and model.sha256 != models[0].sha256:
                raise ParameterError("Promises are about two populations.", "Give one table of all people.")
        if set(there.columns) != set(there.table.schema.quasi):
            raise ParameterError(
                "The population was read with other quasi-identifiers than the table.",
                f"Read it with these: {', '.join(there.columns)}.",
            )
        ours, sizes = _distinct(table, table.schema.quasi)
        theirs, counts = _distinct(there.table, there.columns)
        plan, mine, _ = shared_axes(table, there.table, there.columns, ours, ours)
        every = np.concatenate([mine, on_shared(theirs, plan, plan.first)])
        labels, groups = label_rows(every, every, np.arange(every.shape[1]))
        kind = np.full(groups, -1, np.int64)
        kind[labels[: sizes.size]] = np.arange(sizes.size)
        matched = _Matches(starts_of(counts)[:-1], kind[labels[sizes.size :]], starts_of(sizes)[:-1], sizes)
        MatchedClasses(ours, sizes, matched.people(counts), 0).insist_on_superset()
        matches = there.table.combine(matched, there.table.rank(there.columns))
        return cls(table, there.table, there.columns, matches)

    def shares(self, models: Sequence[OutsidePopulation]) -> list[PrivacyModel]:
        """Say what of the promises is a matter of who is matched."""
        return [
            PresenceShare(Given(self.matches), model.least, model.most)
            for model in models
            if isinstance(model, DeltaPresence)
        ]

    def shown(self, population: Table) -> Table:
        """Give each record of the table what is released of the person that it is matched with."""
        own, columns = Given(self.matches), [population.column(name) for name in self.columns]
        low, high = ([Given(population.combine(side, column)) for column in columns] for side in (low_ends, high_ends))

        def taken(classes: Classes) -> tuple[Integers, Integers, Positions, Positions]:
            matches, first = classes.columns[own], classes.starts[:-1]
            owner = np.repeat(np.arange(first.size), classes.sizes)
            there = np.flatnonzero(matches >= 0)
            there = there[np.argsort(matches[there], kind="stable")]
            begins = _begins(matches[there], owner[there])
            used, which = np.unique(owner[there][begins], return_inverse=True)
            lo, hi = (np.stack([classes.columns[item][first[used]] for item in side], axis=1) for side in (low, high))
            return matches[there][begins].astype(np.int64), which.reshape(-1), lo, hi

        parts = population.classes(taken, self._theirs, (own, *low, *high))
        places, lo, hi = (np.concatenate([part[i] for part in parts]) for i in (0, 2, 3))
        before = np.cumsum([0, *(part[2].shape[0] for part in parts)])
        owners = np.concatenate([part[1] + start for part, start in zip(parts, before, strict=False)])
        order = np.argsort(places)
        runs = _Runs(places[order], owners[order].astype(np.int32))
        ours = _distinct(self.table, self.table.schema.quasi)[0]
        plan, _, _ = shared_axes(self.table, population, self.columns, ours, ours, (lo, hi))
        lo, hi = on_shared(lo, plan, plan.first), on_shared(hi, plan, plan.first)
        labels = self.table.combine(runs, self.table.rank(self.table.schema.quasi))
        shown = {
            name: (plan.axes[name], self.table.combine(_Cells(packed(lo[:, j].copy(), hi[:, j].copy())), labels))
            for j, name in enumerate(plan.names)
        }
        return self.table.put(shown)

    @property
    def _theirs(self) -> tuple[str, ...]:
        return self.population.schema.quasi


@dataclass(frozen=True)
class PresenceShare:
    """Of the people of each class a share between two bounds is matched with records of the table.

    Its level is how far the share lies outside, so that the nearer class of two is the better.
    """

    name: ClassVar[str] = "delta-presence"
    matches: Given
    least: float
    most: float

    @property
    def promised(self) -> float:
        """How far a share may lie outside."""
        return 0.0

    def carries(self, schema: Schema) -> tuple[Carry, ...]:
        """Name the column that tells who is matched, and the one that tells people apart."""
        return (self.matches, *subject_of(schema))

    def reference(self, table: Table) -> None:
        """Give nothing: a class tells all."""

    def level(self, classes: Classes, schema: Schema, reference: Any) -> Floats:
        """Give how far the share of each class lies outside the bounds."""
        shares = _people_matched(classes, classes.columns[self.matches] >= 0, schema) / people_in(classes, schema)
        return np.maximum(np.maximum(shares - self.most, self.least - shares), 0.0)

    def met(self, level: Floats) -> Flags:
        """Tell which classes keep the bounds."""
        return level <= 0

    def worst(self, level: Floats) -> float:
        """Give how far the worst share lies outside."""
        return float(level.max())

    def demand(self, rows: int, subjects: int | None) -> None:
        """Demand nothing."""

    def nearest(self, level: float) -> str:
        """Say what could be asked for."""
        return "Ask for bounds around the share of the population that is in the table."

    def sentence(self, level: float, schema: Schema) -> str:
        """Say how far shares lie outside."""
        return f"Shares in the table lie outside the bounds by up to {level:.4g}."

    def convention(self, schema: Schema) -> str:
        """Tell what is counted."""
        return "people of the population who are matched with records"


@dataclass(frozen=True, eq=False)
class _Matches:
    """Finds the record of a person by the place of the person among all, sorted by their cells."""

    starts: Integers  # of each kind of people among all
    kind: Integers  # which kind of records these are; -1 for none
    first: Integers  # the first record of each kind
    sizes: Integers  # how many of them there are

    def people(self, counts: Integers) -> Integers:
        """Give how many people there are of each kind of records."""
        found = np.zeros(self.sizes.size, np.int64)
        there = self.kind >= 0
        found[self.kind[there]] = counts[there]
        return found

    def __call__(self, places: Array) -> Array:
        """Give the place of the record of each person; -1 for who has none."""
        at = np.searchsorted(self.starts, places, side="right") - 1
        among, kind = places - self.starts[at], self.kind[at]
        matched = (kind >= 0) & (among < self.sizes[kind])
        return np.where(matched, self.first[kind] + among, -1).astype(np.int32)


@dataclass(frozen=True, eq=False)
class _Runs:
    """Finds the class of a record by its place."""

    starts: Integers
    owners: Positions

    def __call__(self, places: Array) -> Array:
        """Give the class of each record."""
        return self.owners[np.searchsorted(self.starts, places, side="right") - 1]


@dataclass(frozen=True, eq=False)
class _Cells:
    """Gives what each class has."""

    of_classes: Array

    def __call__(self, labels: Array) -> Array:
        """Give what the class of each record has."""
        return self.of_classes[labels]


def _people_matched(classes: Classes, matched: Flags, schema: Schema) -> Integers:
    """Count the people of each class who are matched with a record."""
    owner = np.repeat(np.arange(classes.sizes.size, dtype=np.int64), classes.sizes)[matched]
    if schema.subject is not None:
        owner = distinct((owner << 32) + classes.columns[schema.subject][matched]) >> 32
    return np.bincount(owner, minlength=classes.sizes.size)


def _distinct(table: Table, columns: Sequence[str]) -> tuple[Positions, Integers]:
    """Give the distinct records of a table in the order of their cells, and how many there are of each."""

    def found(boxes: Boxes) -> tuple[Positions, Positions, Integers]:
        return boxes.lo, boxes.hi, boxes.counts

    parts = table.boxes(found, columns)
    cells, ends, counts = (np.concatenate([part[i] for part in parts]) for i in range(3))
    if not all_single(table, columns, cells, ends):
        raise ParameterError(
            "Records show ranges or sets already, so nobody in the population has their very values.",
            "Put the method first that keeps promises about the population, and give it the values themselves.",
        )
    order = np.lexsort(cells.T[::-1])
    return np.ascontiguousarray(cells[order]), counts[order].astype(np.int64)


def _begins(matches: Array, owners: Integers) -> Integers:
    """Tell where records that follow each other in one class begin."""
    found: Integers = np.flatnonzero(np.append(True, (np.diff(matches) != 1) | (np.diff(owners) != 0))[: matches.size])
    return found
