"""Average class size: how many records share their quasi-identifiers, on average over classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from shoal.measures import Direction, Score
from shoal.schema import Schema
from shoal.table import Classes


@dataclass(frozen=True)
class AverageClassSize:
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
    range: ClassVar[tuple[float, float]] = (1.0, float("inf"))
    known: tuple[str, ...] | None = None

    def carries(self, schema: Schema) -> tuple[str, ...]:
        """Look at nothing but the sizes of classes."""
        return ()

    def part(self, classes: Classes, schema: Schema) -> tuple[int, int]:
        """Count records and classes."""
        return int(classes.sizes.sum()), int(classes.sizes.size)

    def finish(self, parts: Sequence[tuple[int, int]]) -> Score:
        """Divide the counts."""
        records, number = (sum(part[i] for part in parts) for i in (0, 1))
        return Score.exact(self.name, records / number, {"records": records, "classes": number})
