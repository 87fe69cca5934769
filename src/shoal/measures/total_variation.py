"""Total variation: which share of the records of each attribute would have to change its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.measures import Direction, Score
from shoal.measures.statistics.cell_masses import CellMasses
from shoal.measures.statistics.distributions import differences
from shoal.measures.statistics.weighable import Weighable
from shoal.table import Table


@dataclass(frozen=True)
class TotalVariation(Weighable):
    """Half the sum of the differences between the shares of each value, before and after; mean over attributes.

    It is the share of records that would have to change their value to give the one distribution from the other: 0
    where each value is as frequent as before, 1 where no value occurs in both. A generalized cell is spread evenly
    over the values that it may stand for, ``*`` over the domain of the attribute in the original, and having no value
    counts as a value. Decimals and times have too many values for that: a range of them has no value in common
    with exact ones, so each record with such a range counts as changed. The detail gives each attribute's and the
    ``worst``.

    Parameters
    ----------
    weighted
        Whether records count as much as their survey weights say, instead of one each.

    References
    ----------
    A. L. Gibbs, F. E. Su: On choosing and bounding probability metrics, International Statistical Review 70(3), 2002,
    doi:10.1111/j.1751-5823.2002.tb00178.x. A. F. Karr, C. N. Kohnen, A. Oganian, J. P. Reiter, A. P. Sanil: A framework
    for evaluating the utility of data altered to protect confidentiality, The American Statistician 60(3), 2006,
    doi:10.1198/000313006X124640.
    """

    name: ClassVar[str] = "total-variation"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    by_distribution: ClassVar[bool] = True

    def score(self, original: Table, released: Table) -> Score:
        """Compare attribute by attribute."""
        found = differences(
            *(CellMasses.of(each, self.weights_in(each)) for each in (original, released)), ordered=False
        )
        per_attribute = {name: min(apart.total_variation, 1.0) for name, apart in found.items()}
        values = list(per_attribute.values())
        return Score.exact(self.name, float(np.mean(values)), {"per_attribute": per_attribute, "worst": max(values)})
