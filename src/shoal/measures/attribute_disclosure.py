"""Attribute disclosure: who is known to have a confidential property without being reidentified (Eq. 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from shoal.conditions import Condition
from shoal.errors import ParameterError
from shoal.measures import Direction, Score
from shoal.schema import Schema
from shoal.table import Classes, Tally


@dataclass(frozen=True)
class AttributeDisclosure:
    """The share of the records with a property that are in classes in which every record has it.

    Where no record has the property, nothing can be disclosed and the risk is 0.

    Parameters
    ----------
    where
        The property, such as ``charge > 100000``.
    known
        The attributes that the attacker knows; all quasi-identifiers if left out.

    References
    ----------
    D. Sánchez, S. Martínez, J. Domingo-Ferrer, supplement of doi:10.1126/science.aad9295, Eq. 5.
    """

    name: ClassVar[str] = "attribute-disclosure"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    where: str = ""
    known: tuple[str, ...] | None = None

    def _condition(self) -> Condition:
        if not self.where:
            raise ParameterError("Attribute disclosure needs a condition.", "Write one: where='charge > 100000'.")
        return Condition.parse(self.where)

    def carries(self, schema: Schema) -> tuple[Tally, ...]:
        """Look at how many records of a class have the property."""
        return (Tally(self._condition()),)

    def part(self, classes: Classes, schema: Schema) -> tuple[int, int]:
        """Count the disclosed records and those that have the property."""
        inside = classes.columns[Tally(self._condition())]
        return int(classes.sizes @ (inside == classes.sizes)), int(inside.sum())

    def finish(self, parts: Sequence[tuple[int, int]]) -> Score:
        """Divide the disclosed records by those that have the property."""
        disclosed, total = sum(part[0] for part in parts), sum(part[1] for part in parts)
        detail = {"where": self.where, "disclosed": disclosed, "records": total}
        return Score.exact(self.name, disclosed / total if total else 0.0, detail)
