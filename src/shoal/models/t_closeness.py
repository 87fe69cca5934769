"""t-closeness: what is confidential is spread in every class nearly as in the whole table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.kernels import MISSING
from shoal.kernels.closeness import ordered_distance, total_variation
from shoal.models.confidential import confidential, places_among
from shoal.models.monotone import Monotone
from shoal.models.people import Pairs, pairs_in, records_again, subject_of, values_had
from shoal.parameters import settle, shown
from shoal.schema import Schema
from shoal.table import Carry, Classes, Ranked, Table

Distance = Literal["ordered-distinct", "ordered-records", "variation", "hierarchical"]

ORDERED = ("ordered-distinct", "ordered-records")
_CONVENTIONS = {
    "ordered-distinct": "earth mover's distance, ordered distance over distinct values (Li et al. 2007)",
    "ordered-records": "earth mover's distance, ordered distance over records with ties broken by their order (Eq. 6)",
    "variation": "total variation distance between categories (earth mover's distance with equal ground distance)",
    "hierarchical": "earth mover's distance over a hierarchy, in which two values are as far apart as the lowest node "
    "above both is high (Li et al. 2007)",
}


@dataclass(frozen=True)
class TCloseness:
    """The distribution of a confidential column in every class is within t of its distribution in the table.

    With a ``subject`` column a person counts once for each different value: in a class for those that the person has
    there, and in the table for all.

    Parameters
    ----------
    t
        The largest distance allowed, above 0 and at most 1.
    column
        The confidential column; may be left out when there is only one.
    distance
        ``ordered-distinct`` compares cumulative shares over the distinct values (Li et al.), ``ordered-records``
        over all records, the convention under which Eq. 6 of the paper holds, and ``variation`` compares categories
        that have no order. ``hierarchical`` compares categories of a column that has a hierarchy: two of them are as
        far apart as the lowest node above both is high, as a share of the height of the tree. Left out, it is
        ``hierarchical`` where there is a hierarchy, ``variation`` for other categories and ``ordered-distinct``
        otherwise. Missing cells are a value of their own, below all others, or in a hierarchy apart from all others.

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
        settle(self)
        if isinstance(self.t, bool) or not isinstance(self.t, (int, float)) or not 0 < self.t <= 1:
            raise ParameterError(
                f"t must be above 0 and at most 1, not {shown(self.t)}.", "Typical values are 0.05 to 0.3."
            )
        if self.distance is not None and self.distance not in _CONVENTIONS:
            raise ParameterError(
                f"'{self.distance}' is not a distance of t-closeness.", f"Choose one of: {', '.join(_CONVENTIONS)}."
            )

    @property
    def promised(self) -> float:
        """The largest distance."""
        return float(self.t)

    def confidential(self, schema: Schema) -> str:
        """Give the column that is meant."""
        return confidential(schema, self.column, self.name)

    def chosen_distance(self, schema: Schema) -> Distance:
        """Give the distance that is used on this table."""
        axis = schema[self.confidential(schema)].axis
        if self.distance is None:
            return "hierarchical" if axis.tree is not None else "variation" if axis.nominal else "ordered-distinct"
        if self.distance == "hierarchical" and axis.tree is None:
            raise ParameterError(
                f"Column '{self.confidential(schema)}' has no hierarchy, so there are no distances in it.",
                "Give one (hierarchies=, --hierarchy COLUMN=FILE), or choose another distance.",
            )
        if axis.nominal and self.distance in ORDERED:
            raise ParameterError(
                f"Column '{self.confidential(schema)}' holds categories without an order.",
                "Leave the distance out, choose 'variation', or declare an order.",
            )
        return self.distance

    def carries(self, schema: Schema) -> tuple[str | Ranked, ...]:
        """Name the confidential column, or the ranks of its records, and the one that tells people apart."""
        column = self.confidential(schema)
        ranked = self.chosen_distance(schema) == "ordered-records"
        return (Ranked(column) if ranked else column, *subject_of(schema))

    def reference(self, table: Table) -> Any:
        """Give the distinct values of the column and how many have each.

        Or, where each record has a bin, which of them repeat a person's value, and the number of the others.
        """
        column, distance = self.confidential(table.schema), self.chosen_distance(table.schema)
        tree = table.schema[column].axis.tree
        if distance == "hierarchical" and tree is not None and tree.idle:
            raise ParameterError(
                f"Most levels of the hierarchy of '{column}' join nothing, which makes all distances in it tiny.",
                "Leave these levels out.",
            )
        if distance != "ordered-records":
            return values_had(table, column)
        if table.schema.subject is None:
            return None, table.rows
        repeats = records_again(table, column)
        return repeats, table.rows - repeats.again.size

    def bins(self, columns: Mapping[Carry, NDArray[np.int32]], schema: Schema, reference: Any) -> NDArray[np.int32]:
        """Give the bin of each record, among those that the reference counts."""
        column, known = columns[self.carries(schema)[0]], reference[0]
        if self.chosen_distance(schema) == "ordered-records":
            return column if known is None else known.merged(column)
        return places_among(known, column)

    def level(self, classes: Classes, schema: Schema, reference: Any) -> NDArray[np.float64]:
        """Give the distance of each class from the table."""
        pairs = pairs_in(classes, schema, self.bins(classes.columns, schema, reference))
        if self.chosen_distance(schema) == "hierarchical":
            return _over_tree(pairs, self.confidential(schema), schema, reference)
        distance = total_variation if self.chosen_distance(schema) == "variation" else ordered_distance
        return distance(pairs.bins, pairs.starts, reference[1])

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which classes are close enough."""
        return level <= self.t

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the largest distance."""
        return float(level.max())

    def monotone(self, schema: Schema) -> Monotone:
        """Say what merging does: two classes are together no farther than one of them; but people count in both."""
        return "without suppression" if schema.subject is None else "never"

    def demand(self, rows: int, subjects: int | None) -> None:
        """Refuse nothing: one class that holds the whole table is always close."""

    def nearest(self, level: float) -> str:
        """Say that nothing stands in the way: the whole table has the distance 0 from itself."""
        return "Ask for any t above 0."

    def sentence(self, level: float, schema: Schema) -> str:
        """Say how far the farthest class is."""
        counted = "" if schema.subject is None else ", counting each person once for each value"
        return (
            f"In every class, '{self.confidential(schema)}' is spread within {level:.4g} of the whole table{counted}."
        )

    def convention(self, schema: Schema) -> str:
        """Name the distance."""
        distance = self.chosen_distance(schema)
        tree = schema[self.confidential(schema)].axis.tree
        levels = f", {len(tree.levels[0])} levels" if distance == "hierarchical" and tree is not None else ""
        people = "" if schema.subject is None else "; records of a subject with the same value count as one"
        return _CONVENTIONS[distance] + levels + people


def _over_tree(pairs: Pairs, column: str, schema: Schema, reference: Any) -> NDArray[np.float64]:
    """Give the earth mover's distance of each class over the tree of a column.

    What has to leave a node costs one level, whichever way it goes on: the distance is the mean, over the levels below
    the root, of the total variation between the nodes of a level. A missing cell is a branch of its own.
    """
    tree = schema[column].axis.tree
    assert tree is not None
    values, counts = reference
    total = np.zeros(pairs.starts.size - 1)
    for nodes in tree.branches:
        node = np.where(values == MISSING, -1, nodes[np.maximum(values, 0)])
        _, bins = np.unique(node, return_inverse=True)
        mine = bins.reshape(-1).astype(np.int32)
        shares = np.bincount(mine, weights=counts).astype(np.int64)
        total += total_variation(mine[pairs.bins], pairs.starts, shares)
    return total / len(tree.branches)


def ordered_closeness(schema: Schema, models: Sequence[Any]) -> TCloseness | None:
    """Give the first t-closeness among models that is about an order, so that strata can serve it."""
    for model in models:
        if isinstance(model, TCloseness) and model.chosen_distance(schema) in ORDERED:
            return model
    return None


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
