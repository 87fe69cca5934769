"""k-map: everybody in the table is like at least k people of the population that it comes from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Flags, Integers
from shoal.errors import ParameterError
from shoal.models.linked_model import Measured
from shoal.models.monotone import Monotone
from shoal.models.outside_population import OutsidePopulation
from shoal.parameters import settle, shown
from shoal.schema import Schema
from shoal.table import Classes, Table


@dataclass(frozen=True)
class KMap(OutsidePopulation):
    """Each combination of published quasi-identifiers fits at least k people of the population.

    With a table of the population they are counted. Without one it is estimated: a class of the table is as large as it
    would be with a chance of at most ``alpha`` if fewer than k people shared it and each were in the table with the
    chance ``fraction``.

    With a ``subject`` column people are counted, in the table and in its population, which must have such a column too.

    Parameters
    ----------
    k
        The size of the smallest crowd in the population, at least 2.
    alpha
        Without a table of the population, the chance of an error, such as 0.05.
    fraction
        Then, the share of the population that is in the table.
    truncated
        Whether the estimate takes into account that a class was seen at all.
    population
        A table of the population, or the file of one.
    called
        How quasi-identifiers are called there, where they have another name.
    sha256
        The SHA-256 of the population, which is filled in.

    References
    ----------
    L. Sweeney: Computational disclosure control, PhD thesis, MIT (2001); K. El Emam, F. K. Dankar: Protecting privacy
    using k-anonymity, JAMIA 15(5), 2008, doi:10.1197/jamia.M2716.
    """

    name: ClassVar[str] = "k-map"
    k: int
    alpha: float | None = None
    fraction: float | None = None
    truncated: bool = True

    def __post_init__(self) -> None:
        """Refuse what promises nothing."""
        settle(self)
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 2:
            raise ParameterError(
                f"k must be a whole number of at least 2, not {shown(self.k)}.", "A crowd of one hides nobody."
            )
        estimated = self.alpha is not None or self.fraction is not None
        if estimated == (self.population is not None):
            raise ParameterError(
                "k-map is about a population, and nothing, or two things, are said of it.",
                "Give a table of it (population=FILE); or alpha=0.05 and fraction, the share that is in the table.",
            )
        if estimated:
            for name in ("alpha", "fraction"):
                value = getattr(self, name)
                if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
                    raise ParameterError(f"'{name}' is above 0 and below 1.", "Write alpha=0.05 fraction=0.1.")
        self._take()

    @property
    def least(self) -> int:
        """The size of a class from which the estimate says that at least k people share it."""
        return self.k if self.alpha is None or self.fraction is None else self._least(self.alpha, self.fraction)

    def _least(self, alpha: float, fraction: float) -> int:
        mean = fraction * self.k
        sizes = np.arange(min(self.k, math.ceil(mean + 40 * math.sqrt(mean) + 40)))
        factorials = np.cumsum(np.log(np.maximum(sizes, 1)))  # as logarithms: of large means e to the minus mean is 0
        chances = np.exp(sizes * math.log(mean) - mean - factorials)
        if self.truncated:
            chances[0] = 0.0
        seen = -math.expm1(-mean) if self.truncated else 1.0
        enough = np.flatnonzero(np.cumsum(chances) >= (1 - alpha) * seen)
        return min(self.k, int(enough[0]) + 1) if enough.size else self.k

    @property
    def least_class(self) -> int:
        """How many people a class of the table needs."""
        return self.least

    @property
    def promised(self) -> float:
        """The number of people, or of records where it is estimated."""
        return float(self.least)

    def level(self, classes: Classes, schema: Schema, reference: Any) -> NDArray[np.float64]:
        """Give how many people at least fit each class, or its records."""
        return self.crowd_of(classes, schema, reference).astype(np.float64)

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which classes fit enough people."""
        return level >= self.least

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the smallest crowd."""
        return float(level.min())

    def breaking(self, sizes: Integers, people: Integers, strangers: int) -> Flags:
        """Tell which classes fit too few people."""
        few: Flags = (people if self.outside else sizes) < self.least
        return few

    def measured(self, table: Table) -> Measured:
        """Count the people of the population who fit each class."""
        people = self.matched(table).people
        return Measured(float(people.min()), int((people < self.k).sum()), int(people.size))

    def monotone(self, schema: Schema) -> Monotone:
        """Say what merging does: a crowd only grows."""
        return "always"

    def demand(self, rows: int, subjects: int | None) -> None:
        """Refuse a k that no table reaches."""
        number, what = (rows, "records") if subjects is None else (subjects, "people")
        if not self.outside and self.least > number:
            raise ParameterError(f"k = {self.k} cannot be estimated of {number:,} {what}.", "Choose a smaller k.")

    def nearest(self, level: float) -> str:
        """Say how large a crowd there can be."""
        return f"At most {int(level):,} are in one class."

    def sentence(self, level: float, schema: Schema) -> str:
        """Say how many people each combination fits."""
        if self.outside:
            return f"Each combination of quasi-identifiers fits at least {level:,.0f} people of the population."
        occurs, often = "Each combination of quasi-identifiers occurs", "times"
        if schema.subject is not None:
            occurs, often = "Each combination of quasi-identifiers is shared by", "different people"
        return (
            f"{occurs} at least {level:,.0f} {often}: with an error of at most "
            f"{self.alpha:g}, at least {self.k:,} people of the population share it, as is estimated."
        )

    def convention(self, schema: Schema) -> str:
        """Tell what is counted."""
        if self.outside:
            return (
                f"people of the population '{self.population}' (SHA-256 {self.sha256}) whose values a class covers"
                f"{self.counted(schema)}"
            )
        truncated, who = ", truncated at zero" if self.truncated else "", "records"
        if schema.subject is not None:
            who = "distinct subjects"
        return (
            f"estimated, alpha {self.alpha:g}: {who} per class, Poisson with the mean of k times {self.fraction:g}"
            f"{truncated}, at least {self.least:,}"
        )
