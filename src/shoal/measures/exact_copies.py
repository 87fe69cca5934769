"""Exact copies: released rows that equal an original record in every column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.kernels.grouping import distinct, numbered
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.statistics.comparable_rows import CommonGround, single
from shoal.parameters import settle
from shoal.schema import RELEASED
from shoal.table import Table


@dataclass(frozen=True)
class ExactCopies:
    """The share of released rows that equal some original record in all columns that are compared.

    Of synthetic data it says how many records came out again by being learned by heart, or by chance: beside it stands
    what share of a part that was held out equals a record, if that is known. A row with a range, a set or ``*`` in it
    equals none. The detail also counts copies of records that are unique in the original, which point to somebody.

    Parameters
    ----------
    columns
        The columns; all that are released if left out.

    References
    ----------
    J. Taub, M. Elliot, M. Pampaka, D. Smith: Differential correct attribution probability for synthetic data: an
    exploration, Privacy in Statistical Databases 2018, doi:10.1007/978-3-319-99771-1_9. J. Drechsler: Synthetic
    datasets for statistical disclosure control, 2011, doi:10.1007/978-1-4614-0326-5.
    """

    name: ClassVar[str] = "exact-copies"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Take numbers of any library."""
        settle(self)

    def score(self, original: Table, released: Table) -> Score:
        """Look each released row up among the original records."""
        names = original.schema.of(*RELEASED) if self.columns is None else self.columns
        for name in names:
            _ = original.schema[name], released.schema[name]
        if not names or not original.rows or not released.rows:
            return nothing_to_measure(self.name, "there are no records, or no columns")
        key = np.zeros(original.rows + released.rows, np.int64)
        whole = np.ones(key.size, np.bool_)
        for name in names:  # one after the other: a table may be large
            ground = CommonGround.of((original, released), (name,))
            both = [ground.cells(table, np.arange(table.rows)) for table in (original, released)]
            shown = np.concatenate([(single(cells, ground.kinds) | np.isnan(cells.lo))[:, 0] for cells in both])
            whole &= shown
            key = _refined(key, np.concatenate([cells.lo[:, 0] for cells in both]), shown)
        before, after = key[: original.rows], key[original.rows :][whole[original.rows :]]
        counts = np.bincount(before[whole[: original.rows]], minlength=int(key.max()) + 1)
        copies = int(np.count_nonzero(counts[after]))
        detail = {
            "copies": copies,
            "of_unique_records": int(np.count_nonzero(counts[after] == 1)),
            "unique_records_copied": int(distinct(after[counts[after] == 1]).size),
            "records": released.rows,
        }
        return Score.exact(self.name, copies / released.rows, detail)


def _refined(key: Integers, values: Floats, shown: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Integers:
    """Number rows by a key and by one more column."""
    known = np.where(shown & ~np.isnan(values), values, np.nan)
    codes = np.zeros(key.size, np.int64)
    there = ~np.isnan(known)
    codes[there] = 1 + np.unique(known[there], return_inverse=True)[1]
    return numbered(key * (int(codes.max()) + 1) + codes)[1]
