"""Beam search from the top, where there are too many nodes to bound every one, and a bound of what all of them lose."""

from __future__ import annotations

import numpy as np

from shoal.methods.lattice.branch_and_bound import least_possible
from shoal.methods.lattice.lattice import LevelVector
from shoal.methods.lattice.nodes import Nodes
from shoal.methods.lattice.objective import NodeLoss
from shoal.methods.lattice.optimum import Found, Incumbent

WIDTH = 16
EVALUATIONS = 20_000
_FOR_BOUND = 10  # what part of the budget goes into the bound
_WORSE = 1.15  # how much worse than the best the best of a round may be


class _Looked:
    """Nodes that were looked at, each once, as long as the budget lasts."""

    def __init__(self, incumbent: Incumbent, budget: int) -> None:
        self.incumbent, self.budget = incumbent, budget
        self.losses: dict[LevelVector, float] = {}

    @property
    def spent(self) -> bool:
        """Whether no more nodes may be looked at."""
        return self.incumbent.nodes.evaluated >= self.budget

    def loss(self, levels: LevelVector) -> float:
        """Give the loss of a node, which is infinite if it may not be released or the budget is spent."""
        if levels not in self.losses:
            if self.spent:
                return np.inf
            self.losses[levels] = self.incumbent.offer(self.incumbent.nodes.at(levels), every=True)
        return self.losses[levels]


def beam_search(
    nodes: Nodes, objective: NodeLoss, most: int, width: int = WIDTH, budget: int = EVALUATIONS, *, mend: bool = True
) -> Found | None:
    """Follow the best nodes down from the top, then try single steps and exchanges until nothing helps.

    Each round looks at all direct predecessors of the nodes that are followed, and follows the best. It ends when the
    best of a round is much worse than the best so far. Then the nodes are bounded in blocks, as far as a tenth of the
    budget goes: mostly that gives a bound far below the loss, and where it does not, the loss is proven. The budget is
    a number of nodes, so that the result is the same on every machine.
    """
    lattice = nodes.lattice
    incumbent = Incumbent(nodes, objective, most, mend=mend)
    looked = _Looked(incumbent, budget - budget // _FOR_BOUND)
    looked.loss(lattice.high)
    beam = [lattice.high]
    while beam and not looked.spent:
        mark = nodes.kept
        _prepare(nodes, beam)
        following: dict[LevelVector, float] = {}
        for levels in beam:
            own = nodes.kept
            _prepare(nodes, [levels])
            for below in lattice.below(levels):
                if below not in following:
                    following[below] = looked.loss(below)
            nodes.forget(own)
        nodes.forget(mark)
        ranked = sorted((loss, sum(each), each) for each, loss in following.items() if loss < np.inf)
        if not ranked or ranked[0][0] > objective_limit(objective, incumbent.raw):
            break
        beam = [each for _, _, each in ranked[:width]]
    _polish(looked)
    bound = least_possible(incumbent, budget // _FOR_BOUND)
    if incumbent.node is None:
        return None
    loss, proven = objective.reported(incumbent.node), bound >= incumbent.raw
    return Found(incumbent.node, loss, proven, nodes.evaluated, loss if proven else max(0.0, objective.finished(bound)))


def objective_limit(objective: NodeLoss, raw: float) -> float:
    """Give how large the best loss of a round may be."""
    unit = 1.0 if getattr(getattr(objective, "aggregation", None), "kind", "") == "geometric" else 0.0
    return (raw - unit) * _WORSE + unit  # a geometric mean is kept with 1 added


def _prepare(nodes: Nodes, beam: list[LevelVector]) -> None:
    """Keep the node in mind from which all predecessors of some nodes can be made."""
    lattice = nodes.lattice
    lowest = tuple(max(low, min(column) - 1) for low, column in zip(lattice.low, zip(*beam, strict=True), strict=True))
    nodes.prepared(lowest)


def _polish(looked: _Looked) -> None:
    """Go from the best node to a better one that is a step or an exchange away, for as long as there is one."""
    incumbent = looked.incumbent
    lattice = incumbent.nodes.lattice
    while incumbent.node is not None and not looked.spent:
        here = incumbent.node.levels
        mark = incumbent.nodes.kept
        _prepare(incumbent.nodes, [here])
        near = [*lattice.below(here), *lattice.over(here)]
        near += [other for lower in lattice.below(here) for other in lattice.over(lower) if other != here]
        for levels in near:
            looked.loss(levels)
        incumbent.nodes.forget(mark)
        if incumbent.node.levels == here:
            return
