"""Average class size: how many records share their quasi-identifiers, on average over classes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from shoal.measures import Direction, Score
from shoal.measures.statistics.size_measure import SizeMeasure, records_in


@dataclass(frozen=True)
class AverageClassSize(SizeMeasure):
    """The number of records divided by the number of classes.

    LeFevre et al., and ARX with them, divide this by k: their number is this one over the k that was asked for.

    Parameters
    ----------
    known
        The attributes by which classes are formed; all quasi-identifiers if left out.

    References
    ----------
    K. LeFevre, D. J. DeWitt, R. Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006,
    doi:10.1109/ICDE.2006.101.
    """

    name: ClassVar[str] = "average-class-size"
    direction: ClassVar[Direction] = "lower is more useful"

    def formula(self, sizes: Counter[int]) -> Score:
        """Divide the records by the classes."""
        records, classes = records_in(sizes), sizes.total()
        return Score.exact(self.name, records / classes, {"records": records, "classes": classes})
