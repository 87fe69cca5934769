"""Classes with one record from each stratum of a confidential attribute, all alike in the quasi-identifiers.

Algorithm S4 matches the strata by one distance, so that strangers meet. Here all strata are cut in the same shares by
the same attributes, and records are matched where few are left. One record from each stratum is more than t-closeness
asks for: records then change places between neighbouring classes, as far as the distance that is allowed reaches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines import Piece
from shoal.kernels.closeness import ordered_distance
from shoal.kernels.matching import match_strata
from shoal.kernels.partition import Costs, coordinates, dearest
from shoal.kernels.trading import Spread, Trading, trade
from shoal.models.t_closeness import TCloseness
from shoal.table import Ranked, Table

Labels = NDArray[np.int32]
NEAR = 64  # classes that a record that is left over may choose from, on either side


def strata_of(rank: Labels, strata: int, groups: int) -> Labels:
    """Give the stratum of each place in the order of a column, so many in each; left-over places, amid all, have -1."""
    over = rank.size - strata * groups
    middle = strata // 2 * groups
    below, above = rank < middle, rank >= middle + over
    return np.where(below, rank, np.where(above, rank - over, -groups)).astype(np.int32) // np.int32(groups)


def strata_needed(t: float, size: int) -> int:
    """Give how many strata classes of a size take as many records from each of, so that most of them are within t.

    A class with e records from each of r strata is on average about 1 / (3 r sqrt(e)) from the table, which should
    leave room: trading uses it, and brings those nearer that are too far. Without strata nothing keeps a class from
    being alike in the confidential attribute too, so that more room is needed.
    """
    if (3 * 0.4 * t) ** 2 * size >= 1:
        return 1
    return next((r for r in range(2, size) if size % r == 0 and (3 * 0.75 * t) ** 2 * size * r >= 1), size)


def matched(
    table: Table, model: TCloseness, size: int, keys: Sequence[Any], costs: Costs, effort: Trading
) -> tuple[Labels, int]:
    """Form classes of a size with equally many records from each stratum of a column, and let them trade records.

    ``keys`` sort the records so that neighbours are alike; classes are numbered nearly in that order.
    """
    groups = table.rows // size
    strata = strata_needed(model.t, size)
    each = size // strata
    rank = Ranked(model.confidential(table.schema))
    reference = model.reference(table)

    def kernel(piece: Piece) -> Labels:
        stratum = strata_of(piece.columns[rank], strata, groups * each)
        seats = np.stack([np.flatnonzero(stratum == number) for number in range(strata)]).astype(np.int32)
        rows = piece.rows
        lower, width = coordinates(rows.lo, rows.table, rows.offsets, costs)
        spread = Spread(model.bins(piece.columns, table.schema, reference), reference[1], model.t)
        seats = np.ascontiguousarray(match_strata(lower, width, seats).T).reshape(groups, size)
        seats = trade(lower, dearest(costs), seats, spread, effort)
        labels = np.full(stratum.size, -1, np.int32)
        labels[seats] = np.arange(groups, dtype=np.int32)[:, None]
        for row in np.flatnonzero(labels < 0):
            near = labels[row - 1] if row else labels[1]
            labels[row] = _roomiest(lower, seats, spread, int(row), int(near))
        return labels

    labels: Labels
    carry = tuple(dict.fromkeys((rank, *model.carries(table.schema))))
    labels, found = table.engine.cut(table.data, table.schema, keys, table.rows, kernel, carry)
    return labels, found


def _roomiest(rows: NDArray[np.float32], seats: Labels, spread: Spread, row: int, near: int) -> int:
    """Choose among the classes around one that whose box grows least by a record, and which stays close with it."""
    chosen = np.arange(max(near - NEAR, 0), min(near + NEAR + 1, len(seats)))
    members = np.column_stack([seats[chosen], np.full(chosen.size, row, np.int32)])
    cells = rows[members].astype(np.float64)
    before, after = (((part.max(1) - part.min(1)) ** 2).sum(1) ** 0.5 for part in (cells[:, :-1], cells))
    starts = np.arange(chosen.size + 1, dtype=np.int64) * members.shape[1]
    close = ordered_distance(spread.bins[members].reshape(-1), starts, spread.counts) <= spread.t
    return int(chosen[np.lexsort([after - before, ~close])[0]])
