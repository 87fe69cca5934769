"""Kolmogorov-Smirnov: how far the distribution of each attribute with an order moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.measures import Direction, Score, mean_over_attributes
from shoal.measures.statistics.cell_masses import CellMasses
from shoal.measures.statistics.distributions import differences
from shoal.measures.statistics.weighable import Weighable
from shoal.table import Table


@dataclass(frozen=True)
class KolmogorovSmirnov(Weighable):
    """The largest difference between the shares of records up to any value, before and after; mean over attributes.

    It is a share of records: 0 where both distributions are the same, 1 where they do not overlap. Numbers, dates and
    ordered categories count (leaves of a hierarchy in its order); categories without an order do not:
    `TotalVariation` is for them. A generalized cell is spread evenly over the values that it may stand for, ``*`` over
    the range of the attribute in the original, and cells without a value come before all others. The detail gives
    each attribute's and the ``worst``. It is exact: the largest difference is at an end of a cell.

    Parameters
    ----------
    weighted
        Whether records count as much as their survey weights say, instead of one each.

    References
    ----------
    F. J. Massey: The Kolmogorov-Smirnov test for goodness of fit, JASA 46(253), 1951,
    doi:10.1080/01621459.1951.10500769. M.-J. Woo, J. P. Reiter, A. Oganian, A. F. Karr: Global measures of data
    utility for microdata masked for disclosure limitation, Journal of Privacy and Confidentiality 1(1), 2009,
    doi:10.29012/jpc.v1i1.568, which compares empirical distributions.
    """

    name: ClassVar[str] = "kolmogorov-smirnov"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    by_distribution: ClassVar[bool] = True

    def score(self, original: Table, released: Table) -> Score:
        """Compare attribute by attribute."""
        found = differences(
            *(CellMasses.of(each, self.weights_in(each)) for each in (original, released)), ordered=True
        )
        per_attribute = {name: min(apart.largest_below, 1.0) for name, apart in found.items()}
        worst = {"worst": max(per_attribute.values(), default=0.0)}
        return mean_over_attributes(self.name, per_attribute, "no attribute has an order", worst)
