"""Discernibility: with how many others each record is shown alike, added up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from shoal.measures import Direction, Score
from shoal.measures.statistics.size_measure import SizeMeasure, records_in


@dataclass(frozen=True)
class Discernibility(SizeMeasure):
    """The sum over all records of the size of their class, which is the sum of the squared class sizes.

    Parameters
    ----------
    known
        The attributes by which classes are formed; all quasi-identifiers if left out.

    References
    ----------
    R. J. Bayardo, R. Agrawal: Data privacy through optimal k-anonymization, ICDE 2005, doi:10.1109/ICDE.2005.42.
    """

    name: ClassVar[str] = "discernibility"
    direction: ClassVar[Direction] = "lower is more useful"

    def formula(self, sizes: Counter[int]) -> Score:
        """Add up the squares; the detail has the mean, too."""
        records, squares = records_in(sizes), sum(size * size * count for size, count in sizes.items())
        return Score.exact(self.name, float(squares), {"records": records, "per_record": squares / records})
