"""Query error: how far counts are off that are estimated from the release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.errors import ParameterError
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.statistics.cell_masses import CellMasses, MassedCells
from shoal.measures.statistics.range_counts import QueryRange, Range, Several, estimated_counts
from shoal.measures.statistics.sampling import check_sampling, sampled_rows
from shoal.measures.statistics.uniformity import ORIGINAL, Categories, Line, common_ground
from shoal.measures.statistics.weighable import Weighable
from shoal.table import Table

# Queries are put together from so many ranges or sets of each attribute: what lies in each is found only once.
_PARTS = 20


@dataclass(frozen=True)
class QueryError(Weighable):
    """The mean relative error of counts over random ranges of random attributes, estimated from the release.

    Each query asks how many records lie in a range (of numbers, dates, ordered categories) or a set (of other
    categories) of each of a few attributes. Ranges and sets are drawn so that each holds about the same share of the
    original's records, or more where a value is that frequent; 20 of each attribute are combined at random. The
    release answers as if the records of a cell were spread evenly over the values that it may stand for, attributes
    independently. The error is divided by the true count, or by ``floor`` of all records or by one record where that is
    more, so that rare combinations do not count for all. The detail gives the ``median``, the error that nine of ten
    queries stay below (``ninth_decile``), and the mean share of records that queries really hold. It has no unit; 0.1
    is an error of a tenth of the count.

    Parameters
    ----------
    queries
        How many queries are drawn.
    attributes
        How many attributes each asks for; all, if the table has fewer.
    selectivity
        The share of records that a query would hold if attributes were independent.
    floor
        The smallest share of the records that an error is compared with.
    seed
        The seed of the random numbers. The same seed and original give the same queries for every release.
    most
        At most so many records are looked at, the same ones of both tables, chosen by their number and the seed; all,
        if left out.
    weighted
        Whether records count as much as their survey weights say, instead of one each.

    References
    ----------
    K. LeFevre, D. J. DeWitt, R. Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006,
    doi:10.1109/ICDE.2006.101. X. Xiao, G. Wang, J. Gehrke: Differential privacy via wavelet transforms, IEEE TKDE
    23(8), 2011, doi:10.1109/TKDE.2010.247, for the floor. X. Xiao, Y. Tao: Anatomy: simple and effective privacy
    preservation, VLDB 2006.
    """

    name: ClassVar[str] = "query-error"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    by_distribution: ClassVar[bool] = True
    queries: int = 200
    attributes: int = 3
    selectivity: float = 0.1
    floor: float = 0.001
    seed: int = 0
    most: int | None = None

    def __post_init__(self) -> None:
        """Check what was asked for."""
        super().__post_init__()
        if not all(isinstance(number, int) and number > 0 for number in (self.queries, self.attributes)):
            raise ParameterError("Queries and their attributes are counted from one.", "Give whole numbers above 0.")
        if not 0 < self.selectivity <= 1 or not 0 <= self.floor <= 1:
            raise ParameterError("Selectivity and floor are shares of the records.", "Give numbers between 0 and 1.")
        check_sampling(1 if self.most is None else self.most, self.seed)

    def score(self, original: Table, released: Table) -> Score:
        """Draw queries, count them in the original, estimate them from the release."""
        before, after = self._masses(original, released)
        true, guessed = self._estimated(before, after)
        if not true.size:
            return nothing_to_measure(self.name, "no attribute has a value", {"queries": 0})
        errors = np.abs(guessed - true) / np.maximum(true, max(self.floor * before.total, before.one))
        detail = {
            "median": float(np.median(errors)),
            "ninth_decile": float(np.quantile(errors, 0.9)),
            "queries": true.size,
            "mean_selectivity": float(true.mean()) / before.total,
        }
        return Score.exact(self.name, float(errors.mean()), detail)

    def counts(self, original: Table, released: Table) -> tuple[Floats, Floats]:
        """Draw queries, and give how many records each holds in the original, and as many as the release says.

        There are none where no attribute has a value.
        """
        return self._estimated(*self._masses(original, released))

    def _masses(self, original: Table, released: Table) -> tuple[CellMasses, CellMasses]:
        rows = None if self.most is None else sampled_rows(min(original.rows, released.rows), self.most, self.seed)
        before, after = (CellMasses.of(each, self.weights_in(each), rows) for each in (original, released))
        return before, after

    def _estimated(self, before: CellMasses, after: CellMasses) -> tuple[Floats, Floats]:
        original, released, moments = before.table, after.table, before.table.moments()
        grounds = {name: common_ground(original, released, name, moments) for name in original.schema.quasi}
        known = {name: _occurring(before, name, ground) for name, ground in grounds.items()}
        known = {name: found for name, found in known.items() if found[0].size}
        if not known or not after.total:
            return np.zeros(0), np.zeros(0)
        queries = self._drawn(grounds, known)
        true, guessed = (estimated_counts(each, side, grounds, queries) for side, each in enumerate((before, after)))
        return true, guessed * (before.total / after.total)

    def _drawn(
        self, grounds: Mapping[str, Line | Categories], known: Mapping[str, tuple[Floats, Floats]]
    ) -> list[dict[str, QueryRange]]:
        draw = np.random.Generator(np.random.PCG64(self.seed))
        names = list(known)
        many = min(self.attributes, len(names))
        width = self.selectivity ** (1 / many)
        parts = {name: [_part(draw, grounds[name], *known[name], width) for _ in range(_PARTS)] for name in names}
        queries: list[dict[str, QueryRange]] = []
        for _ in range(self.queries):
            chosen = [names[i] for i in sorted(draw.choice(len(names), many, replace=False).tolist())]
            queries.append({name: parts[name][int(draw.integers(_PARTS))] for name in chosen})
        return queries


def _occurring(masses: CellMasses, name: str, ground: Line | Categories) -> tuple[Floats, Floats]:
    """Give the values of an attribute in ascending order, and the share of records that has each."""

    def counted(cells: MassedCells) -> tuple[Floats, Floats]:
        if isinstance(ground, Line):
            ends = ground.intervals(ORIGINAL, cells.lo[:, 0], cells.hi[:, 0])[1]
            return ends, cells.masses
        cell, category, share = ground.members(ORIGINAL, cells.lo[:, 0], cells.hi[:, 0])
        return np.where(category < ground.size, category, np.nan), share * cells.masses[cell]

    parts = [(np.empty(0), np.empty(0)), *masses.over((name,), counted)]
    values, counts = map(np.concatenate, zip(*parts, strict=True))
    found, number = np.unique(values, return_inverse=True)
    total = np.bincount(number, counts, found.size)
    shown = ~np.isnan(found)
    return found[shown], total[shown] / total[shown].sum()


def _part(
    draw: np.random.Generator, ground: Line | Categories, values: Floats, shares: Floats, width: float
) -> QueryRange:
    """Draw a range or a set of values that holds a share of the records."""
    if isinstance(ground, Line):
        below = np.cumsum(shares)
        start = draw.random() * (1 - width)
        first, last = (min(int(np.searchsorted(below, at)), values.size - 1) for at in (start, start + width))
        return Range(float(values[first]), float(values[last]))
    order = draw.permutation(values.size)
    below = np.cumsum(shares[order])
    many = min(int(np.searchsorted(below, width)), values.size - 1)
    before = below[many - 1] if many else 0.0
    # The category that goes beyond the share is in or out by chance, so that on average the share is held.
    if many == 0 or draw.random() * (below[many] - before) < width - before:
        many += 1
    return Several(frozenset(values[order[:many]].astype(int).tolist()))
