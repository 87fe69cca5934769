"""How many records agree with each one, where some hide cells: three ways to count, from what is shown alone.

*Own* counts who shows the same, a hidden cell being a value of its own. *Known* counts who may be meant by somebody who
knows all values of the person, whatever the hidden ones are: records that show nothing but what this one shows too.
*Either* counts records that agree wherever both show a cell, as statistical offices do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Flags, Integers, Positions
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import label_rows
from shoal.table import Table

WAYS = ("own", "known", "either")


def shown_cells(table: Table, way: str, by: Sequence[str] | None = None) -> tuple[Positions, Flags, Integers]:
    """Give the distinct records of a table: a code for each cell, which cells show a value, and how many there are.

    That is in some columns, or in all quasi-identifiers. A cell that is ``*`` shows nothing. One without a value shows
    just that, but where *either* is counted nothing.
    """
    parts = table.boxes(lambda boxes: (boxes.lo, boxes.hi, boxes.counts), by)
    lo, hi, counts = (np.concatenate([part[i] for part in parts]) for i in range(3))
    keys = (lo.astype(np.int64) << 32) + (hi.astype(np.int64) - MISSING)
    codes = [np.unique(keys[:, j], return_inverse=True)[1].reshape(-1) for j in range(lo.shape[1])]
    hidden = (lo == MISSING) & ((hi == TOP) | ((hi == MISSING) & (way == "either")))
    return np.stack(codes, axis=1).astype(np.int32), ~hidden, counts


def agreeing(codes: Positions, shown: Flags, counts: NDArray[np.generic], way: str) -> NDArray[np.float64]:
    """Count for each distinct record how many agree with it, or sum their weights.

    Parameters
    ----------
    codes
        The number of each cell in its column.
    shown
        Which cells are shown.
    counts
        How many records there are of each, or what they weigh together.
    way
        ``known`` or ``either``.
    """
    found = np.zeros(counts.size)
    patterns, pattern_of = np.unique(shown, axis=0, return_inverse=True)
    pattern_of = pattern_of.reshape(-1)
    rows_of = [np.flatnonzero(pattern_of == number) for number in range(len(patterns))]
    for mine, rows in zip(patterns, rows_of, strict=True):
        for common, others in _by_common_columns(mine, patterns, rows_of, way):
            columns = np.flatnonzero(common)
            cells = np.ascontiguousarray(codes[np.append(rows, others)][:, columns])
            labels, groups = label_rows(cells, cells, np.arange(columns.size)) if columns.size else _all_alike(cells)
            sums = np.bincount(labels[rows.size :], counts[others].astype(np.float64), groups)
            found[rows] += sums[labels[: rows.size]]
    return found


def _all_alike(cells: Positions) -> tuple[Positions, int]:
    return np.zeros(cells.shape[0], np.int32), 1


def _by_common_columns(
    mine: Flags, patterns: Flags, rows_of: list[Integers], way: str
) -> Iterator[tuple[Flags, Integers]]:
    """Give the records of all patterns that may agree with one, by the columns in which they have to."""
    together: dict[bytes, tuple[Flags, list[Integers]]] = {}
    for other, rows in zip(patterns, rows_of, strict=True):
        if way == "known" and (other & ~mine).any():  # it shows a cell that may be another one
            continue
        common = mine & other
        together.setdefault(common.tobytes(), (common, []))[1].append(rows)
    for common, parts in together.values():
        yield common, np.concatenate(parts)
