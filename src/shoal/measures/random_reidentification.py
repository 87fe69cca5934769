"""Random reidentification: the chance that a guess within the class hits the right record."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from shoal.measures import Direction, Score
from shoal.measures.statistics.size_measure import SizeMeasure, records_in


@dataclass(frozen=True)
class RandomReidentification(SizeMeasure):
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

    def formula(self, sizes: Counter[int]) -> Score:
        """Divide the classes by the records: each class adds its size times one over its size."""
        classes, records = sizes.total(), records_in(sizes)
        return Score.exact(self.name, classes / records, {"classes": classes, "records": records})
