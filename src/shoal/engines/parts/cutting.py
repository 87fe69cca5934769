"""Classes formed range by range: each part of a sorted table by itself, and last of all what the others leave over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines import Piece
from shoal.engines.local.cutting import cut
from shoal.engines.local.data import OWN, LocalData, spans
from shoal.engines.parts.arranging import Arrays, arranged, homeward, keys_of
from shoal.engines.parts.classing import carried
from shoal.engines.parts.data import PartedData, value_of
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.errors import InternalError
from shoal.kernels.radix import order_by_keys
from shoal.schema import Schema
from shoal.table import Carry

Positions = NDArray[np.int32]
# Labels the rows of a range, and tells how many labels there are; those left over have -1.
Labelling = Callable[[LocalData, list[NDArray[Any]], Mapping[Any, NDArray[Any]], bool], tuple[Positions, int]]


def sorted_pieces(schema: Schema, least: int, kernel: Callable[[Piece], Positions]) -> Labelling:
    """Label rows in the order of their keys, a few at a time."""

    def label(
        data: LocalData, keys: list[NDArray[Any]], columns: Mapping[Any, NDArray[Any]], end: bool
    ) -> tuple[Positions, int]:
        order = order_by_keys(keys)
        order = np.arange(data.rows, dtype=np.int32) if order is None else order
        return cut(data, schema, order, keys, least, kernel, columns, end=end)

    return label


def whole_pieces(schema: Schema, kernel: Callable[[Piece], Positions]) -> Labelling:
    """Label all rows of a range at once, in the order of the table."""

    def label(
        data: LocalData, keys: list[NDArray[Any]], columns: Mapping[Any, NDArray[Any]], end: bool
    ) -> tuple[Positions, int]:
        labels = kernel(Piece(spans(data, schema), columns, last=end))
        return labels, int(labels.max()) + 1

    return label


def labelled(
    pool: Pool, data: PartedData, schema: Schema, keys: Sequence[Any], least: int, label: Labelling,
    carry: Sequence[Carry], rank: Callable[[str], Handle], ranges: int | None = None,
) -> tuple[Handle, int]:  # fmt: skip
    """Give the label of each record, and how many labels there are."""
    shape, bounds = data.shape, data.bounds
    columns, handles = carried(schema, carry, rank)
    named = [key for key in keys if isinstance(key, str)]
    others = [key for key in keys if not isinstance(key, str)]

    def telling(number: int, cells: Part, codes: Part, *given: Part) -> tuple[list[Any], Arrays]:
        here = shape.unfolded(cells, codes)
        beside = iter(given)
        found = [here.positions(key) if key in named else value_of(next(beside)) for key in order]
        sent = {"lo": here.lo} | ({} if here.hi is here.lo else {"hi": here.hi})
        return found, sent | columns(here, list(beside))

    order = [key if isinstance(key, str) else None for key in keys]
    there = arranged(pool, telling, bounds, data.cells, data.codes, *others, *handles, ranges=ranges)
    sizes = pool.gather(lambda number, part: int(part["row"].size), there)
    last = int(np.argmax(sizes))

    def work(part: Part, *, end: bool) -> tuple[Positions, int]:
        n = part["row"].size
        if (n < least and not end) or n == 0:
            return np.full(n, -1, np.int32), 0
        lo = part["lo"]
        here = LocalData(shape.quasi, lo, part.get("hi", lo), OWN, shape.ranged, (), np.empty((n, 0), np.int32), ())
        return label(here, keys_of(part), {item: part[f"carry{i}"] for i, item in enumerate(carry)}, end)

    def first(number: int, part: Part) -> Arrays:
        if number == last:
            return {"label": np.full(part["row"].size, -1, np.int32)}
        return {"label": work(part, end=False)[0]}

    def over(number: int, part: Part, found: Part) -> list[Arrays]:
        chosen = np.flatnonzero(found["label"] < 0) if number != last else np.empty(0, np.int64)
        left = {name: part[name][chosen] for name in part}
        return [left if target == last else {name: column[:0] for name, column in left.items()} for target in parts]

    parts = range(there.parts)
    found = pool.each(first, there)
    left = pool.exchange(over, there.parts, there, found)

    def final(number: int, part: Part, found: Part, left: Part) -> Arrays:
        if number != last:
            there = np.flatnonzero(found["label"] >= 0)
            return {"label": found["label"][there], "row": part["row"][there]}
        whole = {name: np.concatenate([left[name], part[name]]) for name in part}
        labels, _ = work(whole, end=True)
        if (labels < 0).any():
            raise InternalError("Records were left over when a table was cut into classes.")
        return {"label": labels, "row": whole["row"]}

    done = pool.each(final, there, found, left)
    groups = pool.gather(lambda number, part: int(part["label"].max(initial=-1)) + 1, done)
    begin = np.append(0, np.cumsum(groups))

    def send(number: int, part: Part) -> list[Arrays]:
        return homeward({"value": part["label"] + np.int32(begin[number])}, part["row"], bounds)

    return pool.exchange(send, len(data.sizes), done), int(begin[-1])


def placed(pool: Pool, data: PartedData, keys: Sequence[Any]) -> Handle:
    """Give each record's place when sorted by keys: its place in its range, and the size of the ranges before."""
    shape, bounds = data.shape, data.bounds
    kind = np.dtype(np.int32 if data.rows < 2**31 else np.int64)
    if not keys:
        return pool.each(
            lambda number, cells: {"value": np.arange(bounds[number], bounds[number + 1]).astype(kind)}, data.cells
        )
    names = [key if isinstance(key, str) else None for key in keys]

    def telling(number: int, cells: Part, codes: Part, *given: Part) -> tuple[list[Any], Arrays]:
        beside = iter(given)
        here = shape.local(cells, codes) if any(names) else None
        return [value_of(next(beside)) if name is None else here.positions(name) for name in names], {}  # type: ignore[union-attr]

    others = [key for key in keys if not isinstance(key, str)]
    there = arranged(pool, telling, bounds, data.cells, data.codes, *others)
    before = np.append(0, np.cumsum(pool.gather(lambda number, part: int(part["row"].size), there)))

    def send(number: int, part: Part) -> list[Arrays]:
        place = np.arange(part["row"].size, dtype=kind)
        order = order_by_keys(keys_of(part)) if place.size else None
        if order is not None:
            place[order] = np.arange(order.size, dtype=kind)
        return homeward({"value": place + kind.type(before[number])}, part["row"], bounds)

    return pool.exchange(send, len(data.sizes), there)
