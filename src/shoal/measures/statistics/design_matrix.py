"""The design matrix of a model: records as rows of numbers, the same columns for the original and its release.

A number, a date or an ordered category counts with its value or place, a range with its middle, in standard
deviations from the mean of the original. Each of the most frequent categories of an attribute without an order has a
column of its own, but for the first of them, and the others one together; a set counts with equal shares of its
members. A cell without a value or with ``*`` is the mean, or none of the categories, and a column of its own says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Positions
from shoal.kernels import MISSING
from shoal.measures.statistics.uniformity import ORIGINAL, RELEASED, Categories, Line, common_ground
from shoal.table import Table

_Ends = tuple[Positions, Positions]
# So many categories of an attribute have a column of their own.
FREQUENT = 20


def design(
    original: Table,
    released: Table,
    names: Sequence[str],
    rows: NDArray[np.int64],
    weights: Floats | None = None,
    *,
    squares: bool = False,
) -> tuple[Floats, Floats]:
    """Give some records of both tables as matrices.

    Parameters
    ----------
    original, released
        The tables.
    names
        The quasi-identifiers that are taken.
    rows
        The numbers of the records, ascending.
    weights
        What each of them weighs; one each if left out.
    squares
        Whether the squares of numbers are columns too.
    """
    moments = original.moments()
    weights = np.ones(rows.size) if weights is None else weights
    both = original.cells(names, rows), released.cells(names, rows)
    sides: tuple[list[Floats], list[Floats]] = ([np.empty((rows.size, 0))], [np.empty((rows.size, 0))])
    for j, name in enumerate(names):
        ground = common_ground(original, released, name, moments)
        before, after = ((lo[:, j], hi[:, j]) for lo, hi in both)
        if isinstance(ground, Line):
            middle = middles(ground, ORIGINAL, *before), middles(ground, RELEASED, *after)
            made = _numbers(*middle, weights, squares=squares)
        else:
            made = _categories(ground, (before, after), weights)
        for side, columns in zip(sides, made, strict=True):
            side.append(columns)
    return np.hstack(sides[0]), np.hstack(sides[1])


def middles(line: Line, side: int, lo: Positions, hi: Positions) -> Floats:
    """Give the middle of each cell; not a number where there is no value, or any."""
    found = np.full(lo.size, np.nan)
    shown = lo != MISSING
    found[shown] = (line.numbers(side, lo[shown]) + line.numbers(side, hi[shown])) / 2
    return found


def _numbers(before: Floats, after: Floats, weights: Floats, *, squares: bool) -> tuple[Floats, Floats]:
    """Give columns of one attribute's numbers: the standardized ones, their squares, and which are not shown."""
    hidden = np.isnan(before), np.isnan(after)
    columns = [_standardized(before, after, hidden, weights)]
    if squares:
        columns.append(_standardized(columns[0][0] ** 2, columns[0][1] ** 2, hidden, weights))
    if hidden[0].any() or hidden[1].any():
        columns.append((hidden[0].astype(np.float64), hidden[1].astype(np.float64)))
    return np.stack([pair[0] for pair in columns], axis=1), np.stack([pair[1] for pair in columns], axis=1)


def _standardized(
    before: Floats, after: Floats, hidden: tuple[NDArray[np.bool_], NDArray[np.bool_]], weights: Floats
) -> tuple[Floats, Floats]:
    known, masses = before[~hidden[0]], weights[~hidden[0]]
    mean = float(np.average(known, weights=masses)) if known.size else 0.0
    spread = float(np.average((known - mean) ** 2, weights=masses)) ** 0.5 if known.size else 0.0
    scale = spread if spread > 1e-12 * abs(mean) else 1.0
    first, second = (
        np.where(gone, 0.0, (side - mean) / scale) for side, gone in zip((before, after), hidden, strict=True)
    )
    return first, second


def _categories(ground: Categories, both: tuple[_Ends, _Ends], weights: Floats) -> tuple[Floats, Floats]:
    """Give a column for each of the most frequent categories but the first, one for the rest, one for no value."""
    sides = [_Cells.of(ground, side, *ends) for side, ends in enumerate(both)]
    order = np.argsort(-sides[ORIGINAL].totals(ground.size, weights), kind="stable")
    column = np.full(ground.size + 2, FREQUENT)  # the rest
    column[order[: FREQUENT + 1]] = np.arange(-1, min(FREQUENT, order.size - 1))  # the first has none
    column[ground.size] = FREQUENT + 1
    found = [side.matrix(column, FREQUENT + 2) for side in sides]
    used = (found[0] != 0).any(axis=0) | (found[1] != 0).any(axis=0)
    return found[0][:, used], found[1][:, used]


@dataclass(frozen=True)
class _Cells:
    """The distinct cells of a column: which record has which, and the shares of categories in each."""

    of_record: NDArray[np.int64]
    cell: NDArray[np.int64]
    category: NDArray[np.int64]
    share: Floats
    distinct: int

    @classmethod
    def of(cls, ground: Categories, side: int, lo: Positions, hi: Positions) -> _Cells:
        cells, which = np.unique(np.stack([lo, hi]), axis=1, return_inverse=True)
        # Here ``*`` says as little as a cell without a value.
        found = ground.members(side, cells[0], np.where(cells[0] == MISSING, MISSING, cells[1]))
        return cls(which.reshape(-1), *found, cells.shape[1])

    def totals(self, size: int, weights: Floats) -> Floats:
        """Give what the records of each category weigh."""
        masses = np.bincount(self.of_record, weights, self.distinct)
        return np.bincount(self.category, self.share * masses[self.cell], size + 2)[:size].astype(np.float64)

    def matrix(self, column: NDArray[np.int64], columns: int) -> Floats:
        """Give the shares of each record in the columns to which categories belong."""
        places = column[self.category]
        kept = places >= 0
        found = np.zeros((self.distinct, columns))
        np.add.at(found, (self.cell[kept], places[kept]), self.share[kept])
        return found[self.of_record]
