"""Cutting a table into classes, piece by piece, so that little of it is gathered at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.engines.local_data import LocalData, spans
from shoal.engines.protocol import PieceKernel
from shoal.engines.range_splits import choose_splits, piece_count, sample_rows, sortable
from shoal.engines.values import Piece, Spans
from shoal.errors import InternalError
from shoal.kernels.grouping import gather_rows
from shoal.progress import along
from shoal.schema import Schema


@dataclass(frozen=True)
class BlockKernel:
    """What is done with the records of every piece, in the order of their keys or in that of the table."""

    schema: Schema
    kernel: PieceKernel
    by_keys: bool

    def labelled(
        self, data: LocalData, pieces: Sequence[Positions], columns: Mapping[Any, Positions]
    ) -> tuple[Positions, int]:
        """Number the groups of all pieces together."""
        whole = spans(data, self.schema)
        labels, groups = np.empty(data.rows, np.int32), 0
        for rows in along(pieces, pieces=True):
            rows = rows if self.by_keys else np.sort(rows)
            at = rows if data.index.size == 0 else data.index[rows]
            lo = gather_rows(whole.lo, at)
            some = Spans(lo, lo if whole.hi is whole.lo else gather_rows(whole.hi, at), whole.table, whole.offsets)
            carried = {name: column[rows] for name, column in columns.items()}
            mine = self.kernel(Piece(some, carried))
            if (mine < 0).any():
                raise InternalError("Records were left over when a table was cut into classes.")
            labels[rows] = mine + np.int32(groups)
            groups += int(mine.max()) + 1
        return labels, groups


def label_blocks(
    data: LocalData, keys: Sequence[NDArray[Any]], least: int, cutting: BlockKernel, columns: Mapping[Any, Positions]
) -> tuple[Positions, int]:
    """Hand all rows to a kernel, piece by piece."""
    wanted = piece_count(data.rows, least)
    some = sample_rows(data.rows, wanted)
    splits = choose_splits([sortable(key[some]) for key in keys], some, wanted, whole=False)
    pieces = splits.stretches(keys, range(data.rows))
    if min(sizes := [rows.size for rows in pieces]) < least:
        pieces = splits.without_short_ranges(sizes, least).stretches(keys, range(data.rows))
    return cutting.labelled(data, pieces, columns)
