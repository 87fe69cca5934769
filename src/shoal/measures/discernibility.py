"""Discernibility: with how many others each record is shown alike, added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.measures import Direction, Score
from shoal.schema import Schema
from shoal.table import Classes


@dataclass(frozen=True)
class Discernibility:
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
    range: ClassVar[tuple[float, float]] = (1.0, float("inf"))
    known: tuple[str, ...] | None = None

    def carries(self, schema: Schema) -> tuple[str, ...]:
        """Look at nothing but the sizes of classes."""
        return ()

    def part(self, classes: Classes, schema: Schema) -> tuple[int, int]:
        """Count the records, and add up the squares."""
        sizes = classes.sizes.astype(np.int64)
        return int(sizes.sum()), int((sizes * sizes).sum())

    def finish(self, parts: Sequence[tuple[int, int]]) -> Score:
        """Put the sums together; the detail has the mean, too."""
        records, squares = (sum(part[i] for part in parts) for i in (0, 1))
        return Score.exact(self.name, float(squares), {"records": records, "per_record": squares / records})
