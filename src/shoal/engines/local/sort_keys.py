"""What rows of a release are sorted by: numbers for cells that depend on nothing but what is released of them.

Cells on an axis with an order are sorted by their ends. Where a category or a set lies on its axis, and which code a
text has, depends on the table that they were first met in: such cells are sorted by their texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.domains.axis import Axis
from shoal.domains.hierarchy import ROOT
from shoal.engines.local_data import Words
from shoal.kernels import MISSING, TOP
from shoal.schema import RELEASED, SPANNED, Schema

# Gives the values behind all codes of a column, with the type that they are released with.
Values = Callable[[], Any]


@dataclass(frozen=True, eq=False)
class TextRanks:
    """The places of cells among all that a column may have, sorted by text: of pairs of ends, in ascending order."""

    pairs: NDArray[np.int64]
    places: Positions

    def of(self, lo: Positions, hi: Positions) -> tuple[Positions, Positions]:
        """Give places for cells; no value and ``*`` stay what they are, and come first."""
        there = lo != MISSING
        low, high = lo.copy(), hi.copy()
        low[there] = self.places[np.searchsorted(self.pairs, _pair(lo[there], hi[there]))]
        high[there] = np.where(low[there] == MISSING, TOP, low[there])
        return low, high


@dataclass(frozen=True, eq=False)
class SortKeys:
    """What the rows of a table are sorted by: quasi-identifiers, then the other columns, all in the schema's order.

    ``columns`` are the places of quasi-identifiers in the matrices, the first of which matters most, and ``ranked``
    the places of cells in those whose positions do not tell the order. ``others`` are carried columns with the place
    of each code in the order of a column; None where the codes tell it themselves.
    """

    columns: NDArray[np.int64]
    ranked: Mapping[int, TextRanks]
    others: tuple[tuple[int, Positions | None], ...]

    def of_cells(self, lo: Positions, hi: Positions) -> tuple[Positions, Positions]:
        """Give numbers for both ends of cells that are sorted as the cells are."""
        if not self.ranked:
            return lo, hi
        low, high = lo.copy(), hi.copy()
        for j, ranked in self.ranked.items():
            low[:, j], high[:, j] = ranked.of(lo[:, j], hi[:, j])
        return low, high

    def of_codes(self, codes: Positions) -> Positions:
        """Give numbers for carried cells that are sorted as they are, column by column as they matter."""
        if [j for j, _ in self.others] == list(range(codes.shape[1])) and all(r is None for _, r in self.others):
            return codes
        ranks = np.empty((codes.shape[0], len(self.others)), np.int32)
        for i, (j, places) in enumerate(self.others):
            ranks[:, i] = codes[:, j] if places is None else places[codes[:, j]]
        return ranks


def sort_keys(
    schema: Schema, quasi: Sequence[str], carried: Sequence[str], words: Sequence[Words | None],
    values: Mapping[str, Values],
) -> SortKeys:  # fmt: skip
    """Say what the rows of a release are sorted by.

    Carried cells that have one place on their axis may still be written in different ways (``1.5``, ``1.50``), and what
    has one text may be different values of a frame (no value and NaN). Not every kind of release shows that, so it only
    tells the order of rows in which all cells are equal otherwise.
    """
    ranked = {j: found for j, name in enumerate(quasi) if (found := _ranked(schema[name].axis)) is not None}
    first: list[tuple[int, Positions | None]] = []
    then: list[tuple[int, Positions | None]] = []
    last: list[tuple[int, Positions | None]] = []
    for name in (name for name in schema.of(*RELEASED) if name in carried):
        j = list(carried).index(name)
        known, axis = words[j], schema[name].axis
        if known is None:
            first.append((j, None))
            continue
        by_text = axis.nominal or axis.tree is not None
        places, ties = _places(list(known.texts) if by_text else _pair(known.lo, known.hi))
        first.append((j, None if (places == np.arange(places.size)).all() else places))
        if ties and not by_text:
            places, ties = _places([*zip(places.tolist(), known.texts, strict=True)])
            then.append((j, places))
        if name in values and ties:
            from shoal.engines.io.distinct_cells import comparable

            last.append((j, _places([*zip(places.tolist(), comparable(values[name]()), strict=True)])[0]))
    columns = np.array([list(quasi).index(name) for name in schema.of(*SPANNED) if name in quasi], np.int64)
    return SortKeys(columns, ranked, (*first, *then, *last))


def _pair(lo: NDArray[Any], hi: NDArray[Any]) -> NDArray[np.int64]:
    """Give each pair of ends as one number: pairs are sorted as these are."""
    pairs: NDArray[np.int64] = (lo.astype(np.int64) << 32) + (hi.astype(np.int64) - MISSING)
    return pairs


def _places(keys: NDArray[Any] | Sequence[Any]) -> tuple[Positions, bool]:
    """Give the place of each key among those that differ, in ascending order; and whether some are equal."""
    if isinstance(keys, np.ndarray):
        found, places = np.unique(keys, return_inverse=True)
        return places.reshape(-1).astype(np.int32), found.size < keys.size
    if all(a < b for a, b in pairwise(keys)):
        return np.arange(len(keys), dtype=np.int32), False
    order = sorted(range(len(keys)), key=keys.__getitem__)
    steps = [0, *(keys[a] != keys[b] for a, b in pairwise(order))]
    found = np.empty(len(keys), np.int32)
    found[order] = np.cumsum(steps)[: len(keys)]
    return found, sum(steps) + 1 < len(keys)


def _ranked(axis: Axis) -> TextRanks | None:
    """Sort the cells of a quasi-identifier by their texts; None where their positions tell the order."""
    if axis.tree is not None:
        spans = sorted(axis.tree.nodes)
        return _by_text(spans, [axis.node(span) for span in spans])
    if not axis.nominal or axis.values is None:
        return None
    positions = range(len(axis.values) + len(axis.groups))
    texts = axis.texts(np.arange(len(positions), dtype=np.int32))
    if all(a < b for a, b in pairwise(texts)):
        return None
    return _by_text([(position, position) for position in positions], texts)


def _by_text(spans: Iterable[tuple[int, int]], texts: list[str]) -> TextRanks:
    """Sort cells by their texts. The root of a hierarchy may be ``*``, which says nothing and comes first."""
    ends = np.array(list(spans), np.int64).reshape(-1, 2)
    places, _ = _places(texts)
    places[[text == ROOT for text in texts]] = MISSING
    return TextRanks(_pair(ends[:, 0], ends[:, 1]), places)
