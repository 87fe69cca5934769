"""IL1s: the mean difference between original and published values, in units of their spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.measures import Direction, Score, mean_over_attributes
from shoal.measures.statistics.cell_differences import sum_of_differences
from shoal.measures.statistics.weighable import Weighable
from shoal.measures.statistics.weighed_differences import weighed_differences
from shoal.table import Table


@dataclass(frozen=True)
class IL1s(Weighable):
    """The mean absolute difference between original and published values, divided by √2 times the deviation.

    √2 times its deviation is how far two values of an attribute differ that are drawn at random, in the root of the
    mean square. A range counts with its middle and ``*`` with the mean. An attribute without an order counts 1 for
    each record that does not show its own category and no other. Cells that had no value, and attributes that do not
    vary, do not count.

    Parameters
    ----------
    weighted
        Whether records count as much as their survey weights say, instead of one each.

    References
    ----------
    J. M. Mateo-Sanz, F. Sebé, J. Domingo-Ferrer: Outlier protection in continuous microdata masking, Privacy in
    Statistical Databases 2004, doi:10.1007/978-3-540-25955-8_16.
    """

    name: ClassVar[str] = "il1s"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def score(self, original: Table, released: Table) -> Score:
        """Take the mean over records, then over attributes."""
        weights = self.weights_in(original)
        per_attribute = _counted(original, released) if weights is None else _weighed(original, released, weights)
        return mean_over_attributes(self.name, per_attribute, "no attribute varies")


def _counted(original: Table, released: Table) -> dict[str, float]:
    sums = sum_of_differences(original, released, lambda gaps: float(np.abs(gaps).sum()) / 2**0.5, float)
    count = dict(zip(original.schema.quasi, original.moments().count.tolist(), strict=True))
    return {name: total / count[name] for name, total in sums.items()}


def _weighed(original: Table, released: Table, weights: Floats) -> dict[str, float]:
    return {
        each.name: float(np.average(np.abs(each.gaps), weights=each.weights)) / (2**0.5 if each.ordered else 1)
        for each in weighed_differences(original, released, weights)
    }
