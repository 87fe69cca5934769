"""Classes with one record from each stratum of a confidential attribute, all alike in the quasi-identifiers.

Algorithm S4 matches the strata by one distance, so that strangers meet. Here all strata are cut in the same shares by
the same attributes, and records are matched where few are left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines import Piece, Spans
from shoal.kernels import MISSING
from shoal.kernels.grouping import gather_rows
from shoal.kernels.matching import match_strata
from shoal.kernels.partition import Costs, coordinates
from shoal.kernels.radix import order_by_keys
from shoal.table import Ranked, Table

Labels = NDArray[np.int32]
SLABS = 8  # into which the first attribute cuts a table that is taken in pieces


def matched(
    table: Table, column: str, size: int, ways: Sequence[Callable[[Spans], Any]], costs: Costs
) -> tuple[Any, int]:
    """Form classes of one record from each of so many strata of a column; left-over records join their neighbours.

    ``ways`` give the keys by which records are sorted so that neighbours are alike; classes are numbered nearly in
    that order. Where a table is taken in pieces, each has as many records of every stratum, and they are alike.
    """
    engine, data, schema = table.engine, table.data, table.schema
    groups = table.rows // size
    rank = Ranked(column)

    def seats() -> list[Any]:
        """Cut every stratum in the same shares, first by one attribute and then by another."""
        stratum = engine.combine(
            lambda place: np.minimum(place // np.int32(groups), np.int32(size)), engine.rank(data, schema, [column])
        )
        share = engine.combine(np.zeros_like, stratum)
        seat = None
        for j in _most_telling(table, costs):
            position = engine.map_rows(data, schema, _positions(j))
            place = engine.rank(data, schema, [stratum, share, position])
            seat = engine.combine(lambda place, stratum: place - stratum * np.int32(groups), place, stratum)
            share = engine.combine(lambda seat: (seat.astype(np.int64) * SLABS // groups).astype(np.int32), seat)
        return [seat]

    def kernel(piece: Piece) -> Labels:
        rows = piece.rows
        order = order_by_keys([way(rows) for way in ways])
        strata = np.minimum(piece.columns[rank] // np.int32(groups), np.int32(size))
        if order is not None:
            strata = strata[order]
            lower = gather_rows(rows.lo, order)
            rows = replace(rows, lo=lower, hi=lower)  # the lower ends are all that is matched
        found = _classes(rows, strata, size, costs)
        labels = np.empty_like(found)
        labels[slice(None) if order is None else order] = found
        return labels

    return engine.divide(data, schema, seats, size, kernel, (rank,))


def _positions(j: int) -> Callable[[Spans], Any]:
    return lambda rows: np.ascontiguousarray(rows.lo[:, j])


def _most_telling(table: Table, costs: Costs) -> list[int]:
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


def _classes(rows: Spans, strata: Labels, size: int, costs: Costs) -> Labels:
    """Match the records of the strata, which have equally many; those of none of them join their neighbours."""
    seats = np.stack([np.flatnonzero(strata == number) for number in range(size)]).astype(np.int32)
    lower, width = coordinates(rows.lo, rows.table, rows.offsets, costs)
    labels = np.full(strata.size, -1, np.int32)
    for line in match_strata(lower, width, seats):
        labels[line] = np.arange(seats.shape[1], dtype=np.int32)
    over = np.flatnonzero(labels < 0)
    labels[over] = labels[np.maximum(over - 1, 0)]
    labels[labels < 0] = 0  # several in a row, or the first of all
    return labels
