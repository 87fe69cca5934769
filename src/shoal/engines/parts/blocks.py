"""Classes formed block by block, after a shuffle that brings the records of each block into one part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.arrays import Positions
from shoal.engines.local.blocks import BlockKernel
from shoal.engines.parts.columns import LazyColumn
from shoal.engines.parts.data import Arrays, PartsTable
from shoal.engines.parts.groups import Rank, carried
from shoal.engines.parts.keys import keys_in
from shoal.engines.parts.labels import LabelColumn
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.engines.parts.shuffle import block_splits, keys_of, part_of, shuffle_by_range
from shoal.engines.range_splits import Splits
from shoal.schema import Schema
from shoal.table import Carry


def map_blocks(
    pool: Pool, data: PartsTable, schema: Schema, keys: Sequence[str | LazyColumn], least: int, blocks: int,
    cutting: BlockKernel, carry: Sequence[Carry], rank: Rank,
) -> tuple[LabelColumn, int]:  # fmt: skip
    """Give the label of each record and the number of labels; the blocks are those of the same table in memory."""
    shape = data.shape if carry else data.shape.quasi_only
    beside, carried_columns = carried(schema, carry, rank)
    found, key_columns = keys_in(data, keys)
    columns = [*key_columns, *carried_columns]
    parts, skipped = len(data.sizes), len(key_columns)

    def extract(number: int, cells: Part, codes: Part, *given: Part) -> tuple[list[Any], Any]:
        def moving() -> Arrays:
            here = shape.unfolded(cells, codes)
            return shape.columns(here) | beside(here, given[skipped:])

        return found(cells, codes, given), moving

    def formed(splits: Splits) -> tuple[Handle, Handle]:
        """Bring blocks together and label their records, unless a block has too few of them."""

        def label(number: int, part: Part) -> Arrays:
            here = _blocks(part, splits, number, parts)
            sizes = np.array([rows.size for rows in here], np.int64)
            if splits.ranges > 1 and sizes.min(initial=least) < least:
                return {"label": np.empty(0, np.int32), "sizes": sizes}
            values = {item: part[f"carry{i}"] for i, item in enumerate(carry)}
            return {"label": cutting.labelled(shape.holding(*shape.ends(part)), here, values)[0], "sizes": sizes}

        def summarize(number: int, part: Part) -> tuple[int, list[int]]:
            return int(part["label"].max(initial=-1)) + 1, part["sizes"].tolist()

        there = shuffle_by_range(pool, data, extract, *columns, splits=splits)
        return there, pool.map(label, there, summarize=summarize)

    splits = block_splits(pool, data, extract, blocks, columns) if blocks > 1 else Splits.none(len(keys))
    there, labels = formed(splits)
    sizes = [size for _, some in labels.summaries for size in some]
    if splits.ranges > 1 and min(sizes) < least:
        there, labels = formed(splits.without_short_ranges(sizes, least))
    first = np.append(0, np.cumsum([groups for groups, _ in labels.summaries]))
    return LabelColumn(pool, data, there, labels, first), int(first[-1])


def _blocks(part: Part, splits: Splits, number: int, parts: int) -> list[Positions]:
    """Give the records of each block that a part holds, in the order of their keys."""
    mine = [block for block in range(splits.ranges) if part_of(block, splits.ranges, parts) == number]
    return splits.some(slice(mine[0], mine[-1])).stretches(keys_of(part), part["row"]) if mine else []
