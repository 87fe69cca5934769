"""Records as points, so that distances between them can be taken; and records that need no class of others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Labels
from shoal.engines.values import Boxes, Moments, Piece, Spans
from shoal.kernels import MISSING
from shoal.kernels.grouping import label_rows
from shoal.kernels.microaggregation import Points, split_rows
from shoal.kernels.radix import places_in
from shoal.methods.partitioning.hilbert_order import hilbert_keys
from shoal.table import Column, Table

_LOOKED_AT = 4096  # records whose values tell how long the steps between them are
_LONG = 0.5  # standard deviations: a long step
# Forms classes of at least k of some points: gives the class of each, and how many there are.
PointClustering = Callable[[Points, int], tuple[Labels, int]]


@dataclass(frozen=True)
class MetricSpace:
    """A space in which every attribute weighs the same.

    Numbers, dates and ordered categories, which count by their rank, are standardized (mean 0, sample deviation 1); a
    range counts with its middle. Categories without an order are equal or different: two records drawn at random are
    on average as far apart in them as in a standardized number, and a category with two values comes out as if it
    were a standardized 0 and 1. A missing cell, or ``*``, is a category of its own; in a number it stands at the
    mean, and an attribute of its own, standardized like others, says that it is missing. Attributes that do not
    vary are left out.
    """

    rows: int
    moments: Moments
    nominal: tuple[bool, ...]
    weights: tuple[float, ...]  # of categories; 0 where an attribute does not vary or has an order

    @classmethod
    def of(cls, table: Table) -> MetricSpace:
        """Find what the space of a whole table is like."""
        nominal = tuple(table.schema[name].axis.nominal for name in table.schema.quasi)
        named = zip(table.schema.quasi, nominal, strict=True)
        weights = tuple(_weight(table, name) if without_order else 0.0 for name, without_order in named)
        return cls(table.rows, table.moments(), nominal, weights)

    def points(self, rows: Spans) -> Points:
        """Give each of some records as a point."""
        columns, codes, weights, sizes = [], [], [], []
        for j, without_order in enumerate(self.nominal):
            if not without_order:
                columns += self._numbers(rows, j)
            elif self.weights[j]:
                column, number = label_rows(rows.lo, rows.hi, np.array([j]))
                codes.append(column.astype(np.float64))
                weights.append(self.weights[j])
                sizes.append(number)
        n = rows.lo.shape[0]
        if not columns and not codes:  # nothing varies: all records have one category
            return Points(np.zeros((n, 1)), 0, np.ones(1), np.ones(1, np.int64))
        own = len(columns)
        cells = np.ascontiguousarray(np.stack([*columns, *codes], axis=1))
        return Points(cells, own, np.array([0.0] * own + weights), np.array([0] * own + sizes, np.int64))

    def _numbers(self, rows: Spans, j: int) -> list[NDArray[np.float64]]:
        lo, hi, known = rows.lo[:, j], rows.hi[:, j], self.moments
        gone, found = lo == MISSING, []
        if known.deviation[j] > 0:
            middle = (numbers_behind(rows, lo, j) + numbers_behind(rows, hi, j)) / 2
            found.append(np.where(gone, 0.0, (middle - known.mean[j]) / known.deviation[j]))
        share = 1 - known.count[j] / self.rows
        if 0 < share < 1:
            spread = np.sqrt(share * (1 - share) * self.rows / (self.rows - 1))
            found.append((gone - share) / spread)
        return found


def _weight(table: Table, name: str) -> float:
    """Give what it costs to have another category; 0 if all records have the same."""

    def squares(cells: Boxes) -> int:
        return sum(count * count for count in cells.counts.tolist())

    n, same = table.rows, sum(table.boxes(squares, (name,)))
    return 2 * n * (n - 1) / (n * n - same) if same < n * n else 0.0


def numbers_behind(rows: Spans, positions: NDArray[np.int32], j: int) -> NDArray[np.float64]:
    """Give the numbers behind the positions of a column; where there is none, any."""
    offset = int(rows.offsets[j])
    if offset < 0:
        return positions.astype(np.float64)
    stop = min((int(other) for other in rows.offsets if other > offset), default=rows.table.size)
    found: NDArray[np.float64] = rows.table[np.clip(positions.astype(np.int64) + offset, offset, stop - 1)]
    return found


def partitioned(table: Table, k: int, classes: PointClustering, *, keep_exact: bool, lined: bool) -> tuple[Column, int]:
    """Give the class of each record and how many there are.

    ``classes`` forms them of those records that are not left as they are; ``lined`` numbers them along an order in
    which neighbours are alike. A large table is taken in pieces of records that are alike.
    """
    space = MetricSpace.of(table)

    def kernel(piece: Piece) -> Labels:
        points = space.points(piece.rows)
        labels, groups = np.full(piece.rows.lo.shape[0], -1, np.int32), 0
        if keep_exact:
            labels, groups = set_apart(piece.rows, points, k)
        rest = np.flatnonzero(labels < 0).astype(np.int32)
        if rest.size:
            found, more = classes(points.taken(rest) if groups else points, k)
            labels[rest] = found + np.int32(groups)
            groups += more
        return in_line(points, labels, groups) if lined else labels

    def keys() -> list[str | Column]:
        return [*separating_attributes(table, space), *hilbert_keys(table, space.moments)]

    return table.map_blocks(keys, k, kernel, ordered=False)


def set_apart(rows: Spans, points: Points, k: int) -> tuple[Labels, int]:
    """Find the records that share all their cells with at least k - 1 others: they need not be changed.

    Gives the class of each such record, -1 for all others, and how many classes there are. Others that are too few for
    a class of their own get the records of the class that is nearest to one of them.
    """
    same, groups = label_rows(rows.lo, rows.hi, np.arange(rows.lo.shape[1]))
    kept = np.bincount(same, minlength=groups) >= k
    rest = np.flatnonzero(~kept[same])
    if 0 < rest.size < k and kept.any():
        mine, cells = points.cells[rest[0]], points.cells
        gaps = ((cells[:, : points.numbers] - mine[: points.numbers]) ** 2).sum(axis=1)
        gaps += (cells[:, points.numbers :] != mine[points.numbers :]) @ points.weights[points.numbers :]
        gaps[rest] = np.inf
        kept[same[int(np.argmin(gaps))]] = False
    numbers = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    return numbers[same], int(kept.sum())


def separating_attributes(table: Table, space: MetricSpace) -> list[str]:
    """Give the attributes in which most values lie far from all others, those with the longest steps first.

    Few classes would hold several of their values, so pieces that end where such a value ends cut few of them.
    """
    chosen = np.unique(np.linspace(0, table.rows - 1, min(table.rows, _LOOKED_AT)).astype(np.int64))
    lo, hi = table.cells(table.schema.quasi, chosen)
    found = []
    for j, name in enumerate(table.schema.quasi):
        if space.nominal[j]:
            found.append((np.sqrt(space.weights[j]), name))
            continue
        exact = (lo[:, j] == hi[:, j]) & (lo[:, j] != MISSING)
        numbers = table.schema[name].axis.coordinates()
        values, counts = np.unique(lo[exact, j] if numbers is None else numbers[lo[exact, j]], return_counts=True)
        if values.size > 1 and space.moments.deviation[j] > 0:
            gaps = np.diff(values.astype(np.float64)) / space.moments.deviation[j]
            nearest = np.minimum(np.append(gaps, np.inf), np.append(np.inf, gaps))
            found.append((float(np.average(nearest, weights=counts)), name))
    return [name for step, name in sorted(found, reverse=True) if step >= _LONG]


def in_line(points: Points, labels: Labels, groups: int) -> Labels:
    """Number classes along an order in which neighbours are alike, as far as a line can be laid through space."""
    first = np.empty(groups, np.int32)
    first[labels[::-1]] = np.arange(labels.size, dtype=np.int32)[::-1]
    order, _ = split_rows(points.taken(first), 1)
    return places_in(order)[labels]
