"""Partitions of records into small classes that are alike: MDAV, V-MDAV, Mondrian, the optimal cut of one column."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Integers, Positions
from shoal.kernels import call, of_kind

STRICT, RELAXED, EITHER = 0, 1, 2
_LEAF = 32


@dataclass(frozen=True)
class Points:
    """Records as points in a space of numbers and categories.

    ``cells`` has one row per record: ``numbers`` columns of standardized numbers, then columns of codes that count up
    from 0. Two records differ in a number by the square of the difference, and in a category by its ``weights``
    unless they are equal; ``categories`` says how many codes there are, 0 in columns of numbers.
    """

    cells: Floats
    numbers: int
    weights: Floats
    categories: Integers

    def taken(self, rows: Positions) -> Points:
        """Give some of the points."""
        return Points(np.ascontiguousarray(self.cells[rows]), self.numbers, self.weights, self.categories)

    @property
    def offsets(self) -> Integers:
        """Where the counts of each column of categories begin, and where the last ones end."""
        return np.append(0, np.cumsum(self.categories[self.numbers :])).astype(np.int64)

    def checked(self) -> tuple[int, int]:
        """Check that codes are codes, since kernels count by them, and give how many points and columns there are."""
        of_kind(np.float64, self.cells, self.weights)
        of_kind(np.int64, self.categories)
        for j in range(self.numbers, self.cells.shape[1]):
            column = self.cells[:, j]
            assert column.min() >= 0 and column.max() < self.categories[j] and (column == np.rint(column)).all()  # noqa: PT018
        return self.cells.shape[0], self.cells.shape[1]


def tree_nodes(rows: int) -> int:
    """Give how many leaves, and families of nodes above them, the tree of so many rows may have."""
    leaves = 1
    while leaves * _LEAF < rows:
        leaves *= 2
    return leaves + leaves // 8 + 16


def room(points: Points, most: int) -> tuple[NDArray[Any], ...]:
    """Make room for three points, for a block sorted by distance, for its tree, its rows, and for sums and counts."""
    n, m = points.cells.shape
    floats = np.empty((32 * tree_nodes(most) + 2) * m, np.float32)
    integers = np.empty(32 * tree_nodes(most) + 5 * most + n, np.int32)
    sums = np.zeros(2 * m + int(points.offsets[-1]), np.int64)
    return np.empty(3 * m), np.empty(3 * most, np.uint64), floats, integers, sums


def mdav(points: Points, k: int, order: Positions, starts: Integers) -> tuple[Positions, int]:
    """Form classes of k by MDAV in each block of records by itself, and tell how many there are.

    ``order`` lists the records block after block, ascending in each, and ``starts`` says where each block begins and
    the last one ends.
    The last class of a block has up to 2k - 1 records.
    """
    n, m = points.checked()
    of_kind(np.int32, order)
    of_kind(np.int64, starts)
    most = int(np.diff(starts).max())
    labels = np.empty(n, np.int32)
    classes = call(
        "mdav", points.cells, m, points.numbers, points.weights, points.offsets, order, starts, starts.size - 1, most,
        k, *room(points, most), np.empty(2 * k), labels, result=ctypes.c_int64,
    )  # fmt: skip
    return labels, classes


def v_mdav(points: Points, k: int, gamma: float) -> tuple[Positions, int]:
    """Form classes of k to 2k - 1 by V-MDAV, and tell how many there are."""
    n, m = points.checked()
    labels = np.empty(n, np.int32)
    scratch = np.empty(2 * k, np.int32), np.empty(4 * k)
    classes = call(
        "v_mdav", points.cells, n, m, points.numbers, points.weights, points.offsets, np.arange(n, dtype=np.int32), k,
        np.array([gamma], np.float64), *room(points, n), *scratch, labels, result=ctypes.c_int64,
    )  # fmt: skip
    return labels, classes


def split_rows(
    points: Points, k: int, *, mode: int = RELAXED, by_range: bool = False, limit: int = 0
) -> tuple[Positions, Integers]:
    """Cut the records in two where they lie farthest apart, and the parts again, as long as both have k.

    Parts of at most ``limit`` are not cut. ``STRICT`` never cuts between records that are equal in the column,
    ``RELAXED`` always cuts in the middle, ``EITHER`` does so where nothing else is left. Gives the records part after
    part, neighbours alike, and where each part begins and the last one ends.
    """
    n, m = points.checked()
    order = np.arange(n, dtype=np.int32)
    spans = points.cells.max(axis=0) - points.cells.min(axis=0)
    scale = np.divide(1.0, spans, out=np.zeros(m), where=spans > 0)
    starts = np.empty(n // k + 2, np.int64)
    counts = np.zeros(int(points.categories.max(initial=0)) + 1, np.int64)
    parts = call(
        "split_rows", points.cells, n, m, points.numbers, points.weights, scale, k, limit, mode, int(by_range),
        order, np.empty(n), np.empty(3 * m), counts, np.empty_like(starts), starts, result=ctypes.c_int64,
    )  # fmt: skip
    return order, starts[: parts + 1]


def part_of(order: Positions, starts: Integers) -> Positions:
    """Give the number of the part that each record is in."""
    parts = np.empty(order.size, np.int32)
    parts[order] = np.repeat(np.arange(starts.size - 1, dtype=np.int32), np.diff(starts))
    return parts


def optimal_cut(values: Floats, k: int) -> tuple[Positions, int]:
    """Cut ascending numbers into classes of at least k with the least squared error, and tell how many there are."""
    of_kind(np.float64, values)
    n = values.size
    labels = np.empty(n, np.int32)
    scratch = np.empty(n + 1), np.empty(n + 1, np.int32)
    return labels, call("optimal_cut", values, n, k, *scratch, labels, result=ctypes.c_int64)
