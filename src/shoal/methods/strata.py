"""Classes with one record from each stratum of a confidential attribute, all alike in the quasi-identifiers.

Algorithm S4 matches the strata by one distance, so that strangers meet. Here all strata are cut in the same shares by
the same attributes, and records are matched where few are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines import Piece
from shoal.kernels.matching import match_strata
from shoal.kernels.partition import Costs, coordinates
from shoal.table import Ranked, Table

Labels = NDArray[np.int32]


def matched(table: Table, column: str, size: int, keys: Sequence[Any], costs: Costs) -> tuple[Labels, int]:
    """Form classes of one record from each of so many strata of a column; left-over records join their neighbours.

    ``keys`` sort the records so that neighbours are alike; classes are numbered nearly in that order.
    """
    groups = table.rows // size
    rank = Ranked(column)

    def kernel(piece: Piece) -> Labels:
        stratum = np.minimum(piece.columns[rank] // np.int32(groups), np.int32(size))
        seats = np.stack([np.flatnonzero(stratum == number) for number in range(size)]).astype(np.int32)
        rows = piece.rows
        lower, width = coordinates(rows.lo, rows.table, rows.offsets, costs)
        labels = np.full(stratum.size, -1, np.int32)
        for line in match_strata(lower, width, seats):
            labels[line] = np.arange(groups, dtype=np.int32)
        over = np.flatnonzero(labels < 0)
        labels[over] = labels[np.maximum(over - 1, 0)]
        labels[labels < 0] = 0  # several in a row, or the first of all
        return labels

    labels: Labels
    labels, found = table.engine.cut(table.data, table.schema, keys, table.rows, kernel, (rank,))
    return labels, found
