"""Information loss: how far published records are from their originals (Eq. 3 and 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.engines.distances import distances_between
from shoal.measures import Direction, Score
from shoal.table import Table


@dataclass(frozen=True)
class InformationLoss:
    """The mean standardized distance between original and published records, per attribute.

    A published range counts with its end that is farthest from the original value, a wildcard with the limits of the
    attribute's domain, a set of categories with its members' places on the axis. Attributes that do not vary
    contribute nothing.

    References
    ----------
    D. Sánchez, S. Martínez, J. Domingo-Ferrer, supplement of doi:10.1126/science.aad9295, Eq. 2-4.
    """

    name: ClassVar[str] = "information-loss"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def score(self, original: Table, released: Table) -> Score:
        """Add up the distances of all records."""
        names = original.schema.quasi
        sums = distances_between(original, released)
        per_attribute = {name: sums[j + 1] / original.rows for j, name in enumerate(names)}
        return Score.exact(self.name, sums[0] / (original.rows * len(names)), {"per_attribute": per_attribute})
