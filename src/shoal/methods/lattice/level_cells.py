"""What a node of a lattice makes of the cells of a record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Bits, Flags, Positions
from shoal.engines.values import Spans
from shoal.kernels import MISSING, TOP
from shoal.kernels.roll_up import Fields, find_keys
from shoal.methods.lattice.lattice import Lattice, LevelVector
from shoal.models.confidential import places_among


@dataclass(frozen=True, eq=False)
class Shown:
    """What becomes of the values of each column on its level.

    Attributes
    ----------
    positions
        For each column, the positions that occur, in ascending order.
    above
        For each, the number of the node over each of them.
    low, high
        For each, the ends of the nodes.
    fields
        Where keys have the numbers of nodes.
    chosen
        The keys of classes that are looked for, in ascending order.
    """

    positions: tuple[Positions, ...]
    above: tuple[Positions, ...]
    low: tuple[Positions, ...]
    high: tuple[Positions, ...]
    fields: Fields
    chosen: Bits

    @classmethod
    def at(cls, lattice: Lattice, levels: LevelVector, chosen: Bits) -> Shown:
        """Give what a node shows; the keys need not be in order."""
        columns = list(zip(lattice.columns, levels, strict=True))
        d = len(columns)
        fields = Fields(lattice.fields.word[:d], lattice.fields.shift[:d], lattice.fields.width[:d])
        keys = np.ascontiguousarray(chosen[np.lexsort(chosen.T[::-1])][:, : fields.words])
        return cls(
            tuple(column.positions for column, _ in columns),
            tuple(column.above[level] for column, level in columns),
            tuple(column.low[level] for column, level in columns),
            tuple(column.high[level] for column, level in columns),
            fields,
            keys,
        )

    def codes(self, rows: Spans) -> list[Positions]:
        """Give the number of the node that each cell has."""
        return [
            above[places_among(positions, np.ascontiguousarray(rows.lo[:, j]))]
            for j, (positions, above) in enumerate(zip(self.positions, self.above, strict=True))
        ]

    def found(self, codes: Sequence[Positions]) -> Flags:
        """Tell which records are in the classes that are looked for."""
        if not self.chosen.shape[0]:
            return np.zeros(codes[0].size, np.bool_)
        return find_keys(self.fields.packed(codes), self.chosen) >= 0

    def cells(self, codes: Sequence[Positions]) -> tuple[Positions, Positions]:
        """Give the ends of the cells."""
        low, high = (
            np.stack([ends[code] for ends, code in zip(side, codes, strict=True)], axis=1)
            for side in (self.low, self.high)
        )
        return low, high


@dataclass(frozen=True, eq=False)
class Suppressing:
    """Show every record at a node, but those of some classes, of which nothing is shown."""

    shown: Shown

    def __call__(self, rows: Spans) -> tuple[Positions, Positions]:
        """Give the cells of records."""
        codes = self.shown.codes(rows)
        low, high = self.shown.cells(codes)
        gone = self.shown.found(codes)
        low[gone], high[gone] = MISSING, TOP
        return low, high


@dataclass(frozen=True, eq=False)
class Layered:
    """Show every record at the first of several nodes that has a class for it; of those left over nothing is shown."""

    layers: tuple[Shown, ...]

    def __call__(self, rows: Spans) -> tuple[Positions, Positions]:
        """Give the cells of records."""
        low, high = np.full(rows.lo.shape, MISSING, np.int32), np.full(rows.lo.shape, TOP, np.int32)
        left = np.arange(rows.lo.shape[0])
        for shown in self.layers:
            if not left.size:
                break
            codes = shown.codes(Spans(rows.lo[left], rows.hi[left], rows.table, rows.offsets))
            here = shown.found(codes)
            low[left[here]], high[left[here]] = (side[here] for side in shown.cells(codes))
            left = left[~here]
        return low, high
