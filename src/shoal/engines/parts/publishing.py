"""What is published for classes of a table in parts: found where the records of each class lie together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.domains.axis import Axis, Group
from shoal.engines.local.data import LocalData, moved
from shoal.engines.local.publishing import publish_some, published
from shoal.engines.parts.arranging import Arrays, arranged, ascending, homeward, rows_of
from shoal.engines.parts.data import PartedData, value_of
from shoal.engines.parts.labels import Labels, together
from shoal.engines.parts.pool import Beside, Handle, Lazy, Part, Pool, home
from shoal.engines.parts.ranking import Places
from shoal.engines.values import Publication
from shoal.kernels import MISSING
from shoal.kernels.grouping import by_label, gather_rows
from shoal.kernels.spans import hulls
from shoal.schema import Schema


@dataclass(frozen=True, eq=False)
class Published(Lazy):
    """Cells that were published once for each class, until someone wants them record by record.

    A part of ``classes`` has the matrices ``lo`` and ``hi`` with a row for each class, and of each record the ``index``
    of its class and its number (``row``).
    """

    pool: Pool
    classes: Handle
    bounds: NDArray[np.int64]

    @cached_property
    def column(self) -> Handle:
        """The cells of each record, beside the parts of the table."""
        bounds = self.bounds

        def send(number: int, part: Part) -> list[Arrays]:
            index, row = in_order(part)
            return homeward({side: gather_rows(part[side], index) for side in ("lo", "hi")}, row, bounds)

        return self.pool.exchange(send, bounds.size - 1, self.classes)


def in_order(part: Part) -> tuple[Positions, NDArray[Any]]:
    """Give the classes of the records of a part and their numbers, in the order of these."""
    index, row = part["index"], part["row"]
    order = ascending(row)
    return (index, row) if order is None else (rows_of(index, order), rows_of(row, order))


def generalized(
    pool: Pool, data: PartedData, schema: Schema, labels: Beside, groups: int, publish: Publication,
    columns: Sequence[str] | None,
) -> tuple[Schema, PartedData]:  # fmt: skip
    """Publish the same cells for all records of a label, in some columns or in all."""
    shape, bounds = data.shape, data.bounds
    ordered = not any(schema[name].axis.nominal or schema[name].axis.tree for name in shape.quasi)
    if publish == "range" and columns is None and ordered and data.rows > groups * max(data.sizes):
        return schema, _spread(pool, data, schema, labels)
    assembled, there = _lying_together(pool, data, labels)
    growing = [name for name in columns or shape.quasi if _may_grow(schema[name].axis, publish)]
    moments = data.known.moments

    def publishing(number: int, *parts: Part) -> Arrays:
        """Keep what is published once for each class, and which class each record is in."""
        part = assembled(number, *parts)
        lo, label = part["lo"], part["label"]
        if label.size == 0:
            return {"lo": lo, "hi": lo, "index": label, "row": part["row"]}
        before = shape.holding(lo, part.get("hi", lo))
        before.known.moments = moments
        grown, here = _published(before, schema, label, publish, columns)
        index = here.index if here.index.size else np.arange(label.size, dtype=np.int32)
        found = {"lo": here.lo, "hi": here.hi, "index": index, "row": part["row"]}
        sums = here.distances_from(before)
        if sums is not None:
            found["distances"] = sums
        for name in growing:
            found |= _packed(name, schema[name].axis, grown[name].axis)
        return found

    def told(number: int, part: Part) -> tuple[int, Any, dict[str, Axis | None]]:
        """Tell how many records there are, how far all are from what is published, and which axes have grown."""
        grown = {name: _unpacked(name, schema[name].axis, part) for name in growing}
        return part["row"].size, part.get("distances"), grown

    done = pool.each(publishing, *there, tell=told)
    sums = [part[1] for part in done.told if part[0]]
    grown = [part[2] for part in done.told]
    axes: dict[str, Axis] = {}
    if any(axis is not None for part in grown for axis in part.values()):
        axes = {name: _together(schema[name].axis, [part[name] for part in grown]) for name in growing}
        done = pool.each(_moving(schema, axes, {name: shape.quasi.index(name) for name in growing}), done)

    single = np.full((1, len(shape.quasi)), MISSING, np.int32)
    _, like = _published(shape.holding(single, single), schema, np.zeros(1, np.int32), publish, columns)
    released = data.with_cells(Published(pool, done, bounds), like.ranged)
    if all(part is not None for part in sums):
        released.known.distances = data.known.itself, np.sum(sums, axis=0)
    return schema.with_axes(axes), released


def _spread(pool: Pool, data: PartedData, schema: Schema, labels: Beside) -> PartedData:
    """Publish ranges for few classes, most larger than a part: their records stay where they are, only ends move."""
    shape = data.shape

    def ends(number: int, cells: Part, codes: Part, label: Part) -> tuple[NDArray[Any], Positions, Positions]:
        here = shape.unfolded(cells, codes)
        return _hulls(value_of(label), here.lo, here.hi)

    held = data.cells, data.codes, home(labels)
    found = pool.gather(ends, *held)
    numbers, low, high = _hulls(*(np.concatenate([part[i] for part in found]) for i in range(3)))

    def publishing(number: int, cells: Part, codes: Part, label: Part) -> Arrays:
        return {"lo": low, "hi": high, "index": np.searchsorted(numbers, value_of(label)).astype(np.int32)}

    _, like = _published(shape.holding(low[:1], high[:1]), schema, np.zeros(1, np.int32), "range", None)
    return data.with_cells(pool.each(publishing, *held), like.ranged)


def _hulls(labels: NDArray[Any], lo: Positions, hi: Positions) -> tuple[NDArray[Any], Positions, Positions]:
    """Give the labels that occur, and for each the limits of its cells."""
    numbers, places = np.unique(labels, return_inverse=True)
    low, high = hulls(lo, hi, by_label(places.astype(np.int32), numbers.size))
    return numbers, low, high


def _lying_together(pool: Pool, data: PartedData, labels: Beside) -> tuple[Callable[..., Arrays], tuple[Handle, ...]]:
    """Bring the records of each class together, unless they are; and say how they are found in a part."""
    formed = labels.classes() if isinstance(labels, Places) else labels
    if isinstance(formed, Labels) and formed.cells is data.cells:
        begun = formed.begun
        return lambda number, *parts: together(("row", "lo", "hi"), number in begun, *parts), formed.there
    shape = data.shape

    def telling(number: int, cells: Part, codes: Part, label: Part) -> tuple[list[Any], Any]:
        def moving() -> Arrays:
            here = shape.bare.unfolded(cells, codes)
            return {"lo": here.lo} | ({} if here.hi is here.lo else {"hi": here.hi})

        return [value_of(label)], moving

    def numbered(number: int, part: Part) -> Arrays:
        label = part["key0"]
        own = (label - label.min()).astype(np.int32) if label.size else label.astype(np.int32)
        return {name: part[name] for name in part if name != "key0"} | {"label": own}

    return numbered, (arranged(pool, telling, data.bounds, data.cells, data.codes, home(labels), whole=True),)


def _moving(schema: Schema, axes: Mapping[str, Axis], places: Mapping[str, int]) -> Callable[[int, Part], Arrays]:
    """Say how the cells of a part come to lie on the axes of all parts."""

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
        return publish_some(data, schema, labels, groups, publish, columns)
    return published(data, schema, labels, groups, publish)


def _may_grow(axis: Axis, publish: Publication) -> bool:
    """Tell whether an axis may get new positions: sets of categories, or means that nobody has."""
    if axis.nominal:
        return publish == "range"
    plain_days = axis.kind == "date" and axis.values is None
    return publish in ("mean", "median") and axis.numeric and not plain_days


def _packed(name: str, before: Axis, after: Axis) -> Arrays:
    """Give what is new on an axis as numbers: values, or the members of groups one behind the other."""
    if after is before:
        return {}
    if before.nominal:
        new = after.groups[len(before.groups) :]
        members = np.array([member for group in new for member in group.members], np.int32)
        return {f"sizes:{name}": np.array([len(group.members) for group in new], np.int32), f"axis:{name}": members}
    assert after.values is not None
    return {f"axis:{name}": after.values}


def _unpacked(name: str, before: Axis, part: Part) -> Axis | None:
    """Give the axis on which the cells of a part lie; None if it is what it was."""
    if f"axis:{name}" not in part:
        return None
    values = part[f"axis:{name}"]
    if before.nominal:
        members = np.split(values, np.cumsum(part[f"sizes:{name}"])[:-1])
        groups = tuple(Group(tuple(group.tolist())) for group in members) if values.size else ()
        return Axis(before.kind, before.values, before.groups + groups)
    return replace(before, kind="float" if before.kind == "integer" else before.kind, values=values)


def _together(before: Axis, parts: Sequence[Axis | None]) -> Axis:
    """Give one axis for the cells of all parts."""
    grown = [axis for axis in parts if axis is not None]
    if before.nominal:
        groups = dict.fromkeys(group for axis in grown for group in axis.groups[len(before.groups) :])
        return Axis(before.kind, before.values, before.groups + tuple(groups))
    if not grown:
        return before
    values = np.unique(np.concatenate([axis.values for axis in grown if axis.values is not None]))
    return replace(grown[0], values=values)


def _places(before: Axis, own: Axis, common: Axis) -> Positions:
    """Give the place of each position of a part's axis on the axis of all parts."""
    assert own.values is not None
    if not before.nominal:
        return np.searchsorted(common.values, own.values).astype(np.int32)  # type: ignore[arg-type]
    kept = len(own.values) + len(before.groups)
    seats = {group.members: len(own.values) + i for i, group in enumerate(common.groups) if group.pattern is None}
    new = [seats[group.members] for group in own.groups[len(before.groups) :]]
    return np.append(np.arange(kept, dtype=np.int32), np.array(new, np.int32))
