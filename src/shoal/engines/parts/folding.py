"""Sums over the records of two tables in parts, an original and its release."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from shoal.arrays import Array, Positions
from shoal.engines.local.aligning import Used, alignment, refuse_strangers, used_positions, with_moves
from shoal.engines.local_data import spans
from shoal.engines.parts.data import Arrays, PartSchema, PartsTable
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.engines.protocol import PairKernel
from shoal.kernels.grouping import distinct
from shoal.schema import Schema


def folded(
    pool: Pool, first: PartsTable, schema: Schema, second: PartsTable, released: Schema,
    kernel: PairKernel,
) -> Array:  # fmt: skip
    """Put the tables on common axes and into parts with the same records, and sum what a kernel gives for each."""
    refuse_strangers(first.shape.quasi, second.shape.quasi, (first.rows, second.rows))
    used = _used(pool, first), _used(pool, second)
    plan = alignment(schema, released, first.shape.quasi, used)
    before_schema, after_schema = schema.with_axes(plan.axes), released.with_axes(plan.axes)
    one = first.shape.quasi_only

    def work(number: int, cells: Part, codes: Part, published: Part, beside: Part) -> Array:
        mine = with_moves(one.unfolded(cells, codes), plan.names, plan.first)
        theirs = with_moves(other.local(published, beside), plan.names, plan.second)
        members = theirs.members() if theirs.index.size else None
        return kernel(spans(mine, before_schema), spans(theirs, after_schema), members)

    other, *there = _alongside(pool, second, first)
    return np.sum(pool.collect(work, first.cells, first.codes, *there), axis=0)  # type: ignore[no-any-return]


def _used(pool: Pool, data: PartsTable) -> Used:
    def used(name: str) -> Positions:
        shape = data.shape.quasi_only
        parts = pool.collect(
            lambda number, cells, codes: used_positions(shape.local(cells, codes), name), data.cells, data.codes
        )
        return distinct(np.concatenate(parts))

    return used


def _alongside(pool: Pool, data: PartsTable, like: PartsTable) -> tuple[PartSchema, Handle, Handle]:
    """Give the cells of a table in parts that hold the same records as those of another, and what these hold."""
    if data.sizes == like.sizes:
        return data.shape.quasi_only, data.cells, data.codes
    shape, mine, theirs = data.shape.quasi_only, data.bounds, like.bounds

    def send(number: int, cells: Part, codes: Part) -> list[Arrays]:
        here = shape.unfolded(cells, codes)
        cuts = np.clip(theirs - mine[number], 0, here.rows).tolist()
        return [{side: end[a:b] for side, end in shape.columns(here).items()} for a, b in pairwise(cuts)]

    moved = pool.shuffle(send, len(like.sizes), data.cells, data.codes)
    return shape.in_order, moved, moved
