"""Generalized cells of the classes of a table in parts, computed where the records of each class lie together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.domains.axis import Axis, Group
from shoal.engines.local.generalizing import generalize_all, generalize_some
from shoal.engines.local_data import LocalData, moved
from shoal.engines.parts.columns import Grouped, LazyColumn, Materialized
from shoal.engines.parts.data import Arrays, PartsTable, value_of
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.engines.parts.shuffle import ascending, restore_order, rows_of, shuffle_by_range
from shoal.engines.values import Publication
from shoal.kernels import MISSING
from shoal.kernels.grouping import by_label, gather_rows
from shoal.kernels.spans import hulls
from shoal.schema import Schema


@dataclass(frozen=True, eq=False)
class GeneralizedCells(LazyColumn):
    """The cells of each record, from those of its class (see `PartsTable.classes`)."""

    pool: Pool
    classes: Handle
    bounds: NDArray[np.int64]

    def compute(self) -> Handle:
        """Send the cells of each record back to where it is in the table."""
        bounds = self.bounds

        def send(number: int, part: Part) -> list[Arrays]:
            index, row = part["index"], part["row"]
            order = ascending(row)
            if order is not None:
                index, row = rows_of(index, order), rows_of(row, order)
            return restore_order({side: gather_rows(part[side], index) for side in ("lo", "hi")}, row, bounds)

        return self.pool.shuffle(send, bounds.size - 1, self.classes)


def generalized(
    pool: Pool, data: PartsTable, schema: Schema, labels: LazyColumn, groups: int, publish: Publication,
    columns: Sequence[str] | None,
) -> tuple[Schema, PartsTable]:  # fmt: skip
    """Give all records of a label the same cells, in some columns or in all."""
    shape = data.shape
    ordered = not any(schema[name].axis.nominal or schema[name].axis.tree for name in shape.quasi)
    if publish == "range" and columns is None and ordered and data.rows > groups * max(data.sizes):
        return schema, _in_place(pool, data, schema, labels)
    grouped = labels.grouped(data.cells) or _grouped(pool, data, labels)
    records = grouped.records
    growing = [name for name in columns or shape.quasi if _may_grow(schema[name].axis, publish)]
    moments = data.cache.moments

    def generalize(number: int, *parts: Part) -> Arrays:
        """Give the cells of each class, the class of each record, and the sum of distances if it is known."""
        part = records(number, *parts)
        lo, label = part["lo"], part["label"]
        if label.size == 0:
            return {"lo": lo, "hi": lo, "index": label, "row": part["row"], "distances": np.empty(0)}
        before = shape.holding(*shape.ends(part))
        before.cache.moments = moments
        grown, here = _published(before, schema, label, publish, columns)
        index = here.index if here.index.size else np.arange(label.size, dtype=np.int32)
        sums = here.distances_from(before)
        found = {"lo": here.lo, "hi": here.hi, "index": index, "row": part["row"]}
        for name in growing:
            found |= _packed(name, schema[name].axis, grown[name].axis)
        return found | {"distances": np.empty(0) if sums is None else sums}

    def summarize(number: int, part: Part) -> tuple[int, Any, dict[str, Axis | None]]:
        """Give the number of records, the sum of distances, and the axes that have grown."""
        grown = {name: _unpacked(name, schema[name].axis, part) for name in growing}
        return part["row"].size, part["distances"], grown

    classes = pool.map(generalize, *grouped.handles, summarize=summarize)
    sums = [part[1] for part in classes.summaries if part[0]]
    grown = [part[2] for part in classes.summaries]
    axes: dict[str, Axis] = {}
    if any(axis is not None for part in grown for axis in part.values()):
        axes = {name: _merged(schema[name].axis, [part[name] for part in grown]) for name in growing}
        classes = pool.map(_moving(schema, axes, {name: shape.quasi.index(name) for name in growing}), classes)

    single = np.full((1, len(shape.quasi)), MISSING, np.int32)
    _, like = _published(shape.holding(single, single), schema, np.zeros(1, np.int32), publish, columns)
    cells = GeneralizedCells(pool, classes, data.bounds)
    released = data.with_cells(cells, like.ranged, exact=False, scattered=True, classes=classes)
    if all(part.size for part in sums):
        released.cache.distances = data.cache.itself, np.sum(sums, axis=0)
    return schema.with_axes(axes), released


def _in_place(pool: Pool, data: PartsTable, schema: Schema, labels: LazyColumn) -> PartsTable:
    """Give ranges to few classes, most larger than a part: no record moves, only the limits of classes do."""
    shape = data.shape

    def limits(number: int, cells: Part, codes: Part, label: Part) -> tuple[NDArray[Any], Positions, Positions]:
        here = shape.unfolded(cells, codes)
        return _hulls(value_of(label), here.lo, here.hi)

    held = data.cells, data.codes, labels.materialize()
    found = pool.collect(limits, *held)
    numbers, low, high = _hulls(*(np.concatenate([part[i] for part in found]) for i in range(3)))

    def generalize(number: int, cells: Part, codes: Part, label: Part) -> Arrays:
        index = np.searchsorted(numbers, value_of(label)).astype(np.int32)
        some = slice(None if index.size else 0)  # a part without records has no matrix row that is anyone's
        return {"lo": low[some], "hi": high[some], "index": index}

    _, like = _published(shape.holding(low[:1], high[:1]), schema, np.zeros(1, np.int32), "range", None)
    return data.with_cells(Materialized(pool.map(generalize, *held)), like.ranged, exact=False, indexed=True)


def _hulls(labels: NDArray[Any], lo: Positions, hi: Positions) -> tuple[NDArray[Any], Positions, Positions]:
    """Give the labels that occur, and for each the limits of its cells."""
    numbers, places = np.unique(labels, return_inverse=True)
    low, high = hulls(lo, hi, by_label(places.astype(np.int32), numbers.size))
    return numbers, low, high


def _grouped(pool: Pool, data: PartsTable, labels: LazyColumn) -> Grouped:
    """Bring the records of each class together."""
    shape = data.shape.quasi_only

    def extract(number: int, cells: Part, codes: Part, label: Part) -> tuple[list[Any], Any]:
        return [value_of(label)], lambda: shape.columns(shape.unfolded(cells, codes))

    def records(number: int, part: Part) -> Arrays:
        label = part["key0"]
        own = (label - label.min()).astype(np.int32) if label.size else label.astype(np.int32)
        return {name: part[name] for name in (*shape.sides, "row")} | {"label": own}

    return Grouped(records, (shuffle_by_range(pool, data, extract, labels.materialize(), whole=True),))


def _moving(schema: Schema, axes: Mapping[str, Axis], places: Mapping[str, int]) -> Callable[[int, Part], Arrays]:
    """Move the cells of a part to the axes of all parts."""

    def move(number: int, part: Part) -> Arrays:
        sides = {side: part[side].copy() for side in ("lo", "hi")}
        for name, j in places.items():
            own = _unpacked(name, schema[name].axis, part)
            if own is not None:
                to = _places(schema[name].axis, own, axes[name])
                for side in sides.values():
                    side[:, j] = moved(side[:, j], to)
        return sides | {"index": part["index"], "row": part["row"]}

    return move


def _published(
    data: LocalData, schema: Schema, labels: Positions, publish: Publication, columns: Sequence[str] | None
) -> tuple[Schema, LocalData]:
    groups = int(labels.max(initial=-1)) + 1
    if columns is not None:
        return generalize_some(data, schema, labels, groups, publish, columns)
    return generalize_all(data, schema, labels, groups, publish)


def _may_grow(axis: Axis, publish: Publication) -> bool:
    """Tell whether an axis may get new positions: sets of categories, or means that nobody has."""
    if axis.nominal:
        return publish == "range"
    plain_days = axis.kind == "date" and axis.values is None
    return publish in ("mean", "median") and axis.numeric and not plain_days


def _packed(name: str, before: Axis, after: Axis) -> Arrays:
    """Give what is new on an axis as arrays: values, or the members of groups, concatenated."""
    if after is before:
        return {}
    if before.nominal:
        new = after.groups[len(before.groups) :]
        members = np.array([member for group in new for member in group.members], np.int32)
        return {f"sizes:{name}": np.array([len(group.members) for group in new], np.int32), f"axis:{name}": members}
    assert after.values is not None
    return {f"axis:{name}": after.values}


def _unpacked(name: str, before: Axis, part: Part) -> Axis | None:
    """Give the axis of a part; None if it has not grown."""
    if f"axis:{name}" not in part:
        return None
    values = part[f"axis:{name}"]
    if before.nominal:
        members = np.split(values, np.cumsum(part[f"sizes:{name}"])[:-1])
        groups = tuple(Group(tuple(group.tolist())) for group in members) if values.size else ()
        return Axis(before.kind, before.values, before.groups + groups)
    return replace(before, kind="float" if before.kind == "integer" else before.kind, values=values)


def _merged(before: Axis, parts: Sequence[Axis | None]) -> Axis:
    """Merge the axes of all parts."""
    grown = [axis for axis in parts if axis is not None]
    if before.nominal:
        groups = dict.fromkeys(group for axis in grown for group in axis.groups[len(before.groups) :])
        return Axis(before.kind, before.values, before.groups + tuple(groups))
    if not grown:
        return before
    values = np.unique(np.concatenate([axis.values for axis in grown if axis.values is not None]))
    return replace(grown[0], values=values)


def _places(before: Axis, own: Axis, common: Axis) -> Positions:
    """Give the position on the axis of all parts for each position on that of a part."""
    assert own.values is not None
    if not before.nominal:
        return np.searchsorted(common.values, own.values).astype(np.int32)  # type: ignore[arg-type]
    kept = len(own.values) + len(before.groups)
    known = {group.members: len(own.values) + i for i, group in enumerate(common.groups) if group.pattern is None}
    new = [known[group.members] for group in own.groups[len(before.groups) :]]
    return np.append(np.arange(kept, dtype=np.int32), np.array(new, np.int32))
