"""Classes formed piece by piece, each where its records were brought together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.arrays import Positions
from shoal.engines.local.cutting import Cutting
from shoal.engines.parts.data import PartsTable
from shoal.engines.parts.groups import Rank, carried
from shoal.engines.parts.keys import cells_there, keys_in
from shoal.engines.parts.labels import LabelColumn
from shoal.engines.parts.pool import Beside, Handle, Part, Pool
from shoal.engines.parts.shuffle import Arrays, keys_of, part_of, piece_splits, shuffle_by_range
from shoal.engines.pieces import Splits
from shoal.schema import Schema
from shoal.table import Carry


def labelled(
    pool: Pool, data: PartsTable, schema: Schema, keys: Sequence[str | Beside], least: int, pieces: int,
    cutting: Cutting, carry: Sequence[Carry], rank: Rank,
) -> tuple[LabelColumn, int]:  # fmt: skip
    """Give the label of each record, and how many labels there are; pieces are those of a table in memory."""
    shape, bounds = data.shape, data.bounds
    columns, handles = carried(schema, carry, rank)
    found, beside = keys_in(data, keys)
    held = [data.cells, data.codes, *beside, *handles]

    def telling(number: int, cells: Part, codes: Part, *given: Part) -> tuple[list[Any], Any]:
        def moving() -> Arrays:
            here = (shape if carry else shape.bare).unfolded(cells, codes)
            ends = {"lo": here.lo} | ({} if here.hi is here.lo else {"hi": here.hi})
            return ends | columns(here, given[len(beside) :])

        return found(cells, codes, given), moving

    def formed(splits: Splits) -> tuple[Handle, Handle]:
        """Bring pieces together and label their records, unless there are too few of them in a piece."""

        def label(number: int, part: Part) -> Arrays:
            pieces = _pieces(part, splits, number, parts)
            sizes = [rows.size for rows in pieces]
            if splits.ranges > 1 and min(sizes, default=least) < least:
                return {"label": np.empty(0, np.int32), "sizes": np.array(sizes)}
            values = {item: part[f"carry{i}"] for i, item in enumerate(carry)}
            return {
                "label": cutting.labelled(cells_there(shape, part), pieces, values)[0],
                "sizes": np.array(sizes, np.int64),
            }

        def summarize(number: int, part: Part) -> tuple[int, list[int]]:
            return int(part["label"].max(initial=-1)) + 1, part["sizes"].tolist()

        there = shuffle_by_range(pool, telling, bounds, *held, splits=splits)
        return there, pool.map(label, there, summarize=summarize)

    parts = len(data.sizes)
    splits = piece_splits(pool, telling, bounds, pieces, held) if pieces > 1 else Splits.none(len(keys))
    there, done = formed(splits)
    sizes = [size for _, told in done.summaries for size in told]
    if splits.ranges > 1 and min(sizes) < least:
        there, done = formed(splits.without_short_ranges(sizes, least))
    first = np.append(0, np.cumsum([groups for groups, _ in done.summaries]))
    return LabelColumn(pool, data.cells, (there, done), first, bounds), int(first[-1])


def _pieces(part: Part, splits: Splits, number: int, parts: int) -> list[Positions]:
    """Give the records of each piece that a part holds, in the order of their keys."""
    mine = [piece for piece in range(splits.ranges) if part_of(piece, splits.ranges, parts) == number]
    return splits.some(slice(mine[0], mine[-1])).stretches(keys_of(part), part["row"]) if mine else []
