"""Cuts through a hierarchy: every leaf is published as itself or as one node above it, the same for everybody.

If fewer than k people have some published nodes together, the parent of at least one of them is raised in every cut
that is k^m-anonymous: people with the leaves below would still have nodes at or below the same ones, and be as few. So
the best cut is the cheapest set of raised nodes that hits all such sets of parents, and holds with each node all inner
nodes below it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Flags, Integers, Positions
from shoal.engines.combining import efforts, refuse_effort
from shoal.errors import GuaranteeError
from shoal.kernels.combinations import Holders
from shoal.kernels.grouping import by_label
from shoal.progress import stage


@dataclass(frozen=True, eq=False)
class CutTree:
    """The nodes of a hierarchy, leaves first and then level by level, and what points lie on them.

    Parameters
    ----------
    ends
        The first and the last leaf of each node.
    parents
        The node above each; the root, which comes last, is its own.
    occurrences
        How many points are at or below each node.
    """

    ends: Positions
    parents: Positions
    occurrences: Integers

    @property
    def number(self) -> int:
        """How many nodes there are."""
        return int(self.parents.size)

    @property
    def leaves(self) -> int:
        """How many leaves there are."""
        return int(self.ends[-1, 1]) + 1

    @cached_property
    def costs(self) -> Integers:
        """What it costs to publish each node: its points times its leaves, nothing for a leaf itself."""
        sizes = (self.ends[:, 1] - self.ends[:, 0] + 1).astype(np.int64)
        costs: Integers = np.where(np.arange(self.number) < self.leaves, 0, sizes * self.occurrences)
        return costs

    def cut(self, raised: Flags) -> Positions:
        """Give the node that each node is published as, when some are raised with all that are below them."""
        found = np.where(raised[self.parents], self.parents, np.arange(self.number, dtype=np.int32)).astype(np.int32)
        while not np.array_equal(higher := found[found], found):
            found = higher
        return found

    def inner_below(self, node: int) -> Integers:
        """Give an inner node and all inner nodes below it."""
        (low, high), inner = self.ends[node], np.arange(self.leaves, node + 1)
        below: Integers = inner[(self.ends[inner, 0] >= low) & (self.ends[inner, 1] <= high)]
        return below

    def spent(self, cut: Positions) -> NDArray[np.int64]:
        """Give what a cut costs below each node."""
        leaves = np.arange(self.leaves)
        node = cut[leaves]
        sizes = (self.ends[node, 1] - self.ends[node, 0] + 1).astype(np.int64)
        costs = np.where(node < self.leaves, 0, sizes * self.occurrences[leaves])
        before = np.append(0, np.cumsum(costs))
        spent: NDArray[np.int64] = before[self.ends[:, 1] + 1] - before[self.ends[:, 0]]
        return spent

    def loss(self, cut: Positions) -> float:
        """Give the mean cost of the points of a cut, 0 if all are leaves and 1 if all are the root."""
        return float(self.spent(cut)[-1]) / max(int(self.occurrences[-1]) * self.leaves, 1)


@dataclass(eq=False)
class CoverRows:
    """Sets of nodes of which one must be raised, each as a row in ascending order with -1 before it."""

    nodes: int
    found: list[NDArray[np.int64]] = field(default_factory=list)

    @property
    def all(self) -> NDArray[np.int64]:
        """Give all rows that were ever found, padded to one width."""
        width = max((rows.shape[1] for rows in self.found), default=1)
        padded = [np.pad(rows, ((0, 0), (width - rows.shape[1], 0)), constant_values=-1) for rows in self.found]
        return np.concatenate([np.empty((0, width), np.int64), *padded])

    def add(self, combinations: Positions, tree: CutTree) -> NDArray[np.int64]:
        """Add the parents of some combinations of nodes, and give the new rows."""
        parents = tree.parents[combinations].astype(np.int64)
        parents[parents == combinations] = -1  # nothing is above the root
        parents.sort(axis=1)
        parents[:, 1:][parents[:, 1:] == parents[:, :-1]] = -1
        parents.sort(axis=1)
        rows = distinct(parents, self.nodes)
        if (rows[:, -1] < 0).any():
            raise GuaranteeError(
                "No generalization hides these people: even where all points are one, too few have it.",
                "Ask for a smaller k, or add people.",
            )
        self.found.append(rows)
        return rows


def distinct(rows: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Give the distinct rows of numbers from -1 up to a limit."""
    width = rows.shape[1]
    if (limit + 1) ** width >= 2**62:
        return np.unique(rows, axis=0)
    keys = np.zeros(rows.shape[0], np.int64)
    for j in range(width):
        keys = keys * (limit + 1) + rows[:, j] + 1
    return rows[np.unique(keys, return_index=True)[1]]


@dataclass(frozen=True, eq=False)
class LeafHolders:
    """Who has which leaves of a hierarchy, among all people or in classes of them.

    Parameters
    ----------
    tree
        The hierarchy.
    holders
        Who has which leaves. The same leaf in another class of people is another label: the number of the class times
        that of all nodes lies between them.
    classes
        How many classes of people there are.
    """

    tree: CutTree
    holders: Holders
    classes: int = 1

    def too_rare(self, cut: Positions, k: int, size: int) -> Positions:
        """Give the combinations of nodes of a cut that somebody has, but fewer than k people, of their class if any."""
        number = self.tree.number
        other = (np.arange(self.classes, dtype=np.int32)[:, None] * np.int32(number) + cut).reshape(-1)
        held = self.holders.relabelled(other, number * self.classes)
        refuse_effort([efforts(held, size)])
        found = [rows for rows, _ in held.combinations(size, k)]
        return np.concatenate([np.empty((0, size), np.int32), *found]) % np.int32(number)

    def first_too_rare(self, cut: Positions, k: int, m: int) -> Positions | None:
        """Give those of the smallest size up to m that there are of; None if there are none."""
        sizes = range(1, min(m, self.holders.longest) + 1)
        return next((rare for size in sizes if (rare := self.too_rare(cut, k, size)).size), None)


def cheapest_cut(leaves: LeafHolders, k: int, m: int) -> tuple[Positions, CoverRows]:
    """Give a k^m-anonymous cut by weighted greedy hitting and reverse deletion, with all rows that it must hit.

    The loop ends only when nothing is too rare: the cut keeps the promise, however good.
    """
    tree = leaves.tree
    raised, rows = np.zeros(tree.number, np.bool_), CoverRows(tree.number)
    for size in range(1, min(m, leaves.holders.longest) + 1):
        while True:
            stage(f"looking for a cut for {size} of {m} points")
            rare = leaves.too_rare(tree.cut(raised), k, size)
            if not rare.size:
                break
            _hit(tree, raised, rows.add(rare, tree))
    _lower(leaves, raised, rows, k, m)
    return tree.cut(raised), rows


def _holding(rows: NDArray[np.int64], nodes: int) -> tuple[Integers, Integers]:
    """Give the rows that hold each node, node after node, and where those of each begin."""
    row, column = np.nonzero(rows >= 0)
    order, starts = by_label(rows[row, column].astype(np.int32), nodes)
    return row[order], starts


def _hit(tree: CutTree, raised: Flags, rows: NDArray[np.int64]) -> None:
    """Raise nodes until every row has one: always that which costs least for each row that it is the first to hit."""
    holding, starts = _holding(rows, tree.number)
    unhit, counts = np.ones(rows.shape[0], np.bool_), np.diff(starts)
    while unhit.any():
        price = (tree.costs - tree.spent(tree.cut(raised))).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            best = int(np.argmin(np.where(counts > 0, price / counts, np.inf)))
        below = tree.inner_below(best)
        raised[below] = True
        hit = np.unique(np.concatenate([holding[starts[node] : starts[node + 1]] for node in below]))
        hit = hit[unhit[hit]]
        unhit[hit] = False
        gone = rows[hit]
        counts -= np.bincount(gone[gone >= 0], minlength=tree.number)


def _lower(leaves: LeafHolders, raised: Flags, rows: CoverRows, k: int, m: int) -> None:
    """Lower nodes again that are not needed, the dearest first, until none can be (reverse deletion).

    A row that a node alone hits says that it is needed. So does one that is found when it is lowered, for good: what is
    lowered beside it makes nothing less rare.
    """
    tree, known = leaves.tree, rows.all
    holding, starts = _holding(known, tree.number)
    hits = (raised[known] & (known >= 0)).sum(axis=1)
    needed = np.zeros(tree.number, np.bool_)
    changed = True
    while changed:
        changed = False
        for node in sorted(np.flatnonzero(raised & ~needed).tolist(), key=lambda v: (-int(tree.costs[v]), v)):
            above, mine = tree.parents[node], holding[starts[node] : starts[node + 1]]
            if (above != node and raised[above]) or (hits[mine] < 2).any():
                continue
            raised[node] = False
            rare = leaves.first_too_rare(tree.cut(raised), k, m)
            if rare is None:
                hits[mine] -= 1
                changed = True
            else:
                rows.add(rare, tree)
                raised[node] = needed[node] = True
