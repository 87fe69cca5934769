"""Losses of columns: shares of leaves, levels, heights and entropies."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Integers
from shoal.methods.lattice.aggregates import Aggregation
from shoal.methods.lattice.lattice import Lattice
from shoal.methods.lattice.nodes import Node
from shoal.methods.lattice.objective import ColumnNodeLoss


class Factors:
    """How generalization and suppression count against each other: alike at one half.

    Below one half suppression counts less, and above it generalization does.
    """

    def __init__(self, factor: float) -> None:
        self.generalized = 1.0 if factor <= 0.5 else 2.0 * (1.0 - factor)
        self.suppressed = 2.0 * factor if factor < 0.5 else 1.0


class ShareLoss(ColumnNodeLoss):
    """The mean share of the leaves that a cell stands for, beyond that of a single one (Iyengar 2002)."""

    def __init__(self, lattice: Lattice, aggregation: Aggregation, factors: Factors) -> None:
        self.factors = factors
        super().__init__(lattice, aggregation)

    def _loss(self, column: int, value: float) -> float:
        n, least = self.lattice.rows, self.factors.generalized * self.lattice.rows / self.lattice.columns[column].domain
        return max(0.0, (value - least) / (n - least)) if n > least else 0.0

    def free(self, column: int, level: int) -> float:
        """Give what a column loses on a level without suppression."""
        known = self.lattice.columns[column]
        return self._loss(column, self.factors.generalized * known.leaves_of_records[level] / known.domain)

    def more(self, column: int, level: int, outliers: int) -> float:
        """Give how much more suppression costs at least: records may be those that say least already."""
        known = self.lattice.columns[column]
        rest = 1.0 - self.factors.generalized / known.domain
        hidden = self.factors.suppressed * (1.0 - float(known.largest_share[level]))
        return outliers / self.lattice.rows * hidden / rest if rest > 0 else 0.0

    def lost(self, column: int, node: Node) -> float:
        """Give what a column loses at a node."""
        known, level = self.lattice.columns[column], node.levels[column]
        whole, gone = known.leaves_of_records[level], int(known.leaves[level] @ node.found.by_value[column])
        kept = self.factors.generalized * ((whole - gone) / known.domain)
        hidden = gone / known.domain
        return self._loss(column, kept + hidden + self.factors.suppressed * (node.outliers - hidden))


class LevelLoss(ColumnNodeLoss):
    """How high each column is in its hierarchy, as a share of its height (Sweeney 2002)."""

    def __init__(self, lattice: Lattice, aggregation: Aggregation, factors: Factors, most: int) -> None:
        self.factors, self.most = factors, most
        super().__init__(lattice, aggregation)

    def _precision(self, column: int, level: int) -> float:
        height = self.lattice.columns[column].height
        return self.factors.generalized * level / height if height else 0.0

    def _mixed(self, column: int, level: int, outliers: int) -> float:
        n = self.lattice.rows
        return ((n - outliers) * self._precision(column, level) + outliers * self.factors.suppressed) / n

    def free(self, column: int, level: int) -> float:
        """Give the least that is lost: suppression may count less than the level, as far as it is allowed."""
        if not self.lattice.columns[column].height:
            return 0.0
        return min(self._mixed(column, level, 0), self._mixed(column, level, self.most))

    def more(self, column: int, level: int, outliers: int) -> float:
        """Give how much more suppression costs, if it counts more than the level."""
        if not self.lattice.columns[column].height:
            return 0.0
        return max(0.0, self._mixed(column, level, outliers) - self._precision(column, level))

    def lost(self, column: int, node: Node) -> float:
        """Give what a column loses at a node."""
        if not self.lattice.columns[column].height:
            return 0.0
        return self._mixed(column, node.levels[column], node.outliers)


class Height(ColumnNodeLoss):
    """The levels of columns; suppression does not count."""

    def free(self, column: int, level: int) -> float:
        """Give the level."""
        return float(level)

    def lost(self, column: int, node: Node) -> float:
        """Give the level."""
        return float(node.levels[column])


class EntropyLoss(ColumnNodeLoss):
    """How much less is known of the value of a cell, in bits (Gionis, Tassa 2009)."""

    def __init__(
        self, lattice: Lattice, aggregation: Aggregation, factors: Factors, *, margins_only: bool, normalized: bool
    ) -> None:
        self.factors, self.margins_only = factors, margins_only
        wholes = [_bits(column.counts[0], lattice.rows) for column in lattice.columns]
        self._units = [whole or 1.0 for whole in wholes] if normalized else [1.0] * len(wholes)
        super().__init__(lattice, aggregation)

    def free(self, column: int, level: int) -> float:
        """Give what a column loses on a level without suppression."""
        known = self.lattice.columns[column]
        values, nodes = known.counts[0], known.counts[level][known.above[level][_first(known.above[0])]]
        bits = float(-(values * np.log2(values / nodes)).sum())
        return max(0.0, self.factors.generalized * bits) / self._units[column]

    def lost(self, column: int, node: Node) -> float:
        """Give what a column loses at a node."""
        free = self.free(column, node.levels[column])
        if self.margins_only or not node.outliers:
            return free
        hidden = _bits(node.found.by_value[column], node.outliers)
        return free + self.factors.suppressed * hidden / self._units[column]


def _bits(counts: Integers, number: int) -> float:
    """Give the entropy of counts, in bits, times their number."""
    some = counts[counts > 0]
    return max(0.0, float(-(some * np.log2(some / number)).sum()))


def _first(codes: np.ndarray) -> np.ndarray:
    """Give where each code stands for the first time."""
    return np.unique(codes, return_index=True)[1]
