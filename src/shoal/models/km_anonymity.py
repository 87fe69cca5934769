"""k^m-anonymity: whatever up to m points somebody knows of a person, at least k people have them, or nobody has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.engines.values import Combinations
from shoal.errors import DataError, ParameterError
from shoal.linked.traces import people_of, points_of
from shoal.models.linked_model import LinkedModel, Measured
from shoal.parameters import settle, shown
from shoal.schema import Schema, names_given
from shoal.table import Table


@dataclass(frozen=True)
class KmAnonymity(LinkedModel):
    """Every combination of up to m points that a person has is had by at least k people.

    Who knows up to m points of a person finds at least k people who have them; with suppression, a point that is known
    may be missing, and the others are then had by at least k people, or by nobody. Of more than m points nothing is
    said. An m of at least the longest trace covers who knows all points of a person, but not that there are no more.

    Parameters
    ----------
    k
        How many people have each combination at least, 2 or more.
    m
        How many points somebody may know of a person, 1 or more.
    within
        Quasi-identifiers that are attributes of people and no part of points. At least k people then have the same
        cells in all of them, and among these k^m-anonymity holds: (k, k^m)-anonymity.

    References
    ----------
    M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving anonymization of set-valued data, PVLDB 1(1), 2008,
    doi:10.14778/1453856.1453874; G. Poulis, G. Loukides, A. Gkoulalas-Divanis, S. Skiadopoulos: Anonymizing data with
    relational and transaction attributes, ECML PKDD 2013, doi:10.1007/978-3-642-40994-3_23.
    """

    name: ClassVar[str] = "km-anonymity"
    k: int
    m: int
    within: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse what promises nothing."""
        settle(self)
        object.__setattr__(self, "within", names_given("within", self.within) or None)
        for letter, least, why in (("k", 2, "A crowd of one hides nobody."), ("m", 1, "Somebody knows something.")):
            value = getattr(self, letter)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ParameterError(f"{letter} must be a whole number of at least {least}, not {shown(value)}.", why)

    @property
    def promised(self) -> float:
        """How many people have each combination."""
        return float(self.k)

    def measured(self, table: Table) -> Measured:
        """Count how many people have each combination of up to m points."""
        found = self._found(table)
        everyone = [(float(table.rows), 0, 0)]  # where nobody has a point, everybody has the same
        levels, failing, cases = zip(*(found or everyone), strict=True)
        return Measured(min(levels), sum(failing), sum(cases))

    def _found(self, table: Table) -> list[tuple[float, int, int]]:
        people = people_of(table)
        if not self.within:
            return table.combinations(people, points_of(table), self.m, self._counted)
        names = [name for name in table.schema.quasi if name not in self.within]
        crowd, points = table.number(self.within), points_of(table, names)
        if any(table.combinations(people, crowd, 2, _several)):
            raise DataError(
                "Some people have several values of their attributes.", "Nothing is known of their classes."
            )
        own = table.combine(
            lambda number, point: np.where(point < 0, np.int32(-1), number),
            table.number([*self.within, *names]),
            points,
        )
        return [
            *table.combinations(people, crowd, 1, self._counted),
            *table.combinations(people, own, self.m, self._counted),
        ]  # fmt: skip

    def _counted(self, some: Combinations) -> tuple[float, int, int]:
        return float(some.people.min()), int((some.people < self.k).sum()), int(some.people.size)

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which combinations enough people have."""
        return level >= self.k

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give how many people have the rarest combination."""
        return float(level.min())

    def demand(self, rows: int, subjects: int | None) -> None:
        """Refuse a k that is larger than the number of people."""
        if subjects is not None and self.k > subjects:
            raise ParameterError(
                f"k = {self.k} cannot be reached: there {'are' if subjects != 1 else 'is'} only {subjects:,} "
                f"{'people' if subjects != 1 else 'person'}.",
                f"Choose k up to {subjects:,}, or add people."
                if subjects > 1
                else "A crowd needs more than one: add people.",
            )

    def sentence(self, level: float, schema: Schema) -> str:
        """Say what somebody finds who knows up to m points."""
        if self.within:
            known = "a person's attributes and " + ("one point" if self.m == 1 else f"up to {self.m} points")
            if level < 2:
                return f"An attacker who knows {known} may be left with a single person."
            return f"An attacker who knows {known} finds at least {level:,.0f} people who have them, or none."
        known = "one of a person's points" if self.m == 1 else f"up to {self.m} of a person's points"
        if level < 2:
            return f"An attacker who knows {known} may be left with a single person."
        return f"An attacker who knows {known} finds at least {level:,.0f} people who have them, or none."

    def convention(self, schema: Schema) -> str:
        """Tell what is counted."""
        inside = ", and per class of attributes; within these classes" if self.within else ""
        return f"people per combination of up to {self.m} distinct points that somebody has{inside}"


def _several(some: Combinations) -> bool:
    """Tell whether anybody has two labels of which everybody has one."""
    return some.size > 1


def within_of(models: Sequence[Any]) -> tuple[str, ...]:
    """Give the attributes of people within whose classes points are counted; models must agree about them."""
    found = {model.within for model in models if isinstance(model, KmAnonymity) and model.within}
    if len(found) > 1 or (found and sum(isinstance(model, KmAnonymity) for model in models) > 1):
        raise ParameterError("k^m-anonymity within attributes is asked for several times.", "Ask for it once.")
    return next(iter(found), ())
