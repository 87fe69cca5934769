"""What models share that promise something about the population that a table comes from, given as a table of its own.

The table of the population is no part of a release: a certificate names it with its SHA-256, and who has it proves the
promise again (``shoal check --population``).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from shoal.arrays import Flags, Integers, Positions
from shoal.errors import GuaranteeError, ParameterError
from shoal.kernels.grouping import count_labels, label_rows
from shoal.models.k_anonymity import KAnonymity
from shoal.models.linked_model import Measured
from shoal.models.people import people_in, refuse_nobody, subject_of
from shoal.parameters import shown
from shoal.populations.matched_classes import MatchedClasses
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
    apart: bool = True  # whether nobody has the values of two distinct records

    @classmethod
    def of(cls, table: Table, population: Population) -> ExactPeople:
        """Count the people of each distinct record."""
        matched = population.matched(table)
        return cls(matched.cells, matched.people, apart=population.subject is None)

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
        if self.apart:
            return count_labels(owner[first], classes.sizes.size, people[pairs[first, 1]])
        most = np.zeros(classes.sizes.size, np.int64)
        np.maximum.at(most, owner[first], people[pairs[first, 1]])
        return most


@dataclass(frozen=True, kw_only=True)
class OutsidePopulation:
    """A promise about the people of a population, of which a table is given.

    Parameters
    ----------
    population
        The file of the population, or a table that was read of it.
    called
        How quasi-identifiers, and the subject column, are called there, where they have another name.
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
    def least_class(self) -> int:
        """How many people a class of the table needs that keeps the promise whatever the population is."""
        raise NotImplementedError

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
        given = self.population if source is None else source
        there = Population.beside(table, given, self.called, people=True).table
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
        found = Population.beside(table, held, self.called, people=True)
        if found.subject is not None:
            refuse_nobody(found.table)
        return found

    def matched(self, table: Table) -> MatchedClasses:
        """Count the people who fit each class of a release."""
        return self.people_of(table).matched(table)

    def carries(self, schema: Schema) -> tuple[Carry, ...]:
        """Name the columns that say who fits a class, and whose each record is."""
        return (*(schema.quasi if self.outside else ()), *subject_of(schema))

    def reference(self, table: Table) -> ExactPeople | None:
        """Give how many people have the values of each record; records of nobody are refused."""
        refuse_nobody(table)
        return ExactPeople.of(table, self.people_of(table)) if self.outside else None

    def crowd_of(self, classes: Classes, schema: Schema, reference: Any) -> Integers:
        """Give how many people at least fit each class; without a population those who have records in it."""
        return reference.in_classes(classes, schema.quasi) if self.outside else people_in(classes, schema)

    def counted(self, schema: Schema) -> str:
        """Say what is counted where records say whose they are, as the end of a convention."""
        return "" if schema.subject is None else "; people are counted, however many records they have"

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


def with_sizes(models: Sequence[Any]) -> list[Any]:
    """Give promises with k-anonymity for those that only ask for a size of classes, if nothing else says one."""
    sizes = [each.least_class for each in models if isinstance(each, OutsidePopulation) and not each.outside]
    if not sizes or any(isinstance(model, KAnonymity) for model in models):
        return list(models)
    return [KAnonymity(max(2, *sizes)), *models]


def of_population(models: Sequence[Any]) -> tuple[OutsidePopulation, ...]:
    """Give the promises that need a table of a population."""
    return tuple(model for model in models if isinstance(model, OutsidePopulation) and model.outside)
