"""Reidentification risk: how likely a record is found, on average, at most, and in all but a few records."""

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
from shoal.models.people import people_in
from shoal.parameters import settle
from shoal.schema import Schema
from shoal.table import Classes, Table


@dataclass(frozen=True)
class ReidentificationRisk(OutsidePopulation):
    """A record is found with at most some chance, on average over records, and in all but a small share of them.

    Without a table of the population the attacker knows who is in the table (prosecutor): the chance is one in the size
    of the class. With one, he does not (journalist): it is one in the people who fit the class.

    With a ``subject`` column people are counted, in the table and in its population, which must have such a column too.

    Parameters
    ----------
    highest
        The largest chance to find a record, such as 0.2; 1 leaves it open.
    average
        The largest mean of these chances over all records; left open if not given.
    share
        The share of records whose chance may be above ``highest``; none if left out.
    population
        A table of the population, or the file of one: if there is one, of the journalist.
    called
        How quasi-identifiers are called there, where they have another name.
    sha256
        The SHA-256 of the population, which is filled in.

    References
    ----------
    K. El Emam: Guide to the De-Identification of Personal Health Information, CRC Press (2013); F. Prasser, J. Eicher,
    H. Spengler, R. Bild, K. A. Kuhn: Flexible data anonymization using ARX, Software: Practice and Experience 50(7),
    2020, doi:10.1002/spe.2812.
    """

    name: ClassVar[str] = "reidentification-risk"
    highest: float
    average: float | None = None
    share: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what promises nothing."""
        settle(self)
        for value in (self.highest, 1.0 if self.average is None else self.average):
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
                raise ParameterError("A risk is above 0 and at most 1.", "Write highest=0.2 average=0.05.")
        if self.open and self.average is None:
            raise ParameterError("No risk is given.", "Write highest=0.2, or highest=1 average=0.05.")
        if isinstance(self.share, bool) or not isinstance(self.share, int | float) or not 0 <= self.share < 1:
            raise ParameterError("A share of records is from 0 to below 1.", "Write share=0.01.")
        if self.share and self.open:
            raise ParameterError("A share of records may be above a risk of 1, as all may.", "Write highest=0.2.")
        self._take()

    @property
    def measured_whole(self) -> bool:
        """Whether the release as a whole is measured: averages are not those of classes."""
        return True

    @property
    def least_class(self) -> int:
        """How many people a class of the table needs so that the chance, and so the mean, is low enough."""
        return math.ceil(1 / self._strictest - 1e-9)

    @property
    def promised(self) -> float:
        """The largest chance, or the largest mean."""
        return float(self.highest if self.average is None or not self.open else self.average)

    @property
    def open(self) -> bool:
        """Whether single records may be found for sure."""
        return self.highest == 1

    @property
    def _strictest(self) -> float:
        return min(self._high, self._mean)

    def level(self, classes: Classes, schema: Schema, reference: Any) -> NDArray[np.float64]:
        """Give the chance to find a record of each class."""
        return 1.0 / self.crowd_of(classes, schema, reference)

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which classes keep the promise if all do: where each is below a bound, so is the mean."""
        return level <= self._strictest

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the largest chance."""
        return float(level.max())

    def breaking(self, sizes: Integers, people: Integers, strangers: int) -> Flags:
        """Tell the smallest classes without which all others keep the promise together with those suppressed."""
        n = int(sizes.sum())
        crowd = people if self.outside else sizes
        order = np.lexsort([sizes, crowd])
        gone = np.concatenate([[0], np.cumsum(sizes[order])])
        all_of_them = self._everybody(crowd, people, strangers)
        hidden = 1.0 / np.maximum(gone if all_of_them is None else np.full(gone.size, all_of_them), 1)
        chances = 1.0 / crowd[order]
        risky = np.where(chances > self._high, sizes[order], 0)
        left = int(risky.sum()) - np.concatenate([[0], np.cumsum(risky)])
        left += np.where(hidden > self._high, gone, 0)
        sums = sizes[order] * chances
        mean = (sums.sum() - np.concatenate([[0.0], np.cumsum(sums)]) + gone * hidden) / n
        fine = (left <= self._few(n)) & (mean <= self._mean + 1e-12)
        least = int(np.argmax(fine)) if fine.any() else order.size
        broken = np.zeros(sizes.size, np.bool_)
        broken[order[:least]] = True
        return broken

    def _everybody(self, crowd: Integers, people: Integers, strangers: int) -> int | None:
        """Give how many people fit a record that shows nothing; without a population as many records as show it."""
        return int(people.sum()) + strangers if self.outside else None

    @property
    def _high(self) -> float:
        return float(self.highest)

    @property
    def _mean(self) -> float:
        return 1.0 if self.average is None else float(self.average)

    def _few(self, records: int) -> int:
        return math.floor(self.share * records + 1e-9)

    def measured(self, table: Table) -> Measured:
        """Measure the chances of all records of a release."""
        if self.outside:
            found = self.matched(table)
            sizes, crowd = found.sizes, found.people
        else:
            self.reference(table)
            schema = table.schema

            def sized(classes: Classes) -> Integers:
                return people_in(classes, schema)

            sizes = crowd = np.concatenate(table.classes(sized, carry=self.carries(schema)))
        return self._measured(sizes, crowd)

    def _measured(self, sizes: Integers, crowd: Integers) -> Measured:
        order = np.lexsort([sizes, crowd])
        sizes, crowd = sizes[order], crowd[order]
        n = int(sizes.sum())
        mean = math.fsum((sizes / crowd).tolist()) / n
        reached = int(np.searchsorted(np.cumsum(sizes), self._few(n), side="right"))
        rest = 1.0 / float(crowd[min(reached, crowd.size - 1)])
        above = int((1.0 / crowd > self._high).sum()) if rest > self._high else 0
        too_much = 0 if mean <= self._mean + 1e-12 else 1
        level = mean if self.open or (too_much and not above) else rest
        return Measured(level, above + too_much, int(crowd.size))

    def monotone(self, schema: Schema) -> Monotone:
        """Say what merging does: classes only grow, and there are fewer of them."""
        return "without suppression" if self.share or self.average is not None else "always"

    def demand(self, rows: int, subjects: int | None) -> None:
        """Refuse a risk that no table is below."""
        number, what = (rows, "records") if subjects is None else (subjects, "different people")
        if not self.outside and self._strictest * number < 1 and not self.share:
            raise ParameterError(
                f"A risk of {self._strictest:g} cannot be reached: the table has only {number:,} {what}.",
                f"Ask for {1 / max(number, 1):.3g} or more, or add records.",
            )

    def nearest(self, level: float) -> str:
        """Say what could be asked for."""
        return f"All records together reach {level:.4g}."

    def sentence(self, level: float, schema: Schema) -> str:
        """Say how likely a record is found."""
        who = "anybody who knows the population" if self.outside else "anybody who knows that a person is in it"
        if self.open:
            return f"On average, a record is found by {who} with a chance of {level:.4g}."
        but = f"all but at most {self.share:.3%} of the records are" if self.share else "a record is"
        mean = "" if self.average is None else f", on average of at most {self.average:.4g}"
        return f"With a chance of at most {level:.4g}{mean}, {but} found by {who}."

    def convention(self, schema: Schema) -> str:
        """Tell what is counted."""
        if self.outside:
            return (
                f"one in the people of the population '{self.population}' (SHA-256 {self.sha256}) whose values a class "
                f"covers; means over records{self.counted(schema)}"
            )
        if schema.subject is not None:
            return "one in the distinct subjects per class; means over the subjects of all classes"
        return "one in the records per class; means over records"
