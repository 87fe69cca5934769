"""How a table lies in parts: stretches of its records in their order, each what the local engine holds of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Counts, Floats, Integers, Positions
from shoal.engines.local.data import OWN, Known, LocalData, Words, blank_texts
from shoal.engines.parts.pool import Beside, Handle, Part, home
from shoal.kernels.grouping import gather_rows
from shoal.kernels.radix import places_in


@dataclass(frozen=True, eq=False)
class PartSchema:
    """What all parts of a table have in common. It goes wherever parts are worked on, so it holds no texts."""

    quasi: tuple[str, ...]
    ranged: tuple[bool, ...]
    carried: tuple[str, ...]
    words: tuple[Words | None, ...]

    @property
    def bare(self) -> PartSchema:
        """The same without carried columns, which are not read then."""
        return replace(self, carried=(), words=())

    def holding(self, lo: Positions, hi: Positions) -> LocalData:
        """Give cells as the local engine would hold them, without carried columns."""
        return LocalData(self.quasi, lo, hi, OWN, self.ranged, (), np.empty((lo.shape[0], 0), np.int32), ())

    def local(self, cells: Part, codes: Part) -> LocalData:
        """Give one part as the local engine would hold it."""
        lo, hi, index = OWN, OWN, cells.get("index", OWN)
        if self.quasi:
            lo = reorder(cells["lo"], cells.get("seat"))
            hi = reorder(cells["hi"], cells.get("seat")) if "hi" in cells else lo
            if hi is lo and "hi" in cells:  # one array under both names is no promise that all parts are exact
                hi = lo.copy()
        if self.carried and "codes" in codes:
            carried = codes["codes"]
            if not self.quasi:
                lo = hi = np.empty((carried.shape[0], 0), np.int32)
        else:
            carried = np.empty((index.size or lo.shape[0], 0), np.int32)
        return LocalData(self.quasi, lo, hi, index, self.ranged, self.carried, carried, self.words)

    def unfolded(self, cells: Part, codes: Part) -> LocalData:
        """Give one part with a matrix row for each record."""
        data = self.local(cells, codes)
        lo, hi = data.unfolded()
        return replace(data, lo=lo, hi=hi, index=OWN)


@dataclass(frozen=True)
class KnownColumn:
    """What is known of a quasi-identifier: its limits, what is in it, and its distinct cells unless they are many."""

    lowest: np.int32
    highest: np.int32
    missing: bool
    exact: bool
    cells: tuple[Positions, Positions, Integers] | None


@dataclass
class KnownOfParts(Known):
    """What else was found out about a table in parts: its columns, how often values occur, and its distinct cells."""

    columns: list[KnownColumn] | None = None
    counts: dict[str, Counts] = field(default_factory=dict)
    distinct: dict[tuple[tuple[str, ...], tuple[str, ...]], Handle] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class PartsTable:
    """A table in parts: how many records each has, their cells, and their codes in carried columns.

    What is ``held`` is the cells, or something that gives them when they are wanted. A part of them has the matrices
    ``lo`` and, unless all cells are exact, ``hi``; an ``index`` if records share rows of them; and a ``seat`` if they
    are not in order: the place in the part where each row belongs. A part of ``codes`` has a matrix of them. ``texts``
    are those of carried columns, and ``typed`` gives columns of a frame with the type that they came with, from their
    codes.
    """

    shape: PartSchema
    sizes: tuple[int, ...]
    held: Beside
    codes: Handle
    texts: tuple[Sequence[str] | None, ...]
    typed: Mapping[str, Callable[[Positions], Any]] = field(default_factory=dict, repr=False)
    known: KnownOfParts = field(default_factory=KnownOfParts, init=False, repr=False)

    @property
    def cells(self) -> Handle:
        """The cells of the parts."""
        return home(self.held)

    @property
    def classes(self) -> Handle | None:
        """What was published once for each class, and which class each record is in; None if that is not known."""
        found: Handle | None = getattr(self.held, "classes", None)
        return found

    @property
    def rows(self) -> int:
        """The number of records."""
        return sum(self.sizes)

    @property
    def bounds(self) -> NDArray[np.int64]:
        """The number of the first record of each part, and of all."""
        return np.append(0, np.cumsum(self.sizes)).astype(np.int64)

    def with_cells(self, cells: Beside, ranged: tuple[bool, ...]) -> PartsTable:
        """Give the same records with other cells."""
        other = replace(self, held=cells, shape=replace(self.shape, ranged=ranged))
        kept = {name: found for name, found in self.known.counts.items() if name in self.shape.carried}
        other.known.counts.update(kept)
        return other

    def blanked(self, names: Sequence[str]) -> PartsTable:
        """Give the same records with nothing in the missing cells of some carried columns."""
        texts = [
            blank_texts(words, mine) if words is not None and mine is not None and name in names else mine
            for name, words, mine in zip(self.shape.carried, self.shape.words, self.texts, strict=True)
        ]
        typed = {name: column for name, column in self.typed.items() if name not in names}
        other = replace(self, texts=tuple(texts), typed=typed)
        vars(other.known).update(vars(self.known))
        return other

    def distances_from(self, original: PartsTable) -> Floats | None:
        """Give how far records are from what is published for them, if that was found when it was published."""
        return self.known.distances_from(original.known)

    def whole_words(self) -> tuple[Words | None, ...]:
        """Give what stands behind the codes, texts included."""
        pairs = zip(self.shape.words, self.texts, strict=True)
        return tuple(words if words is None else replace(words, texts=texts or ()) for words, texts in pairs)


def without_texts(words: Sequence[Words | None]) -> tuple[Words | None, ...]:
    """Give words without their texts."""
    return tuple(each if each is None else Words((), each.lo, each.hi) for each in words)


def reorder(values: NDArray[Any], seats: Positions | None) -> NDArray[Any]:
    """Put values into their seats."""
    if seats is None:
        return values
    places = places_in(seats)
    return gather_rows(values, places) if values.ndim == 2 and values.dtype == np.int32 else values[places]


def value_of(part: Part) -> NDArray[Any]:
    """Give the numbers of a column that lies beside a part, record by record."""
    return reorder(part["value"], part.get("seat"))


def cells_of(data: LocalData) -> dict[str, NDArray[Any]]:
    """Give the cells of a table in memory as a part."""
    found = {"lo": data.lo} if data.quasi else {}
    if data.quasi and data.hi is not data.lo:
        found["hi"] = data.hi
    if data.index.size:
        found["index"] = data.index
    return found or {"codes": data.codes}


def divided(data: LocalData, rows: int) -> tuple[list[dict[str, NDArray[Any]]], list[dict[str, NDArray[Any]]]]:
    """Cut a table in memory into parts of so many records: their cells, and their codes."""
    lo, hi = data.unfolded()
    cells, codes = [], []
    for start in range(0, data.rows, rows):
        some = slice(start, start + rows)
        low = lo[some]
        here = replace(data, lo=low, hi=low if hi is lo else hi[some], index=OWN, codes=data.codes[some])
        cells.append(cells_of(here))
        codes.append({"codes": here.codes} if data.carried else cells[-1])
    return cells, codes
