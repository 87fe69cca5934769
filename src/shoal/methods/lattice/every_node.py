"""All nodes of a lattice, each with what it comes to, for those who want to look at them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Floats, Integers
from shoal.kernels.roll_up import walk_lattice
from shoal.methods.lattice.class_losses import SquaredSizes
from shoal.methods.lattice.column_losses import ShareLoss
from shoal.methods.lattice.lattice import Lattice
from shoal.methods.lattice.nodes import Nodes
from shoal.methods.lattice.objective import NodeLoss
from shoal.progress import along

WALKED = 10**6  # nodes that are walked through
ONE_BY_ONE = 200_000  # nodes that are looked at one by one, where a model or a loss asks for more than counts


@dataclass(frozen=True, eq=False)
class EveryNode:
    """What every node comes to, in the order of their levels, the last column's changing fastest.

    Attributes
    ----------
    levels
        The levels of each.
    outliers
        How many records are in classes that break a promise.
    classes
        How many classes there are.
    losses
        What is lost if those records are suppressed.
    feasible
        Whether they are few enough.
    """

    levels: Integers
    outliers: Integers
    classes: Integers
    losses: Floats
    feasible: Flags


def every_node(nodes: Nodes, objective: NodeLoss, most: int) -> EveryNode | None:
    """Look at all nodes; None if there are too many."""
    lattice = nodes.lattice
    countable = (
        not (nodes.others or nodes.whole) and not lattice.carried and isinstance(objective, ShareLoss | SquaredSizes)
    )
    if lattice.nodes > (WALKED if countable else ONE_BY_ONE):
        return None
    levels = np.stack(np.unravel_index(np.arange(lattice.nodes), lattice.heights), axis=1) + np.array(lattice.low)
    if not countable:
        return _one_by_one(nodes, objective, most, levels)
    columns = list(zip(lattice.columns, lattice.low, lattice.high, strict=True))
    steps = [[column.step(level, level + 1) for level in range(low, high)] for column, low, high in columns]
    weights = [column.leaves[low : high + 1] for column, low, high in columns]
    found = walk_lattice(lattice.finest, lattice.fields, steps, weights, nodes.k)
    if isinstance(objective, ShareLoss):
        losses = objective.aggregation.of_rows(_shares(lattice, objective, levels, found.outliers, found.weights))
    else:
        losses = (found.squares + lattice.rows * found.outliers).astype(np.float64)
    return EveryNode(levels, found.outliers, found.classes, losses, found.outliers <= most)


def _shares(lattice: Lattice, loss: ShareLoss, levels: Integers, outliers: Integers, gone: Integers) -> Floats:
    """Give the loss of each column at each node, as `ShareLoss` does for one."""
    n, factors = lattice.rows, loss.factors
    found = np.zeros(levels.shape)
    for j, column in enumerate(lattice.columns):
        least = factors.generalized * n / column.domain
        if n > least:
            whole = np.array(column.leaves_of_records, np.int64)[levels[:, j]]
            hidden = gone[:, j] / column.domain
            value = factors.generalized * ((whole - gone[:, j]) / column.domain) + hidden
            value += factors.suppressed * (outliers - hidden)
            found[:, j] = np.maximum(0.0, (value - least) / (n - least))
    return found


def _one_by_one(nodes: Nodes, objective: NodeLoss, most: int, levels: Integers) -> EveryNode:
    outliers, classes = np.empty(levels.shape[0], np.int64), np.empty(levels.shape[0], np.int64)
    losses = np.empty(levels.shape[0])
    for number, each in enumerate(along(levels.tolist())):
        node = nodes.at(tuple(each))
        outliers[number], classes[number] = node.outliers, node.classes.size
        losses[number] = objective.reported(node)
    return EveryNode(levels, outliers, classes, losses, outliers <= most)
