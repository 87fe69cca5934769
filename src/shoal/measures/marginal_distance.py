"""Marginal distance: how far the shares of values, and of pairs of values, are from those of the original."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.errors import ParameterError
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.statistics.cell_masses import CellMasses, MassedCells
from shoal.measures.statistics.marginal_cells import CellsOf, cells_of
from shoal.measures.statistics.weighable import Weighable
from shoal.schema import RELEASED as RELEASED_ROLES
from shoal.table import Table

ColumnNames = tuple[str, ...]

_AT_ONCE = 1 << 19  # cells that are counted in one pass over a table, in each part of it


@dataclass(frozen=True)
class MarginalDistance(Weighable):
    """The mean total variation of all pairs of columns: the share of records that would have to be others.

    For each pair of released columns the shares of their combinations of values are compared in both tables, by half
    the sum of the differences: 0 where each combination is as frequent as before, 1 where none occurs in both. The
    detail gives the same for single columns (``single``), the mean of these, the ``worst`` pair, and each. It needs no
    row of the release to belong to a row of the original, so it is for synthetic tables too.

    A generalized cell is spread evenly over the values that it may stand for, and columns independently. Numbers and
    dates with more values than ``cells`` are compared in so many parts of the original's values, each with about as
    many records; of categories, those that are rare in the original count as one. Having no value counts as a value. A
    table with one column has no pairs, so its single distance counts.

    Parameters
    ----------
    cells
        The most values of a column that are compared one by one.
    columns
        The columns; all that are released if left out.
    weighted
        Whether records count as much as their survey weights say, instead of one each.

    References
    ----------
    Y. Tao, R. McKenna, M. Hay, A. Machanavajjhala, G. Miklau: Benchmarking differentially private synthetic data
    generation algorithms, arXiv:2112.09238, 2021. A. L. Gibbs, F. E. Su: On choosing and bounding probability metrics,
    International Statistical Review 70(3), 2002, doi:10.1111/j.1751-5823.2002.tb00178.x.
    """

    name: ClassVar[str] = "marginal-distance"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    by_distribution: ClassVar[bool] = True
    cells: int = 200
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be compared."""
        super().__post_init__()
        if isinstance(self.cells, bool) or not isinstance(self.cells, int) or not 2 <= self.cells <= 2000:
            raise ParameterError("Between 2 and 2000 values are compared one by one.", "Leave cells out for 200.")

    def score(self, original: Table, released: Table) -> Score:
        """Compare the shares of values, and of pairs of values."""
        names = original.schema.of(*RELEASED_ROLES) if self.columns is None else self.columns
        for name in names:
            _ = original.schema[name], released.schema[name]
        if not names or not original.rows or not released.rows:
            return nothing_to_measure(self.name, "there are no records, or no columns")
        both = CellMasses.of(original, self.weights_in(original)), CellMasses.of(released, self.weights_in(released))
        found = {name: cells_of(*both, name, self.cells) for name in names}
        sets = [*((name,) for name in found), *combinations(found, 2)]
        before, after = (_shares(each, side, sets, found) for side, each in enumerate(both))
        apart = {each: _distance(before[each], after[each]) for each in sets}
        single = {name: apart[name,] for name in found}
        pairs = {" ~ ".join(each): value for each, value in apart.items() if len(each) > 1}
        values = list((pairs or single).values())
        worst = max(pairs or single, key=lambda name: (pairs or single)[name])
        detail: dict[str, Any] = {
            "single": float(np.mean(list(single.values()))),
            "worst": max(values),
            "worst_of": worst,
            "per_attribute": single,
            "per_pair": pairs,
        }
        return Score.exact(self.name, float(np.mean(values)), detail)


def _distance(before: Floats, after: Floats) -> float:
    return min(float(np.abs(after - before).sum()) / 2, 1.0)


def _shares(
    masses: CellMasses, side: int, sets: Sequence[ColumnNames], cells: Mapping[str, CellsOf]
) -> dict[Any, Floats]:
    """Give the share of records in each cell of each set of one attribute or of two, for many sets in one pass."""
    found = {}
    for together in _passes(sets, cells, set(masses.table.schema.quasi)):
        names = tuple(dict.fromkeys(chain.from_iterable(together)))
        places = [tuple(names.index(name) for name in each) for each in together]
        counted = masses.over(names, _counter(tuple(cells[name] for name in names), places, side))
        for each, parts in zip(together, zip(*counted, strict=True), strict=True):
            found[each] = np.sum(parts, axis=0) / masses.total
    return found


def _passes(sets: Sequence[ColumnNames], cells: Mapping[str, CellsOf], quasi: set[str]) -> Iterator[list[ColumnNames]]:
    """Put sets together that are counted in one pass: distinct boxes tell of quasi-identifiers, records of others."""
    for inside in (True, False):
        together: list[ColumnNames] = []
        size = 0
        for each in (each for each in sets if (set(each) <= quasi) is inside):
            size += math.prod(cells[name].size for name in each)
            if together and size > _AT_ONCE:
                yield together
                together, size = [], math.prod(cells[name].size for name in each)
            together.append(each)
        if together:
            yield together


def _counter(
    cells: tuple[CellsOf, ...], places: Sequence[tuple[int, ...]], side: int
) -> Callable[[MassedCells], list[Floats]]:
    """Give what counts the records of boxes in cells: each box counts as the product of the shares of its sides."""

    def work(boxes: MassedCells) -> list[Floats]:
        members = [each.members(side, boxes.lo[:, j], boxes.hi[:, j]) for j, each in enumerate(cells)]
        found = []
        for first, *others in places:
            if others:
                (second,) = others
                shape = cells[first].size, cells[second].size
                found.append(_products(boxes.masses, [members[first], members[second]], shape))
            else:
                box, cell, share = members[first]
                found.append(np.bincount(cell, share * boxes.masses[box], cells[first].size).astype(np.float64))
        return found

    return work


def _products(masses: Floats, members: list[Any], shape: tuple[int, int]) -> Floats:
    """Add up masses times the shares of both sides, in every two cells that a box reaches."""
    boxes = masses.size
    (first, one, share), (second, other, portion) = members
    if first.size == second.size == boxes:  # each box lies in one cell of each: most tables
        at = np.empty((2, boxes), np.int64)
        at[0, first], at[1, second] = one, other
        return np.bincount(at[0] * shape[1] + at[1], masses, shape[0] * shape[1]).astype(np.float64)
    total = np.zeros(shape)
    step = max(1, (1 << 22) // max(shape))
    for start in range(0, boxes, step):
        sides = []
        for (box, cell, part), size in zip(((first, one, share), (second, other, portion)), shape, strict=True):
            mine = (box >= start) & (box < start + step)
            spread = np.zeros((min(step, boxes - start), size))
            np.add.at(spread, (box[mine] - start, cell[mine]), part[mine])
            sides.append(spread)
        total += (sides[0] * masses[start : start + step, None]).T @ sides[1]
    return total.reshape(-1)
