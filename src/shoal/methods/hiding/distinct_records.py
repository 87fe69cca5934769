"""The distinct records of a table, wherever it is held, and the way back from these to all of its records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Array, Flags, Integers, Positions
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import starts_of
from shoal.methods.hiding.crowd_search import Lots, Records
from shoal.table import Carry, Classes, Column, Given, Table


@dataclass(frozen=True, eq=False)
class DistinctRecords:
    """What differs in a table, in the order of the first record of each, and what is known of all that are like it.

    Parameters
    ----------
    table, names
        The table, and the columns of which cells may be hidden.
    records
        The distinct records.
    starred, empty
        Which of their cells are ``*`` already, and which have no value.
    rows
        The numbers of the first records of each, as many as were asked for, one distinct record after the other.
    carried
        Other columns of all records, one distinct record after the other.
    place
        Of each record of the table its place when sorted by the numbers that the engine gave to distinct ones.
    places
        Where the records of each distinct one begin in that order.
    """

    table: Table
    names: tuple[str, ...]
    records: Records
    starred: Flags
    empty: Flags
    rows: Integers
    carried: dict[Carry, Array]
    place: Column
    places: Integers

    @classmethod
    def of(
        cls, table: Table, names: Sequence[str], strata: Sequence[str] = (), first: int = 1, carry: Sequence[Carry] = ()
    ) -> DistinctRecords:
        """Find them: ``first`` tells how many of each are to be named, and ``carry`` what is to be known of all."""
        labels = table.number([*names, *strata])
        row = Given(table.rank([table.combine(np.zeros_like, labels)]))
        stratum = Given(table.number(strata)) if strata else row

        def collected(classes: Classes) -> tuple[Integers, Integers, Positions, list[Array]]:
            rows, sizes = classes.columns[row], classes.sizes
            within = np.arange(rows.size) - np.repeat(classes.starts[:-1], sizes)
            strata_of = classes.columns[stratum][classes.starts[:-1]]
            return sizes, rows[within < first], strata_of, [classes.columns[item] for item in carry]

        parts = table.groups(collected, labels, tuple(dict.fromkeys((row, stratum, *carry))))
        sizes, rows, numbers = (np.concatenate([part[i] for part in parts]) for i in range(3))
        others = [np.concatenate([part[3][i] for part in parts]) for i in range(len(carry))]
        named = starts_of(np.minimum(sizes, first))
        order = np.argsort(rows[named[:-1]], kind="stable")
        lo, hi = table.cells(names, rows[named[:-1]][order].astype(np.int64))
        codes = np.stack([_codes(lo[:, j], hi[:, j]) for j in range(len(names))], axis=1)
        stratum_of = np.unique(numbers[order], return_inverse=True)[1].reshape(-1) if strata else np.zeros(order.size)
        starts = starts_of(sizes)
        return cls(
            table, tuple(names), Records(codes, sizes[order].astype(np.int64), stratum_of.astype(np.int32)),
            (lo == MISSING) & (hi == TOP), hi == MISSING, _rearranged(rows, named, order).astype(np.int64),
            {item: _rearranged(column, starts, order) for item, column in zip(carry, others, strict=True)},
            table.rank([labels]), starts[:-1][order],
        )  # fmt: skip

    @property
    def distinct_values(self) -> Integers:
        """How many different values each column has."""
        return np.array([np.unique(self.records.codes[~gone, j]).size for j, gone in enumerate(self.empty.T)], np.int64)

    def released(self, lots: Lots) -> Table:
        """Hide cells of the records: of those that are alike, in the order of the lots."""
        bits = (self.starred.astype(np.int64) << np.arange(len(self.names))).sum(axis=1)
        masks = lots.masks & ~bits[lots.units]
        begin = np.flatnonzero(np.append(True, lots.units[1:] != lots.units[:-1]))
        before = np.cumsum(lots.counts) - lots.counts
        within = before - np.repeat(before[begin], np.diff(np.append(begin, lots.units.size)))
        starts = self.places[lots.units] + within
        order = np.argsort(starts)
        runs, shown = starts[order], masks[order]

        def mask_of(place: Positions) -> NDArray[np.int64]:
            masks: NDArray[np.int64] = shown[np.searchsorted(runs, place, side="right") - 1]
            return masks

        return self.table.hide(self.names, self.table.combine(mask_of, self.place))


def _codes(lo: Positions, hi: Positions) -> Positions:
    pairs = (lo.astype(np.int64) << 32) + (hi.astype(np.int64) - MISSING)
    codes: Positions = np.unique(pairs, return_inverse=True)[1].reshape(-1).astype(np.int32)
    return codes


def _rearranged(column: Array, starts: Integers, order: Integers) -> Array:
    """Put groups that stand one behind the other into another order."""
    sizes = np.diff(starts)[order]
    rows = np.repeat(starts[:-1][order] - starts_of(sizes)[:-1], sizes) + np.arange(sizes.sum())
    found: Array = column[rows]
    return found
