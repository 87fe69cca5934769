"""Boxes of a table in parts: a shuffle brings those that may intersect into one part, where they are compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.engines.parts.data import KnownColumn, PartsTable
from shoal.engines.parts.groups import distinct_cells, labelled_rows, one_of_each, refuse_others
from shoal.engines.parts.pool import Part, Pool
from shoal.engines.values import Boxes
from shoal.errors import RoomError
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import count_labels
from shoal.schema import Schema

T = TypeVar("T")
_HERE = 1 << 19  # distinct cells of single columns that are collected, from all parts and columns
_LEAST = 64  # of them that a part may always give


def map_boxes(
    pool: Pool, data: PartsTable, by: tuple[str, ...], schema: Schema, most: int | None, work: Callable[[Boxes], T]
) -> list[T]:
    """Give what ``work`` returns for each part, after boxes that may intersect came together: equal in exact columns.

    If all boxes must come together, there may be at most ``most``. The distinct cells of a single column are often so
    few that they are collected and processed here.
    """
    refuse_others(data, by)
    columns = [known_columns(pool, data)[data.shape.quasi.index(name)] for name in by]
    lowest, highest = (np.array([getattr(c, end) for c in columns], np.int32) for end in ("lowest", "highest"))
    missing = np.array([column.missing for column in columns])
    apart = tuple(name for name, column in zip(by, columns, strict=True) if column.exact)
    if len(by) == 1 and columns[0].cells is not None:
        lo, hi, counts = columns[0].cells
        if most is None or counts.size <= most or apart:
            low = lo[:, None]
            return [work(Boxes(by, low, low if lo is hi else hi[:, None], counts, lowest, highest, missing))]

    def done(number: int, part: Part) -> list[T]:
        (lo, hi), counts = shape.ends(part), part["count"]
        return [work(Boxes(by, lo, hi, counts, lowest, highest, missing))] if counts.size else []

    def unique(number: int, part: Part) -> tuple[bool, int]:
        return bool((part["count"] == 1).any()), int(part["count"].size)

    shape, there = distinct_cells(pool, data, schema, by, apart or by)
    found = [] if apart else pool.collect(unique, there)
    if any(some for some, _ in found):
        number = sum(size for _, size in found)
        if most is not None and number > most:
            raise RoomError(
                f"To find which of {number:,} boxes fit nobody else, all are compared; only {most:,} fit into memory.",
                "Allow more (--memory), or compare cells by --matching signature.",
            )
        there = pool.shuffle(lambda number, part: [dict(part)], 1, there)
    return [result for some in pool.collect(done, there) for result in some]


def known_columns(pool: Pool, data: PartsTable) -> list[KnownColumn]:
    """Describe each quasi-identifier, once for every table."""
    if data.cache.columns is None:
        shape, *held = data.distinct_rows
        most = max(_LEAST, _HERE // (len(data.sizes) * max(1, len(shape.quasi))))

        def look(number: int, cells: Part, codes: Part) -> list[KnownColumn]:
            here = shape.local(cells, codes)
            times = count_labels(here.index, here.lo.shape[0]) if shape.indexed else None
            sides = [(here.lo[:, j], here.hi[:, j]) for j in range(len(shape.quasi))]
            return [_column(lo, lo if shape.exact else hi, times, most) for lo, hi in sides]

        data.cache.columns = [_merged(found) for found in zip(*pool.collect(look, *held), strict=True)]
    return data.cache.columns


def _column(low: Positions, high: Positions, times: Any, most: int) -> KnownColumn:
    lo = np.ascontiguousarray(low)
    exact = high is low or bool((low == high).all())
    hi = lo if exact else np.ascontiguousarray(high)
    known = lo != MISSING
    if known.all():
        limits = lo.min(initial=TOP), hi.max(initial=MISSING)
    else:
        limits = lo.min(where=known, initial=TOP), hi.max(where=known, initial=MISSING)
    return KnownColumn(*limits, bool((hi == MISSING).any()), exact, _distinct(lo, hi, times, most))


def _distinct(
    lo: Positions, hi: Positions, times: Any, most: int | None
) -> tuple[Positions, Positions, NDArray[np.int64]] | None:
    """Give the distinct cells of a column and how often each occurs; None if they are more than allowed."""
    if hi is lo and lo.size and int(lo.max()) - int(lo.min()) < 4 * lo.size:  # dense: counted in one array
        first = lo.min()
        counts = count_labels(lo - first, int(lo.max()) - int(first) + 1, times)
        found = np.flatnonzero(counts)
        low = (found + first).astype(np.int32)
        return None if most is not None and found.size > most else (low, low, counts[found])
    lows = lo[:, None]
    highs = lows if hi is lo else hi[:, None]
    labels, groups = labelled_rows(lows, highs)
    if most is not None and groups > most:
        return None
    one = one_of_each(labels, groups)
    low = lows[one, 0]
    return low, low if hi is lo else highs[one, 0], count_labels(labels, groups, times)


def _merged(parts: Sequence[KnownColumn]) -> KnownColumn:
    """Merge what is known of a column in each part."""
    exact, cells = all(part.exact for part in parts), None
    known = [part.cells for part in parts if part.cells is not None]
    if len(known) == len(parts):
        lo, hi, times = (np.concatenate(side) for side in zip(*known, strict=True))
        cells = _distinct(lo, lo if exact else hi, times, None)
    return KnownColumn(
        min(part.lowest for part in parts), max(part.highest for part in parts),
        any(part.missing for part in parts), exact, cells,
    )  # fmt: skip
