"""Sequential trees: each column is drawn given those before it, from the records of a leaf.

J. P. Reiter: Using CART to generate partially synthetic public use microdata, Journal of Official Statistics 21(3),
2005.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from shoal.arrays import Array, Floats, Integers, Offsets, Positions
from shoal.kernels.grouping import by_label, numbered

# The trees of categories are grown for so many of them; rarer ones count as one there, and are drawn as they are.
_CLASSES = 100
# How Silverman smooths a sample (Density Estimation, 1986, eq. 3.31), by the lesser of two estimates of its spread.
_SILVERMAN, _QUARTILES = 0.9, 1.34

# So many random numbers from 0 to below 1, for records with numbers, column and try.
Draw = Callable[[Integers, int, int], Floats]


@dataclass(frozen=True, eq=False)
class Variable:
    """A column to learn from.

    Attributes
    ----------
    values
        A number for each record: a code for categories, NaN where a number is missing.
    number
        Whether it is a number, which is smoothed, and not a category, which is drawn as it is.
    """

    values: Floats
    number: bool

    @property
    def distinct(self) -> int:
        """How many values there are."""
        return int(np.unique(self.values).size)


@dataclass(frozen=True, eq=False)
class Drawer:
    """What is learned of a column: the leaf of a record by the columns before, and who is in it.

    Attributes
    ----------
    variable
        The column.
    tree
        The tree that gives the leaf; None where there is one leaf only.
    leaves
        The number of each of the tree's nodes among the leaves.
    members, starts
        The records leaf after leaf, and where each leaf begins.
    width, low, high
        Of numbers, the bandwidth of each leaf, and its ends.
    """

    variable: Variable
    tree: Any
    leaves: Integers
    members: Positions
    starts: Offsets
    width: Floats
    low: Floats
    high: Floats

    def drawn(self, features: Array, uniform: Floats, spread: Callable[[], Floats]) -> Floats:
        """Draw a value for each record by the columns before it; ``spread`` gives as many normal numbers."""
        alone = self.tree is None
        leaf = np.zeros(uniform.size, np.int64) if alone else self.leaves[self.tree.apply(features)]
        sizes = np.diff(self.starts)
        within = np.minimum((uniform * sizes[leaf]).astype(np.int64), sizes[leaf] - 1)
        values: Floats = self.variable.values[self.members[self.starts[leaf] + within]]
        if self.variable.number:
            values = np.clip(values + self.width[leaf] * spread(), self.low[leaf], self.high[leaf])
        return values


@dataclass(frozen=True, eq=False)
class ValuePlaces:
    """Where the values of a column lie among those that it has, so that trees see small whole numbers."""

    values: Floats

    def of(self, given: Floats) -> Floats:
        """Give the place of each value, half-way between its neighbours where the column does not have it."""
        if not self.values.size:
            return np.full(given.shape, -1, np.float32)
        at = np.searchsorted(self.values, given)
        found = np.minimum(at, self.values.size - 1)
        places = np.where(self.values[found] == given, at, at - 0.5)
        return np.where(np.isnan(given), -1.0, places).astype(np.float32)


@dataclass(frozen=True, eq=False)
class DrawingOrder:
    """The columns in the order in which they are drawn, and what was learned of each."""

    names: tuple[str, ...]
    drawers: tuple[Drawer, ...]
    places: tuple[ValuePlaces, ...]

    def draw(self, records: Integers, attempt: int, uniform: Draw, normal: Draw) -> dict[str, Floats]:
        """Draw records, by their numbers, at an attempt."""
        features = np.empty((records.size, len(self.names)), np.float32)
        found = {}
        for j, (name, drawer) in enumerate(zip(self.names, self.drawers, strict=True)):
            kernel = partial(normal, records, j, attempt)
            values = drawer.drawn(features[:, :j], uniform(records, j, attempt), kernel)
            found[name] = values
            features[:, j] = self.places[j].of(values)
        return found


def learn(variables: Mapping[str, Variable], order: Sequence[str], least: int, *, related: bool = True) -> DrawingOrder:
    """Grow a tree for each column on those before it, with leaves of at least so many records.

    Without relations each column has one leaf, the whole table.
    """
    rows = next(iter(variables.values())).values.size
    places = tuple(ValuePlaces(np.unique(v.values[~np.isnan(v.values)])) for v in (variables[name] for name in order))
    features = np.empty((rows, len(order)), np.float32, order="F")
    drawers = []
    for j, name in enumerate(order):
        variable = variables[name]
        grown = j > 0 and related and variable.distinct > 1 and rows >= 2 * least
        tree = _grown(features[:, :j], variable, least) if grown else None
        nodes = np.zeros(rows, np.int64) if tree is None else tree.apply(features[:, :j])
        drawers.append(_drawer(variable, tree, nodes))
        features[:, j] = places[j].of(variable.values)
    return DrawingOrder(tuple(order), tuple(drawers), places)


def _grown(features: Array, variable: Variable, least: int) -> Any:
    """Grow a tree: of classes for categories, of means for numbers, on the records that have one."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor  # heavy, and not always there

    known = ~np.isnan(variable.values)
    if int(known.sum()) < 2 * least:
        return None
    values = variable.values[known]
    if variable.number:
        deviation = float(values.std())
        scaled = (values - values.mean()) / (deviation if deviation > 0 else 1.0)
        return DecisionTreeRegressor(min_samples_leaf=least, random_state=0).fit(features[known], scaled).tree_
    codes = numbered(values)[1]
    counts = np.bincount(codes)
    if counts.size > _CLASSES:
        frequent = np.argsort(-counts, kind="stable")[:_CLASSES]
        classes = np.full(counts.size, _CLASSES)
        classes[frequent] = np.arange(_CLASSES)
        codes = classes[codes]
    return DecisionTreeClassifier(min_samples_leaf=least, random_state=0).fit(features[known], codes).tree_


def _drawer(variable: Variable, tree: Any, nodes: Integers) -> Drawer:
    """Say who is in each leaf, and how numbers spread there."""
    used, leaf = numbered(nodes)
    leaves = np.zeros(int(used.max(initial=0)) + 1, np.int64)
    leaves[used] = np.arange(used.size)
    members, starts = by_label(leaf.astype(np.int32), used.size)
    width, low, high = np.zeros((3, used.size))
    if variable.number:
        for i in range(used.size):
            values = variable.values[members[starts[i] : starts[i + 1]]]
            values = values[~np.isnan(values)]
            if values.size:
                width[i], low[i], high[i] = bandwidth(values), values.min(), values.max()
    return Drawer(variable, tree, leaves, members, starts, width, low, high)


def bandwidth(values: Floats) -> float:
    """Give the width of the kernel that smooths a sample, 0 where most of its values are the same.

    >>> bandwidth(np.array([1.0, 1.0, 1.0, 1.0, 5.0]))
    0.0
    """
    if values.size < 2:
        return 0.0
    lower, upper = np.quantile(values, [0.25, 0.75])
    spread = min(float(values.std(ddof=1)), float(upper - lower) / _QUARTILES)
    return float(_SILVERMAN * spread * values.size**-0.2)
