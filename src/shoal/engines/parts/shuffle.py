"""Moving records between parts: sorted into ranges, gathered by what they have in common, and home again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Bits, Integers
from shoal.engines.parts.pool import Handle, Part, Pool, Summarize
from shoal.engines.pieces import Splits, sampled, sortable, splits_among
from shoal.kernels.grouping import by_label, gather_rows

Arrays = dict[str, NDArray[Any]]
# What a part has to say of its records: keys to sort by, and, when asked, the columns that go with them.
Keys = Callable[..., tuple[list[NDArray[Any]], Callable[[], Arrays]]]

_SAMPLED = 32  # records of each part, for each range that is wanted
_MIX = np.uint64(0x9E3779B97F4A7C15)


def splits_of(
    pool: Pool, telling: Keys, bounds: Integers, ranges: int, *, whole: bool, handles: Sequence[Handle]
) -> Splits:
    """Find where to split from a sample of each part; ``whole`` never splits records with equal keys."""
    size = _SAMPLED * ranges

    def sample(number: int) -> NDArray[np.int64]:
        n = int(bounds[number + 1] - bounds[number])
        if n <= size:
            return np.arange(n)
        return np.sort(np.random.Generator(np.random.PCG64(number)).integers(0, n, size))

    return _splits_at(pool, telling, bounds, ranges, sample, whole=whole, handles=handles)


def piece_splits(pool: Pool, telling: Keys, bounds: Integers, pieces: int, handles: Sequence[Handle]) -> Splits:
    """Find where pieces of the whole table begin."""

    def sample(number: int) -> NDArray[np.int64]:
        chosen = sampled(int(bounds[-1]), pieces)  # drawn anew in every part: they are too many to be sent around
        first, stop = np.searchsorted(chosen, bounds[number : number + 2]).tolist()
        return chosen[first:stop] - int(bounds[number])

    return _splits_at(pool, telling, bounds, pieces, sample, whole=False, handles=handles)


def _splits_at(
    pool: Pool, telling: Keys, bounds: Integers, ranges: int, sample: Callable[[int], NDArray[np.int64]], *,
    whole: bool, handles: Sequence[Handle],
) -> Splits:  # fmt: skip
    def look(number: int, *parts: Part) -> tuple[list[Bits], Integers]:
        chosen = sample(number)
        if any("seat" in part or "index" in part for part in parts):  # what is read is not record by record
            keys = [key[chosen] for key in telling(number, *parts)[0]]
        else:
            keys = telling(number, *(_Some(part, chosen.astype(np.int32)) for part in parts))[0]
        return [sortable(key) for key in keys], bounds[number] + chosen

    found = pool.collect(look, *handles)
    keys = [np.concatenate(column) for column in zip(*(part[0] for part in found), strict=True)]
    return splits_among(keys, np.concatenate([part[1] for part in found]), ranges, whole=whole)


def shuffle_by_range(
    pool: Pool, telling: Keys, bounds: Integers, *handles: Handle, whole: bool = False, keyed: bool = True,
    splits: Splits | None = None, summarize: Summarize = None,
) -> Handle:  # fmt: skip
    """Bring records into parts by ranges of keys; inside a part they stay in the order of the table.

    Unless it is said where ranges begin, there is one for each part; of several, neighbours share a part.

    A part has the columns that go with the records, their numbers (``row``), and unless these columns tell them already
    their keys (``key0``, ``key1``, …).
    """
    wanted = max(1, bounds.size - 1)
    split = splits_of(pool, telling, bounds, wanted, whole=whole, handles=handles) if splits is None else splits
    seats = np.array([part_of(number, split.ranges, wanted) for number in range(split.ranges)], np.int32)

    def send(number: int, *parts: Part) -> Pieces:
        keys, columns = telling(number, *parts)
        rows = numbers_of(bounds, number)
        target = seats[split.range_of(keys, rows)]
        named = {f"key{i}": key for i, key in enumerate(keys)} if keyed else {}
        return split_by_target(columns() | named | {"row": rows}, target, wanted)

    return pool.shuffle(send, wanted, *handles, summarize=summarize)


def part_of(number: int, ranges: int, parts: int) -> int:
    """Give the part that holds a range of so many."""
    return number if ranges <= parts else number * parts // ranges


def rows_in(number: int, part: Part) -> int:
    """Tell how many records an arranged part has."""
    return length_of(part, "row")


def length_of(part: Part, name: str) -> int:
    """Tell how many rows a column of a part has, which need not be read for that."""
    rows = getattr(part, "rows", None)
    found: int = part[name].shape[0] if rows is None else rows(name)
    return found


def numbers_of(bounds: Integers, number: int) -> NDArray[Any]:
    """Give the numbers of the records of a part, as short as those of all records can be."""
    kind = np.int32 if bounds[-1] < 2**31 else np.int64
    return np.arange(int(bounds[number]), int(bounds[number + 1]), dtype=kind)


def keys_of(part: Part) -> list[NDArray[Any]]:
    """Give the keys of the records of an arranged part."""
    found: list[NDArray[Any]] = []
    while f"key{len(found)}" in part:
        found.append(part[f"key{len(found)}"])
    return found


def shuffle_by_hash(
    pool: Pool, work: Callable[..., tuple[Bits, Arrays]], parts: int, *handles: Handle, summarize: Summarize = None
) -> Handle:
    """Bring records together that have the same number, which work gives with their columns."""

    def send(number: int, *given: Part) -> Pieces:
        bits, columns = work(number, *given)
        target = ((bits * _MIX) >> np.uint64(33)) % np.uint64(parts)
        return split_by_target(columns, target.astype(np.int32), parts)

    return pool.shuffle(send, parts, *handles, summarize=summarize)


class Pieces(Sequence[Arrays]):
    """What goes to each part, made when it is asked for: it is then still near the processor when it is written."""

    def __init__(self, parts: int, make: Callable[[int], Arrays]) -> None:
        self._parts, self._make = parts, make

    def __len__(self) -> int:
        return self._parts

    def __getitem__(self, number: Any) -> Any:
        if number >= self._parts:
            raise IndexError(number)
        return self._make(number)


def split_by_target(columns: Mapping[str, NDArray[Any]], target: NDArray[np.int32], parts: int) -> Pieces:
    """Give to each of so many parts the rows that go there, in their order."""
    order, starts = by_label(target, parts)

    def make(number: int) -> Arrays:
        rows = order[starts[number] : starts[number + 1]]
        return {name: rows_of(column, rows) for name, column in columns.items()}

    return Pieces(parts, make)


def rows_of(column: NDArray[Any], rows: NDArray[np.int32]) -> NDArray[Any]:
    """Take some rows of a column or a matrix."""
    if column.ndim > 2 or column.dtype != np.int32 or not column.size or not rows.size:
        return column[rows]
    cells = np.ascontiguousarray(column).reshape(len(column), -1)
    return gather_rows(cells, rows).reshape(rows.size, *column.shape[1:])


def taken(part: Part, name: str, rows: NDArray[np.int32]) -> NDArray[Any]:
    """Take a few rows of a column of a part, which need not be read whole for that."""
    take = getattr(part, "take", None)
    return rows_of(part[name], rows) if take is None else take(name, rows)


class _Some(Mapping[str, NDArray[Any]]):
    """Some records of a part, of which only what is asked for is read."""

    def __init__(self, part: Part, rows: NDArray[np.int32]) -> None:
        self._part, self._rows = part, rows

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._part:
            raise KeyError(name)
        return taken(self._part, name, self._rows)

    def __iter__(self) -> Iterator[str]:
        return iter(self._part)

    def __len__(self) -> int:
        return len(self._part)


def ascending(rows: NDArray[Any]) -> NDArray[np.int32] | None:
    """Give the order in which rows ascend; None if they do."""
    return None if (rows[1:] > rows[:-1]).all() else np.argsort(rows, kind="stable").astype(np.int32)


def restore_order(columns: Mapping[str, NDArray[Any]], rows: NDArray[Any], bounds: Integers) -> list[Arrays]:
    """Send rows back to the parts that they belong to, with the seat of each there."""
    order = ascending(rows)
    if order is not None:
        columns, rows = {name: rows_of(column, order) for name, column in columns.items()}, rows[order]
    cuts = np.searchsorted(rows, bounds.astype(rows.dtype))
    return [
        {name: column[a:b] for name, column in columns.items()} | {"seat": (rows[a:b] - first).astype(np.int32)}
        for a, b, first in zip(cuts[:-1].tolist(), cuts[1:].tolist(), bounds[:-1].tolist(), strict=True)
    ]
