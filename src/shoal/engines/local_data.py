"""How the local engine keeps a table in memory.

The quasi-identifiers are two matrices, lower and upper ends, row after row, so that one look at memory brings a
whole record. A released table keeps one matrix row per group and, per record, the number of its group: what is
equal is stored once. Other columns are carried as 32-bit numbers or as codes of their distinct texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Offsets, Positions
from shoal.domains.axis import Axis
from shoal.engines.values import Moments, Spans
from shoal.errors import ParameterError
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import by_label, distinct, gather_rows
from shoal.kernels.spans import Members
from shoal.schema import Schema

OWN = np.empty(0, np.int32)


@dataclass
class Cache:
    """What was computed of a table, so that it is not computed again.

    ``itself`` is something by which just this table is known again, without holding it, and ``distances`` are those of
    the records of such a table from what was published for them, if that was found at the same time.
    """

    itself: object = field(default_factory=object)
    moments: Moments | None = None
    distances: tuple[object, Floats] | None = None

    def distances_from(self, original: Cache) -> Floats | None:
        """Give the sums of distances that were found when what is released was formed of just this original."""
        formed_of, sums = self.distances or (None, None)
        return sums if formed_of is original.itself else None


@dataclass
class LocalCache(Cache):
    """What else was computed of a table in memory.

    ``members`` are the records of each matrix row, ``formed`` the labels that were given last with the records of each,
    ``signatures`` the number of each matrix row by its cells in some columns, and ``starts`` where the classes of these
    begin.
    """

    members: Members | None = None
    formed: tuple[Positions, Members] | None = None
    signatures: dict[tuple[str, ...], tuple[Positions, int]] = field(default_factory=dict)
    starts: dict[tuple[str, ...], Offsets] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Words:
    """The distinct texts of a carried column, as they stood in the input, and where each lies on the axis."""

    texts: Sequence[str]
    lo: Positions
    hi: Positions


@dataclass(frozen=True, eq=False)
class LocalData:
    """A table in memory. ``index`` names the matrix row of each record; when empty, each record has its own."""

    quasi: tuple[str, ...]
    lo: Positions
    hi: Positions
    index: Positions
    ranged: tuple[bool, ...]
    carried: tuple[str, ...]
    codes: Positions
    words: tuple[Words | None, ...]
    # Carried columns of a frame as they came, to go out with the same type.
    sources: Mapping[str, Any] = field(default_factory=dict, repr=False)
    cache: LocalCache = field(default_factory=LocalCache, init=False, repr=False)

    @property
    def rows(self) -> int:
        """The number of records."""
        return int(self.codes.shape[0])

    def at(self, name: str) -> int:
        """Give the place of a quasi-identifier among the matrix columns."""
        return self.quasi.index(name)

    def unfolded(self) -> tuple[Positions, Positions]:
        """Give both matrices with one row per record."""
        if self.index.size == 0:
            return self.lo, self.hi
        lo = gather_rows(self.lo, self.index)
        return lo, lo if self.hi is self.lo else gather_rows(self.hi, self.index)

    def members(self) -> Members:
        """Give the records matrix row after matrix row, and where those of each row begin."""
        if self.cache.members is None:
            self.cache.members = by_label(self.index, self.lo.shape[0])
        return self.cache.members

    def positions(self, name: str) -> Positions:
        """Give the positions of one column, record by record; its cells must be exact."""
        if name in self.carried:
            j = self.carried.index(name)
            codes = np.ascontiguousarray(self.codes[:, j])
            words = self.words[j]
            if words is None:
                return codes
            if (words.lo == words.hi).all():
                return words.lo[codes]
            # Cells that were generalized before are values of their own, in the order of their ends.
            _, bins = np.unique(np.stack([words.lo, words.hi]), axis=1, return_inverse=True)
            places = bins.reshape(-1).astype(np.int32)
            return np.where(words.hi == MISSING, np.int32(MISSING), places)[codes]
        j = self.at(name)
        if (self.lo[:, j] != self.hi[:, j]).any():
            raise ParameterError(
                f"Column '{name}' is generalized, so its single values are not known.",
                "Use a column that is released as it is.",
            )
        column = np.ascontiguousarray(self.lo[:, j])
        return column if self.index.size == 0 else column[self.index]

    def part(self, rows: NDArray[np.intp]) -> LocalData:
        """Give some of the records, as a table of their own on the same axes."""
        at = self.index[rows] if self.index.size else rows
        lo = self.lo[at]
        return replace(
            self,
            lo=lo,
            hi=lo if self.hi is self.lo else self.hi[at],
            index=self.index[:0],
            codes=self.codes[rows],
            sources={},
        )

    def blanked(self, names: Sequence[str]) -> LocalData:
        """Give the same records with nothing in the missing cells of some carried columns."""
        words = [
            replace(each, texts=blank_texts(each, each.texts)) if each is not None and name in names else each
            for name, each in zip(self.carried, self.words, strict=True)
        ]
        typed = {name: column for name, column in self.sources.items() if name not in names}
        other = replace(self, words=tuple(words), sources=typed)
        vars(other.cache).update(vars(self.cache))
        return other

    def distances_from(self, original: LocalData) -> Floats | None:
        """Give how far records are from what is published for them, if that was found when it was published."""
        return self.cache.distances_from(original.cache)

    def ends(self, name: str, rows: NDArray[np.int64] | slice) -> tuple[Positions, Positions]:
        """Give both ends of one column's cells in some records."""
        if name in self.carried:
            j = self.carried.index(name)
            codes, words = self.codes[rows, j], self.words[j]
            return (codes, codes) if words is None else (words.lo[codes], words.hi[codes])
        places = rows if self.index.size == 0 else self.index[rows]
        return self.lo[places, self.at(name)], self.hi[places, self.at(name)]


def blank_texts(words: Words, texts: Sequence[str]) -> list[str]:
    """Give the texts of words, and nothing where these are missing."""
    return ["" if gone else text for text, gone in zip(texts, (words.hi == MISSING).tolist(), strict=True)]


def known_values(data: LocalData, name: str) -> Positions:
    """Give the positions of one column on its axis; a cell that was generalized has no value that is known."""
    if name not in data.carried:
        return data.positions(name)
    j = data.carried.index(name)
    words = data.words[j]
    codes = np.ascontiguousarray(data.codes[:, j])
    return codes if words is None else np.where(words.lo == words.hi, words.lo, np.int32(MISSING))[codes]


def spans(data: LocalData, schema: Schema) -> Spans:
    """Give the matrices as kernels want them: groups of categories by their ends, numbers behind listed positions."""
    lo, hi = data.lo, data.hi
    axes = [schema[name].axis for name in data.quasi]
    for j, axis in enumerate(axes):
        if axis.nominal and axis.groups:
            if lo is data.lo:
                lo, hi = data.lo.copy(), data.hi.copy()
            low, high = axis.hull()
            present = data.lo[:, j] != MISSING
            lo[present, j] = low[data.lo[present, j]]
            hi[present, j] = high[data.lo[present, j]]
    table, offsets = coordinate_table(axes)
    return Spans(lo, hi, table, offsets)


def coordinate_table(axes: Sequence[Axis]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Put the numbers behind listed positions one after the other, and say where each column's begin (-1: nowhere)."""
    parts: list[NDArray[np.float64]] = [np.zeros(1)]
    offsets = np.full(len(axes), -1, np.int64)
    filled = 1
    for j, axis in enumerate(axes):
        numbers = axis.coordinates()
        if numbers is not None:
            offsets[j] = filled
            parts.append(numbers)
            filled += len(numbers)
    return np.concatenate(parts), offsets


def moved(data: Positions, move: Positions | None) -> Positions:
    """Put positions where they belong on another axis; missing cells and wildcards stay what they are."""
    if move is None:
        return data
    inside = (data != MISSING) & (data != TOP)
    out = data.copy()
    out[inside] = move[data[inside]]
    return out


def renumbered(low: Positions, high: Positions, j: int) -> tuple[Positions, Positions, Positions]:
    """Number the positions that occur in a column from 0; give them, and the two matrices with the new numbers."""
    low, high = low.copy(), high.copy()
    used = distinct(np.concatenate([low[:, j], high[:, j]]))
    used = used[(used != MISSING) & (used != TOP)]
    for matrix in (low, high):
        inside = (matrix[:, j] != MISSING) & (matrix[:, j] != TOP)
        matrix[inside, j] = np.searchsorted(used, matrix[inside, j])
    return used, low, high
