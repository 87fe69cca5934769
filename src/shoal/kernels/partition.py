"""Classes of at least k records that are alike, formed block by block along an order in which neighbours are alike."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Offsets, Positions
from shoal.errors import InternalError
from shoal.kernels import MISSING, TOP, call, of_kind

QUAD, MOST_NEAR = 4, 8
_BITS = 64
_STRIP = 16


@dataclass(frozen=True, eq=False)
class TreeCosts:
    """Nodes over ordered values: the ends of each, the node above it, which comes behind it, and its cost, up to 1."""

    ends: Positions
    parents: Positions
    price: Floats

    def with_gaps(self) -> TreeCosts:
        """Add a node for cells without a value, and the wildcard, which is above it and any other."""
        n = self.price.size
        parents = np.append(self.parents, np.array([n + 1, n + 1], np.int32))
        parents[n - 1] = n + 1
        ends = np.concatenate([self.ends, np.array([[MISSING, MISSING], [MISSING, TOP]], np.int32)])
        return TreeCosts(ends, parents, np.append(self.price, [0.0, 1.0]))

    def nodes(self, lo: Positions, hi: Positions) -> NDArray[np.uint64]:
        """Give the number of the node of each cell."""
        order = np.lexsort([self.ends[:, 1], self.ends[:, 0]])

        def key(low: Positions, high: Positions) -> Offsets:  # upper ends from 0 on, so that no sum is too small
            return low.astype(np.int64) * 2**32 + (high.astype(np.int64) - MISSING)

        keys = key(self.ends[order, 0], self.ends[order, 1])
        return order[np.searchsorted(keys, key(lo, hi))].astype(np.uint64)


@dataclass(frozen=True)
class Costs:
    """What a published cell costs, column by column.

    A range costs its length times ``scale``, a wildcard the length of the domain from ``lowest`` to ``highest`` times
    ``scale``. The columns in ``named`` hold categories without an order: a set of them costs by their number, and a
    wildcard 1; or, where ``trees`` has one for the column, by the lowest node above them. ``squared`` says whether the
    cells of a record add up to a distance, or are summed.
    """

    scale: Floats
    lowest: Floats
    highest: Floats
    named: Offsets
    categories: Offsets
    squared: bool
    trees: tuple[TreeCosts | None, ...] = ()

    @property
    def ranged(self) -> Offsets:
        """The columns that hold ranges."""
        return np.setdiff1d(np.arange(self.scale.size), self.named)


@dataclass(frozen=True)
class Effort:
    """How hard to look: the records of a block, and with how many neighbours a class is divided anew, how often."""

    block: int
    near: int = 0
    rounds: int = 0


@dataclass(frozen=True, eq=False)
class Prepared:
    """Rows as kernels weigh them: ends of ranges in units of what is counted, and sets or nodes of categories."""

    lower: NDArray[np.float32]
    upper: NDArray[np.float32]
    sets: NDArray[np.uint64]
    quads: int
    costs: Costs

    @classmethod
    def of(cls, lo: Positions, hi: Positions, table: Floats, offsets: Offsets, costs: Costs) -> Prepared:
        """Prepare rows."""
        quads = max(1, -(-costs.ranged.size // QUAD))
        return cls(*_coordinates(lo, hi, table, offsets, costs, quads), _sets(lo, hi, costs), quads, costs)

    @property
    def full(self) -> NDArray[np.float32]:
        """The most that a cell costs: ranged columns, padded to quads, then the others."""
        return _limits(self.costs, self.quads)[0]

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The arguments of a kernel: rows, and what they cost."""
        costs = self.costs
        return (
            self.lower, self.upper, self.sets, self.lower.shape[0], self.quads, costs.ranged.size, costs.named.size,
            *_limits(costs, self.quads), *_tree_tables(costs),
        )  # fmt: skip


def partition(
    lo: Positions,
    hi: Positions,
    table: Floats,
    offsets: Offsets,
    costs: Costs,
    persons: Positions | None,
    k: int,
    effort: Effort,
) -> Positions:
    """Divide rows into classes of at least k, and give the class of each; in a class with persons, k are different.

    Neighbours in the order of the rows should be alike. Only a block with too few persons is left as one class.
    """
    of_kind(np.int32, lo, hi, *([] if persons is None else [persons]))
    of_kind(np.float64, table, costs.scale, costs.lowest, costs.highest)
    of_kind(np.int64, offsets, costs.named)
    n, ranged = lo.shape[0], costs.ranged
    if not 0 < k <= n or effort.near > MOST_NEAR or effort.block < k:
        raise InternalError("A partition was asked for that cannot be made.")
    ready = Prepared.of(lo, hi, table, offsets, costs)
    quads = ready.quads
    blocks = max(1, n // effort.block)
    room = -(-(-(-n // blocks) + 1) // _STRIP) * _STRIP
    plain = hi is lo and not (lo == MISSING).any()
    classes = room // k + 1
    floats = np.empty(2 * (classes + 2) * quads * QUAD + (4 * ranged.size + 3) * room + classes, np.float32)
    integers = np.empty(8 * room + 3 * k * classes, np.int32)
    words = np.empty((classes + 1 + 2 * room) * costs.named.size + 1, np.uint64)
    labels = np.empty(n, np.int32)
    call(
        "partition", *ready.arguments, persons, k, int(costs.squared), int(plain), blocks, effort.near,
        effort.rounds, room, classes, floats, integers, words, labels, result=ctypes.c_int64,
    )  # fmt: skip
    return labels


def _coordinates(
    lo: Positions, hi: Positions, table: Floats, offsets: Offsets, costs: Costs, quads: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Give both ends of each cell in units of what is counted, from the lowest value of the table."""
    n, m = lo.shape
    lower = np.empty((n, quads * QUAD), np.float32)
    upper = lower if hi is lo else np.empty_like(lower)
    ranged = costs.ranged if costs.ranged.size else np.zeros(1, np.int64)
    limits = (costs.lowest, costs.scale, table, offsets)
    call("place_rows", lo, hi, n, m, ranged, costs.ranged.size, *limits, quads, lower, upper)
    return lower, upper


def _sets(lo: Positions, hi: Positions, costs: Costs) -> NDArray[np.uint64]:
    """Give the categories of each cell as bits; more than 64 of them share bits with their neighbours."""
    sets = np.zeros((lo.shape[0], max(costs.named.size, 1)), np.uint64)
    for s, (j, size) in enumerate(zip(costs.named.tolist(), costs.categories.tolist(), strict=True)):
        tree = costs.trees[s] if costs.trees else None
        if tree is not None:
            sets[:, s] = tree.nodes(lo[:, j], hi[:, j])
            continue
        present = lo[:, j] != MISSING
        ends = [end[present, j].astype(np.int64) * min(size, _BITS) // max(size, 1) for end in (lo, hi)]
        below = (np.uint64(1) << ends[0].astype(np.uint64)) - np.uint64(1)
        upto = np.uint64(2**_BITS - 1) >> (_BITS - 1 - ends[1]).astype(np.uint64)
        sets[present, s] = upto & ~below
        sets[~present & (hi[:, j] == TOP), s] = np.uint64(2**_BITS - 1)
    return sets


def _limits(costs: Costs, quads: int) -> tuple[NDArray[np.float32], ...]:
    """Give what a cell costs at most, the limits of the domains as coordinates, and what a further category costs."""
    ranged = costs.ranged
    full = np.zeros(quads * QUAD + costs.named.size, np.float32)
    full[: ranged.size] = (costs.highest - costs.lowest)[ranged] * costs.scale[ranged]
    full[quads * QUAD :] = 1
    lowest = np.zeros(quads * QUAD, np.float32)
    unit = (1 / np.maximum(np.minimum(costs.categories, _BITS) - 1, 1)).astype(np.float32)
    return full, lowest, full[: quads * QUAD].copy(), np.append(unit, np.float32(0))


def _tree_tables(costs: Costs) -> tuple[Offsets, Positions, NDArray[np.float32]]:
    """Give the nodes of all trees one behind the other, and where those of each begin; -1 where there is none."""
    begin = np.full(max(costs.named.size, 1), -1, np.int64)
    parents, prices = [np.zeros(1, np.int32)], [np.zeros(1, np.float32)]
    for s, tree in enumerate(costs.trees):
        if tree is not None:
            begin[s] = sum(part.size for part in prices)
            parents.append(tree.parents)
            prices.append(tree.price.astype(np.float32))
    return begin, np.concatenate(parents), np.concatenate(prices)


def coordinates(lo: Positions, table: Floats, offsets: Offsets, costs: Costs) -> tuple[NDArray[np.float32], int]:
    """Give the lower ends of ranged cells in units of what is counted, padded to quads, and how many columns count."""
    quads = max(1, -(-costs.ranged.size // QUAD))
    return _coordinates(lo, lo, table, offsets, costs, quads)[0], int(costs.ranged.size)


def dearest(costs: Costs) -> NDArray[np.float32]:
    """Give the most that a cell of each ranged column costs, padded to quads."""
    quads = max(1, -(-costs.ranged.size // QUAD))
    return _limits(costs, quads)[0][: quads * QUAD].copy()


def number_by_first(labels: Positions, groups: int) -> int:
    """Number labels by where each occurs first, in place; gives how many there are."""
    of_kind(np.int32, labels)
    found: int = call("number_by_first", labels, labels.size, np.full(groups, -1, np.int32), result=ctypes.c_int64)
    return found
