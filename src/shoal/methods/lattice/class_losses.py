"""Losses of classes: how large they are, how much they could hold, and what is lost to those who learn from them."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.methods.lattice.aggregates import outer
from shoal.methods.lattice.lattice import Lattice, LevelVector
from shoal.methods.lattice.nodes import Node
from shoal.methods.lattice.objective import ClassNodeLoss
from shoal.table import Carry


class SquaredSizes(ClassNodeLoss):
    """With how many others each record is shown alike; with all, if it is suppressed (Bayardo, Agrawal 2005)."""

    def least_with(self, outliers: int) -> float:
        """Give what suppressed records count."""
        return float(self.lattice.rows * outliers)

    def floor_above(self, node: Node) -> float | None:
        """Give the sum over all classes: it grows where classes are merged, and also where they are suppressed."""
        return float(node.found.all_squares)

    def raw(self, node: Node) -> float:
        """Give the sum."""
        return float(node.found.squares + self.lattice.rows * node.outliers)


class MeanSize(ClassNodeLoss):
    """The mean size of classes, those suppressed being one (LeFevre, DeWitt, Ramakrishnan 2006)."""

    def floor_above(self, node: Node) -> float | None:
        """Give the mean of all classes: there are no more of them above."""
        return self.lattice.rows / node.classes.size

    def raw(self, node: Node) -> float:
        """Give the mean."""
        return self.lattice.rows / (node.found.kept + (node.outliers > 0))


class Ambiguity(ClassNodeLoss):
    """How many combinations of leaves each record could be (Goldberger, Tassa 2010)."""

    separable: ClassVar[bool] = True

    def __init__(self, lattice: Lattice) -> None:
        super().__init__(lattice)
        self._whole = float(np.prod([float(column.domain) for column in lattice.columns]))
        # The mean of products is at least the product of geometric means, which the counts of columns give.
        self._logs = [
            np.array([_mean_log(lattice, j, level) for level in range(lattice.low[j], lattice.high[j] + 1)])
            for j in range(len(lattice.columns))
        ]

    def floors(self) -> Floats:
        """Give a bound from below for every node."""
        return np.exp(outer(np.add, self._logs)) * self.lattice.rows * _SLACK

    def floor(self, levels: LevelVector) -> float:
        """Give the same for one node."""
        places = zip(self._logs, levels, self.lattice.low, strict=True)
        return math.exp(sum(float(logs[level - low]) for logs, level, low in places)) * self.lattice.rows * _SLACK

    def least_with(self, outliers: int) -> float:
        """Give what suppressed records count, and all others at least."""
        return outliers * self._whole + (self.lattice.rows - outliers)

    def floor_above(self, node: Node) -> float | None:
        """Give what it would be without suppression."""
        return float((node.classes.counts * _products(node)).sum()) * _SLACK

    def raw(self, node: Node) -> float:
        """Give the sum over all records."""
        kept = ~node.suppressed
        return float((node.classes.counts * _products(node))[kept].sum()) + node.outliers * self._whole


class LogShareLoss(ClassNodeLoss):
    """How many bits of a record's cells are lost, as a share of all bits, added up over records."""

    separable: ClassVar[bool] = True

    def __init__(self, lattice: Lattice) -> None:
        super().__init__(lattice)
        whole = sum(math.log(column.domain) for column in lattice.columns)
        self._unit = whole or 1.0
        d = len(lattice.columns)
        self._free = [
            np.array([_mean_log(lattice, j, level) for level in range(lattice.low[j], lattice.high[j] + 1)])
            * lattice.rows
            / self._unit
            for j in range(d)
        ]

    def floors(self) -> Floats:
        """Give a bound from below for every node."""
        return outer(np.add, self._free)

    def floor(self, levels: LevelVector) -> float:
        """Give the same for one node."""
        return sum(float(f[level - low]) for f, level, low in zip(self._free, levels, self.lattice.low, strict=True))

    def floors_below(self, node: Node) -> Floats | None:
        """Give bounds for a node and all below it: suppressed records lose all that their cells still say."""
        if not node.sure:
            return None
        lifted = []
        for j, (free, level, low) in enumerate(zip(self._free, node.levels, self.lattice.low, strict=True)):
            shares = self.lattice.columns[j].largest_share[low : level + 1]
            lifted.append(free[: level - low + 1] - node.sure * np.log(shares) / self._unit)
        return outer(np.add, lifted)

    def least_between(self, low: LevelVector, high: Node, *, suppressing: bool) -> float:
        """Give a bound for all nodes from one up to another: each column is on its best level."""
        outliers, total = high.sure if suppressing else 0, 0.0
        for j, (first, last, bottom) in enumerate(zip(low, high.levels, self.lattice.low, strict=True)):
            hidden = outliers * np.log(self.lattice.columns[j].largest_share[first : last + 1]) / self._unit
            total += float((self._free[j][first - bottom : last - bottom + 1] - hidden).min())
        return total

    def raw(self, node: Node) -> float:
        """Give the sum over all records; 1 + ln share ÷ ln of all leaves is what is lost of a record."""
        total = float(node.outliers)
        for j, column in enumerate(self.lattice.columns):
            level = node.levels[j]
            kept = column.counts[level] - node.found.by_value[j]
            total += float((kept * np.log(column.leaves[level])).sum()) / self._unit
        return total


class Divergence(ClassNodeLoss):
    """How far the release is from the table, as distributions: the Kullback–Leibler divergence over distinct tuples.

    A class counts as spread evenly over all combinations of leaves that it could hold, and what is suppressed over all.
    """

    def __init__(self, lattice: Lattice, tuples: Floats) -> None:
        super().__init__(lattice)
        shares = tuples / lattice.rows
        self._own = float((shares * np.log2(shares)).sum())
        self._whole = sum(math.log2(column.domain) for column in lattice.columns)

    def floor_above(self, node: Node) -> float | None:
        """Give what it would be without suppression: merging and suppressing make it no less."""
        return self._of(node, 0, [np.zeros_like(each) for each in node.found.by_value], node.classes.counts)

    def raw(self, node: Node) -> float:
        """Give the divergence in bits."""
        return self._of(node, node.outliers, list(node.found.by_value), node.classes.counts[~node.suppressed])

    def _of(self, node: Node, outliers: int, hidden: list[np.ndarray], sizes: np.ndarray) -> float:
        n = self.lattice.rows
        total = self._own - float((sizes / n * np.log2(sizes / n)).sum())
        for j, column in enumerate(self.lattice.columns):
            level = node.levels[j]
            total += float(((column.counts[level] - hidden[j]) * np.log2(column.leaves[level])).sum()) / n
        if outliers:
            total += outliers / n * (self._whole - math.log2(outliers / n))
        return max(total, 0.0)


class Misclassification(ClassNodeLoss):
    """The share of records whose value of a target column is not the most frequent of their class (Iyengar 2002).

    All records of a class count in which two values are most frequent, and all that are suppressed.
    """

    def __init__(self, lattice: Lattice, target: Carry) -> None:
        super().__init__(lattice)
        self._codes = np.unique(lattice.carried[target], return_inverse=True)[1].reshape(-1).astype(np.int32)

    def least_with(self, outliers: int) -> float:
        """Give what suppressed records count."""
        return outliers / self.lattice.rows

    def floor_above(self, node: Node) -> float | None:
        """Give the records outside the majority of all classes: merging makes them no fewer."""
        top, _ = self._majorities(node)
        return (self.lattice.rows - int(top.sum())) / self.lattice.rows

    def raw(self, node: Node) -> float:
        """Give the share."""
        top, tied = self._majorities(node)
        kept = ~node.suppressed
        right = int(top[kept & ~tied].sum())
        return (self.lattice.rows - right) / self.lattice.rows

    def _majorities(self, node: Node) -> tuple[np.ndarray, np.ndarray]:
        """Give how many records have the most frequent value of each class, and whether another is as frequent."""
        assert node.items is not None
        items, labels = node.items
        values = self._codes[self.lattice.fields.unpacked(items.keys, len(self.lattice.columns))].astype(np.int64)
        pairs, places = np.unique(labels * (int(self._codes.max()) + 1) + values, return_inverse=True)
        counts = np.zeros(pairs.size, np.int64)
        np.add.at(counts, places.reshape(-1), items.counts)
        of = (pairs // (int(self._codes.max()) + 1)).astype(np.int32)
        top = np.zeros(node.classes.size, np.int64)
        np.maximum.at(top, of, counts)
        equal = np.bincount(of[counts == top[of]], minlength=top.size)
        return top, equal > 1


class GivenLoss(ClassNodeLoss):
    """Losses that are given, node by node; nodes without one are out."""

    separable: ClassVar[bool] = True

    def __init__(self, lattice: Lattice, losses: dict[LevelVector, float]) -> None:
        super().__init__(lattice)
        self._losses = losses

    def floors(self) -> Floats:
        """Give the loss of every node."""
        found = np.full(self.lattice.heights, np.inf)
        for levels, loss in self._losses.items():
            places = tuple(level - low for level, low in zip(levels, self.lattice.low, strict=True))
            if all(0 <= place < height for place, height in zip(places, self.lattice.heights, strict=True)):
                found[places] = loss
        return found

    def floor(self, levels: LevelVector) -> float:
        """Give the loss of a node."""
        return self._losses.get(levels, math.inf)

    def least_between(self, low: LevelVector, high: Node, *, suppressing: bool) -> float:
        """Give the least that is given for a node from one up to another."""
        corners = np.array([low, high.levels])
        return min(
            (loss for each, loss in self._losses.items() if (corners[0] <= each).all() and (each <= corners[1]).all()),
            default=math.inf,
        )

    def raw(self, node: Node) -> float:
        """Give the loss of a node."""
        return self._losses.get(node.levels, math.inf)


_SLACK = 1.0 - 1e-12  # products are rounded


def _mean_log(lattice: Lattice, column: int, level: int) -> float:
    """Give the mean logarithm of the leaves below the cells of a column on a level."""
    known = lattice.columns[column]
    return float((known.counts[level] * np.log(known.leaves[level])).sum()) / lattice.rows


def _products(node: Node) -> Floats:
    """Give how many combinations of leaves each class could hold."""
    found = np.ones(node.classes.size)
    for j in range(len(node.lattice.columns)):
        found *= node.leaves(j)
    return found
