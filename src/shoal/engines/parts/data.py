"""A table in parts: consecutive rows of it, each part what the local engine holds of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Counts, Floats, Integers, Positions
from shoal.engines.local_data import OWN, Cache, LocalData, Words, blank_texts
from shoal.engines.parts.columns import LazyColumn, Materialized
from shoal.engines.parts.pool import Handle, Part
from shoal.kernels.grouping import gather_rows
from shoal.kernels.radix import places_in

Arrays = dict[str, NDArray[Any]]
# What turns the codes of carried columns into columns of a frame, with the type that they came with.
Typed = Mapping[str, Callable[[Positions], Any]]


@dataclass(frozen=True, eq=False)
class PartSchema:
    """What every part of a table holds. It is sent along with work, so it holds no texts.

    A part of cells has the matrix ``lo`` with the lower ends of the quasi-identifiers, and unless all are ``exact`` the
    matrix ``hi`` with their upper ends. If ``indexed``, records share matrix rows, and ``index`` names the row of each.
    If ``scattered``, rows are not in the order of the table, and ``offset`` is the row of the part where each belongs.
    A part of codes has the matrix ``codes`` of the carried columns.
    """

    quasi: tuple[str, ...]
    ranged: tuple[bool, ...]
    carried: tuple[str, ...]
    words: tuple[Words | None, ...]
    exact: bool
    indexed: bool = False
    scattered: bool = False

    @property
    def quasi_only(self) -> PartSchema:
        """The same without carried columns, whose codes are then not read."""
        return replace(self, carried=(), words=())

    @property
    def in_order(self) -> PartSchema:
        """What parts hold once rows are in order, one for each record."""
        return replace(self, indexed=False, scattered=False)

    @property
    def of_classes(self) -> PartSchema:
        """What parts hold that have a matrix row for each class, and no codes."""
        return replace(self.quasi_only, exact=False, indexed=True, scattered=False)

    @property
    def sides(self) -> tuple[str, ...]:
        """The matrices of a part."""
        return ("lo",) if self.exact else ("lo", "hi")

    def ends(self, part: Part) -> tuple[Positions, Positions]:
        """Give both matrices of a part."""
        return part["lo"], part["lo"] if self.exact else part["hi"]

    def columns(self, data: LocalData) -> Arrays:
        """Give the cells of a table in memory as columns of a part."""
        return {side: data.lo if side == "lo" else data.hi for side in self.sides}

    def holding(self, lo: Positions, hi: Positions) -> LocalData:
        """Give cells as a table in memory, without carried columns."""
        return LocalData(self.quasi, lo, hi, OWN, self.ranged, (), np.empty((lo.shape[0], 0), np.int32), ())

    def local(self, cells: Part, codes: Part) -> LocalData:
        """Give one part as a table in memory."""
        lo, hi, index = OWN, OWN, OWN
        if self.quasi:
            offsets = cells["offset"] if self.scattered else OWN
            lo = reorder(cells["lo"], offsets)
            hi = lo if self.exact else reorder(cells["hi"], offsets)
            index = cells["index"] if self.indexed else OWN
        if self.carried:
            carried = codes["codes"]
            if not self.quasi:
                lo = hi = np.empty((carried.shape[0], 0), np.int32)
        else:
            carried = np.empty((index.size or lo.shape[0], 0), np.int32)
        return LocalData(self.quasi, lo, hi, index, self.ranged, self.carried, carried, self.words)

    def unfolded(self, cells: Part, codes: Part) -> LocalData:
        """Give one part as a table in memory with a matrix row for each record."""
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
class PartsCache(Cache):
    """What else was computed of a table in parts: its columns, value counts, and distinct cells."""

    columns: list[KnownColumn] | None = None
    counts: dict[str, Counts] = field(default_factory=dict)
    distinct: dict[tuple[tuple[str, ...], tuple[str, ...]], Handle] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class PartsTable:
    """A table in parts.

    ``shape`` declares what the parts of ``cells`` and ``codes`` hold, and ``sizes`` are their numbers of records.
    ``texts`` are those of carried columns. Parts of ``classes``, if there are any, have the generalized cells of each
    class (``lo``, ``hi``) and, of each record, the ``index`` of its class and its number (``row``).
    """

    shape: PartSchema
    sizes: tuple[int, ...]
    lazy_cells: LazyColumn
    codes: Handle
    texts: tuple[Sequence[str] | None, ...]
    typed: Typed = field(repr=False)
    classes: Handle | None = None
    cache: PartsCache = field(default_factory=PartsCache, init=False, repr=False)

    @classmethod
    def of(
        cls, quasi: Sequence[str], ranged: Sequence[bool], carried: Sequence[str], words: Sequence[Words | None],
        sizes: Sequence[int], cells: Handle, codes: Handle, typed: Typed, *, exact: bool,
    ) -> PartsTable:  # fmt: skip
        """Make a table of parts with cells and codes, and the words of carried columns."""
        textless = tuple(each if each is None else replace(each, texts=()) for each in words)
        shape = PartSchema(tuple(quasi), tuple(ranged), tuple(carried), textless, exact)
        texts = tuple(None if each is None else each.texts for each in words)
        return cls(shape, tuple(sizes), Materialized(cells), codes, texts, typed)

    @property
    def cells(self) -> Handle:
        """The cells of the parts."""
        return self.lazy_cells.materialize()

    @property
    def rows(self) -> int:
        """The number of records."""
        return sum(self.sizes)

    @property
    def bounds(self) -> NDArray[np.int64]:
        """The number of the first record of each part, and the number of all records."""
        return np.append(0, np.cumsum(self.sizes)).astype(np.int64)

    @property
    def distinct_rows(self) -> tuple[PartSchema, Handle, Handle]:
        """The fewest rows that hold all cells: those of classes if there are any, else of records."""
        if self.classes is None:
            return self.shape, self.cells, self.codes
        return self.shape.of_classes, self.classes, self.classes

    def with_cells(
        self, cells: LazyColumn, ranged: tuple[bool, ...], *, exact: bool, indexed: bool = False,
        scattered: bool = False, classes: Handle | None = None,
    ) -> PartsTable:  # fmt: skip
        """Give the same records with other cells."""
        shape = replace(self.shape, ranged=ranged, exact=exact, indexed=indexed, scattered=scattered)
        other = replace(self, lazy_cells=cells, shape=shape, classes=classes)
        kept = {name: found for name, found in self.cache.counts.items() if name in self.shape.carried}
        other.cache.counts.update(kept)
        return other

    def blanked(self, names: Sequence[str]) -> PartsTable:
        """Give the same records with nothing in the missing cells of some carried columns."""
        texts = [
            blank_texts(words, mine) if words is not None and mine is not None and name in names else mine
            for name, words, mine in zip(self.shape.carried, self.shape.words, self.texts, strict=True)
        ]
        typed = {name: column for name, column in self.typed.items() if name not in names}
        other = replace(self, texts=tuple(texts), typed=typed)
        vars(other.cache).update(vars(self.cache))
        return other

    def distances_from(self, original: PartsTable) -> Floats | None:
        """Give the distances between records and their generalized cells, if they were computed with these."""
        return self.cache.distances_from(original.cache)

    def whole_words(self) -> tuple[Words | None, ...]:
        """Give what the codes stand for, texts included."""
        pairs = zip(self.shape.words, self.texts, strict=True)
        return tuple(words if words is None else replace(words, texts=texts or ()) for words, texts in pairs)

    def reader(self) -> Callable[[Part, Part], LocalData]:
        """Give the function that turns cells and codes into a table in memory, with texts and columns of a frame."""
        shape, typed = replace(self.shape, words=self.whole_words()), self.typed

        def read(cells: Part, codes: Part) -> LocalData:
            found = shape.local(cells, codes)
            columns = {name: found.codes[:, shape.carried.index(name)] for name in typed}
            return replace(found, sources={name: typed[name](column) for name, column in columns.items()})

        return read


def reorder(values: NDArray[Any], offsets: Positions) -> NDArray[Any]:
    """Put each row at its offset; without offsets, rows are in order already."""
    if not offsets.size:
        return values
    places = places_in(offsets)
    return gather_rows(values, places) if values.ndim == 2 and values.dtype == np.int32 else values[places]


def column_part(values: NDArray[Any]) -> Arrays:
    """Give the part of a column whose values are in the order of the table."""
    return {"value": values, "offset": OWN}


def value_of(part: Part) -> NDArray[Any]:
    """Give the values of a part of a column, in the order of the table."""
    return reorder(part["value"], part["offset"])
