"""Moving records between parts: sorted into ranges, gathered by what they have in common, and home again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.engines.parts.pool import Handle, Part, Pool, Telling
from shoal.kernels.grouping import by_label, gather_rows

Integers = NDArray[np.int64]
Bits = NDArray[np.uint64]
Arrays = dict[str, NDArray[Any]]
# What a part has to say of its records: keys to sort by, and, when asked, the columns that go with them.
Keys = Callable[..., tuple[list[NDArray[Any]], Callable[[], Arrays]]]

_LISTED = 1 << 16
_SAMPLED = 32  # records of each part, for each range that is wanted
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Splits:
    """Where ranges of sorted records begin: the keys of the first record of each but the first, and its number.

    A number of -1 comes before all records with these keys, which are then all in one range.
    """

    keys: tuple[Bits, ...]
    rows: Integers

    def ranges(self, keys: Sequence[Bits], rows: NDArray[Any]) -> NDArray[np.int32]:
        """Give the range that each record belongs to."""
        return _ranges(self.keys, self.rows, keys, rows).astype(np.int32)


def _ranges(splits: Sequence[Bits], split_rows: Integers, keys: Sequence[Bits], rows: NDArray[Any]) -> Integers:
    if not keys:
        return np.searchsorted(split_rows, rows, side="right")
    first, found = (_searched(splits[0], keys[0], side) for side in ("left", "right"))
    for begin in np.unique(first[first < found]).tolist():  # where records are as some of the splits by the first key
        tied = np.flatnonzero((first == begin) & (found > begin))
        stop = int(found[tied[0]])
        here = [split[begin:stop] for split in splits[1:]]
        found[tied] = begin + _ranges(here, split_rows[begin:stop], [key[tied] for key in keys[1:]], rows[tied])
    return found


def _searched(splits: Bits, keys: Bits, side: Literal["left", "right"]) -> Integers:
    """Find the place of each key among splits; few different keys are looked up in a list of all that may occur."""
    if keys.size == 0:
        return np.searchsorted(splits, keys, side=side)
    low, high = keys.min(), keys.max()
    if high - low >= np.uint64(min(_LISTED, keys.size)):
        return np.searchsorted(splits, keys, side=side)
    listed = np.searchsorted(splits, np.arange(low, high + np.uint64(1), dtype=np.uint64), side=side)
    found: Integers = listed[(keys - low).astype(np.int64)]
    return found


def sortable(key: NDArray[Any]) -> Bits:
    """Give keys as whole numbers that are sorted as the kernels sort the keys: floats by their bits."""
    if key.dtype == np.float64:
        return key.view(np.uint64)
    return (key.astype(np.int64) + 2**31).astype(np.uint64)


def splits_of(
    pool: Pool, telling: Keys, bounds: Integers, ranges: int, *, whole: bool, handles: Sequence[Handle]
) -> Splits:
    """Find where to split from a sample of each part; ``whole`` never splits records with equal keys."""
    size = _SAMPLED * ranges

    def sample(number: int, *parts: Part) -> tuple[list[Bits], Integers]:
        keys = telling(number, *parts)[0]
        n = int(bounds[number + 1] - bounds[number])
        chosen = np.arange(n)
        if n > size:
            chosen = np.sort(np.random.Generator(np.random.PCG64(number)).integers(0, n, size))
        return [sortable(key[chosen]) for key in keys], bounds[number] + chosen

    found = pool.gather(sample, *handles)
    rows = np.concatenate([part[1] for part in found])
    keys = [np.concatenate(column) for column in zip(*(part[0] for part in found), strict=True)]
    order = np.lexsort([rows, *reversed(keys)])
    at = order[np.arange(1, ranges) * order.size // ranges]
    chosen, numbers = [key[at] for key in keys], rows[at]
    same = np.ones(at.size, bool)
    same[:1] = False
    for key in chosen:
        same[1:] &= key[1:] == key[:-1]
    numbers = np.where(same, numbers, -1)
    kept = ~same if whole else np.append(True, ~same[1:] | (numbers[1:] > numbers[:-1]))[: at.size]
    return Splits(tuple(key[kept] for key in chosen), numbers[kept])


def arranged(
    pool: Pool, telling: Keys, bounds: Integers, *handles: Handle, whole: bool = False, keyed: bool = True,
    tell: Telling = None,
) -> Handle:  # fmt: skip
    """Bring records into parts by ranges of keys; inside a part they stay in the order of the table.

    A part has the columns that go with the records, their numbers (``row``), and unless these columns tell them already
    their keys (``key0``, ``key1``, …).
    """
    wanted = max(1, bounds.size - 1)
    splits = splits_of(pool, telling, bounds, wanted, whole=whole, handles=handles)

    def send(number: int, *parts: Part) -> list[Arrays]:
        keys, columns = telling(number, *parts)
        rows = numbers_of(bounds, number)
        target = splits.ranges([sortable(key) for key in keys], rows)
        named = {f"key{i}": key for i, key in enumerate(keys)} if keyed else {}
        return dealt(columns() | named | {"row": rows}, target, wanted)

    return pool.exchange(send, wanted, *handles, tell=tell)


def rows_in(number: int, part: Part) -> int:
    """Tell how many records an arranged part has."""
    return int(part["row"].size)


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


def gathered(
    pool: Pool, work: Callable[..., tuple[Bits, Arrays]], parts: int, *handles: Handle, tell: Telling = None
) -> Handle:
    """Bring records together that have the same number, which work gives with their columns."""

    def send(number: int, *given: Part) -> list[Arrays]:
        bits, columns = work(number, *given)
        target = ((bits * _MIX) >> np.uint64(33)) % np.uint64(parts)
        return dealt(columns, target.astype(np.int32), parts)

    return pool.exchange(send, parts, *handles, tell=tell)


def dealt(columns: Mapping[str, NDArray[Any]], target: NDArray[np.int32], parts: int) -> list[Arrays]:
    """Give to each of so many parts the rows that go there, in their order."""
    order, starts = by_label(target, parts)
    taken = {name: rows_of(column, order) for name, column in columns.items()}
    cuts = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    return [{name: column[a:b] for name, column in taken.items()} for a, b in cuts]


def rows_of(column: NDArray[Any], rows: NDArray[np.int32]) -> NDArray[Any]:
    """Take some rows of a column or a matrix."""
    if column.ndim == 2 and column.dtype == np.int32:
        return gather_rows(np.ascontiguousarray(column), rows)
    return column[rows]


def homeward(columns: Mapping[str, NDArray[Any]], rows: NDArray[Any], bounds: Integers) -> list[Arrays]:
    """Send rows back to the parts that they belong to, with the seat of each there."""
    if rows.size > 1 and not (rows[1:] > rows[:-1]).all():
        order = np.argsort(rows, kind="stable").astype(np.int32)
        columns, rows = {name: rows_of(column, order) for name, column in columns.items()}, rows[order]
    cuts = np.searchsorted(rows, bounds.astype(rows.dtype))
    return [
        {name: column[a:b] for name, column in columns.items()} | {"seat": (rows[a:b] - first).astype(np.int32)}
        for a, b, first in zip(cuts[:-1].tolist(), cuts[1:].tolist(), bounds[:-1].tolist(), strict=True)
    ]
