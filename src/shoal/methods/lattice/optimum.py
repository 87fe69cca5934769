"""The best node of a lattice, proven: what cannot be better is ruled out by bounds, and all else is looked at."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.methods.lattice.aggregates import Loss
from shoal.methods.lattice.lattice import LevelVector
from shoal.methods.lattice.nodes import Node, Nodes
from shoal.methods.lattice.objective import NodeLoss
from shoal.progress import along

_AGAIN = 32  # nodes after which it is found anew what all that are left have in common
SLACK = 1e-12  # losses that differ by less are looked at, so that ties do not depend on the order of the search
_RANK = tuple[Loss, int, int, LevelVector]


@dataclass(frozen=True, eq=False)
class Found:
    """The best node that was found, and how.

    Attributes
    ----------
    node
        The node as it is released: with the classes that are suppressed.
    loss
        Its loss.
    proven
        Whether no other node loses less.
    evaluated
        How many nodes were looked at.
    bound
        What every node loses at least; the loss itself where that is proven, None if it is not known.
    """

    node: Node
    loss: float
    proven: bool
    evaluated: int
    bound: float | None = field(default=None)


class Incumbent:
    """The best node so far: least loss, then fewest suppressed records, lowest sum of levels, and smallest vector."""

    def __init__(self, nodes: Nodes, objective: NodeLoss, most: int, *, mend: bool = True) -> None:
        self.nodes, self.objective, self.most, self.mend = nodes, objective, most, mend
        self.node: Node | None = None
        self.raw = np.inf
        self._rank: _RANK | None = None

    def offer(self, node: Node, *, every: bool = False) -> float:
        """Take a node if it may be released and is better; gives its raw loss, infinity if it may not be released.

        Of a node that is worse anyhow, whether it may be released is found only if ``every`` one is asked for.

        What is suppressed is a class of the release and keeps the promises like any other: further classes join it
        until it does, and count as suppressed. Where nothing is to be released, ``mend`` is False.
        """
        if node.outliers > self.most:
            return np.inf
        if not every and (least := self.objective.least_at(node)) > self.raw * (1 + SLACK) + SLACK:
            return least  # it is worse anyhow
        raw = self.objective.raw(node)
        if not every and raw > self.raw * (1 + SLACK) + SLACK * (self.raw == 0):
            return raw
        released = self.nodes.repaired(node, self.objective.weights) if self.mend else node
        if released is None or released.outliers > self.most:
            return np.inf
        if released is not node:
            raw = self.objective.raw(released)
        if raw == np.inf:
            return raw
        rank = (self.objective.compared(released), released.outliers, sum(released.levels), released.levels)
        if self._rank is None or rank < self._rank:
            self._rank, self.node, self.raw = rank, released, min(raw, self.raw)
        return raw


def descend(incumbent: Incumbent, start: LevelVector) -> list[Node]:
    """Go down from a node to the direct predecessor with the least loss, for as long as that lowers it.

    Gives all nodes that were looked at.
    """
    nodes, lattice = incumbent.nodes, incumbent.nodes.lattice
    here = nodes.at(start)
    seen, least = [here], incumbent.offer(here)
    while True:
        found = []
        for levels in lattice.below(here.levels):
            node = nodes.at(levels)
            seen.append(node)
            found.append((incumbent.offer(node), node.outliers, levels, node))
        if not found:
            return seen
        loss, _, _, best = min(found, key=lambda each: each[:3])
        if not loss < least:
            return seen
        here, least = best, loss


def proven_optimum(nodes: Nodes, objective: NodeLoss, most: int, *, mend: bool = True) -> Found | None:
    """Find the best node of a lattice that suppresses at most so many records; None if there is none.

    From below: no node loses less than without suppression, which the counts of columns give. From above: a node below
    one that was looked at suppresses at least as many records, if the promises are such. Coarse nodes, which are
    cheap, are looked at first: they rule out most.
    """
    lattice = nodes.lattice
    incumbent = Incumbent(nodes, objective, most, mend=mend)
    bound = np.array(np.broadcast_to(objective.floors(), lattice.heights))
    bounds = _Bounds(nodes, objective, most, bound)
    seen = descend(incumbent, lattice.high)
    for node in seen:
        bounds.lower(node)
    done = {node.levels for node in seen}
    flat = bound.reshape(-1)
    limit = incumbent.raw * (1 + SLACK) + SLACK
    candidates = np.flatnonzero(flat <= limit)
    order = candidates[np.argsort(-flat[candidates], kind="stable")] if objective.separable else candidates[::-1]
    looked = 0
    for place, number in enumerate(along(order.tolist())):
        if flat[number] > incumbent.raw * (1 + SLACK) + SLACK * (incumbent.raw == 0) or flat[number] == np.inf:
            continue
        levels = lattice.levels(number)
        if levels in done:
            continue
        if looked % _AGAIN == 0:
            _finer_than_all(nodes, order[place:][flat[order[place:]] <= incumbent.raw * (1 + SLACK)])
        looked += 1
        node = nodes.at(levels)
        incumbent.offer(node)
        bounds.lower(node)
    if incumbent.node is None:
        return None
    loss = objective.reported(incumbent.node)
    return Found(incumbent.node, loss, proven=True, evaluated=nodes.evaluated, bound=loss)


def ruled_out(nodes: Nodes, node: Node, most: int) -> bool:
    """Tell whether a node that was looked at, and all below it, suppress too many records."""
    return nodes.monotone != "never" and (node.sure > most or (most == 0 and node.outliers > 0))


def _finer_than_all(nodes: Nodes, numbers: Integers) -> None:
    """Keep the node in mind from which all that may still be looked at can be made: it has fewer classes than all."""
    lattice = nodes.lattice
    if numbers.size:
        lowest = [int(level.min()) for level in np.unravel_index(numbers, lattice.heights)]
        nodes.prepared(tuple(level + low for level, low in zip(lowest, lattice.low, strict=True)))


@dataclass(frozen=True, eq=False)
class _Bounds:
    """What is known of every node, and how it follows from those that were looked at."""

    nodes: Nodes
    objective: NodeLoss
    most: int
    bound: Floats

    def lower(self, node: Node) -> None:
        """Rule out what lies below a node that suppresses too much, and raise bounds below and above it."""
        lattice = self.nodes.lattice
        if ruled_out(self.nodes, node, self.most):
            self.bound[lattice.box_up_to(node.levels)] = np.inf
        elif self.nodes.monotone != "never":
            floors = self.objective.floors_below(node)
            if floors is not None:
                here = self.bound[lattice.box_up_to(node.levels)]
                np.maximum(here, floors, out=here)
        floor = self.objective.floor_above(node)
        if floor is not None:
            here = self.bound[lattice.box_from(node.levels)]
            np.maximum(here, floor, out=here)
