"""Where a table is cut into pieces: at the same places whatever holds it, so that all engines form the same classes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Bits, Integers, Positions
from shoal.kernels.radix import count_splits, order_by_keys

ROWS = 1 << 17  # that a piece has, about, or up to twice as many
_SAMPLED = 64  # records for each piece, whose keys tell where pieces end


@dataclass(frozen=True)
class Splits:
    """Where ranges of sorted records begin: the keys of the first record of each but the first, and its number.

    A number of -1 comes before all records with these keys, which are then all in one range.
    """

    keys: tuple[Bits, ...]
    rows: Integers

    @classmethod
    def none(cls, keys: int) -> Splits:
        """Leave all records, which have so many keys, in one range."""
        return cls((np.empty(0, np.uint64),) * keys, np.empty(0, np.int64))

    @property
    def ranges(self) -> int:
        """How many ranges there are."""
        return self.rows.size + 1

    def range_of(self, keys: Sequence[NDArray[Any]], rows: NDArray[Any]) -> Positions:
        """Give the range that each record belongs to."""
        return _ranges(self.keys, self.rows, keys, rows)

    def some(self, chosen: Any) -> Splits:
        """Give only some of the splits."""
        return Splits(tuple(key[chosen] for key in self.keys), self.rows[chosen])

    def without_short_ranges(self, sizes: Sequence[int], least: int) -> Splits:
        """Put ranges that have too few records together with those that follow, and the last with those before."""
        kept, waiting = [], 0
        for split, size in enumerate(sizes[:-1]):
            waiting += size
            if waiting >= least:
                kept.append(split)
                waiting = 0
        if kept and waiting + sizes[-1] < least:
            kept.pop()
        return self.some(np.array(kept, np.int64))

    def stretches(self, keys: Sequence[NDArray[Any]], rows: NDArray[Any] | range) -> list[Positions]:
        """Sort records, of which these are the numbers, by their keys, ties by number; give those of each range."""
        order = order_by_keys(keys) if len(rows) else None
        order = np.arange(len(rows), dtype=np.int32) if order is None else order

        def sorts(at: int) -> tuple[int, ...]:
            record = int(order[at])
            return *(int(sortable(key[record : record + 1])[0]) for key in keys), int(rows[record])

        splits = zip(*(column.tolist() for column in (*self.keys, self.rows)), strict=True)
        places = [bisect_left(range(order.size), split, key=sorts) for split in splits]
        return np.split(order, places)


def _ranges(
    splits: Sequence[Bits], split_rows: Integers, keys: Sequence[NDArray[Any]], rows: NDArray[Any]
) -> Positions:
    if not keys:
        return np.searchsorted(split_rows, rows, side="right").astype(np.int32)
    bits = sortable(keys[0])
    found, alike = count_splits(bits, splits[0])
    # Few records are as some of the splits by the first key: the others say where these belong.
    first = np.searchsorted(splits[0], bits[alike])
    for begin in np.unique(first).tolist():
        tied = alike[first == begin]
        stop = int(found[tied[0]])
        here = [split[begin:stop] for split in splits[1:]]
        found[tied] = begin + _ranges(here, split_rows[begin:stop], [key[tied] for key in keys[1:]], rows[tied])
    return found


def sortable(key: NDArray[Any]) -> Bits:
    """Give keys as whole numbers that are sorted as the kernels sort the keys: floats by their bits."""
    if key.dtype == np.float64:
        return key.view(np.uint64)
    return (key.astype(np.int64) + 2**31).astype(np.uint64)


def choose_splits(keys: Sequence[Bits], rows: Integers, ranges: int, *, whole: bool) -> Splits:
    """Find where to split from the keys and numbers of some records; ``whole`` never splits records with equal keys.

    Otherwise they are split where they are so many that they would fill more than one range.
    """
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


def piece_count(rows: int, least: int) -> int:
    """Tell into how many pieces a table is cut, of which each holds at least two classes of the smallest size."""
    return max(1, rows // max(ROWS, 2 * least))


def sample_rows(rows: int, pieces: int) -> Integers:
    """Choose the records whose keys tell where pieces end: the same ones however a table is held."""
    draw = np.random.Generator(np.random.PCG64(pieces))
    return np.sort(draw.integers(0, rows, min(rows, _SAMPLED * pieces)))
