"""Columns of an original beside those of its release: the number of each record, and what is shown for it.

Both are read in the order of the records, and sums are taken in that order too. So they have the same digits
whatever holds the tables, and however it divides them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Floats, Integers, Positions
from shoal.engines.local.aligning import refuse_strangers
from shoal.kernels import MISSING, TOP
from shoal.measures.statistics.uniformity import ORIGINAL, RELEASED, Categories, Line, common_ground
from shoal.measures.statistics.weighed_numbers import WeighedNumbers
from shoal.table import Table

_STRETCH = 1 << 18  # records of which all columns are read at once


@dataclass(frozen=True)
class PairedColumn:
    """A column with an order: the value of each record, not a number if it has none, and both ends of the cell shown.

    A cell without a value has no numbers for ends, and ``*`` reaches from minus infinity to infinity.
    """

    own: Floats
    low: Floats
    high: Floats

    @property
    def guess(self) -> Floats:
        """What a cell is taken for: its middle, or not a number if it shows nothing."""
        with np.errstate(invalid="ignore"):
            found: Floats = (self.low + self.high) / 2
        return found

    @property
    def varies(self) -> bool:
        """Whether there are two different values."""
        return bool(np.nanmax(self.own, initial=-np.inf) > np.nanmin(self.own, initial=np.inf))


@dataclass(frozen=True)
class PairedTables:
    """An original and its release, with what puts each column of both on common ground."""

    original: Table
    released: Table
    grounds: Mapping[str, Line | Categories]

    @classmethod
    def of(cls, original: Table, released: Table, known: Sequence[str] | None = None) -> PairedTables:
        """Put some quasi-identifiers of two tables beside each other, or all."""
        refuse_strangers(original.schema.quasi, released.schema.quasi, (original.rows, released.rows))
        moments = original.moments()
        names = original.schema.quasi if known is None else known
        return cls(original, released, {name: common_ground(original, released, name, moments) for name in names})

    @property
    def ordered(self) -> tuple[str, ...]:
        """The columns of numbers, dates and ordered categories; the leaves of a hierarchy have no order that counts."""
        schema = self.original.schema
        return tuple(
            name for name, at in self.grounds.items() if isinstance(at, Line) and schema[name].axis.tree is None
        )

    def column(self, name: str) -> PairedColumn:
        """Read a column with an order, or the leaves of a hierarchy by their places."""
        return self._paired(name, *self.ends_of(name))

    def ends_of(self, name: str) -> tuple[tuple[Positions, Positions], ...]:
        """Give both ends of all cells of a column, before and after."""
        rows = np.arange(self.original.rows, dtype=np.int64)
        return tuple((lo[:, 0], hi[:, 0]) for lo, hi in self._ends([name], rows))

    def shows_own(self, name: str) -> tuple[Flags, Flags]:
        """Tell of each record whether it has a value, and whether its cell shows this one and no other."""
        ground = self.grounds[name]
        if isinstance(ground, Line):
            column = self.column(name)
            return ~np.isnan(column.own), (column.own == column.low) & (column.own == column.high)
        before, after = (lo for lo, _ in self.ends_of(name))
        own, shown = single_categories(ground, ORIGINAL, before), single_categories(ground, RELEASED, after)
        return own >= 0, (own >= 0) & (own == shown)

    def stretches(self, names: Sequence[str]) -> Iterator[tuple[Floats, Floats]]:
        """Read columns with an order, some records after the other: their values, and what cells are taken for."""
        for start in range(0, self.original.rows, _STRETCH):
            rows = np.arange(start, min(start + _STRETCH, self.original.rows), dtype=np.int64)
            before, after = self._ends(names, rows)
            pairs = [
                self._paired(name, *((lo[:, j], hi[:, j]) for lo, hi in (before, after)))
                for j, name in enumerate(names)
            ]
            yield np.stack([pair.own for pair in pairs], axis=1), np.stack([pair.guess for pair in pairs], axis=1)

    def _ends(self, names: Sequence[str], rows: Integers) -> tuple[tuple[Positions, Positions], ...]:
        return self.original.cells(names, rows), self.released.cells(names, rows)

    def _paired(
        self, name: str, before: tuple[Positions, Positions], after: tuple[Positions, Positions]
    ) -> PairedColumn:
        line = self.grounds[name]
        assert isinstance(line, Line)
        first, last = numbers_of(line, ORIGINAL, *before)
        with np.errstate(invalid="ignore"):
            own = (first + last) / 2
        return PairedColumn(own, *numbers_of(line, RELEASED, *after))


def numbers_of(line: Line, side: int, lo: Positions, hi: Positions) -> tuple[Floats, Floats]:
    """Give both ends of cells; no numbers where there is no value, and infinite ones for ``*``."""
    shown, wild = lo != MISSING, (lo == MISSING) & (hi == TOP)
    found = []
    for ends, beyond in ((lo, -np.inf), (hi, np.inf)):
        numbers = np.full(lo.size, np.nan)
        numbers[shown] = line.numbers(side, ends[shown])
        numbers[wild] = beyond
        found.append(numbers)
    return found[0], found[1]


def single_categories(ground: Categories, side: int, positions: Positions) -> Integers:
    """Give the category of each cell that shows one, and -1 for all others."""
    values = ground.axes[side].values
    alone = (positions != MISSING) & (positions < (0 if values is None else len(values)))
    found = np.full(positions.size, -1, np.int64)
    found[alone] = ground.moves[side][positions[alone]]
    return found


def deviation(numbers: Floats) -> float:
    """Give the sample deviation of those that are numbers."""
    return WeighedNumbers.of(numbers, None).deviation
