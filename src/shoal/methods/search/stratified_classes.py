"""Stratified classes: with records from all strata of a confidential attribute, alike in the quasi-identifiers.

Algorithm S4 matches the strata by one distance, so that strangers meet. Here all strata are cut in the same shares by
the same attributes, records are matched where few are left, and then change places where that makes classes cheaper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Labels
from shoal.engines.values import Piece, Spans
from shoal.kernels import MISSING
from shoal.kernels.closeness import ordered_distance
from shoal.kernels.grouping import gather_rows
from shoal.kernels.partition import Costs, coordinates, dearest
from shoal.kernels.radix import order_by_integers, order_by_keys
from shoal.kernels.strata_matching import match_strata
from shoal.kernels.swapping import Spread, SwapEffort, swap_records
from shoal.methods.search.constraint_repair import RepairProblem
from shoal.models.t_closeness import TCloseness
from shoal.table import Column, Ranked, Table

KeyFunctions = Sequence[Callable[[Spans], Any]]
SLABS = 8  # into which the first attribute cuts a table that is taken in pieces
NEAR = 64  # classes that a record that is left over may choose from, on either side


def strata_of(rank: Labels, rows: int, strata: int, members: int) -> Labels:
    """Give the stratum of each place in the order of a column, so many in each; left-over places, amid all, have -1."""
    over = rows - strata * members
    middle = strata // 2 * members
    below, above = rank < middle, rank >= middle + over
    return np.where(below, rank, np.where(above, rank - over, -members)).astype(np.int32) // np.int32(members)


def strata_needed(t: float, size: int) -> int:
    """Give how many strata classes of a size take as many records from each of, so that most of them are within t.

    A class with e records from each of r strata is on average about 1 / (3 r sqrt(e)) from the table, which should
    leave room: swapping uses it, and brings those nearer that are too far. Without strata nothing keeps a class from
    being alike in the confidential attribute too, so that more room is needed.
    """
    if (3 * 0.4 * t) ** 2 * size >= 1:
        return 1
    return next((r for r in range(2, size) if size % r == 0 and (3 * 0.75 * t) ** 2 * size * r >= 1), size)


def blocks_of_strata(table: Table, column: str, strata: int, each: int, costs: Costs) -> Callable[[], list[Column]]:
    """Say which records go together if a table is taken in pieces: the same share of every stratum.

    Every stratum is cut in the same shares, first by one attribute and then by another; so many of its records in a
    row have the same key.
    """
    rows = table.rows
    members = rows // (strata * each) * each

    def stratum_of(place: Labels) -> Labels:
        found = strata_of(place, rows, strata, members)
        return np.where(found < 0, np.int32(strata), found)

    def keys() -> list[Column]:
        stratum = table.combine(stratum_of, table.rank([column]))
        share = table.combine(np.zeros_like, stratum)
        within = share
        for j in _most_reduced_variance(table, costs):
            position = table.map_rows(_positions(j))
            place = table.rank([stratum, share, position])
            within = table.combine(lambda place, stratum: place - stratum * np.int32(members), place, stratum)
            share = table.combine(lambda within: (within.astype(np.int64) * SLABS // members).astype(np.int32), within)
        return [table.combine(lambda within: within // np.int32(each), within)]

    return keys


def _positions(j: int) -> Callable[[Spans], Any]:
    return lambda rows: np.ascontiguousarray(rows.lo[:, j])


def _most_reduced_variance(table: Table, costs: Costs) -> list[int]:
    """Give the two attributes that vary least once they are halved at their median.

    Long tails vary much, but halving does not take that away.
    """
    gains = []
    for j, name in enumerate(table.schema.quasi):
        shown = table.schema[name].axis.coordinates()
        parts = table.boxes(lambda cells: (cells.lo[:, 0], cells.counts), (name,))
        lo, counts = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        there = np.flatnonzero(lo != MISSING)
        there = there[np.argsort(lo[there], kind="stable")]
        numbers = (lo[there].astype(np.float64) if shown is None else shown[lo[there]]) * costs.scale[j]
        upper = np.cumsum(counts[there]) > counts[there].sum() / 2
        halves = [np.average(numbers[side], weights=counts[there][side]) for side in (upper, ~upper) if side.any()]
        gains.append(halves[0] - halves[1] if len(halves) == 2 else 0.0)
    return [int(j) for j in np.argsort(-np.array(gains), kind="stable")[:2]]


def match_classes(
    table: Table, model: TCloseness, size: int, functions: KeyFunctions, costs: Costs, effort: SwapEffort
) -> tuple[Column, int]:
    """Form classes of a size with equally many records from each stratum of a column, and let them swap records.

    Left-over records join their neighbours. ``functions`` give the keys by which records are sorted, so that
    neighbours are alike; classes are numbered nearly in that order. Where a table is taken in pieces, each has as many
    records of every stratum, and they are alike.
    """
    schema, rows = table.schema, table.rows
    strata = strata_needed(model.t, size)
    each = size // strata
    members = rows // size * each
    column = model.confidential(schema)
    rank = Ranked(column)
    reference = model.reference(table)

    def kernel(piece: Piece) -> Labels:
        order = order_by_keys([function(piece.rows) for function in functions])
        lower, columns = piece.rows.lo, dict(piece.columns)
        if order is not None:
            lower, columns = gather_rows(lower, order), {name: values[order] for name, values in columns.items()}
        points = coordinates(lower, piece.rows.table, piece.rows.offsets, costs)
        stratum = strata_of(columns[rank], rows, strata, members)
        spread = Spread.of(model.bins(columns, schema, reference), reference[1], model.t)
        found = draw_classes(points, dearest(costs), stratum, size, spread, effort)
        labels = np.empty_like(found)
        labels[slice(None) if order is None else order] = found
        return labels

    carry = tuple(dict.fromkeys((rank, *model.carries(schema))))
    keys = blocks_of_strata(table, column, strata, each, costs)
    return table.map_blocks(keys, size, kernel, carry, ordered=False)


def draw_classes(
    points: tuple[NDArray[np.float32], int],
    full: NDArray[np.float32],
    stratum: Labels,
    size: int,
    spread: Spread,
    effort: SwapEffort,
) -> Labels:
    """Form classes of a size of equally many rows from each stratum; neighbouring rows should be alike.

    ``points`` are where rows lie and how many columns count. Those in no stratum have -1.
    """
    strata = [np.flatnonzero(stratum == number) for number in range(int(stratum.max()) + 1)]
    matching = match_strata(*points, np.stack(strata).astype(np.int32))
    members = np.ascontiguousarray(matching.T).reshape(-1)
    starts = np.arange(0, members.size + 1, size, dtype=np.int64)
    swapped = swap_records(points[0], full, (members, starts), spread, effort).reshape(-1, size)
    return _assigned(points[0], swapped, spread, stratum.size)


def classes_from_strata(
    problem: RepairProblem, t: float, size: int, place: Labels, effort: SwapEffort
) -> tuple[Labels, int] | None:
    """Form classes of a size from the strata of all rows of a piece, or of some of them; None if none are needed."""
    rows, strata = problem.rows, strata_needed(t, size)
    if strata == 1 or rows < 2 * size or problem.spread is None:
        return None
    rank = np.empty_like(place)
    rank[order_by_integers(place)] = np.arange(rows, dtype=np.int32)
    stratum = strata_of(rank, rows, strata, rows // size * (size // strata))
    found = problem.coordinates
    points = found.lower, int(problem.piece.rows.lo.shape[1])
    return draw_classes(points, found.full, stratum, size, problem.spread, effort), rows // size


def _assigned(points: NDArray[np.float32], classes: Labels, spread: Spread, rows: int) -> Labels:
    """Give the class of each row; those left over choose one among their neighbours."""
    labels = np.full(rows, -1, np.int32)
    labels[classes] = np.arange(len(classes), dtype=np.int32)[:, None]
    for row in np.flatnonzero(labels < 0).tolist():
        labels[row] = _least_growth(points, classes, spread, row, int(labels[row - 1] if row else labels[1]))
    return labels


def _least_growth(points: NDArray[np.float32], classes: Labels, spread: Spread, row: int, near: int) -> int:
    """Choose among the classes around one that whose box grows least by a record, and which stays close with it."""
    chosen = np.arange(max(near - NEAR, 0), min(near + NEAR + 1, len(classes)))
    members = np.column_stack([classes[chosen], np.full(chosen.size, row, np.int32)])
    cells = points[members].astype(np.float64)
    before, after = (((part.max(1) - part.min(1)) ** 2).sum(1) ** 0.5 for part in (cells[:, :-1], cells))
    starts = np.arange(chosen.size + 1, dtype=np.int64) * members.shape[1]
    close = ordered_distance(spread.bins[members].reshape(-1), starts, spread.counts) <= spread.t
    return int(chosen[np.lexsort([after - before, ~close])[0]])
