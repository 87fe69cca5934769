"""Class sizes: how many records share their quasi-identifiers with how many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.measures import Direction, Score
from shoal.schema import Schema
from shoal.table import Classes


@dataclass(frozen=True)
class ClassSizes:
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
    range: ClassVar[tuple[float, float]] = (1.0, float("inf"))
    known: tuple[str, ...] | None = None

    def carries(self, schema: Schema) -> tuple[str, ...]:
        """Look at nothing but the sizes of classes."""
        return ()

    def part(self, classes: Classes, schema: Schema) -> Counter[int]:
        """Count the classes of each size."""
        if classes.sizes.max(initial=0) <= classes.sizes.size:  # many classes, and none that is very large
            found = np.bincount(classes.sizes)
            sizes = np.flatnonzero(found)
            counts = found[sizes]
        else:
            sizes, counts = np.unique(classes.sizes, return_counts=True)
        return Counter(dict(zip(sizes.tolist(), counts.tolist(), strict=True)))

    def finish(self, parts: Sequence[Counter[int]]) -> Score:
        """Put the counts together."""
        counts = sum(parts, Counter[int]())
        mean = sum(size * count for size, count in counts.items()) / counts.total()
        return Score.exact(self.name, mean, {"classes_by_size": [list(pair) for pair in sorted(counts.items())]})
