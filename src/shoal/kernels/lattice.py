"""The generalization lattice: classes of records that its nodes make equal, and their reassignment."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.errors import InternalError
from shoal.kernels import MISSING, TOP, below, call, of_kind
from shoal.kernels.constraints import Constraints
from shoal.kernels.partition import Costs, Prepared


@dataclass(frozen=True, eq=False)
class ColumnLevels:
    """The generalization levels of a column, from values to one that holds all.

    ``codes`` says which value each row has, and ``levels`` what becomes of each value on each level; ``prices`` is
    the mean cost of a cell on each level.
    """

    codes: Positions
    levels: Positions
    prices: NDArray[np.float64]


def cheapest_nodes(columns: Sequence[ColumnLevels], most: int) -> NDArray[np.uint8]:
    """Give nodes of the lattice, one level per column, from all values to one that holds all; the cheapest first.

    Where there are too many, half of those given are the cheapest, and the others lead on to the last with fewer
    levels: those are left out that cost little more than the ones below.
    """
    every = [list(range(column.prices.size)) for column in columns]
    if math.prod(map(len, every)) <= most:
        return _combined(columns, every, most)[0]
    near, prices = _combined(columns, every, max(most // 2, 1))
    while math.prod(map(len, every)) > most // 2 and max(map(len, every)) > 2:
        tallest = max(range(len(every)), key=lambda j: len(every[j]))
        every[tallest].pop(1 + int(np.argmin(np.diff(columns[tallest].prices[every[tallest]])[:-1])))
    far, more = _combined(columns, every, most // 2)
    return np.ascontiguousarray(np.concatenate([near, far[more > prices[-1]]]))


def _combined(
    columns: Sequence[ColumnLevels], levels: Sequence[list[int]], most: int
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Give the cheapest combinations of some levels, and what they cost.

    A combination is among the cheapest only if each beginning of it is among the cheapest beginnings.
    """
    sums, nodes = np.zeros(1), np.zeros((1, 0), np.uint8)
    for chosen, column in zip(levels, columns, strict=True):
        sums = (sums[:, None] + column.prices[chosen]).reshape(-1)
        order = np.argsort(sums, kind="stable")[:most]
        sums = sums[order]
        nodes = np.column_stack([nodes[order // len(chosen)], np.array(chosen, np.uint8)[order % len(chosen)]])
    return np.ascontiguousarray(nodes), sums


def classes_at_nodes(
    columns: Sequence[ColumnLevels], nodes: NDArray[np.uint8], constraints: Constraints, budget: int
) -> tuple[Positions, int]:
    """Form classes of rows that some node makes equal and that keep all constraints; gives labels, and their number.

    Rows that no node serves have the label -1.
    """
    of_kind(np.uint8, nodes)
    n, m = columns[0].codes.size, len(columns)
    for column in columns:
        of_kind(np.int32, column.codes, column.levels)
        below(column.levels.shape[1], column.codes)
    if nodes.shape[1] != m or constraints.codes.shape[0] != n:
        raise InternalError("Classes were asked for in rows that do not fit together.")
    values = np.array([column.levels.shape[1] for column in columns], np.int64)
    heights = np.array([column.levels.shape[0] for column in columns], np.int64)
    ends = np.cumsum(values * heights)
    bits = max(4, int(2 * n).bit_length())
    labels = np.full(n, -1, np.int32)
    groups: int = call(
        "classes_at_nodes", np.column_stack([column.codes for column in columns]), n, m,
        np.concatenate([column.levels.reshape(-1) for column in columns]), ends - values * heights, values, heights,
        nodes, nodes.shape[0], budget, *constraints.arguments, np.empty(int(ends[-1]), np.uint64), bits,
        np.empty(1 << bits, np.uint64), np.zeros(1 << bits, np.int32), np.empty(1 << bits, np.int32),
        np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n + 1, np.int64), 0, labels,
        result=ctypes.c_int64,
    )  # fmt: skip
    return labels, groups


def reassign(
    rows: Prepared,
    labels: Positions,
    groups: int,
    constraints: Constraints,
    rounds: int,
    bearable: float = 1.0,
) -> tuple[Positions, float]:
    """Improve classes by letting rows go where they cost less, and find a class for rows with the label -1.

    Rows that break a constraint of their class are taken out of it. Those that fit nowhere are collected in one class.
    Gives the labels, and what the rows cost: infinity if a larger share of them is without a class at the beginning
    than is bearable.
    """
    of_kind(np.int32, labels)
    n, costs = labels.size, rows.costs
    below(groups + 1, labels + np.int32(1))
    entries, first, last = _entries(costs)
    found = labels.copy()
    wide = rows.lower.shape[1]
    cost: float = call(
        "reassign", *rows.arguments, int(costs.squared), *constraints.arguments, rounds, int(n * bearable),
        groups, entries, first, last,
        np.empty(2 * (groups + 1) * (wide + 1), np.float32), np.empty(4 * (groups + n), np.int32),
        np.empty((groups + 1) * (costs.named.size + 2), np.uint64),
        np.empty(int(entries[-1]) * (-(-groups // _BANDS) + 1), np.uint64), found, result=ctypes.c_double,
    )  # fmt: skip
    return found, cost


def _entries(costs: Costs) -> tuple[NDArray[np.int64], Positions, Positions]:
    """Say where the entries of each column begin in an index of classes, and the first and last of each node.

    Leaves of a tree, which lie side by side under every node, share entries if there are many; the last is that of
    cells without a value.
    """
    sizes = [_BANDS] * costs.ranged.size
    first, last = [np.zeros(1, np.int32)], [np.zeros(1, np.int32)]
    for tree in costs.trees if costs.trees else [None] * costs.named.size:
        if tree is None:
            sizes.append(_BANDS + 1)
            continue
        gap, wild = tree.ends[:, 1] == MISSING, tree.ends[:, 1] == TOP
        leaves = int(tree.ends[~(gap | wild), 1].max()) + 1
        bands = min(leaves, _BANDS * 4)
        for side, parts in ((0, first), (1, last)):
            places = tree.ends[:, side].astype(np.int64) * bands // leaves
            places[gap] = bands
            places[wild] = bands * side
            parts.append(places.astype(np.int32))
        sizes.append(bands + 1)
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])
    return ends, np.concatenate(first), np.concatenate(last)


_BANDS = 64
