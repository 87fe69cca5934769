"""Uniqueness for every subset of the attributes that somebody may know, found together.

A record that stands alone for some attributes stands alone for more of them too. So sets are grown one attribute at a
time, along a tree in which each occurs once: a unique record is counted and left behind, and the rest is divided
further. Attributes with many values come first, because they leave least for the rest; and where the first ones are
not in a set, records that are equal in all others are looked at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.engines import Boxes
from shoal.kernels.grouping import count_labels, label_rows
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class _Remaining:
    """The distinct records that do not stand alone for a set of attributes.

    ``rows`` are their numbers, ``labels`` tell which are equal so far, and ``unique`` counts those left behind.
    """

    rows: Positions
    labels: Positions
    groups: int
    unique: int


@dataclass(frozen=True, eq=False)
class _Distinct:
    """Distinct records: the code of each value, column by column; how many codes there are; and who occurs once."""

    codes: Sequence[Positions]
    sizes: Sequence[int]
    alone: NDArray[np.bool_]

    def without(self, first: int) -> _Distinct:
        """Give the records that are distinct without the first columns, whose codes are left out."""
        kept = np.stack(self.codes[first:], axis=1)
        labels, groups = label_rows(kept, kept, np.arange(kept.shape[1]))
        one = np.empty(groups, np.int32)
        one[labels] = np.arange(labels.size, dtype=np.int32)
        alone = self.alone[one] & (count_labels(labels, groups) == 1)
        nothing = [np.zeros(0, np.int32)] * first
        return _Distinct([*nothing, *np.ascontiguousarray(kept[one].T)], self.sizes, alone)

    def whole(self) -> _Remaining:
        """Give all records, of which nothing is known."""
        rows = np.arange(self.alone.size, dtype=np.int32)
        return _Remaining(rows, np.zeros_like(rows), 1, 0)

    def unique(self, remaining: _Remaining, column: int) -> int:
        """Count who stands alone when one attribute more is known."""
        keys, counts = self._divided(remaining, column)
        return remaining.unique + int(np.count_nonzero(self.alone[remaining.rows[(counts == 1)[keys]]]))

    def grown(self, remaining: _Remaining, column: int) -> _Remaining:
        """Give what remains when one attribute more is known."""
        keys, counts = self._divided(remaining, column)
        several = counts > 1
        stay = several[keys]
        # A group of one distinct record is not divided any further, whether or not that record occurs once.
        unique = remaining.unique + int(np.count_nonzero(self.alone[remaining.rows[~stay]]))
        labels = (np.cumsum(several, dtype=np.int32) - 1)[keys[stay]]
        return _Remaining(remaining.rows[stay], labels, int(np.count_nonzero(several)), unique)

    def _divided(self, remaining: _Remaining, column: int) -> tuple[NDArray[np.int64] | Positions, NDArray[np.int64]]:
        """Divide groups by one attribute: give the number of each record's part, and how many records parts have."""
        codes, size = self.codes[column][remaining.rows], self.sizes[column]
        parts = remaining.groups * size
        if parts <= 4 * codes.size + 1024:  # few enough to be counted on a list
            keys = remaining.labels.astype(np.int64)
            keys *= size
            keys += codes
            return keys, np.bincount(keys, minlength=parts)
        pairs = np.stack([remaining.labels, codes], axis=1)
        labels, groups = label_rows(pairs, pairs, np.arange(2))
        return labels, count_labels(labels, groups)


def subset_uniqueness(table: Table, most: int | None = None) -> dict[tuple[str, ...], int]:
    """Count the records that stand alone for every set of quasi-identifiers, by the names of these in table order.

    Parameters
    ----------
    table
        The table. Its distinct records are looked at in memory.
    most
        The largest sets; all if left out.

    Examples
    --------
    >>> import polars as pl
    >>> from shoal import read
    >>> people = read(pl.DataFrame({"age": [34, 34, 51], "sex": ["f", "m", "m"]}), quasi=["age", "sex"])
    >>> subset_uniqueness(people) == {("age",): 1, ("sex",): 1, ("age", "sex"): 3}
    True
    """
    names = table.schema.quasi
    distinct, order = _distinct(table)
    found: dict[tuple[str, ...], int] = {}
    for first in range(len(order)):
        if first:
            distinct = distinct.without(first)
        known = distinct.grown(distinct.whole(), first)
        for columns, unique in _supersets(distinct, (first,), known, len(order) if most is None else most):
            found[tuple(name for name in names if names.index(name) in {order[c] for c in columns})] = unique
    return found


def _supersets(
    distinct: _Distinct, columns: tuple[int, ...], known: _Remaining, most: int
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Give a set and all that come from it by adding later columns, each with those who stand alone."""
    yield columns, known.unique
    last = len(distinct.codes) - 1
    for column in range(columns[-1] + 1, last + 1) if len(columns) < most else ():
        more = (*columns, column)
        if column == last or len(more) == most:  # half of all sets: nothing comes from them
            yield more, distinct.unique(known, column)
        else:
            yield from _supersets(distinct, more, distinct.grown(known, column), most)


def _distinct(table: Table) -> tuple[_Distinct, list[int]]:
    """Give the distinct records of a table, columns with many values first, and which column stands where."""

    def cells(boxes: Boxes) -> tuple[Positions, Positions, NDArray[np.int64]]:
        return boxes.lo, boxes.hi, boxes.counts

    parts = table.boxes(cells)
    lo, hi, counts = parts[0] if len(parts) == 1 else (np.concatenate([part[i] for part in parts]) for i in range(3))
    codes = [label_rows(lo, hi, np.array([j])) for j in range(lo.shape[1])]
    order = sorted(range(len(codes)), key=lambda j: -codes[j][1])
    return _Distinct([codes[j][0] for j in order], [codes[j][1] for j in order], counts == 1), order
