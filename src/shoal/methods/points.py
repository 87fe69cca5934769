"""Records as points, so that distances between them can be taken; and records that need no class of others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shoal.engines import Spans
from shoal.kernels import MISSING
from shoal.kernels.microaggregation import Points, split_rows
from shoal.kernels.radix import places_in
from shoal.table import Table

Labels = NDArray[np.int32]


def points_of(table: Table) -> Points:
    """Give the quasi-identifiers of each record as a point in a space in which every attribute weighs the same.

    Numbers, dates and ordered categories, which count by their rank, are standardized (mean 0, sample deviation 1); a
    range counts with its middle. Categories without an order are equal or different: two records drawn at random are
    on average as far apart in them as in a standardized number, and a category with two values comes out as if it
    were a standardized 0 and 1. A missing cell, or ``*``, is a category of its own; in a number it stands at the
    mean, and an attribute of its own, standardized like others, says that it is missing. Attributes that do not
    vary are left out.
    """
    moments = table.moments()
    names = table.schema.quasi
    nominal = [table.schema[name].axis.nominal for name in names]

    def coordinates(rows: Spans) -> NDArray[np.float64]:
        columns = []
        for j in (i for i, without_order in enumerate(nominal) if not without_order):
            lo, hi = rows.lo[:, j], rows.hi[:, j]
            gone = lo == MISSING
            if moments.deviation[j] > 0:
                middle = (numbers_behind(rows, lo, j) + numbers_behind(rows, hi, j)) / 2
                columns.append(np.where(gone, 0.0, (middle - moments.mean[j]) / moments.deviation[j]))
            share = 1 - moments.count[j] / table.rows
            if 0 < share < 1:
                spread = np.sqrt(share * (1 - share) * table.rows / (table.rows - 1))
                columns.append((gone - share) / spread)
        return np.stack(columns, axis=1) if columns else np.zeros((rows.lo.shape[0], 0))

    numbers = table.engine.map_rows(table.data, table.schema, coordinates)
    codes, weights, sizes = [], [], []
    for name, without_order in zip(names, nominal, strict=True):
        column = table.engine.number(table.data, table.schema, [name]) if without_order else np.zeros(1, np.int32)
        counts = np.bincount(column)
        if counts.size > 1:
            codes.append(column.astype(np.float64))
            pairs = table.rows * (table.rows - 1.0)
            weights.append(2 * pairs / (float(table.rows) ** 2 - float((counts.astype(np.float64) ** 2).sum())))
            sizes.append(counts.size)
    cells = np.column_stack([numbers, *codes]) if codes else numbers
    if cells.shape[1] == 0:  # nothing varies: all records have one category
        return Points(np.zeros((table.rows, 1)), 0, np.ones(1), np.ones(1, np.int64))
    own = cells.shape[1] - len(codes)
    return Points(
        np.ascontiguousarray(cells), own, np.array([0.0] * own + weights), np.array([0] * own + sizes, np.int64)
    )


def numbers_behind(rows: Spans, positions: NDArray[np.int32], j: int) -> NDArray[np.float64]:
    """Give the numbers behind the positions of a column; where there is none, any."""
    offset = int(rows.offsets[j])
    if offset < 0:
        return positions.astype(np.float64)
    stop = min((int(other) for other in rows.offsets if other > offset), default=rows.table.size)
    found: NDArray[np.float64] = rows.table[np.clip(positions.astype(np.int64) + offset, offset, stop - 1)]
    return found


def partitioned(
    table: Table, k: int, classes: Callable[[Points, int], tuple[Labels, int]], *, keep_exact: bool, lined: bool
) -> tuple[Labels, int]:
    """Give the class of each record and how many there are.

    ``classes`` forms them of those records that are not left as they are; ``lined`` numbers them along an order in
    which neighbours are alike.
    """
    points = points_of(table)
    labels, groups = set_apart(table, points, k) if keep_exact else (np.full(table.rows, -1, np.int32), 0)
    rest = np.flatnonzero(labels < 0).astype(np.int32)
    if rest.size:
        found, more = classes(points.taken(rest) if groups else points, k)
        labels[rest] = found + np.int32(groups)
        groups += more
    return (in_line(points, labels, groups) if lined else labels), groups


def set_apart(table: Table, points: Points, k: int) -> tuple[Labels, int]:
    """Find the records that share all their cells with at least k - 1 others: they need not be changed.

    Gives the class of each such record, -1 for all others, and how many classes there are. Others that are too few
    for a class of their own get the records of the class that is nearest to one of them.
    """
    same = table.engine.number(table.data, table.schema, table.schema.quasi)
    sizes = np.bincount(same)
    kept = sizes >= k
    rest = np.flatnonzero(~kept[same])
    if 0 < rest.size < k and kept.any():
        mine, cells = points.cells[rest[0]], points.cells
        gaps = ((cells[:, : points.numbers] - mine[: points.numbers]) ** 2).sum(axis=1)
        gaps += (cells[:, points.numbers :] != mine[points.numbers :]) @ points.weights[points.numbers :]
        gaps[rest] = np.inf
        kept[same[int(np.argmin(gaps))]] = False
    numbers = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    return numbers[same], int(kept.sum())


def in_line(points: Points, labels: Labels, groups: int) -> Labels:
    """Number classes along an order in which neighbours are alike, as far as a line can be laid through space."""
    first = np.empty(groups, np.int32)
    first[labels[::-1]] = np.arange(labels.size - 1, -1, -1, dtype=np.int32)
    order, _ = split_rows(points.taken(first), 1)
    return places_in(order)[labels]
