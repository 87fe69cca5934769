"""Uniqueness: the share of records that stand alone (Eq. 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from shoal.measures import Direction, Score
from shoal.schema import Schema
from shoal.table import Classes

Counts = tuple[int, int, int, int]


@dataclass(frozen=True)
class Uniqueness:
    """The share of records whose combination of known attributes occurs once.

    Records match when their published cells are equal (signature matching, as in the authors' program).

    Parameters
    ----------
    known
        The attributes that the attacker knows; all quasi-identifiers if left out.

    References
    ----------
    D. Sánchez, S. Martínez, J. Domingo-Ferrer, supplement of doi:10.1126/science.aad9295, Eq. 1.
    """

    name: ClassVar[str] = "uniqueness"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    known: tuple[str, ...] | None = None

    def carries(self, schema: Schema) -> tuple[str, ...]:
        """Look at nothing but the sizes of classes."""
        return ()

    def part(self, classes: Classes, schema: Schema) -> Counts:
        """Count records, lone records and classes, and find the smallest class."""
        sizes = classes.sizes
        return int(sizes.sum()), int((sizes == 1).sum()), int(sizes.size), int(sizes.min())

    def finish(self, parts: Sequence[Counts]) -> Score:
        """Add the counts up."""
        records, unique, classes = (sum(part[i] for part in parts) for i in range(3))
        detail = {
            "records": records,
            "unique": unique,
            "classes": classes,
            "smallest_class": min(part[3] for part in parts),
        }
        return Score.exact(self.name, unique / records, detail)
