"""The released order of a table in memory, and back to the order of the input."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.engines.local.sort_keys import sort_keys
from shoal.engines.local_data import LocalData, Words
from shoal.errors import DataError
from shoal.kernels import MISSING
from shoal.kernels.grouping import by_label, gather_rows, label_rows
from shoal.kernels.ordering import Matrices, are_ordered, order_classes, order_members
from shoal.kernels.radix import places_in
from shoal.schema import RELEASED, Schema
from shoal.table import RowOrder

_AT_ONCE = 1 << 17  # rows whose numbers are given together


@dataclass(frozen=True, eq=False)
class Coded:
    """Carried columns whose codes tell all that is released of a cell, and what gives the values behind codes."""

    codes: Positions
    words: tuple[Words | None, ...]
    values: dict[str, Callable[[], Any]]


def in_released_order(data: LocalData, schema: Schema) -> tuple[LocalData, RowOrder]:
    """Bring the records into the released order, unless they stand in it."""
    coded = coded_in(data, schema)
    keys = sort_keys(schema, data.quasi, data.carried, coded.words, coded.values)
    ranks = keys.of_codes(coded.codes)
    cells = Matrices(*keys.of_cells(data.lo, data.hi), keys.columns)
    if are_ordered(cells, data.index, ranks):
        return data, counted_up([data.rows])
    found, order = in_order(data, cells, ranks)
    sources = {name: taken(data.sources[name], order) for name in typed_in(data, schema)}
    return replace(found, sources=sources), stretches_of(order)


def typed_in(data: LocalData, schema: Schema) -> list[str]:
    """Name the columns of a frame that are released with the type that they came with."""
    if not data.sources:
        return []
    from shoal.engines.io.typed_columns import is_text

    return [name for name in schema.of(*RELEASED) if name in data.sources and not is_text(data.sources[name].type)]


def taken(column: Any, rows: NDArray[Any]) -> Any:
    """Take some rows of a column of a frame."""
    import pyarrow as pa

    return column.take(pa.array(rows))


def in_order(data: LocalData, cells: Matrices, ranks: Positions) -> tuple[LocalData, Positions]:
    """Give the records in the order of their cells and ranks, without the columns of a frame; and their numbers.

    Matrix rows stay where they are, and the index follows the records: a release may have millions of both.
    """
    if data.index.size == 0:  # most cells are shared even so
        labels, groups = label_rows(cells.lo, cells.hi, cells.columns)
        order, starts = by_label(labels, groups)
        some = order[starts[:-1]]
        cells = replace(cells, lo=gather_rows(cells.lo, some), hi=gather_rows(cells.hi, some))
        lo = gather_rows(data.lo, some)
        data = replace(data, lo=lo, hi=lo if data.hi is data.lo else gather_rows(data.hi, some), index=labels)
        data.cache.members = order, starts
    order, index, codes = order_members(*order_classes(cells), data.members(), data.index, ranks, data.codes)
    return replace(data, index=index, codes=codes, sources={}), order


def in_input_order(data: LocalData, schema: Schema, order: RowOrder) -> LocalData:
    """Bring records in the released order back to the order of the input."""
    rows = numbers_for(data.rows, list(order()))
    back = places_in(rows.astype(np.int32))
    lo, hi, index = data.lo, data.hi, data.index
    if index.size:
        index = index[back]
    elif data.quasi:
        lo = gather_rows(data.lo, back)
        hi = lo if data.hi is data.lo else gather_rows(data.hi, back)
    sources = {name: taken(data.sources[name], back) for name in typed_in(data, schema)}
    return replace(data, lo=lo, hi=hi, index=index, codes=gather_rows(data.codes, back), sources=sources)


def numbers_for(rows: int, stretches: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Give the numbers of input rows for so many released ones; refuse what is not each of them once."""
    found = np.concatenate([np.empty(0, np.int64), *stretches])
    inside = found.size == rows and bool(((found >= 0) & (found < rows)).all())
    if not inside or not (np.bincount(found, minlength=rows) == 1).all():
        raise not_of_this_table()
    return found


def not_of_this_table() -> DataError:
    """Say that an order of rows belongs to something else."""
    return DataError(
        "The order of rows that is given is not one of this table: it must name each row once.",
        "Use the one that was kept when just this release was written.",
    )


def stretches_of(order: Positions) -> RowOrder:
    """Give numbers of rows in stretches, as often as they are asked for."""

    def stretches() -> Iterator[NDArray[np.int64]]:
        for start in range(0, order.size, _AT_ONCE):
            yield order[start : start + _AT_ONCE].astype(np.int64)

    return stretches


def counted_up(sizes: Sequence[int]) -> RowOrder:
    """Give the numbers of rows that stand in their order already."""

    def stretches() -> Iterator[NDArray[np.int64]]:
        begin = 0
        for size in sizes:
            for start in range(begin, begin + size, _AT_ONCE):
                yield np.arange(start, min(start + _AT_ONCE, begin + size))
            begin += size

    return stretches


def coded_in(data: LocalData, schema: Schema) -> Coded:
    """Give codes that also tell apart what only the values of a frame do, such as no value and NaN."""
    codes, words, values = data.codes, list(data.words), {}
    for name in typed_in(data, schema):
        j = data.carried.index(name)
        if words[j] is None and _codes_suffice(codes[:, j], data.sources[name]):
            continue
        finer, known, first = _finer(codes[:, j], words[j], data.sources[name])
        codes = codes.copy() if codes is data.codes else codes
        codes[:, j], words[j] = finer, known
        values[name] = _taking(data.sources[name], first)
    return Coded(codes, tuple(words), values)


def _codes_suffice(codes: Positions, column: Any) -> bool:
    """Tell whether codes, which are whole numbers here, say all about the cells of a column."""
    import pyarrow as pa

    missing = int(np.count_nonzero(codes == MISSING))
    return bool(pa.types.is_integer(column.type)) and column.null_count == missing


def _finer(codes: Positions, words: Words | None, column: Any) -> tuple[Positions, Words, NDArray[np.int64]]:
    """Number what differs in its code or its value: the numbers, what stands behind them, and a row of each."""
    from shoal.engines.io.distinct_cells import distinct_in, one_array
    from shoal.engines.io.typed_columns import plain_column

    values, _ = distinct_in(one_array(plain_column(column)))
    pairs = (codes.astype(np.int64) << 32) + values
    _, first, finer = np.unique(pairs, return_index=True, return_inverse=True)
    own = codes[first]
    if words is None:
        texts = ["" if code == MISSING else str(code) for code in own.tolist()]
        known = Words(texts, own, own)
    else:
        known = Words([words.texts[code] for code in own.tolist()], words.lo[own], words.hi[own])
    return finer.reshape(-1).astype(np.int32), known, first


def _taking(column: Any, rows: NDArray[np.int64]) -> Callable[[], Any]:
    from shoal.engines.io.distinct_cells import one_array

    return lambda: one_array(taken(column, rows))
