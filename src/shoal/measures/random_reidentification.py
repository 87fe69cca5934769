"""Random reidentification: the chance that a guess within the class hits the right record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from shoal.measures import Direction, Score
from shoal.schema import Schema
from shoal.table import Classes


@dataclass(frozen=True)
class RandomReidentification:
    """The mean over records of one over the size of the record's class.

    Parameters
    ----------
    known
        The attributes that the attacker knows; all quasi-identifiers if left out.

    References
    ----------
    D. Sánchez, S. Martínez, J. Domingo-Ferrer, supplement of doi:10.1126/science.aad9295, Fig. S4.
    """

    name: ClassVar[str] = "random-reidentification"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    known: tuple[str, ...] | None = None

    def carries(self, schema: Schema) -> tuple[str, ...]:
        """Look at nothing but the sizes of classes."""
        return ()

    def part(self, classes: Classes, schema: Schema) -> tuple[int, int]:
        """Count classes and records: each class adds its size times one over its size."""
        return int(classes.sizes.size), int(classes.sizes.sum())

    def finish(self, parts: Sequence[tuple[int, int]]) -> Score:
        """Divide the classes by the records."""
        classes, records = sum(part[0] for part in parts), sum(part[1] for part in parts)
        return Score.exact(self.name, classes / records, {"classes": classes, "records": records})
