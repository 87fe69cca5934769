"""What no node of a lattice can lose less than, where there are too many nodes to bound every one: branch and bound."""

from __future__ import annotations

import heapq
from itertools import count

import numpy as np

from shoal.methods.lattice.lattice import LevelVector
from shoal.methods.lattice.nodes import Node
from shoal.methods.lattice.optimum import SLACK, Incumbent, ruled_out

_Block = tuple[float, int, LevelVector, Node]  # a bound, a number for ties, the lowest node and the highest


def least_possible(incumbent: Incumbent, evaluations: int) -> float:
    """Give what every node loses at least, before it is finished; no less than the best so far if that is proven.

    A block holds the nodes between two. Its highest one is looked at: all others suppress at least as many records. So
    a column loses in the block at least what it does on one of its levels with so many records suppressed. The block
    with the least bound is cut in two, over and over, and those that cannot hold a better node are out. What is looked
    at on the way may be better than the best so far. The work is a number of nodes, the same on every machine.
    """
    nodes, lattice = incumbent.nodes, incumbent.nodes.lattice
    if not evaluations:
        return -np.inf
    last = nodes.evaluated + evaluations
    numbers = count()
    blocks: list[_Block] = []

    def keep(bound: float, low: LevelVector, high: Node) -> None:
        bound = max(bound, _least_in(incumbent, low, high))
        if bound <= incumbent.raw * (1 + SLACK):
            heapq.heappush(blocks, (bound, next(numbers), low, high))

    keep(-np.inf, lattice.low, _looked(incumbent, lattice.high))
    while blocks and blocks[0][0] <= incumbent.raw * (1 + SLACK):
        if nodes.evaluated >= last:
            return blocks[0][0]
        bound, _, low, high = heapq.heappop(blocks)
        if low == high.levels:
            continue  # it was looked at
        column, middle = _cut(incumbent, low, high)
        keep(bound, (*low[:column], middle + 1, *low[column + 1 :]), high)
        below = (*high.levels[:column], middle, *high.levels[column + 1 :])
        keep(bound, low, _looked(incumbent, below))
    return incumbent.raw


def _looked(incumbent: Incumbent, levels: LevelVector) -> Node:
    node = incumbent.nodes.at(levels)
    incumbent.offer(node)
    return node


def _least_in(incumbent: Incumbent, low: LevelVector, high: Node) -> float:
    """Bound the nodes from one to another, which was looked at."""
    if ruled_out(incumbent.nodes, high, incumbent.most):
        return np.inf
    return incumbent.objective.least_between(low, high, suppressing=incumbent.nodes.monotone != "never")


def _cut(incumbent: Incumbent, low: LevelVector, high: Node) -> tuple[int, int]:
    """Halve the column whose upper half then has the highest bound."""
    halves = [
        (column, (bottom + top) // 2)
        for column, (bottom, top) in enumerate(zip(low, high.levels, strict=True))
        if bottom < top
    ]
    bounds = [_least_in(incumbent, (*low[:column], middle + 1, *low[column + 1 :]), high) for column, middle in halves]
    return halves[int(np.argmax(bounds))]
