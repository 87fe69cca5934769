"""Information loss: how far published records are from their originals (Eq. 3 and 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.engines.distances import distances_between
from shoal.measures import Direction, Score
from shoal.measures.statistics.record_distances import distances_by_attribute
from shoal.measures.statistics.weighable import Weighable
from shoal.table import Table


@dataclass(frozen=True)
class InformationLoss(Weighable):
    """The mean standardized distance between original and published records, per attribute.

    A published range counts with its end that is farthest from the original value, a wildcard with the limits of the
    attribute's domain, a set of categories with its members' places on the axis. Attributes that do not vary
    contribute nothing.

    Parameters
    ----------
    weighted
        Whether records count as much as their survey weights say, instead of one each.

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
        weights = self.weights_in(original)
        sums, whole = _counted(original, released) if weights is None else _weighed(original, released, weights)
        per_attribute = {name: float(sums[j + 1]) / whole for j, name in enumerate(names)}
        return Score.exact(self.name, float(sums[0]) / (whole * len(names)), {"per_attribute": per_attribute})


def _counted(original: Table, released: Table) -> tuple[Floats, float]:
    return distances_between(original, released), float(original.rows)


def _weighed(original: Table, released: Table, weights: Floats) -> tuple[Floats, float]:
    """Add up weighed distances: those of records first, then those of each attribute."""
    sums, squares = [0.0], np.zeros(original.rows)
    for _, distances in distances_by_attribute(original, released, weights):
        sums.append(float(weights @ distances))
        squares += distances * distances
    sums[0] = float(weights @ np.sqrt(squares))
    return np.array(sums), float(weights.sum())
