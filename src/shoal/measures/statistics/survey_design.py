"""How a survey was drawn, and how far its estimates are therefore from what they estimate.

Variances are those of drawing with replacement: between the sums of the units drawn first (ultimate clusters) in each
stratum, which is close, or too large, where few of many were drawn. Those of drawing without replacement are smaller by
the share of the stratum's units that were drawn (finite population correction): weights say how many each unit stands
for. Means and shares are linearized (Taylor).

K. M. Wolter: Introduction to Variance Estimation, 2nd edition, Springer 2007, doi:10.1007/978-0-387-35099-8; T. Lumley:
Analysis of complex survey samples, Journal of Statistical Software 9(8), 2004, doi:10.18637/jss.v009.i08.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Array, Floats, Integers
from shoal.errors import DataError
from shoal.kernels import MISSING
from shoal.kernels.grouping import numbered
from shoal.models.survey_weights import weights_asked_for, weights_of
from shoal.schema import Role
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class SurveyDesign:
    """The weights of records, the strata that they were drawn in, and the units that were drawn.

    Attributes
    ----------
    weights
        Of each record; 1 where there are no weights.
    weighted
        Whether there are.
    strata
        The number of each record's stratum; None without strata.
    units
        The number of the unit that each record was drawn with: its household, or itself.
    unit_strata
        The stratum of each unit.
    drawn
        The share of the population's units that were drawn in each stratum; None if as if with replacement.
    """

    weights: Floats
    weighted: bool
    strata: Integers | None
    units: Integers
    unit_strata: Integers
    drawn: Floats | None = None

    @classmethod
    def of(cls, table: Table, *, replacement: bool = True) -> SurveyDesign:
        """Take the weights, strata and households of a table. A household in two strata was drawn in each of them."""
        weights = weights_of(table) if replacement else weights_asked_for(table)
        strata = _column_of(table, Role.STRATUM)
        stratum = np.zeros(table.rows, np.int64) if strata is None else numbered(strata)[1]
        homes = _column_of(table, Role.HOUSEHOLD)
        unit = np.arange(table.rows) if homes is None else numbered(homes)[1]
        if homes is not None:  # who has no household was drawn alone
            alone = (homes >> 32) == MISSING
            unit = np.where(alone, int(unit.max(initial=0)) + 1 + np.arange(table.rows), unit)
        pairs, units = numbered(stratum * (int(unit.max(initial=0)) + 1) + unit)
        unit_strata = pairs // (int(unit.max(initial=0)) + 1)
        return cls(
            np.ones(table.rows) if weights is None else weights,
            weights is not None,
            None if strata is None else stratum,
            units,
            unit_strata,
            None if replacement or weights is None else _shares_drawn(weights, units, unit_strata),
        )

    def error(self, parts: Floats) -> float | None:
        """Give the standard error of a sum of what each record contributes; None if only one unit was drawn.

        A stratum of one unit is compared with the mean of all units, which makes the error larger rather than smaller.

        >>> five = SurveyDesign(np.ones(5), False, None, np.arange(5), np.zeros(5, np.int64))
        >>> five.error(np.array([1.0, 2.0, 3.0, 4.0, 10.0]))  # the root of 5 / 4 of the squares around 4, which are 50
        7.905694150420948
        """
        if self.unit_strata.size < 2:
            return None
        sums = np.bincount(self.units, parts, self.unit_strata.size)
        many = np.bincount(self.unit_strata)
        means = np.bincount(self.unit_strata, sums) / np.maximum(many, 1)
        means[many == 1] = sums.mean()
        factor = np.where(many > 1, many / np.maximum(many - 1, 1), 1.0)
        factor *= 1.0 if self.drawn is None else 1.0 - self.drawn
        return math.sqrt(float((factor[self.unit_strata] * (sums - means[self.unit_strata]) ** 2).sum()))


def _shares_drawn(weights: Floats, units: Integers, unit_strata: Integers) -> Floats:
    """Give the share of the units of each stratum that were drawn; a unit stands for as many as its members weigh.

    Where these weigh differently, for their mean: a survey that asks all in a household gives them one weight.
    """
    members = np.bincount(units[weights > 0], minlength=unit_strata.size)
    stands_for = np.bincount(units, weights, unit_strata.size) / np.maximum(members, 1)
    population = np.bincount(unit_strata, stands_for)
    drawn = np.bincount(unit_strata[members > 0], minlength=population.size)
    few = int(np.count_nonzero(population < drawn * (1 - 1e-9)))
    if few:
        where = f" in {few:,} of {population.size:,} strata" if population.size > 1 else ""
        raise DataError(
            f"The weights stand for fewer than were drawn{where}: without replacement that cannot be.",
            "Give weights that say how many each record stands for, or leave replacement=false out.",
        )
    return np.minimum(drawn / np.maximum(population, 1), 1.0)


def _column_of(table: Table, role: Role) -> Integers | None:
    """Give the cells of the column that has a role, one number each, record by record."""
    name = table.schema.single(role)
    if name is None:
        return None
    return np.concatenate([np.empty(0, np.int64), *table.collect(_itself, table.column(name))])


def _itself(numbers: Array) -> Array:
    return numbers
