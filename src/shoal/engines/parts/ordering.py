"""The released order of a table in parts, and back to the order of the input.

Records are shuffled by ranges of their sort keys, and each range is sorted as the local engine does it. Generalized
cells move once for each class, and only the codes of its records follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.engines.local.ordering import counted_up, in_order, not_of_this_table
from shoal.engines.local.sort_keys import SortKeys, sort_keys
from shoal.engines.local_data import LocalData
from shoal.engines.parts.columns import Materialized
from shoal.engines.parts.data import Arrays, PartSchema, PartsTable, reorder, value_of
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.engines.parts.shuffle import (
    ascending,
    numbers_of,
    restore_order,
    rows_in,
    rows_of,
    shuffle_by_range,
    split_by_target,
)
from shoal.engines.range_splits import Splits, choose_splits, sortable
from shoal.kernels.grouping import by_label, count_labels, starts_of
from shoal.kernels.ordering import Matrices, are_ordered
from shoal.kernels.radix import places_in
from shoal.schema import Schema
from shoal.table import RowOrder

_SAMPLED = 32  # records of each part, for each range
_LARGEST = 2  # times the mean: the size that a range of whole classes may have


@dataclass(frozen=True, eq=False)
class _Sorting:
    """How the records of a part are sorted."""

    shape: PartSchema
    keys: SortKeys

    def cells(self, data: LocalData) -> Matrices:
        return Matrices(*self.keys.of_cells(data.lo, data.hi), self.keys.columns)

    def keys_of(self, data: LocalData) -> list[NDArray[Any]]:
        """Give the sort keys of matrix rows, the most important first."""
        lo, hi = self.keys.of_cells(data.lo, data.hi)
        return [side[:, j] for j in self.keys.columns.tolist() for side in (lo, hi)]

    def others_of(self, data: LocalData) -> list[NDArray[Any]]:
        """Give the sort keys of records with the same cells."""
        return list(self.keys.of_codes(data.codes).T)

    def sorted(self, data: LocalData, rows: NDArray[Any]) -> Arrays:
        """Give a sorted part: the cells of each class, the class and the codes of its records, and their numbers."""
        found, order = data, np.empty(0, np.int32)
        if data.rows:
            found, order = in_order(data, self.cells(data), self.keys.of_codes(data.codes))
        return _columns(self.shape, found) | {"index": found.index, "row": rows[order]}


def _columns(shape: PartSchema, data: LocalData) -> Arrays:
    """Give cells and codes as columns of a part."""
    return shape.columns(data) | ({"codes": data.codes} if shape.carried else {})


def released_order(pool: Pool, data: PartsTable, schema: Schema) -> tuple[PartsTable, RowOrder]:
    """Bring the records into the released order, unless they are in it."""
    words = data.whole_words()
    values = {
        name: partial(give, np.arange(len(known.lo), dtype=np.int32))
        for name, give in data.typed.items()
        if (known := words[data.shape.carried.index(name)]) is not None
    }
    sorting = _Sorting(data.shape, sort_keys(schema, data.shape.quasi, data.shape.carried, words, values))
    there = None
    if data.classes is not None:
        there = _class_by_class(pool, data, data.classes, sorting)
    elif _is_in_order(pool, data, sorting):
        return data, counted_up(data.sizes)
    if there is None:
        there = _record_by_record(pool, data, sorting)
    found = data.with_cells(Materialized(there), data.shape.ranged, exact=data.shape.exact, indexed=True)
    return replace(found, sizes=tuple(there.summaries), codes=there), _rows(pool, there)


def _rows(pool: Pool, there: Handle) -> RowOrder:
    def batches() -> Iterator[NDArray[np.int64]]:
        rows = pool.map(lambda number, part: {"row": part["row"]}, there)
        return (part["row"].astype(np.int64) for part in pool.stream(rows))

    return batches


def _is_in_order(pool: Pool, data: PartsTable, sorting: _Sorting) -> bool:
    """Tell whether the records of each part are in order, and the last of each before the first of the next."""
    shape = data.shape

    def look(number: int, cells: Part, codes: Part) -> tuple[bool, list[tuple[int, ...]]]:
        here = shape.local(cells, codes)
        if not here.rows:
            return True, []
        ranks = sorting.keys.of_codes(here.codes)
        ends = [0, here.rows - 1]
        places = ends if here.index.size == 0 else here.index[ends]
        lo, hi = sorting.keys.of_cells(here.lo[places], here.hi[places])
        columns = sorting.keys.columns.tolist()
        keys = [
            (*(int(side[at, j]) for j in columns for side in (lo, hi)), *ranks[row].tolist())
            for at, row in enumerate(ends)
        ]
        return are_ordered(sorting.cells(here), here.index, ranks), keys

    looks = pool.collect(look, data.cells, data.codes)
    ends = [end for _, keys in looks for end in keys]
    return all(ordered for ordered, _ in looks) and ends == sorted(ends)


def _record_by_record(pool: Pool, data: PartsTable, sorting: _Sorting) -> Handle:
    """Sort records with their cells; equal records may be in several ranges, if there are many."""
    shape = data.shape

    def extract(number: int, cells: Part, codes: Part) -> tuple[list[NDArray[Any]], Callable[[], Arrays]]:
        here = shape.unfolded(cells, codes)
        return [*sorting.keys_of(here), *sorting.others_of(here)], lambda: _columns(shape, here)

    def finish(number: int, part: Part) -> Arrays:
        return sorting.sorted(shape.in_order.local(part, part), part["row"])

    ranges = shuffle_by_range(pool, data, extract, keyed=False)
    return pool.map(finish, ranges, summarize=rows_in)


def _class_by_class(pool: Pool, data: PartsTable, classes: Handle, sorting: _Sorting) -> Handle | None:
    """Sort classes, and then the codes of their records; None if ranges of whole classes would be too unequal."""
    shape, bounds, wanted = data.shape, data.bounds, len(data.sizes)
    splits = _splits(pool, data, classes, sorting)
    if splits is None:
        return None

    def targets(part: Part) -> Positions:
        keys = sorting.keys_of(shape.holding(part["lo"], part["hi"]))
        return splits.range_of(keys, np.zeros(len(part["lo"]), np.int32))

    def classes_to(number: int, part: Part) -> Iterator[Arrays]:
        """Send the cells of classes, their sizes, and the numbers of their records, class after class."""
        order, cuts = by_label(targets(part), wanted)
        own = places_in(order)[part["index"]]
        sizes = count_labels(own, order.size)
        rows, starts = part["row"][by_label(own, order.size)[0]], starts_of(sizes)
        for a, b in pairwise(cuts.tolist()):
            ends = {side: rows_of(part[side], order[a:b]) for side in ("lo", "hi")}
            yield ends | {"size": sizes[a:b], "row": rows[starts[a] : starts[b]]}

    def ranges_of(number: int, part: Part) -> list[Arrays]:
        return restore_order({"value": targets(part)[part["index"]]}, part["row"], bounds)

    def codes_to(number: int, codes: Part, ranges: Part) -> Iterator[Arrays]:
        columns = {"codes": codes["codes"], "row": numbers_of(bounds, number)}
        return split_by_target(columns, value_of(ranges), wanted)

    def finish(number: int, classes: Part, *beside: Part) -> Arrays:
        row, index = classes["row"], np.repeat(np.arange(len(classes["size"]), dtype=np.int32), classes["size"])
        order = ascending(row)
        if order is not None:
            row, index = row[order], index[order]
        cells = {"lo": classes["lo"], "hi": classes["hi"], "index": index}
        return sorting.sorted(replace(shape, indexed=True, scattered=False).local(cells, *beside or ({},)), row)

    there = [pool.shuffle(classes_to, wanted, classes)]
    if shape.carried:
        ranges = pool.shuffle(ranges_of, wanted, classes)
        there.append(pool.shuffle(codes_to, wanted, data.codes, ranges))
    return pool.map(finish, *there, summarize=rows_in)


def _splits(pool: Pool, data: PartsTable, classes: Handle, sorting: _Sorting) -> Splits | None:
    """Find the keys between ranges of whole classes from a sample; None if ranges would be too unequal."""
    shape, wanted = data.shape, len(data.sizes)
    step = max(1, data.rows // (_SAMPLED * wanted * wanted))

    def sample(number: int, part: Part) -> list[NDArray[Any]]:
        chosen = part["index"][::step]
        return [key[chosen] for key in sorting.keys_of(shape.holding(part["lo"], part["hi"]))]

    found = pool.collect(sample, classes)
    keys = [np.concatenate(column) for column in zip(*found, strict=True)]
    splits = choose_splits([sortable(key) for key in keys], np.arange(keys[0].size), wanted, whole=True)
    most = np.bincount(splits.range_of(keys, np.zeros(keys[0].size, np.int32))).max()
    return None if most > max(_LARGEST * keys[0].size / wanted, 1) else splits


def input_order(pool: Pool, data: PartsTable, order: RowOrder) -> PartsTable:
    """Bring records in the released order back to the order of the input."""
    shape, bounds = data.shape, data.bounds
    numbers = pool.put(_divided(order(), data.sizes))

    def send(number: int, cells: Part, codes: Part, to: Part) -> list[Arrays]:
        return restore_order(_columns(shape, shape.unfolded(cells, codes)), to["row"], bounds)

    def in_place(number: int, part: Part) -> Arrays:
        offset, size = part["offset"], int(bounds[number + 1] - bounds[number])
        if offset.size != size or not (np.bincount(offset, minlength=size) == 1).all():
            raise not_of_this_table()
        return {name: reorder(part[name], offset) for name in part if name != "offset"}

    there = pool.map(in_place, pool.shuffle(send, len(data.sizes), data.cells, data.codes, numbers))
    return replace(data.with_cells(Materialized(there), shape.ranged, exact=shape.exact), codes=there)


def _divided(batches: Iterator[NDArray[np.int64]], sizes: Sequence[int]) -> Iterator[Arrays]:
    """Divide row numbers as the records are divided into parts."""
    rows, held = sum(sizes), np.empty(0, np.int64)
    for size in sizes:
        while held.size < size:
            more = next(batches, None)
            if more is None or ((more < 0) | (more >= rows)).any():
                raise not_of_this_table()
            held = np.concatenate([held, more])
        yield {"row": held[:size]}
        held = held[size:]
    if held.size or next(batches, None) is not None:
        raise not_of_this_table()
