"""What is known of a whole table in parts before the first part of it is written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.engines.io.bounds import split, with_ends
from shoal.engines.parts.data import PartsTable
from shoal.engines.parts.pool import Part, Pool
from shoal.engines.sources import Source
from shoal.engines.values import Layout
from shoal.schema import Schema


@dataclass(frozen=True, eq=False)
class WholeTable:
    """What is known of a whole table before the first part of it is written.

    ``exact`` tells in which quasi-identifiers all cells are exact, and ``lists`` are the categories of columns that are
    kept as such.
    """

    exact: Sequence[bool]
    lists: Mapping[str, Any]


def lists_of_parts(
    pool: Pool, data: PartsTable, schema: Schema, target: Source, layout: Layout, exact: Sequence[bool]
) -> Mapping[str, Any]:
    """Give the categories of columns of the whole table."""
    from shoal.engines.io.file_writer import form_in
    from shoal.engines.io.released_categories import KEEPING, DistinctValues, found_in, lists_of, wanted

    form = form_in(target)
    if form not in KEEPING:
        return {}
    bounds, read = layout.bounds, data.reader()
    names = with_ends(data.shape.quasi, bounds)

    def look(names: Collection[str]) -> list[DistinctValues]:
        def work(number: int, cells: Part, codes: Part) -> DistinctValues:
            return found_in(split(read(cells, codes), bounds), schema, names)

        return pool.collect(work, data.cells, data.codes)

    ranged = {name for name, written in zip(data.shape.quasi, data.shape.ranged, strict=True) if written}
    single = [name for name, alone in zip(names, exact, strict=True) if alone and name not in ranged]
    came = {name: give(np.empty(0, np.int32)) for name, give in data.typed.items()}
    return lists_of(wanted(schema, came, single, form), form, look)
