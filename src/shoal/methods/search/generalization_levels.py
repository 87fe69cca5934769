"""Generalization levels of quasi-identifiers: how values of each column become coarser, and what that costs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.lattice import ColumnLevels
from shoal.kernels.partition import Prepared, TreeCosts

BANDS = (32, 8, 2)  # into which ranges are cut, with about as many records in each
MISSING = 1e17  # coordinates beyond are those of cells without a value


def levels_of(rows: Prepared) -> list[ColumnLevels]:
    """Give the levels of each column: ranges by bands, nodes of a tree by those above them, other categories by all."""
    costs, n = rows.costs, rows.lower.shape[0]
    found = []
    for j in range(costs.ranged.size):
        found.append(_bands(rows.lower[:, j], rows.upper[:, j], float(rows.full[j]), squared=costs.squared))
    for s in range(costs.named.size):
        tree = costs.trees[s] if costs.trees else None
        codes = rows.sets[:, s]
        if tree is not None:
            found.append(_levels(tree, codes.astype(np.int32)))
            continue
        values, places = np.unique(codes, return_inverse=True)
        levels = np.stack([np.arange(values.size), np.zeros(values.size)]).astype(np.int32)
        prices = np.array([0.0, float(values.size > 1)])
        found.append(ColumnLevels(places.reshape(-1).astype(np.int32), levels, prices))
    return found if n else []


def _levels(tree: TreeCosts, codes: NDArray[np.int32]) -> ColumnLevels:
    """Climb a tree: the nodes above each node, those of all nodes ending together at the root."""
    used = np.unique(codes)
    climbed = [used]
    while not np.array_equal(higher := tree.parents[climbed[-1]], climbed[-1]):
        climbed.append(higher)
    height, nodes = len(climbed), np.stack(climbed)
    wait = height - 1 - (nodes != nodes[-1]).sum(axis=0)  # of nodes that have fewer above them than others
    levels = nodes[np.maximum(np.arange(height)[:, None] - wait, 0), np.arange(used.size)]
    # A level on which no more values meet than on the one below only costs more.
    numbers = [np.unique(level).size for level in levels]
    levels = levels[[i for i in range(height) if i == 0 or numbers[i] < numbers[i - 1]]]
    places = np.searchsorted(used, codes).astype(np.int32)
    prices = tree.price[levels] @ np.bincount(places, minlength=used.size) / codes.size
    return ColumnLevels(places, np.ascontiguousarray(levels, np.int32), prices)


def _bands(lower: NDArray[np.float32], upper: NDArray[np.float32], full: float, *, squared: bool) -> ColumnLevels:
    """Cut a range into ever fewer bands; cells without a value have their own up to the last level, which has all."""
    # Two 32-bit numbers side by side are one of 64 bits, and nothing is asked of their order but that equals meet.
    ends = np.ascontiguousarray(np.stack([upper, lower], axis=1)).view(np.uint64).reshape(-1)
    found, places, counts = np.unique(ends, return_inverse=True, return_counts=True)
    values = found.view(np.float32).reshape(-1, 2)[:, ::-1]
    codes = places.reshape(-1).astype(np.int32)
    middle = (np.cumsum(counts) - counts / 2) / lower.size
    missing = values[:, 0] > MISSING
    levels = [np.arange(values.shape[0])]
    for number in BANDS:
        if number < values.shape[0]:
            levels.append(np.where(missing, number, np.minimum(middle * number, number - 1)).astype(np.int64))
    levels.append(np.zeros(values.shape[0], np.int64))
    prices = []
    for level in levels:
        low, high = np.full(level.max() + 1, np.inf), np.full(level.max() + 1, -np.inf)
        np.minimum.at(low, level, values[:, 0])
        np.maximum.at(high, level, values[:, 1])
        widths = np.minimum((high - low)[level], full)
        prices.append(float((widths**2 if squared else widths) @ counts / lower.size))
    return ColumnLevels(codes, np.stack(levels).astype(np.int32), np.array(prices))
