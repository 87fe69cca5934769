"""t-closeness: what is confidential is spread in every class nearly as in the whole table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.kernels.closeness import ordered_distance, total_variation
from shoal.models.confidential import confidential, places_among
from shoal.schema import Schema
from shoal.table import Carry, Classes, Ranked, Table

Distance = Literal["ordered-distinct", "ordered-records", "variation"]

_CONVENTIONS = {
    "ordered-distinct": "earth mover's distance, ordered distance over distinct values (Li et al. 2007)",
    "ordered-records": "earth mover's distance, ordered distance over records with ties broken by their order (Eq. 6)",
    "variation": "total variation distance between categories (earth mover's distance with equal ground distance)",
}


@dataclass(frozen=True)
class TCloseness:
    """The distribution of a confidential column in every class is within t of its distribution in the table.

    Parameters
    ----------
    t
        The largest distance allowed, above 0 and at most 1.
    column
        The confidential column; may be left out when there is only one.
    distance
        ``ordered-distinct`` compares cumulative shares over the distinct values (Li et al.), ``ordered-records``
        over all records, the convention under which Eq. 6 of the paper holds, and ``variation`` compares categories
        that have no order. Left out, it is ``variation`` for categories and ``ordered-distinct`` otherwise. Missing
        cells are a value of their own, below all others.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian: t-Closeness, ICDE 2007, doi:10.1109/ICDE.2007.367856.
    """

    name: ClassVar[str] = "t-closeness"
    t: float
    column: str | None = None
    distance: Distance | None = None

    def __post_init__(self) -> None:
        """Refuse a t that is no distance."""
        if isinstance(self.t, bool) or not isinstance(self.t, (int, float)) or not 0 < self.t <= 1:
            raise ParameterError(f"t must be above 0 and at most 1, not {self.t}.", "Typical values are 0.05 to 0.3.")
        if self.distance is not None and self.distance not in _CONVENTIONS:
            raise ParameterError(
                f"'{self.distance}' is not a distance of t-closeness.", f"Choose one of: {', '.join(_CONVENTIONS)}."
            )

    def confidential(self, schema: Schema) -> str:
        """Give the column that is meant."""
        return confidential(schema, self.column, self.name)

    def chosen_distance(self, schema: Schema) -> Distance:
        """Give the distance that is used on this table."""
        nominal = schema[self.confidential(schema)].axis.nominal
        if self.distance is None:
            return "variation" if nominal else "ordered-distinct"
        if nominal and self.distance != "variation":
            raise ParameterError(
                f"Column '{self.confidential(schema)}' holds categories without an order.",
                "Leave the distance out, choose 'variation', or declare an order.",
            )
        return self.distance

    def carries(self, schema: Schema) -> tuple[Carry, ...]:
        """Name the confidential column, or the ranks of its records."""
        column = self.confidential(schema)
        return (Ranked(column),) if self.chosen_distance(schema) == "ordered-records" else (column,)

    def reference(self, table: Table) -> Any:
        """Give the distinct values of the column and how often each occurs; or no values, and the number of records."""
        if self.chosen_distance(table.schema) == "ordered-records":
            return None, table.rows
        return table.counts(self.confidential(table.schema))

    def level(self, classes: Classes, schema: Schema, reference: Any) -> NDArray[np.float64]:
        """Give the distance of each class from the table."""
        values, counts = reference
        column = classes.columns[self.carries(schema)[0]]
        distance = self.chosen_distance(schema)
        if distance == "ordered-records":
            return ordered_distance(column, classes.starts, counts)
        bins = places_among(values, column)
        if distance == "variation":
            return total_variation(bins, classes.starts, counts)
        return ordered_distance(bins, classes.starts, counts)

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which classes are close enough."""
        return level <= self.t

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the largest distance."""
        return float(level.max())

    def demand(self, rows: int, subjects: int | None) -> None:
        """Refuse nothing: one class that holds the whole table is always close."""

    def nearest(self, level: float) -> str:
        """Say that nothing stands in the way: the whole table has the distance 0 from itself."""
        return "Ask for any t above 0."

    def sentence(self, level: float, schema: Schema) -> str:
        """Say how far the farthest class is."""
        return f"In every class, '{self.confidential(schema)}' is spread within {level:.4g} of the whole table."

    def convention(self, schema: Schema) -> str:
        """Name the distance."""
        return _CONVENTIONS[self.chosen_distance(schema)]


def closeness_bound(n: int, k: int) -> float:
    """Give the t that Algorithm S4 stays within for n records in classes of k (Eq. 6).

    It holds where k divides n, under the convention ``ordered-records``.

    Parameters
    ----------
    n
        The number of records.
    k
        The size of classes.

    Examples
    --------
    >>> [round(closeness_bound(3_985_166, k), 2) for k in (2, 3, 5, 10)]
    [0.25, 0.17, 0.1, 0.05]
    """
    return (n - k) / (2 * (n - 1) * k)


def smallest_cluster(n: int, t: float) -> float:
    """Give the bound from below on the class size that t-closeness asks of Algorithm S4 (Eq. 7).

    Parameters
    ----------
    n
        The number of records.
    t
        The largest distance allowed.

    Examples
    --------
    >>> round(smallest_cluster(1080, 0.05), 3)
    9.917
    """
    return n / (2 * (n - 1) * t + 1)


def cluster_size(n: int, k: int, t: float) -> int:
    """Give the class size that keeps both k-anonymity and t-closeness in Algorithm S4 (Eq. 8).

    Parameters
    ----------
    n
        The number of records.
    k
        The size of the smallest crowd.
    t
        The largest distance allowed.

    Examples
    --------
    >>> [cluster_size(1080, 2, t) for t in (0.01, 0.05, 0.09, 0.13, 0.17, 0.21, 0.25)]
    [48, 10, 6, 4, 3, 3, 2]
    """
    return max(k, math.ceil(smallest_cluster(n, t)))
