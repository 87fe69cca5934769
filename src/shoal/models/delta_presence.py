"""delta-presence: nobody can be sure that somebody of the population is in the table, or is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Flags, Integers
from shoal.errors import ParameterError
from shoal.models.linked_model import Measured
from shoal.models.monotone import Monotone
from shoal.models.outside_population import OutsidePopulation
from shoal.models.people import people_in
from shoal.parameters import settle
from shoal.schema import Schema
from shoal.table import Classes, Table


@dataclass(frozen=True)
class DeltaPresence(OutsidePopulation):
    """Of the people of the population who share what is published, a share between two bounds is in the table.

    With a ``subject`` column people are counted, in the table and in its population, which must have such a column too.

    Parameters
    ----------
    most
        The largest share, from 0 to 1.
    least
        The smallest share, from 0 to 1. If it is above 0, all people of the population must fit some class of the
        table: those who fit none are known not to be in it, and no suppression mends that.
    population
        A table of the population, or the file of one.
    called
        How quasi-identifiers are called there, where they have another name.
    sha256
        The SHA-256 of the population, which is filled in.

    References
    ----------
    M. E. Nergiz, M. Atzori, C. Clifton: Hiding the presence of individuals from shared databases, SIGMOD 2007,
    doi:10.1145/1247480.1247554.
    """

    name: ClassVar[str] = "delta-presence"
    most: float
    least: float = 0.0

    def __post_init__(self) -> None:
        """Refuse bounds that are none."""
        settle(self)
        for value in (self.most, self.least):
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise ParameterError("A share is from 0 to 1.", "Write least=0.01 most=0.5.")
        if not self.least <= self.most or not self.most:
            raise ParameterError("The smallest share is above the largest.", "Write least=0.01 most=0.5.")
        if self.population is None:
            raise ParameterError("delta-presence needs a table of the population.", "Add population=FILE.")
        self._take()

    @property
    def least_class(self) -> int:
        """How many people a class of the table needs: nothing is promised without a population."""
        return 1

    @property
    def promised(self) -> float:
        """The largest share."""
        return float(self.most)

    def level(self, classes: Classes, schema: Schema, reference: Any) -> NDArray[np.float64]:
        """Give the share of the people who fit each class that is in the table, at most."""
        return people_in(classes, schema) / np.maximum(self.crowd_of(classes, schema, reference), 1)

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which shares lie between the bounds."""
        return (level >= self.least) & (level <= self.most)

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the share that breaks the promise most: one below the smallest, or else the largest."""
        low = float(level.min())
        return low if low < self.least else float(level.max())

    def breaking(self, sizes: Integers, people: Integers, strangers: int) -> Flags:
        """Tell which classes break it; if people fit none, or must not be hidden, no class can stay."""
        broken = ~self.met(sizes / np.maximum(people, 1))
        if self.least and (strangers or broken.any()):
            return np.ones(sizes.size, np.bool_)
        return broken

    def measured(self, table: Table) -> Measured:
        """Count the people of the population who fit each class, and those who fit none."""
        found = self.matched(table)
        shares = found.sizes / found.people
        lacking = 1 if self.least and found.strangers else 0
        level = 0.0 if lacking else self.worst(shares)
        return Measured(level, int((~self.met(shares)).sum()) + lacking, int(shares.size))

    def monotone(self, schema: Schema) -> Monotone:
        """Say what merging does: a share between two bounds is between them."""
        return "without suppression"

    def demand(self, rows: int, subjects: int | None) -> None:
        """Demand nothing of the size of a table."""

    def nearest(self, level: float) -> str:
        """Say what could be asked for."""
        return f"All records together reach {level:.4g}: ask for bounds around it."

    def sentence(self, level: float, schema: Schema) -> str:
        """Say how sure anybody can be that somebody is in the table."""
        if self.least and level == 0:
            return "Some people of the population fit no class: they are known not to be in the table."
        if level < self.least:
            return f"Of the people who fit some class, only {level:.4g} are in the table."
        above = f"at least {self.least:.4g} and " if self.least else ""
        return f"Of the people of the population who fit the same class, {above}at most {level:.4g} are in the table."

    def convention(self, schema: Schema) -> str:
        """Tell what is counted."""
        return (
            f"records of a class by people of the population '{self.population}' (SHA-256 {self.sha256}) whose values "
            f"it covers{self.counted(schema)}"
        )
