"""Classes formed range by range: each part of a sorted table by itself, and last of all what the others leave over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines import Piece
from shoal.engines.local.cutting import cut
from shoal.engines.local.data import OWN, LocalData, spans
from shoal.engines.parts.arranging import Arrays, arranged, keys_of, rows_in, rows_of
from shoal.engines.parts.classing import carried
from shoal.engines.parts.data import PartedData, value_of
from shoal.engines.parts.labels import Labels, home
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.errors import InternalError
from shoal.kernels.radix import order_by_keys
from shoal.schema import Schema
from shoal.table import Carry

Positions = NDArray[np.int32]
# Labels the rows of a range from 0; those left over have -1.
_SPARE = 0.2  # of a range at most
Labelling = Callable[[LocalData, list[NDArray[Any]], Mapping[Any, NDArray[Any]], bool], Positions]


def sorted_pieces(schema: Schema, least: int, kernel: Callable[[Piece], Positions]) -> Labelling:
    """Label rows in the order of their keys, a few at a time."""

    def label(data: LocalData, keys: list[NDArray[Any]], columns: Mapping[Any, NDArray[Any]], end: bool) -> Positions:
        order = order_by_keys(keys)
        order = np.arange(data.rows, dtype=np.int32) if order is None else order
        return cut(data, schema, order, keys, least, kernel, columns, end=end)[0]

    return label


def whole_pieces(schema: Schema, kernel: Callable[[Piece], Positions], ranges: int) -> Labelling:
    """Label all rows of a range at once, in the order of the table.

    What all ranges leave over is at most as much as one of them.
    """

    def label(data: LocalData, keys: list[NDArray[Any]], columns: Mapping[Any, NDArray[Any]], end: bool) -> Positions:
        return kernel(Piece(spans(data, schema), columns, last=end, spare=min(_SPARE, 1 / ranges)))

    return label


def labelled(
    pool: Pool, data: PartedData, schema: Schema, keys: Sequence[Any], least: int, label: Labelling,
    carry: Sequence[Carry], rank: Callable[[str], Handle],
) -> tuple[Labels, int]:  # fmt: skip
    """Give the label of each record, and how many labels there are."""
    shape, bounds = data.shape, data.bounds
    columns, handles = carried(schema, carry, rank)
    names = [key if isinstance(key, str) else None for key in keys]
    others = [home(key) for key in keys if not isinstance(key, str)]

    def telling(number: int, cells: Part, codes: Part, *given: Part) -> tuple[list[Any], Any]:
        def moving() -> Arrays:
            here = shape.unfolded(cells, codes)
            ends = {"lo": here.lo} | ({} if here.hi is here.lo else {"hi": here.hi})
            return ends | columns(here, given[len(others) :])

        return _keys(names, lambda: shape.local(cells, codes), given), moving

    there = arranged(pool, telling, bounds, data.cells, data.codes, *others, *handles, tell=rows_in)
    last = int(np.argmax(there.told))

    def work(part: Part, *, end: bool) -> Positions:
        n = part["row"].size
        if (n < least and not end) or n == 0:
            return np.full(n, -1, np.int32)
        lo = part["lo"]
        here = LocalData(shape.quasi, lo, part.get("hi", lo), OWN, shape.ranged, (), np.empty((n, 0), np.int32), ())
        return label(here, keys_of(part), {item: part[f"carry{i}"] for i, item in enumerate(carry)}, end)

    def first(number: int, part: Part) -> Arrays:
        """Label a part, and keep what is left over beside it."""
        labels = np.empty(0, np.int32) if number == last else work(part, end=False)
        over = np.flatnonzero(labels < 0).astype(np.int32)
        return {f"over:{name}": rows_of(part[name], over) for name in part} | {"label": labels}

    found = pool.each(first, there, tell=lambda number, part: int(part["over:row"].size))
    parts = range(there.parts)

    def send(number: int, part: Part) -> list[Arrays]:
        over = {name.removeprefix("over:"): part[name] for name in part if name.startswith("over:")}
        return [over if target == last else {name: column[:0] for name, column in over.items()} for target in parts]

    left = (pool.exchange(send, there.parts, found),) if any(found.told) else ()

    def final(number: int, part: Part, found: Part, *left: Part) -> Arrays:
        if number != last:
            return {"label": found["label"]}
        labels = work({name: np.concatenate([*(one[name] for one in left), part[name]]) for name in part}, end=True)
        if (labels < 0).any():
            raise InternalError("Records were left over when a table was cut into classes.")
        return {"label": labels}

    done = pool.each(final, there, found, *left, tell=lambda number, part: int(part["label"].max(initial=-1)) + 1)
    groups = done.told
    return Labels(pool, data.cells, (there, *left, done), np.append(0, np.cumsum(groups)), bounds), sum(groups)


def _keys(names: Sequence[str | None], here: Callable[[], LocalData], given: Sequence[Part]) -> list[NDArray[Any]]:
    """Give the keys of a part: named columns, and others in the order in which they are given."""
    beside = iter(given)
    return [value_of(next(beside)) if name is None else here().positions(name) for name in names]
