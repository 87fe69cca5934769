"""Who pays for a release: how much detail is lost in the records of each group of people."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines import Spans
from shoal.kernels import MISSING
from shoal.table import Table

_BANDS = 6
_LEAST = 10  # records that a group must have to be named


def payers(original: Table, lost: NDArray[np.float64]) -> dict[str, list[dict[str, Any]]]:
    """Average what is lost over the groups of each quasi-identifier: its values, or bands of them if they are many."""
    found = {}
    for j, name in enumerate(original.schema.quasi):
        groups = _groups(original, j, name, lost)
        if len(groups) > 1:
            found[name] = groups
    return found


def _groups(original: Table, j: int, name: str, lost: NDArray[np.float64]) -> list[dict[str, Any]]:
    def column(rows: Spans) -> NDArray[np.int32]:
        return rows.lo[:, j]

    positions = original.engine.map_rows(original.data, original.schema, column)
    axis = original.schema[name].axis
    values, counts = original.counts(name) if _exact(original, j) else (np.empty(0, np.int32), np.empty(0, np.int64))
    filled = values != MISSING
    values, counts = values[filled], counts[filled]
    if not values.size or (axis.nominal and values.size > 4 * _BANDS):
        return []
    if axis.nominal or values.size <= _BANDS:
        edges, names = np.arange(values.size), axis.texts(values)
    else:
        edges, names = _bands(values, counts, axis)
    place = np.searchsorted(values, positions)
    inside = positions != MISSING
    band = (np.searchsorted(edges, place[inside], side="right") - 1).astype(np.int64)
    people = np.bincount(band, minlength=len(names))
    sums = np.bincount(band, weights=lost[inside], minlength=len(names))
    return [
        {"group": text, "records": int(count), "lost": float(total / count)}
        for text, count, total in zip(names, people, sums, strict=True)
        if count >= _LEAST
    ]


def _exact(original: Table, j: int) -> bool:
    def same(rows: Spans) -> NDArray[np.bool_]:
        equal: NDArray[np.bool_] = rows.lo[:, j] == rows.hi[:, j]
        return equal

    return bool(np.all(original.engine.map_rows(original.data, original.schema, same)))


def _bands(values: NDArray[np.int32], counts: NDArray[np.int64], axis: Any) -> tuple[NDArray[np.int64], list[str]]:
    """Cut an ordered axis into bands that hold about as many records each."""
    before = np.cumsum(counts) - counts
    edges = np.unique(np.searchsorted(before, np.linspace(0, counts.sum(), _BANDS, endpoint=False), side="left"))
    ends = [*(edges[1:] - 1).tolist(), values.size - 1]
    low, high = axis.texts(values[edges]), axis.texts(values[ends])
    return edges, [a if a == b else f"{a} to {b}" for a, b in zip(low, high, strict=True)]
