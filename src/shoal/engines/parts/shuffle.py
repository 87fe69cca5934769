"""Shuffles of records between parts: by ranges of keys, by hash, and back into the order of the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Bits, Integers
from shoal.engines.parts.data import Arrays, PartsTable
from shoal.engines.parts.pool import Handle, Part, Pool, Summarize
from shoal.engines.range_splits import Splits, choose_splits, sample_rows, sortable
from shoal.kernels.grouping import by_label, gather_rows

# From the cells and codes of a part and the columns beside it: keys to sort by, and what gives the columns to move.
Extract = Callable[..., tuple[list[NDArray[Any]], Callable[[], Arrays]]]

_SAMPLED = 32  # records of each part, for each range
_MIX = np.uint64(0x9E3779B97F4A7C15)


def shuffle_by_range(
    pool: Pool, data: PartsTable, extract: Extract, *columns: Handle, whole: bool = False, keyed: bool = True,
    splits: Splits | None = None, summarize: Summarize = None,
) -> Handle:  # fmt: skip
    """Move records to parts by ranges of their keys; inside a part they stay in the order of the table.

    Without ``splits`` there is one range for each part, between keys that are sampled; ``whole`` keeps records with
    equal keys together. If ``splits`` make more ranges than there are parts, neighbours share a part.

    A new part has the columns that ``extract`` gives, the numbers of the records (``row``), and if ``keyed`` their keys
    (``key0``, ``key1``, …).
    """
    bounds, wanted = data.bounds, max(1, len(data.sizes))
    split = _range_splits(pool, data, extract, wanted, columns, whole=whole) if splits is None else splits
    targets = np.array([part_of(number, split.ranges, wanted) for number in range(split.ranges)], np.int32)

    def send(number: int, *parts: Part) -> Iterator[Arrays]:
        keys, moving = extract(number, *parts)
        rows = numbers_of(bounds, number)
        named = {f"key{i}": key for i, key in enumerate(keys)} if keyed else {}
        return split_by_target(moving() | named | {"row": rows}, targets[split.range_of(keys, rows)], wanted)

    return pool.shuffle(send, wanted, data.cells, data.codes, *columns, summarize=summarize)


def _range_splits(
    pool: Pool, data: PartsTable, extract: Extract, ranges: int, columns: Sequence[Handle], *, whole: bool
) -> Splits:
    """Find the keys between ranges from a sample of each part."""
    size, sizes = _SAMPLED * ranges, data.sizes

    def sample(number: int) -> NDArray[np.int64]:
        n = sizes[number]
        if n <= size:
            return np.arange(n)
        return np.sort(np.random.Generator(np.random.PCG64(number)).integers(0, n, size))

    return _splits_at(pool, data, extract, ranges, sample, columns, whole=whole)


def block_splits(pool: Pool, data: PartsTable, extract: Extract, blocks: int, columns: Sequence[Handle]) -> Splits:
    """Find the keys between blocks, which are the same however the table is divided into parts."""
    bounds = data.bounds

    def sample(number: int) -> NDArray[np.int64]:
        chosen = sample_rows(int(bounds[-1]), blocks)  # drawn again for every part: too many to be sent along
        first, stop = np.searchsorted(chosen, bounds[number : number + 2]).tolist()
        return chosen[first:stop] - int(bounds[number])

    return _splits_at(pool, data, extract, blocks, sample, columns, whole=False)


def _splits_at(
    pool: Pool, data: PartsTable, extract: Extract, ranges: int, sample: Callable[[int], NDArray[np.int64]],
    columns: Sequence[Handle], *, whole: bool,
) -> Splits:  # fmt: skip
    bounds, in_order = data.bounds, not data.shape.indexed and not data.shape.scattered

    def look(number: int, cells: Part, codes: Part, *beside: Part) -> tuple[list[Bits], Integers]:
        parts, chosen = (cells, codes, *beside), sample(number)
        if in_order and not any(column["offset"].size for column in beside):  # the other records are not read
            keys = extract(number, *(_Sample(part, chosen.astype(np.int32)) for part in parts))[0]
        else:
            keys = [key[chosen] for key in extract(number, *parts)[0]]
        return [sortable(key) for key in keys], bounds[number] + chosen

    found = pool.collect(look, data.cells, data.codes, *columns)
    keys = [np.concatenate(column) for column in zip(*(part[0] for part in found), strict=True)]
    return choose_splits(keys, np.concatenate([part[1] for part in found]), ranges, whole=whole)


def part_of(number: int, ranges: int, parts: int) -> int:
    """Give the part that holds a range of so many."""
    return number if ranges <= parts else number * parts // ranges


def rows_in(number: int, part: Part) -> int:
    """Count the records of a shuffled part."""
    return length_of(part, "row")


def length_of(part: Part, name: str) -> int:
    """Count the rows of a column without reading it, if the pool can."""
    rows = getattr(part, "rows", None)
    found: int = part[name].shape[0] if rows is None else rows(name)
    return found


def numbers_of(bounds: Integers, number: int) -> NDArray[Any]:
    """Give the numbers of the records of a part, in the smallest type for those of all records."""
    kind = np.int32 if bounds[-1] < 2**31 else np.int64
    return np.arange(int(bounds[number]), int(bounds[number + 1]), dtype=kind)


def keys_of(part: Part) -> list[NDArray[Any]]:
    """Give the keys of the records of a shuffled part."""
    return [part[f"key{i}"] for i in range(sum(name.startswith("key") for name in part))]


def shuffle_by_hash(
    pool: Pool, work: Callable[..., tuple[Bits, Arrays]], parts: int, *handles: Handle, summarize: Summarize = None
) -> Handle:
    """Bring records with the same hash together; ``work(number, *parts)`` gives the hashes and the columns to move."""

    def send(number: int, *given: Part) -> Iterator[Arrays]:
        bits, columns = work(number, *given)
        target = ((bits * _MIX) >> np.uint64(33)) % np.uint64(parts)
        return split_by_target(columns, target.astype(np.int32), parts)

    return pool.shuffle(send, parts, *handles, summarize=summarize)


def split_by_target(columns: Mapping[str, NDArray[Any]], target: NDArray[np.int32], parts: int) -> Iterator[Arrays]:
    """Give the rows that go to each part, in their order, part by part: each is written while it is in the cache."""
    order, starts = by_label(target, parts)
    for a, b in pairwise(starts.tolist()):
        yield {name: rows_of(column, order[a:b]) for name, column in columns.items()}


def rows_of(column: NDArray[Any], rows: NDArray[np.int32]) -> NDArray[Any]:
    """Take some rows of a column or a matrix."""
    if column.ndim > 2 or column.dtype != np.int32 or not column.size or not rows.size:
        return column[rows]
    cells = np.ascontiguousarray(column).reshape(len(column), -1)
    return gather_rows(cells, rows).reshape(rows.size, *column.shape[1:])


def take(part: Part, name: str, rows: NDArray[np.int32]) -> NDArray[Any]:
    """Take a few rows of a column without reading the others, if the pool can."""
    found = getattr(part, "take", None)
    return rows_of(part[name], rows) if found is None else found(name, rows)


class _Sample(Mapping[str, NDArray[Any]]):
    """Some records of a part whose rows are in order, read column by column when asked for."""

    def __init__(self, part: Part, rows: NDArray[np.int32]) -> None:
        self._part, self._rows = part, rows

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._part[name] if name == "offset" else take(self._part, name, self._rows)

    def __iter__(self) -> Iterator[str]:
        return iter(self._part)

    def __len__(self) -> int:
        return len(self._part)


def ascending(rows: NDArray[Any]) -> NDArray[np.int32] | None:
    """Give the order in which rows ascend; None if they do."""
    return None if (rows[1:] > rows[:-1]).all() else np.argsort(rows, kind="stable").astype(np.int32)


def restore_order(columns: Mapping[str, NDArray[Any]], rows: NDArray[Any], bounds: Integers) -> list[Arrays]:
    """Split records by the part of the table that they came from, with their ``offset`` in it."""
    order = ascending(rows)
    if order is not None:
        columns, rows = {name: rows_of(column, order) for name, column in columns.items()}, rows[order]
    cuts = np.searchsorted(rows, bounds.astype(rows.dtype))
    return [
        {name: column[a:b] for name, column in columns.items()} | {"offset": (rows[a:b] - first).astype(np.int32)}
        for a, b, first in zip(cuts[:-1].tolist(), cuts[1:].tolist(), bounds[:-1].tolist(), strict=True)
    ]
