"""Who pays for a release: how much detail is lost in the records of each group of people."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Positions
from shoal.axis import Axis
from shoal.engines import Spans
from shoal.kernels import MISSING, TOP
from shoal.measures.granularity import domains, widths
from shoal.table import Table

_BANDS = 6
_LEAST = 10  # records that a group must have to be named
_SMALL = 1 << 26


def lost(original: Table, released: Table) -> Floats:
    """Give for each record how much of the detail of its cells is gone: the mean of its widths, from 0 to 1."""
    total = np.zeros(original.rows)
    for j, (name, domain) in enumerate(domains(original).items()):
        nominal = released.schema[name].axis.nominal
        total += (_in_sets if nominal else _in_ranges)(original, released, j, name, domain)
    return total / len(original.schema.quasi)


def _ends(table: Table, j: int) -> tuple[Positions, Positions]:
    def low(rows: Spans) -> Positions:
        return rows.lo[:, j]

    def high(rows: Spans) -> Positions:
        return rows.hi[:, j]

    return tuple(table.engine.map_rows(table.data, table.schema, end) for end in (low, high))


def _in_ranges(original: Table, released: Table, j: int, name: str, domain: float) -> Floats:
    def kernel(rows: Spans) -> Floats:
        return widths(rows.lo[:, j], rows.hi[:, j], released.schema[name].axis, domain)

    found: Floats = released.engine.map_rows(released.data, released.schema, kernel)
    return found


def _in_sets(original: Table, released: Table, j: int, name: str, domain: float) -> Floats:
    """Count the categories of each published set: those that its records have in the original."""
    if not domain:
        return np.zeros(original.rows)
    labels = released.engine.number(released.data, released.schema, [name]).astype(np.int64)
    before, _ = _ends(original, j)
    filled = before != MISSING
    size = int(before.max()) + 1
    pairs = labels[filled] * size + before[filled]
    if int(labels.max() + 1) * size <= _SMALL:
        seen = np.zeros(int(labels.max() + 1) * size, np.bool_)
        seen[pairs] = True
        members = seen.reshape(-1, size).sum(axis=1)
    else:
        members = np.bincount(np.unique(pairs) // size, minlength=int(labels.max()) + 1)
    low, high = _ends(released, j)
    shares = np.clip((members - 1) / domain, 0.0, 1.0)[labels]
    found: Floats = np.where((low == MISSING) & (high == TOP), 1.0, np.where(low == MISSING, 0.0, shares))
    return found


def payers(original: Table, lost: Floats) -> dict[str, list[dict[str, Any]]]:
    """Average what is lost over the groups of each quasi-identifier: its values, or bands of them if they are many."""
    found = {}
    for j, name in enumerate(original.schema.quasi):
        groups = _groups(original, j, name, lost)
        if len(groups) > 1:
            found[name] = groups
    return found


def _groups(original: Table, j: int, name: str, lost: Floats) -> list[dict[str, Any]]:
    positions, high = _ends(original, j)
    axis = original.schema[name].axis
    if not np.array_equal(positions, high):  # some cells are coarse already
        return []
    values, counts = original.counts(name)
    filled = values != MISSING
    values, counts = values[filled], counts[filled]
    if not values.size or (axis.nominal and values.size > 4 * _BANDS):
        return []
    if axis.nominal or values.size <= _BANDS:
        edges, names = np.arange(values.size), axis.texts(values)
    else:
        edges, names = _bands(values, counts, axis)
    inside = positions != MISSING
    place = np.searchsorted(values, positions[inside])
    band = (np.searchsorted(edges, place, side="right") - 1).astype(np.int64)
    people = np.bincount(band, minlength=len(names))
    sums = np.bincount(band, weights=lost[inside], minlength=len(names))
    return [
        {"group": text, "records": int(count), "lost": float(total / count)}
        for text, count, total in zip(names, people, sums, strict=True)
        if count >= _LEAST
    ]


def _bands(values: Positions, counts: NDArray[np.int64], axis: Axis) -> tuple[NDArray[np.int64], list[str]]:
    """Cut an ordered axis into bands that hold about as many records each."""
    before = np.cumsum(counts) - counts
    begun = np.searchsorted(before, np.linspace(0, counts.sum(), _BANDS, endpoint=False), side="left")
    edges = np.unique(np.minimum(begun, values.size - 1))  # many records may have the last value
    ends = [*(edges[1:] - 1).tolist(), values.size - 1]
    low, high = axis.texts(values[edges]), axis.texts(values[ends])
    return edges, [a if a == b else f"{a} to {b}" for a, b in zip(low, high, strict=True)]
