"""What models share that promise something about the population that a table comes from, given as a table of its own.

The table of the population is no part of a release: a certificate names it with its SHA-256, and who has it proves the
promise again (``shoal check --population``).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from shoal.arrays import Flags, Integers, Positions
from shoal.engines.values import Boxes
from shoal.errors import GuaranteeError, ParameterError
from shoal.kernels.grouping import count_labels, label_rows
from shoal.models.linked_model import Measured
from shoal.parameters import shown
from shoal.populations.matched_classes import MatchedClasses, matched_classes
from shoal.populations.population_table import Population
from shoal.schema import Schema
from shoal.table import Carry, Classes, Table


@dataclass(frozen=True)
class ExactPeople:
    """How many people of a population have exactly the values of each distinct record of a table.

    Every class of records fits at least the people who have the very values of one of them: classes of which this is
    enough keep a promise whatever else they cover. The release itself is measured exactly.
    """

    cells: Positions
    people: Integers

    @classmethod
    def of(cls, table: Table, population: Population) -> ExactPeople:
        """Count the people of each distinct record."""

        def collected(boxes: Boxes) -> Positions:
            return boxes.lo

        matched = population.matched(table)
        return cls(np.concatenate(table.boxes(collected)), matched.people)

    def in_classes(self, classes: Classes, names: tuple[str, ...]) -> Integers:
        """Give how many people at least fit each class."""
        rows = np.stack([classes.columns[name].astype(np.int32) for name in names], axis=1)
        every = np.ascontiguousarray(np.concatenate([self.cells, rows]))
        labels, _ = label_rows(every, every, np.arange(len(names)))
        people = np.zeros(int(labels.max()) + 1, np.int64)
        people[labels[: self.people.size]] = self.people
        owner = np.repeat(np.arange(classes.sizes.size, dtype=np.int32), classes.sizes)
        pairs = np.ascontiguousarray(np.stack([owner, labels[self.people.size :]], axis=1))
        which, groups = label_rows(pairs, pairs, np.arange(2))
        first = np.empty(groups, np.int64)
        first[which[::-1]] = np.arange(which.size)[::-1]
        return count_labels(owner[first], classes.sizes.size, people[pairs[first, 1]])


@dataclass(frozen=True, kw_only=True)
class OutsidePopulation:
    """A promise about the people of a population, of which a table is given.

    Parameters
    ----------
    population
        The file of the population, or a table that was read of it.
    called
        How quasi-identifiers are called there, where they have another name.
    sha256
        The SHA-256 of the population, which is filled in.
    """

    population: Any = None
    called: Mapping[str, str] = field(default_factory=dict)
    sha256: str | None = None

    def _take(self) -> None:
        """Keep a table that was given by its name and its digest."""
        given = self.population
        if not isinstance(given, str | os.PathLike | Table | None):
            raise ParameterError(
                f"A population is a file or a table, not {shown(given)}.", "Read it first: shoal.read(…, quasi=[…])."
            )
        if not isinstance(self.called, Mapping):
            raise ParameterError("'called' says how columns are called in the population.", "Write {'age': 'AGE'}.")
        if isinstance(given, Table):
            object.__setattr__(self, "population", given.origin.name)
            object.__setattr__(self, "sha256", given.origin.sha256)
            object.__setattr__(self, "_held", given)
        elif given is not None:
            object.__setattr__(self, "population", str(given))

    def __getstate__(self) -> dict[str, Any]:
        """Travel without the table of the population."""
        return {name: value for name, value in self.__dict__.items() if name != "_held"}

    @property
    def outside(self) -> bool:
        """Whether a table of the population is needed."""
        return self.population is not None

    @property
    def measured_whole(self) -> bool:
        """Whether the release as a whole is measured, and not class by class."""
        return self.outside

    @property
    def lacks_population(self) -> bool:
        """Whether a table of the population is needed, and is not there."""
        return self.outside and not hasattr(self, "_held")

    def files(self) -> list[Path]:
        """Give the file that is read, if it was not yet."""
        return [Path(self.population)] if self.lacks_population else []

    def looked_for_in(self, folder: Path) -> Self:
        """Give the promise with its file looked for in a folder."""
        if not self.lacks_population or "://" in self.population:
            return self
        return replace(self, population=str(folder / self.population))

    def with_population(self, table: Table, source: Any = None) -> Self:
        """Give the promise with the population at hand, as the table is read that comes from it."""
        if not self.outside or (source is None and not self.lacks_population):
            return self
        there = Population.beside(table, self.population if source is None else source, self.called).table
        if self.sha256 not in (None, there.origin.sha256):
            raise GuaranteeError(
                "The population is not the one that is meant: its SHA-256 is another.",
                f"Give the file '{Path(self.population).name}' as it was.",
            )
        return replace(self, population=there, sha256=None)

    def people_of(self, table: Table) -> Population:
        """Give the population beside a table."""
        if self.lacks_population:
            raise GuaranteeError(
                "The promise is about a population, and its table is not there.", "Give it: --population FILE."
            )
        held: Table = self._held  # type: ignore[attr-defined]
        return Population.beside(table, held, self.called)

    def matched(self, table: Table) -> MatchedClasses:
        """Count the people who fit each class of a release."""
        there = self.people_of(table)
        found = matched_classes(table, there.table, there.columns)
        found.insist_on_superset()
        return found

    def carries(self, schema: Schema) -> tuple[Carry, ...]:
        """Name the columns that say who fits a class."""
        return schema.quasi if self.outside else ()

    def reference(self, table: Table) -> ExactPeople | None:
        """Give how many people have the values of each record."""
        return ExactPeople.of(table, self.people_of(table)) if self.outside else None

    def people_in(self, classes: Classes, schema: Schema, reference: Any) -> Integers:
        """Give how many people at least fit each class; without a population its records."""
        return reference.in_classes(classes, schema.quasi) if self.outside else classes.sizes

    def breaking(self, sizes: Integers, people: Integers, strangers: int) -> Flags:
        """Tell which classes break the promise, given those of the whole release: to be suppressed, they are the least.

        Parameters
        ----------
        sizes
            The records of each class.
        people
            The people who fit each class.
        strangers
            How many people fit none of them.
        """
        raise NotImplementedError

    def measured(self, table: Table) -> Measured:
        """Measure a release in its population."""
        raise NotImplementedError
