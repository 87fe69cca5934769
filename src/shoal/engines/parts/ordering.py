"""The released order of a table in parts, and back to the order of the input.

Records go to ranges of what they are sorted by, and each range is sorted by itself, as the local engine does it. What
was published once for each class moves once for each class: its records follow from where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.engines.local.data import LocalData
from shoal.engines.local.ordering import counted_up, in_order, not_of_this_table
from shoal.engines.local.sort_keys import SortKeys, sort_keys
from shoal.engines.parts.data import PartSchema, PartsTable, reorder
from shoal.engines.parts.generalizing import GeneralizedCells
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.engines.parts.shuffle import (
    Arrays,
    Pieces,
    ascending,
    numbers_of,
    restore_order,
    rows_in,
    rows_of,
    shuffle_by_range,
    split_by_target,
)
from shoal.engines.pieces import Splits, sortable, splits_among
from shoal.kernels.grouping import by_label, count_labels, starts_of
from shoal.kernels.ordering import Matrices, are_ordered
from shoal.kernels.radix import places_in
from shoal.schema import Schema
from shoal.table import RowOrder

_SAMPLED = 32  # records for each range, of each part, that tell where ranges begin
_LARGEST = 2  # how many times as large as others a range of whole classes may be


@dataclass(frozen=True, eq=False)
class _Sorting:
    """How the records of a part are sorted."""

    shape: PartSchema
    keys: SortKeys

    def cells(self, data: LocalData) -> Matrices:
        return Matrices(*self.keys.of_cells(data.lo, data.hi), self.keys.columns)

    def keys_of(self, data: LocalData) -> list[NDArray[Any]]:
        """Give what matrix rows are sorted by, column by column as they matter."""
        lo, hi = self.keys.of_cells(data.lo, data.hi)
        return [side[:, j] for j in self.keys.columns.tolist() for side in (lo, hi)]

    def others_of(self, data: LocalData) -> list[NDArray[Any]]:
        """Give what records are sorted by among those with the same cells."""
        return list(self.keys.of_codes(data.codes).T)

    def sorted(self, data: LocalData, rows: NDArray[Any]) -> Arrays:
        """Give a part in its order: each class once, the class and the codes of its records, and their numbers."""
        found, order = data, np.empty(0, np.int32)
        if data.rows:
            found, order = in_order(data, self.cells(data), self.keys.of_codes(data.codes))
        index = {"index": found.index} if self.shape.quasi else {}
        return _columns(self.shape, found) | index | {"row": rows[order]}


def _columns(shape: PartSchema, data: LocalData) -> Arrays:
    """Give the cells and codes of some records as the columns of a part."""
    ends = {"lo": data.lo} if data.hi is data.lo else {"lo": data.lo, "hi": data.hi}
    return (ends if shape.quasi else {}) | ({"codes": data.codes} if shape.carried else {})


def released_order(pool: Pool, data: PartsTable, schema: Schema) -> tuple[PartsTable, RowOrder]:
    """Bring the records into the released order, unless they stand in it."""
    words = data.whole_words()
    values = {
        name: _behind(give, len(known.lo))
        for name, give in data.typed.items()
        if (known := words[data.shape.carried.index(name)]) is not None
    }
    sorting = _Sorting(data.shape, sort_keys(schema, data.shape.quasi, data.shape.carried, words, values))
    there = None
    if isinstance(data.held, GeneralizedCells):
        there = _class_by_class(pool, data, data.held, sorting)
    elif _stands_in_order(pool, data, sorting):
        return data, counted_up(data.sizes)
    if there is None:
        there = _record_by_record(pool, data, sorting)
    found = data.with_cells(there, data.shape.ranged)
    return replace(found, sizes=tuple(there.summaries), codes=there), _rows(pool, there)


def _behind(give: Callable[[Positions], Any], codes: int) -> Callable[[], Any]:
    return lambda: give(np.arange(codes, dtype=np.int32))


def _rows(pool: Pool, there: Handle) -> RowOrder:
    def stretches() -> Iterator[NDArray[np.int64]]:
        rows = pool.map(lambda number, part: {"row": part["row"]}, there)
        return (part["row"].astype(np.int64) for part in pool.stream(rows))

    return stretches


def _stands_in_order(pool: Pool, data: PartsTable, sorting: _Sorting) -> bool:
    """Tell whether the records of each part stand in order, and the last of each before the first of the next."""
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
        told = [
            (*(int(side[at, j]) for j in columns for side in (lo, hi)), *ranks[row].tolist())
            for at, row in enumerate(ends)
        ]
        return are_ordered(sorting.cells(here), here.index, ranks), told

    looks = pool.collect(look, data.cells, data.codes)
    ends = [end for _, told in looks for end in told]
    return all(ordered for ordered, _ in looks) and ends == sorted(ends)


def _record_by_record(pool: Pool, data: PartsTable, sorting: _Sorting) -> Handle:
    """Bring records into ranges with their cells: equal records may be in several of these, if they are many."""
    shape = data.shape

    def telling(number: int, cells: Part, codes: Part) -> tuple[list[NDArray[Any]], Callable[[], Arrays]]:
        here = shape.unfolded(cells, codes)
        return [*sorting.keys_of(here), *sorting.others_of(here)], lambda: _columns(shape, here)

    def finish(number: int, part: Part) -> Arrays:
        return sorting.sorted(shape.local(part, part), part["row"])

    ranges = shuffle_by_range(pool, telling, data.bounds, data.cells, data.codes, keyed=False)
    return pool.map(finish, ranges, summarize=rows_in)


def _class_by_class(pool: Pool, data: PartsTable, published: GeneralizedCells, sorting: _Sorting) -> Handle | None:
    """Bring classes into ranges, and then the codes of their records; None if some would not fit into one."""
    shape, bounds, wanted = data.shape, data.bounds, len(data.sizes)
    splits = _splits(pool, data, published, sorting)
    if splits is None:
        return None

    def targets(part: Part) -> Positions:
        classes = shape.holding(part["lo"], part["hi"])
        return splits.range_of(sorting.keys_of(classes), np.zeros(len(part["lo"]), np.int32))

    def classes_to(number: int, part: Part) -> Pieces:
        """Send the cells of classes, how many records each has, and their numbers, class after class."""
        order, cuts = by_label(targets(part), wanted)
        own = places_in(order)[part["index"]]
        sizes = count_labels(own, order.size)
        rows, starts = part["row"][by_label(own, order.size)[0]], starts_of(sizes)

        def make(target: int) -> Arrays:
            here = slice(cuts[target], cuts[target + 1])
            ends = {side: rows_of(part[side], order[here]) for side in ("lo", "hi")}
            return ends | {"size": sizes[here], "row": rows[starts[cuts[target]] : starts[cuts[target + 1]]]}

        return Pieces(wanted, make)

    def tell_home(number: int, part: Part) -> list[Arrays]:
        return restore_order({"range": targets(part)[part["index"]]}, part["row"], bounds)

    def codes_to(number: int, codes: Part, told: Part) -> Pieces:
        columns = {"codes": codes["codes"], "row": numbers_of(bounds, number)}
        return split_by_target(columns, reorder(told["range"], told["seat"]), wanted)

    def finish(number: int, classes: Part, *beside: Part) -> Arrays:
        row, index = classes["row"], np.repeat(np.arange(len(classes["size"]), dtype=np.int32), classes["size"])
        order = ascending(row)
        if order is not None:
            row, index = row[order], index[order]
        codes = beside[0]["codes"] if beside else np.empty((row.size, 0), np.int32)
        here = shape.local({"lo": classes["lo"], "hi": classes["hi"], "index": index}, {"codes": codes})
        return sorting.sorted(here, row)

    there = [pool.shuffle(classes_to, wanted, published.classes)]
    if shape.carried:
        told = pool.shuffle(tell_home, wanted, published.classes)
        there.append(pool.shuffle(codes_to, wanted, data.codes, told))
    return pool.map(finish, *there, summarize=rows_in)


def _splits(pool: Pool, data: PartsTable, published: GeneralizedCells, sorting: _Sorting) -> Splits | None:
    """Find where ranges of whole classes begin from some records of each part; None if they would be too unequal."""
    shape, wanted = data.shape, len(data.sizes)
    step = max(1, data.rows // (_SAMPLED * wanted * wanted))

    def sample(number: int, part: Part) -> list[NDArray[Any]]:
        classes = part["index"][::step]
        return [key[classes] for key in sorting.keys_of(shape.holding(part["lo"], part["hi"]))]

    found = pool.collect(sample, published.classes)
    keys = [np.concatenate(column) for column in zip(*found, strict=True)]
    splits = splits_among([sortable(key) for key in keys], np.arange(keys[0].size), wanted, whole=True)
    most = np.bincount(splits.range_of(keys, np.zeros(keys[0].size, np.int32))).max()
    return None if most > max(_LARGEST * keys[0].size / wanted, 1) else splits


def input_order(pool: Pool, data: PartsTable, order: RowOrder) -> PartsTable:
    """Bring records in the released order back to the order of the input."""
    shape, bounds = data.shape, data.bounds
    numbers = pool.put(_cut(order(), data.sizes))

    def send(number: int, cells: Part, codes: Part, to: Part) -> list[Arrays]:
        return restore_order(_columns(shape, shape.unfolded(cells, codes)), to["row"], bounds)

    def settle(number: int, part: Part) -> Arrays:
        seat, size = part["seat"], int(bounds[number + 1] - bounds[number])
        if seat.size != size or not (np.bincount(seat, minlength=size) == 1).all():
            raise not_of_this_table()
        return {name: reorder(part[name], seat) for name in part if name != "seat"}

    there = pool.map(settle, pool.shuffle(send, len(data.sizes), data.cells, data.codes, numbers))
    return replace(data.with_cells(there, shape.ranged), codes=there)


def _cut(stretches: Iterator[NDArray[np.int64]], sizes: Sequence[int]) -> Iterator[Arrays]:
    """Give numbers that come in stretches in as many as there are records in each part."""
    rows, held = sum(sizes), np.empty(0, np.int64)
    for size in sizes:
        while held.size < size:
            more = next(stretches, None)
            if more is None or ((more < 0) | (more >= rows)).any():
                raise not_of_this_table()
            held = np.concatenate([held, more])
        yield {"row": held[:size]}
        held = held[size:]
    if held.size or next(stretches, None) is not None:
        raise not_of_this_table()
