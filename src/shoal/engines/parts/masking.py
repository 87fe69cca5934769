"""Masking of records that stand alone in a table in parts: who is alone is found where equal cells meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Counts, Positions
from shoal.domains.axis import Axis
from shoal.domains.levels import Stretches
from shoal.engines.local.masking import alone_in, masked_cells, shows
from shoal.engines.local.publishing import seated
from shoal.engines.parts.arranging import Arrays, gathered, homeward
from shoal.engines.parts.data import PartedData
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import mix_rows
from shoal.schema import Schema


def mask_unique(
    pool: Pool, data: PartedData, schema: Schema, steps: Sequence[tuple[str, Stretches | None]], key: Sequence[str]
) -> tuple[Schema, PartedData, Mapping[str, Counts]]:
    """Bring one column after the other to its level in the records that no other record equals in the key."""
    shape, bounds = data.shape, data.bounds
    columns = np.array([shape.quasi.index(name) for name in key], np.int64)

    def begin(number: int, cells: Part, codes: Part) -> Arrays:
        here = shape.unfolded(cells, codes)
        n = here.lo.shape[0]
        return {"lo": here.lo, "hi": here.hi, "concerned": np.ones(n, bool), "changed": np.ones(n, bool)}

    original = pool.each(begin, data.cells, data.codes)
    state, alone = original, _alone(pool, original, columns, bounds)
    axes: dict[str, Axis] = {}
    for name, stretches in steps:
        if not any(alone.told):
            break
        ends = np.array([MISSING], np.int32), np.array([TOP], np.int32)
        if stretches is not None:
            axes[name], *ends = seated(axes.get(name, schema[name].axis), stretches)  # type: ignore[assignment]
        state = pool.each(_step(shape.quasi.index(name), stretches, *ends), state, original, alone)
        alone = pool.each(_still_alone, alone, state, _alone(pool, state, columns, bounds), tell=_any_alone)

    def count(number: int, before: Part, after: Part) -> list[Counts]:
        changed = (after["lo"] != before["lo"]) | (after["hi"] != before["hi"])
        return [np.unique(before["lo"][changed[:, j], j], return_counts=True) for j in masked.values()]

    masked = {name: shape.quasi.index(name) for name, _ in steps}
    found = zip(*pool.gather(count, original, state), strict=True)
    hidden = {name: together(parts) for name, parts in zip(masked, found, strict=True)}
    cells = pool.each(lambda number, part: {"lo": part["lo"], "hi": part["hi"]}, state)
    return schema.with_axes(axes), data.with_cells(cells, shape.ranged), hidden


def _step(j: int, stretches: Stretches | None, lows: Positions, highs: Positions) -> Any:
    """Say how a part goes through one step: what is alone and changes, and what it may meet then."""

    def work(number: int, part: Part, original: Part, alone: Part) -> Arrays:
        lo, hi = part["lo"].copy(), part["hi"].copy()
        rows, low, high = masked_cells(
            lo[:, j], hi[:, j], original["lo"][:, j], original["hi"][:, j], alone["alone"], stretches, lows, highs
        )
        # Only what changes now may meet others, and only those that show one of the new cells already.
        concerned = shows(lo[:, j], hi[:, j], lows, highs)
        lo[rows, j], hi[rows, j] = low, high
        changed = np.zeros(lo.shape[0], bool)
        changed[rows] = concerned[rows] = True
        return {"lo": lo, "hi": hi, "concerned": concerned, "changed": changed}

    return work


def _alone(pool: Pool, state: Handle, columns: NDArray[np.int64], bounds: NDArray[np.int64]) -> Handle:
    """Tell which of the rows that changed have key cells that no other concerned row has."""

    def send(number: int, part: Part) -> tuple[Any, Arrays]:
        chosen = np.flatnonzero(part["concerned"])
        lo, hi = (np.ascontiguousarray(part[side][chosen][:, columns]) for side in ("lo", "hi"))
        bits = mix_rows(lo, hi, np.arange(columns.size))
        return bits, {"lo": lo, "hi": hi, "row": bounds[number] + chosen, "changed": part["changed"][chosen]}

    def back(number: int, part: Part) -> list[Arrays]:
        lonely = np.zeros(part["row"].size, bool)
        if lonely.size:
            lonely = alone_in(part["lo"], part["hi"], np.arange(columns.size)) & part["changed"]
        return homeward({}, part["row"][lonely], bounds)

    def mark(number: int, part: Part) -> Arrays:
        alone = np.zeros(int(bounds[number + 1] - bounds[number]), bool)
        alone[part["seat"]] = True
        return {"alone": alone}

    there = gathered(pool, send, bounds.size - 1, state)
    return pool.each(mark, pool.exchange(back, bounds.size - 1, there), tell=_any_alone)


def _any_alone(number: int, part: Part) -> bool:
    return bool(part["alone"].any())


def _still_alone(number: int, before: Part, state: Part, now: Part) -> Arrays:
    """Tell who is alone: those that changed if they met nobody, all others if they were."""
    return {"alone": np.where(state["changed"], now["alone"], before["alone"])}


def together(parts: Sequence[Counts]) -> Counts:
    """Add up what was counted part by part."""
    values, places = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
    counts = np.zeros(values.size, np.int64)
    np.add.at(counts, places.reshape(-1), np.concatenate([part[1] for part in parts]))
    return values, counts
