"""Class sizes: how many records share their quasi-identifiers with how many."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from shoal.measures import Direction, Score
from shoal.measures.statistics.size_measure import SizeMeasure, records_in


@dataclass(frozen=True)
class ClassSizes(SizeMeasure):
    """The mean size of classes, and how many classes there are of each size.

    Parameters
    ----------
    known
        The attributes that the attacker knows; all quasi-identifiers if left out.

    References
    ----------
    P. Samarati: Protecting respondents' identities in microdata release, IEEE TKDE 13(6), 2001,
    doi:10.1109/69.971193.
    """

    name: ClassVar[str] = "class-sizes"
    direction: ClassVar[Direction] = "describes"

    def formula(self, sizes: Counter[int]) -> Score:
        """Give the mean, and the counts themselves."""
        listed = [list(pair) for pair in sorted(sizes.items())]
        return Score.exact(self.name, records_in(sizes) / sizes.total(), {"classes_by_size": listed})
