"""Classes and boxes of a table in parts: what is alike is brought together, and worked on where it then lies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.engines import Boxes
from shoal.engines.local.data import LocalData, known_values
from shoal.engines.parts.arranging import Arrays, arranged, gathered, homeward, mixed, numbers_of
from shoal.engines.parts.data import PartedData, value_of
from shoal.engines.parts.labels import home
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.errors import SchemaError
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import by_label, count_labels, label_rows
from shoal.schema import Schema
from shoal.table import Carry, Classes, Given, Ranked, Tally

T = TypeVar("T")
Positions = NDArray[np.int32]


def refuse_others(data: PartedData, by: Sequence[str]) -> None:
    """Refuse to form classes by what is not a quasi-identifier."""
    strange = [name for name in by if name not in data.shape.quasi]
    if strange:
        raise SchemaError(
            f"Column '{strange[0]}' is not a quasi-identifier.", "Classes are formed by quasi-identifiers only."
        )


def carried(
    schema: Schema, carry: Sequence[Carry], rank: Callable[[str], Handle]
) -> tuple[Callable[[LocalData, Sequence[Part]], Arrays], list[Handle]]:
    """Say how carried columns are found in a part, under the names ``carry0``, ``carry1``, …; and what it needs."""
    handles: list[Handle] = []
    plain: list[tuple[str, str | Tally | int]] = []
    for i, item in enumerate(carry):
        if isinstance(item, (Given, Ranked)):
            plain.append((f"carry{i}", len(handles)))
            handles.append(home(item.column) if isinstance(item, Given) else rank(item.column))
        else:
            plain.append((f"carry{i}", item))

    def columns(data: LocalData, given: Sequence[Part]) -> Arrays:
        found = {}
        for name, item in plain:
            if isinstance(item, int):
                found[name] = value_of(given[item])
            elif isinstance(item, Tally):
                known = {column: known_values(data, schema[column].name) for column in item.condition.columns}
                found[name] = item.condition.holds(schema, known)
            else:
                found[name] = data.positions(item)
        return found

    return columns, handles


def _classes(labels: Positions, groups: int, carry: Sequence[Carry], part: Part, first: int) -> Classes:
    order, starts = by_label(labels, groups)
    columns = {
        item: count_labels(labels[part[f"carry{i}"]], groups) if isinstance(item, Tally) else part[f"carry{i}"][order]
        for i, item in enumerate(carry)
    }
    return Classes(starts, columns, first)


def classes_by_label(
    pool: Pool, data: PartedData, schema: Schema, labels: Any, carry: Sequence[Carry], rank: Any,
    work: Callable[[Classes], T],
) -> list[T]:  # fmt: skip
    """Bring the records of each label together, labels in their order."""
    shape = data.shape
    columns, handles = carried(schema, carry, rank)

    def telling(number: int, cells: Part, codes: Part, label: Part, *given: Part) -> tuple[list[Any], Any]:
        return [value_of(label)], lambda: columns(shape.local(cells, codes), given)

    there = arranged(pool, telling, data.bounds, data.cells, data.codes, home(labels), *handles, whole=True)

    def done(number: int, part: Part) -> list[T]:
        label = part["key0"]
        if label.size == 0:
            return []
        first = int(label.min())
        mine = (label - first).astype(np.int32)
        return [work(_classes(mine, int(mine.max()) + 1, carry, part, first))]

    return [found for some in pool.gather(done, there) for found in some]


def classes_by_cells(
    pool: Pool, data: PartedData, schema: Schema, by: tuple[str, ...], carry: Sequence[Carry], rank: Any,
    work: Callable[[Classes], T],
) -> list[T]:  # fmt: skip
    """Bring the records with equal cells together."""
    refuse_others(data, by)
    there = _alike(pool, data, schema, by, by, tuple(carry), rank)

    def done(number: int, part: Part) -> list[T]:
        labels, groups = _labelled(part)
        if groups == 0:
            return []
        if "count" in part:
            sizes = np.bincount(labels, weights=part["count"], minlength=groups).astype(np.int64)
            return [work(Classes(np.append(0, np.cumsum(sizes)), {}))]
        return [work(_classes(labels, groups, carry, part, 0))]

    return [found for some in pool.gather(done, there) for found in some]


def _labelled(part: Part) -> tuple[Positions, int]:
    lo = part["lo"]
    return label_rows(lo, part.get("hi", lo), np.arange(lo.shape[1])) if lo.shape[0] else (np.empty(0, np.int32), 0)


def _alike(
    pool: Pool, data: PartedData, schema: Schema, by: Sequence[str], apart: Sequence[str], carry: Sequence[Carry],
    rank: Any,
) -> Handle:  # fmt: skip
    """Bring the cells of some columns together that are equal in those that tell parts apart.

    Where nothing else is asked for, records that share their cells are counted once.
    """
    known = ("alike", tuple(by), tuple(apart))
    if not carry and known in data.memo:
        found: Handle = data.memo[known]
        return found
    shape = data.shape
    columns, handles = carried(schema, carry, rank)
    places, telling = [shape.quasi.index(name) for name in by], [list(by).index(name) for name in apart]

    def work(number: int, cells: Part, codes: Part, *given: Part) -> tuple[Any, Arrays]:
        here = shape.local(cells, codes) if not carry else shape.unfolded(cells, codes)
        same = places == list(range(len(shape.quasi)))
        lo = here.lo if same else np.ascontiguousarray(here.lo[:, places])
        sent = {"lo": lo}
        if here.hi is not here.lo:
            sent["hi"] = here.hi if same else np.ascontiguousarray(here.hi[:, places])
        if "index" in cells and not carry:
            sent["count"] = count_labels(here.index, lo.shape[0]).astype(np.int32)
        bits = mixed([side[:, j] for side in (lo, sent.get("hi", lo)) for j in telling])
        return bits, sent | columns(here, given)

    # What was published for classes stands for all their records.
    held = (data.memo["classes"],) * 2 if not carry and "classes" in data.memo else (data.cells, data.codes)
    there = gathered(pool, work, len(data.sizes), *held, *handles)
    if not carry:
        data.memo[known] = there
    return there


def boxes(pool: Pool, data: PartedData, schema: Schema, by: tuple[str, ...], work: Callable[[Boxes], T]) -> list[T]:
    """Bring boxes together that may have points in common: those with equal exact cells."""
    refuse_others(data, by)
    shape = data.shape
    places = [shape.quasi.index(name) for name in by]

    def look(number: int, cells: Part, codes: Part) -> tuple[Any, ...]:
        here = shape.local(cells, codes)
        lo, hi = here.lo[:, places], here.hi[:, places]
        lowest = lo.min(axis=0, where=lo != MISSING, initial=TOP)
        highest = hi.max(axis=0, where=lo != MISSING, initial=MISSING)
        return lowest, highest, (hi == MISSING).any(axis=0), (lo == hi).all(axis=0)

    limits = [np.stack(side) for side in zip(*pool.gather(look, data.cells, data.codes), strict=True)]
    lowest, highest = limits[0].min(axis=0), limits[1].max(axis=0)
    missing, exact = np.logical_or.reduce(limits[2]), np.logical_and.reduce(limits[3])
    apart = tuple(name for name, single in zip(by, exact.tolist(), strict=True) if single)

    def boxed(part: Part) -> Boxes | None:
        labels, groups = _labelled(part)
        if groups == 0:
            return None
        one = np.empty(groups, np.int32)
        one[labels] = np.arange(labels.size, dtype=np.int32)
        counts = np.bincount(labels, weights=part.get("count"), minlength=groups).astype(np.int64)
        lo = part["lo"][one]
        return Boxes(by, lo, part["hi"][one] if "hi" in part else lo, counts, lowest, highest, missing)

    def done(number: int, part: Part) -> list[T]:
        found = boxed(part)
        return [] if found is None else [work(found)]

    def lonely(number: int, part: Part) -> bool:
        found = boxed(part)
        return found is not None and bool((found.counts == 1).any())

    there = _alike(pool, data, schema, by, apart or by, (), None)
    if not apart and any(pool.gather(lonely, there)):
        there = pool.exchange(lambda number, part: [dict(part)], 1, there)
    return [found for some in pool.gather(done, there) for found in some]


def numbered(pool: Pool, data: PartedData, by: Sequence[Any]) -> Handle:
    """Number the records by their cells in named columns, and by the numbers of other columns."""
    names = [key for key in by if isinstance(key, str)]
    refuse_others(data, names)
    shape, bounds = data.shape, data.bounds
    places = [shape.quasi.index(name) for name in names]

    def work(number: int, cells: Part, codes: Part, *given: Part) -> tuple[Any, Arrays]:
        here = shape.unfolded(cells, codes)
        columns = [value_of(part).astype(np.int32) for part in given]
        ends = [side[:, j] for side in (here.lo, here.hi) for j in places] + columns
        return mixed(ends), {"lo": np.stack(ends, axis=1), "row": numbers_of(bounds, number)}

    others = [home(key) for key in by if not isinstance(key, str)]
    there = gathered(pool, work, len(data.sizes), data.cells, data.codes, *others)
    sizes = pool.gather(lambda number, part: _labelled(part)[1], there)
    first = np.append(0, np.cumsum(sizes))

    def send(number: int, part: Part) -> list[Arrays]:
        labels, _ = _labelled(part)
        return homeward({"value": labels + np.int32(first[number])}, part["row"], bounds)

    return pool.exchange(send, len(data.sizes), there)
