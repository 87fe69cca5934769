"""What a search makes least: the loss of nodes, and bounds of it that are known before a node is looked at."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np

from shoal.arrays import Floats
from shoal.methods.lattice.aggregates import Aggregation, Loss
from shoal.methods.lattice.lattice import Lattice, LevelVector
from shoal.methods.lattice.nodes import Node


class NodeLoss(Protocol):
    """The loss of nodes. What is called raw is the loss before it is finished, and no greater where that is not."""

    separable: ClassVar[bool]  # whether the counts of columns alone bound the loss from below

    @property
    def weights(self) -> Floats:
        """What each column counts, the largest of which is 1."""
        ...

    def floors(self) -> Floats:
        """Give a bound from below for every node, in an array with an axis for each column."""
        ...

    def floor(self, levels: LevelVector) -> float:
        """Give the same for one node."""
        ...

    def floors_below(self, node: Node) -> Floats | None:
        """Give bounds for a node and all below it, which suppress at least as many records; None if there are none."""
        ...

    def floor_above(self, node: Node) -> float | None:
        """Give a bound for all nodes above one that was looked at."""
        ...

    def least_between(self, low: LevelVector, high: Node, *, suppressing: bool) -> float:
        """Give a bound for all nodes from one up to another; ``suppressing`` if none suppresses fewer than that one."""
        ...

    def least_at(self, node: Node) -> float:
        """Give a bound for one node that was looked at, by how many records it suppresses."""
        ...

    def raw(self, node: Node) -> float:
        """Give the loss of a node before it is finished."""
        ...

    def finished(self, raw: float) -> float:
        """Give what is reported for a loss before it is finished."""
        ...

    def compared(self, node: Node) -> Loss:
        """Give the loss of a node as it is compared."""
        ...

    def reported(self, node: Node) -> float:
        """Give the loss of a node."""
        ...


class ColumnNodeLoss:
    """A loss that adds up over columns: what each loses on its level, more if records are suppressed."""

    separable: ClassVar[bool] = True

    def __init__(self, lattice: Lattice, aggregation: Aggregation) -> None:
        self.lattice, self.aggregation = lattice, aggregation
        # At least this is lost on each level from the lowest that is allowed.
        self._free = [
            np.array([self.free(j, level) for level in range(lattice.low[j], lattice.high[j] + 1)])
            for j in range(len(lattice.columns))
        ]

    @property
    def weights(self) -> Floats:
        """What each column counts."""
        return self.aggregation.weights

    def free(self, column: int, level: int) -> float:
        """Give the least that a column loses on a level, however many records are suppressed."""
        raise NotImplementedError

    def more(self, column: int, level: int, outliers: int) -> float:
        """Give how much more it loses at least if so many records are suppressed, or more of them."""
        return 0.0

    def lost(self, column: int, node: Node) -> float:
        """Give what a column loses at a node."""
        raise NotImplementedError

    def floors(self) -> Floats:
        """Give a bound from below for every node."""
        return self.aggregation.grid(self._free)

    def floor(self, levels: LevelVector) -> float:
        """Give the same for one node."""
        places = zip(self._free, levels, self.lattice.low, strict=True)
        return self.aggregation.raw([float(free[level - low]) for free, level, low in places])

    def floors_below(self, node: Node) -> Floats | None:
        """Give bounds for a node and all below it."""
        if not node.sure:
            return None
        lifted = []
        for j, (free, level, low) in enumerate(zip(self._free, node.levels, self.lattice.low, strict=True)):
            more = [self.more(j, each, node.sure) for each in range(low, level + 1)]
            lifted.append(free[: level - low + 1] + np.array(more))
        return self.aggregation.grid(lifted)

    def floor_above(self, node: Node) -> float | None:
        """Give nothing: the counts of columns say it already."""
        return None

    def least_between(self, low: LevelVector, high: Node, *, suppressing: bool) -> float:
        """Give a bound for all nodes from one up to another: each column is on its best level."""
        outliers, least = high.sure if suppressing else 0, []
        for j, (first, last) in enumerate(zip(low, high.levels, strict=True)):
            known = self._free[j][first - self.lattice.low[j] : last - self.lattice.low[j] + 1].tolist()
            if outliers:
                known = [
                    free + self.more(j, level, outliers)
                    for free, level in zip(known, range(first, last + 1), strict=True)
                ]
            least.append(min(known))
        return self.aggregation.raw(least)

    def least_at(self, node: Node) -> float:
        """Give a bound for one node that was looked at."""
        places = enumerate(zip(self._free, node.levels, self.lattice.low, strict=True))
        return self.aggregation.raw(
            [float(free[level - low]) + self.more(j, level, node.outliers) for j, (free, level, low) in places]
        )

    def losses(self, node: Node) -> list[float]:
        """Give what each column loses at a node."""
        return [self.lost(j, node) for j in range(len(self.lattice.columns))]

    def raw(self, node: Node) -> float:
        """Give the loss of a node before it is finished."""
        return self.aggregation.raw(self.losses(node))

    def compared(self, node: Node) -> Loss:
        """Give the loss of a node as it is compared."""
        return self.aggregation.compared(self.losses(node))

    def finished(self, raw: float) -> float:
        """Give what is reported for a loss before it is finished."""
        return self.aggregation.finish(raw)

    def reported(self, node: Node) -> float:
        """Give the loss of a node."""
        return self.finished(self.raw(node))


class ClassNodeLoss:
    """A loss that is seen in classes only; no columns count more than others."""

    separable: ClassVar[bool] = False

    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice
        self.weights = np.ones(len(lattice.columns))

    def floors(self) -> Floats:
        """Give a bound from below for every node: nothing is lost at least."""
        return np.zeros(self.lattice.heights)

    def floor(self, levels: LevelVector) -> float:
        """Give the same for one node."""
        return 0.0

    def least_with(self, outliers: int) -> float:
        """Give the least loss of a release in which at least so many records are suppressed."""
        return 0.0

    def floors_below(self, node: Node) -> Floats | None:
        """Give bounds for a node and all below it."""
        least = self.least_with(node.sure)
        return np.array(least) if least > 0 else None

    def floor_above(self, node: Node) -> float | None:
        """Give a bound for all nodes above one that was looked at."""
        return None

    def least_between(self, low: LevelVector, high: Node, *, suppressing: bool) -> float:
        """Give a bound for all nodes from one up to another."""
        return max(self.floor(low), self.least_with(high.sure) if suppressing else 0.0)

    def least_at(self, node: Node) -> float:
        """Give a bound for one node that was looked at."""
        return self.least_with(node.outliers)

    def raw(self, node: Node) -> float:
        """Give the loss of a node."""
        raise NotImplementedError

    def finished(self, raw: float) -> float:
        """Give what is reported for a loss: the same."""
        return raw

    def compared(self, node: Node) -> Loss:
        """Give the loss of a node as it is compared."""
        return (self.raw(node),)

    def reported(self, node: Node) -> float:
        """Give the loss of a node."""
        return self.raw(node)
