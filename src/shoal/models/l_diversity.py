"""l-diversity: every class holds several well-represented values of what is confidential."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Integers
from shoal.errors import GuaranteeError, ParameterError
from shoal.kernels.diversity import Diversity, diversity
from shoal.kernels.people import disjoint_people
from shoal.models.confidential import bins_of, confidential
from shoal.models.monotone import Monotone
from shoal.models.people import pairs_in, people_in, refuse_nobody, subject_of
from shoal.parameters import settle, shown
from shoal.schema import Schema
from shoal.table import Classes, Table

DiversityKind = Literal["distinct", "entropy", "recursive"]
ROUNDING = 1e-12


@dataclass(frozen=True)
class LDiversity:
    """Every class holds at least l well-represented values of a confidential column.

    Cells without a value may be anything and count to the most frequent value. With several confidential columns,
    each needs a model of its own, and an attacker who knows one of them may learn more about another.

    With a ``subject`` column people are counted, who may have several values in a class. ``distinct`` then counts
    people no two of whom have a value in common: who can rule out fewer than l - 1 values for somebody cannot be sure
    of any other. For the other kinds a value is as frequent as people have it, and the most frequent one has the share
    of the people who have it: where all people of a class share a value, its level is 1 for ``entropy``, and no c is
    enough for ``recursive``. Who has a cell without a value counts to the most frequent value, and for nothing else.

    Parameters
    ----------
    l
        How many values: at least 2, and for ``entropy`` any number above 1.
    column
        The confidential column; may be left out when there is only one.
    kind
        ``distinct`` counts different values; ``entropy`` asks that the entropy is that of l values equally often;
        ``recursive`` asks that the most frequent value is less frequent than c times all from the l-th on.
    c
        The factor of ``recursive``.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: l-Diversity, ACM TKDD 1(1), 2007,
    doi:10.1145/1217299.1217302.
    """

    name: ClassVar[str] = "l-diversity"
    l: float  # noqa: E741 - as the model calls it
    column: str | None = None
    kind: DiversityKind = "distinct"
    c: float = 1.0

    def __post_init__(self) -> None:
        """Refuse levels that mean nothing."""
        settle(self)
        if self.kind not in ("distinct", "entropy", "recursive"):
            raise ParameterError(f"'{self.kind}' is no kind of l-diversity.", "Use distinct, entropy or recursive.")
        number = isinstance(self.l, (int, float)) and not isinstance(self.l, bool) and math.isfinite(self.l)
        whole = number and float(self.l).is_integer() and self.l >= 2
        if not (whole or (number and self.kind == "entropy" and self.l > 1)):
            raise ParameterError(
                f"l must be a whole number of at least 2, not {shown(self.l)}.", "For entropy, any number above 1."
            )
        if isinstance(self.c, bool) or not isinstance(self.c, (int, float)) or not self.c > 0:
            raise ParameterError(f"c must be above 0, not {shown(self.c)}.", "Typical values are 1 to 5.")

    @property
    def promised(self) -> float:
        """How diverse every class is to be."""
        return float(self.c if self.kind == "recursive" else self.l)

    def carries(self, schema: Schema) -> tuple[str, ...]:
        """Name the confidential column, and the one that tells people apart."""
        return (confidential(schema, self.column, self.name), *subject_of(schema))

    def reference(self, table: Table) -> Any:
        """Give the distinct values of the column."""
        refuse_nobody(table)
        return table.counts(confidential(table.schema, self.column, self.name))[0]

    def nearest(self, level: float) -> str:
        """Say what the whole table could promise."""
        if self.kind == "recursive":
            return f"Ask for c above {level:.4g}."
        return (
            f"Ask for l of at most {math.floor(level) if self.kind == 'distinct' else math.floor(level * 1000) / 1000}."
        )

    def level(self, classes: Classes, schema: Schema, reference: Any) -> NDArray[np.float64]:
        """Give the number of values, the exponential of the entropy, or the ratio that c must exceed."""
        column = classes.columns[self.carries(schema)[0]]
        pairs = pairs_in(classes, schema, bins_of(reference, column))
        if self.kind == "distinct" and pairs.persons is not None:
            return np.maximum(disjoint_people(pairs.persons, pairs.bins, pairs.starts), 1).astype(np.float64)
        found = diversity(pairs.bins, pairs.starts, reference.size, math.ceil(self.l))
        if self.kind == "distinct":
            return found.distinct.astype(np.float64)
        people = people_in(classes, schema)
        return np.exp(_entropy(found, people)) if self.kind == "entropy" else _dominance(found, people)

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which classes are diverse enough."""
        if self.kind == "recursive":
            return level < self.c
        return level >= self.l * (1 - ROUNDING)

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the level of the least diverse class."""
        return float(level.max() if self.kind == "recursive" else level.min())

    def monotone(self, schema: Schema) -> Monotone:
        """Say what merging does: it adds values, but people who have several may stand for each other."""
        if schema.subject is not None:
            return "never"
        return "always" if self.kind == "distinct" else "without suppression"

    def demand(self, rows: int, subjects: int | None) -> None:
        """Refuse more values than there are records, or than there are people to have them."""
        if self.l > rows:
            raise GuaranteeError(f"{rows:,} records cannot hold {self.l:g} different values.", "Ask for less.")
        if subjects is not None and self.kind == "distinct" and self.l > subjects:
            raise GuaranteeError(f"Among {subjects:,} people no {self.l:g} can differ.", "Ask for less.")

    def sentence(self, level: float, schema: Schema) -> str:
        """Say how diverse the least diverse class is."""
        column = confidential(schema, self.column, self.name)
        if schema.subject is not None:
            return self._sentence_of_people(level, column)
        if self.kind == "distinct":
            return f"Every class holds at least {level:.0f} different values of '{column}'."
        if self.kind == "entropy":
            return f"In every class '{column}' is as uncertain as {level:.4g} values equally often."
        rest = f"all values from the {int(self.l)}th most frequent on"
        return f"In every class the most frequent value of '{column}' has at most {level:.4g} times {rest}."

    def _sentence_of_people(self, level: float, column: str) -> str:
        if self.kind == "distinct" and level < 2:
            return f"In some class no two people are sure to differ in '{column}'."
        if self.kind == "distinct":
            return f"Every class has at least {level:.0f} people no two of whom have a value of '{column}' in common."
        if self.kind == "entropy":
            return f"In every class '{column}' is as uncertain as {level:.4g} values that equally many people have."
        rest = f"all values from the {int(self.l)}th most frequent on"
        return (
            f"In every class the most frequent value of '{column}' has at most {level:.4g} times the people of {rest}."
        )

    def convention(self, schema: Schema) -> str:
        """Name the kind."""
        if schema.subject is not None:
            counted = (
                "distinct subjects who have no value in common" if self.kind == "distinct" else "distinct subjects"
            )
            return (
                f"{self.kind} l-diversity of {counted}; subjects with a cell without a value count to the most frequent"
            )
        return f"{self.kind} l-diversity; cells without a value count to the most frequent value"


def _entropy(found: Diversity, people: Integers) -> NDArray[np.float64]:
    """Give the entropy of values in classes: the most frequent has the share of people who have it.

    The others have what is left, in proportion to how frequent they are. That is the entropy of records where nobody
    has several values, at most that of pairs of people and values otherwise, and 0 where all people share a value.
    """
    rest, left = found.size - found.top, people - found.top
    entropy = np.where(left == 0, 0.0, found.entropy)
    some = (rest != left) & (left > 0)
    top, rest, share = found.top[some], rest[some], found.top[some] / people[some]
    others = np.log(rest) - (found.logs[some] - top * np.log(top)) / rest
    entropy[some] = (1 - share) * (others - np.log(1 - share)) - share * np.log(share)
    return entropy


def _dominance(found: Diversity, people: Integers) -> NDArray[np.float64]:
    """Give how many times all values from the l-th on the most frequent one has; shares are those of the entropy."""
    rest, left = found.size - found.top, people - found.top
    even = rest == left
    with np.errstate(
        divide="ignore"
    ):  # whole numbers are divided, so that a level that equals c is not lost to rounding
        return np.where(even, found.top, found.top * rest) / np.where(even, found.tail, found.tail * left)
