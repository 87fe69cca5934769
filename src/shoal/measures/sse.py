"""Sum of squared errors: the share of the records' spread that is lost inside classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.arrays import Floats
from shoal.engines.values import Boxes
from shoal.kernels import MISSING
from shoal.measures import Direction, Score, mean_over_attributes
from shoal.measures.statistics.cell_differences import sum_of_differences
from shoal.measures.statistics.weighable import Weighable
from shoal.measures.statistics.weighed_differences import weighed_differences
from shoal.table import Table


@dataclass(frozen=True)
class SumOfSquares(Weighable):
    """The squared distance between original and published records, in percent of that from the mean record.

    Attributes are standardized, so each has the same share in it. A range counts with its middle and ``*`` with the
    mean. In an attribute without an order a record counts as lost unless it shows its own category and no other; the
    whole is then what would be lost by showing the most frequent one for all. Cells that had no value do not count.
    With means it is at most 100; a middle or a median may be worse than the mean of all.

    Parameters
    ----------
    weighted
        Whether records count as much as their survey weights say, instead of one each.

    References
    ----------
    J. Domingo-Ferrer, J. M. Mateo-Sanz: Practical data-oriented microaggregation for statistical disclosure control,
    IEEE TKDE 14(1), 2002, doi:10.1109/69.979982.
    """

    name: ClassVar[str] = "sse"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def score(self, original: Table, released: Table) -> Score:
        """Compare each attribute's errors with its own spread, and take the mean."""
        weights = self.weights_in(original)
        per_attribute = _counted(original, released) if weights is None else _weighed(original, released, weights)
        return mean_over_attributes(self.name, per_attribute, "no attribute varies")


def _weighed(original: Table, released: Table, weights: Floats) -> dict[str, float]:
    return {
        each.name: 100 * float(each.weights @ (each.gaps * each.gaps)) / each.whole
        for each in weighed_differences(original, released, weights)
    }


def _counted(original: Table, released: Table) -> dict[str, float]:
    sums = sum_of_differences(original, released, lambda gaps: float(gaps @ gaps), float)
    moments = original.moments()
    per_attribute = {}
    for name, lost in sums.items():
        whole = float(moments.count[original.schema.quasi.index(name)] - 1)
        if original.schema[name].axis.nominal:
            whole += 1 - _most_frequent(original, name)
        per_attribute[name] = 100 * lost / whole
    return per_attribute


def _most_frequent(table: Table, name: str) -> int:
    """Count the records that have the most frequent value of an attribute."""

    def most(cells: Boxes) -> int:
        return int(cells.counts[cells.lo[:, 0] != MISSING].max(initial=0))

    return max(table.boxes(most, (name,)))
