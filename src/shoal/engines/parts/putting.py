"""Other cells in the place of those of whole columns, and kernels on groups, of a table in parts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.arrays import Array, Integers
from shoal.domains.axis import Axis
from shoal.engines.local.grouped_kernels import map_groups as map_here
from shoal.engines.local.putting import NewWords, coded, new_words, now_ranged, put_axes, with_ends, with_ranges
from shoal.engines.packed_cells import all_single, any_range, cells_among, packed
from shoal.engines.parts.columns import LazyColumn, Materialized
from shoal.engines.parts.data import Arrays, PartsTable, column_part, value_of
from shoal.engines.parts.pool import Part, Pool
from shoal.engines.parts.shuffle import restore_order, shuffle_by_range
from shoal.engines.protocol import GroupKernel
from shoal.kernels.grouping import distinct
from shoal.schema import Schema


def packed_column(pool: Pool, data: PartsTable, name: str) -> LazyColumn:
    """Give the cells of a column, one number each."""
    shape = data.shape if name in data.shape.carried else data.shape.quasi_only

    def work(number: int, cells: Part, codes: Part) -> Arrays:
        return column_part(packed(*shape.local(cells, codes).ends(name, slice(None))))

    return Materialized(pool.map(work, data.cells, data.codes))


def put(
    pool: Pool, data: PartsTable, schema: Schema, columns: Mapping[str, tuple[Axis, LazyColumn]]
) -> tuple[Schema, PartsTable]:
    """Give columns other cells, packed, on axes that have them."""
    axes = {name: axis for name, (axis, _) in columns.items()}
    spanned = {name: column for name, (_, column) in columns.items() if name in data.shape.quasi}
    carried = {name: column for name, (_, column) in columns.items() if name in data.shape.carried}
    new = {name for name in spanned if axes[name] is not schema[name].axis}
    changed = _with_ends(pool, data, spanned, new, axes) if spanned else data
    changed = _with_codes(pool, changed, schema, {name: (axes[name], carried[name]) for name in carried})
    return put_axes(schema, axes), changed


def _with_ends(
    pool: Pool, data: PartsTable, columns: Mapping[str, LazyColumn], new: Collection[str], axes: Mapping[str, Axis]
) -> PartsTable:
    shape, names = data.shape.quasi_only, list(columns)
    handles = [column.materialize() for column in columns.values()]

    def looks(number: int, *given: Part) -> list[tuple[bool, bool]]:
        return [(all_single(value_of(each)), any_range(value_of(each))) for each in given]

    found = list(zip(*pool.collect(looks, *handles), strict=True))
    single = [all(alone for alone, _ in each) for each in found]
    ranges = {name for name, each in zip(names, found, strict=True) if any(wide for _, wide in each)}
    exact = shape.exact and all(single)
    moved = {name for name, alone in zip(names, single, strict=True) if alone and name in new}
    ranged = now_ranged(data.shape.quasi, shape.ranged, moved, with_ranges(axes, ranges))

    def work(number: int, cells: Part, codes: Part, *given: Part) -> Arrays:
        here = with_ends(shape.unfolded(cells, codes), dict(zip(names, map(value_of, given), strict=True)), exact=exact)
        return {"lo": here.lo} if exact else {"lo": here.lo, "hi": here.hi}

    cells = Materialized(pool.map(work, data.cells, data.codes, *handles))
    return data.with_cells(cells, ranged, exact=exact)


def _with_codes(
    pool: Pool, data: PartsTable, schema: Schema, columns: Mapping[str, tuple[Axis, LazyColumn]]
) -> PartsTable:
    if not columns:
        return data
    places = {name: data.shape.carried.index(name) for name in columns}
    handles = [column.materialize() for _, column in columns.values()]
    words, typed, found = list(data.whole_words()), dict(data.typed), list[tuple[int, Integers, NewWords]]()
    for (name, (axis, _)), handle in zip(columns.items(), handles, strict=True):
        parts = pool.collect(lambda number, part: distinct(value_of(part)), handle)
        values = distinct(np.concatenate(parts))
        new = new_words(words[places[name]], values, axis, same=axis is schema[name].axis)
        words[places[name]] = new.words
        if not new.kept:
            typed.pop(name, None)
        bare = None if new.words is None else replace(new.words, texts=())
        found.append((places[name], values, NewWords(bare, new.codes, kept=new.kept)))

    def work(number: int, codes: Part, *given: Part) -> Arrays:
        matrix = codes["codes"].copy()
        for (j, values, new), part in zip(found, given, strict=True):
            cells = value_of(part)
            matrix[:, j] = coded(new, new.codes[cells_among(values, cells)], matrix[:, j], cells)
        return {"codes": matrix}

    textless = tuple(each if each is None else replace(each, texts=()) for each in words)
    texts = tuple(None if each is None else each.texts for each in words)
    other = replace(
        data, codes=pool.map(work, data.codes, *handles), texts=texts, typed=typed,
        shape=replace(data.shape, words=textless),
    )  # fmt: skip
    other.cache.moments, other.cache.columns = data.cache.moments, data.cache.columns
    return other


def map_groups(
    pool: Pool, data: PartsTable, labels: LazyColumn, kernel: GroupKernel, columns: Sequence[LazyColumn], width: int
) -> LazyColumn:
    """Bring the records of each group together, hand them to a kernel, and send back what it finds for each."""
    bounds, handles = data.bounds, [column.materialize() for column in columns]

    def extract(number: int, cells: Part, codes: Part, label: Part, *given: Part) -> tuple[list[Any], Any]:
        return [value_of(label)], lambda: {f"value{i}": value_of(part) for i, part in enumerate(given)}

    def send(number: int, part: Part) -> list[Arrays]:
        values: list[Array] = [part[f"value{i}"] for i in range(len(handles))]
        found = map_here(part["key0"], kernel, values, width)
        return restore_order({"value": found}, part["row"], bounds)

    there = shuffle_by_range(pool, data, extract, labels.materialize(), *handles, whole=True)
    return Materialized(pool.shuffle(send, bounds.size - 1, there))
