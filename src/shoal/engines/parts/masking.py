"""Masking of unique records of a table in parts: a shuffle brings equal cells together to find which are unique."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Counts, Positions
from shoal.domains.axis import Axis
from shoal.domains.levels import Stretches
from shoal.engines.local.generalizing import with_stretches
from shoal.engines.local.masking import alone_in, hide, masked_cells, shows
from shoal.engines.parts.columns import LazyColumn, Materialized
from shoal.engines.parts.data import Arrays, PartsTable, value_of
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.engines.parts.shuffle import restore_order, shuffle_by_hash
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import mix_rows
from shoal.schema import Schema


def mask_unique(
    pool: Pool, data: PartsTable, schema: Schema, steps: Sequence[tuple[str, Stretches | None]], key: Sequence[str]
) -> tuple[Schema, PartsTable, Mapping[str, Counts]]:
    """Bring one column after the other to its level in the records that no other record equals in the key."""
    shape, bounds = data.shape, data.bounds
    columns = np.array([shape.quasi.index(name) for name in key], np.int64)

    def begin(number: int, cells: Part, codes: Part) -> Arrays:
        here = shape.unfolded(cells, codes)
        n = here.lo.shape[0]
        return {"lo": here.lo, "hi": here.hi, "concerned": np.ones(n, bool), "changed": np.ones(n, bool)}

    original = pool.map(begin, data.cells, data.codes)
    state, unique = original, _find_unique(pool, original, columns, bounds)
    axes: dict[str, Axis] = {}
    for name, stretches in steps:
        if not any(unique.summaries):
            break
        ends = np.array([MISSING], np.int32), np.array([TOP], np.int32)
        if stretches is not None:
            axes[name], *ends = with_stretches(axes.get(name, schema[name].axis), stretches)  # type: ignore[assignment]
        state = pool.map(_step(shape.quasi.index(name), stretches, *ends), state, original, unique)
        unique = pool.map(
            _still_unique, unique, state, _find_unique(pool, state, columns, bounds), summarize=_any_unique
        )

    def count(number: int, before: Part, after: Part) -> list[Counts]:
        changed = (after["lo"] != before["lo"]) | (after["hi"] != before["hi"])
        return [np.unique(before["lo"][changed[:, j], j], return_counts=True) for j in masked.values()]

    masked = {name: shape.quasi.index(name) for name, _ in steps}
    found = zip(*pool.collect(count, original, state), strict=True)
    hidden = {name: sum_counts(parts) for name, parts in zip(masked, found, strict=True)}
    cells = pool.map(lambda number, part: {"lo": part["lo"], "hi": part["hi"]}, state)
    return schema.with_axes(axes), data.with_cells(Materialized(cells), shape.ranged, exact=False), hidden


def hidden(pool: Pool, data: PartsTable, names: Sequence[str], which: LazyColumn) -> PartsTable:
    """Put ``*`` into cells of some columns, in the records whose number has the bit of the column."""
    shape = data.shape

    def work(number: int, cells: Part, codes: Part, bits: Part) -> Arrays:
        here = hide(shape.unfolded(cells, codes), names, value_of(bits))
        return {"lo": here.lo, "hi": here.hi}

    cells = Materialized(pool.map(work, data.cells, data.codes, which.materialize()))
    return data.with_cells(cells, shape.ranged, exact=False)


def _step(j: int, stretches: Stretches | None, lows: Positions, highs: Positions) -> Any:
    """Give what masks the unique records of a part in one column, and marks the rows that may now equal others."""

    def work(number: int, part: Part, original: Part, unique: Part) -> Arrays:
        lo, hi = part["lo"].copy(), part["hi"].copy()
        rows, low, high = masked_cells(
            lo[:, j], hi[:, j], original["lo"][:, j], original["hi"][:, j], unique["unique"], stretches, lows, highs
        )
        # A changed row may equal other changed rows, and rows that have had one of the new cells before.
        concerned = shows(lo[:, j], hi[:, j], lows, highs)
        lo[rows, j], hi[rows, j] = low, high
        changed = np.zeros(lo.shape[0], bool)
        changed[rows] = concerned[rows] = True
        return {"lo": lo, "hi": hi, "concerned": concerned, "changed": changed}

    return work


def _find_unique(pool: Pool, state: Handle, columns: NDArray[np.int64], bounds: NDArray[np.int64]) -> Handle:
    """Find the changed rows whose key cells no other concerned row has."""

    def send(number: int, part: Part) -> tuple[Any, Arrays]:
        chosen = np.flatnonzero(part["concerned"])
        lo, hi = (np.ascontiguousarray(part[side][chosen][:, columns]) for side in ("lo", "hi"))
        bits = mix_rows(lo, hi, np.arange(columns.size))
        return bits, {"lo": lo, "hi": hi, "row": bounds[number] + chosen, "changed": part["changed"][chosen]}

    def back(number: int, part: Part) -> list[Arrays]:
        found = np.zeros(part["row"].size, bool)
        if found.size:
            found = alone_in(part["lo"], part["hi"], np.arange(columns.size)) & part["changed"]
        return restore_order({}, part["row"][found], bounds)

    def mark(number: int, part: Part) -> Arrays:
        unique = np.zeros(int(bounds[number + 1] - bounds[number]), bool)
        unique[part["offset"]] = True
        return {"unique": unique}

    there = shuffle_by_hash(pool, send, bounds.size - 1, state)
    return pool.map(mark, pool.shuffle(back, bounds.size - 1, there), summarize=_any_unique)


def _any_unique(number: int, part: Part) -> bool:
    return bool(part["unique"].any())


def _still_unique(number: int, before: Part, state: Part, now: Part) -> Arrays:
    """Update the unique rows: changed rows as they were just found, all others as before."""
    return {"unique": np.where(state["changed"], now["unique"], before["unique"])}


def sum_counts(parts: Sequence[Counts]) -> Counts:
    """Sum the counts of parts."""
    values, places = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
    counts = np.zeros(values.size, np.int64)
    np.add.at(counts, places.reshape(-1), np.concatenate([part[1] for part in parts]))
    return values, counts
