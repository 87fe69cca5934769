"""Pairwise variation: how far the joint distributions of two columns each are apart."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from shoal.arrays import Flags, Floats, Integers
from shoal.errors import ParameterError
from shoal.kernels.nearest_rows import NOMINAL, NUMBER
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.statistics.comparable_rows import CommonGround, ComparedCells, single
from shoal.measures.statistics.sampling import check_sampling, sampled_rows
from shoal.parameters import settle
from shoal.schema import RELEASED
from shoal.table import Table

# Categories beyond so many, the most frequent of the original, count as one.
_FREQUENT = 500
_STRETCH = 8192  # records with several values in a cell that are spread at once


@dataclass(frozen=True)
class PairwiseVariation:
    """The mean total variation distance between the joint distributions of two columns each, over all pairs.

    Of each pair of released columns, the share of records that would have to change their values for the two tables to
    be as one, from 0 to 1. It does not look at who is who, so it is what synthetic data are judged by. Numbers and
    dates are put into bins that are equally full in the original, unless they have few values. A range or a set counts
    for each value or bin in it, and ``*`` for all of them. The detail gives the mean over the pairs of each column and
    the worst pair.

    Parameters
    ----------
    columns
        The columns; all that are released if left out.
    bins
        Into how many bins numbers with more values are put.
    most
        At most so many records of each table are looked at, chosen by their number and the seed.
    seed
        The seed by which they are chosen.

    References
    ----------
    J. Snoke, G. M. Raab, B. Nowok, C. Dibben, A. Slavkovic: General and specific utility measures for synthetic data,
    JRSS A 181(3), 2018, doi:10.1111/rssa.12358. R. McKenna, G. Miklau, D. Sheldon: Winning the NIST contest, Journal of
    Privacy and Confidentiality 11(3), 2021, doi:10.29012/jpc.778, for the mean over marginals.
    """

    name: ClassVar[str] = "pairwise-variation"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    columns: tuple[str, ...] | None = None
    bins: int = 20
    most: int = 500_000
    seed: int = 0

    def __post_init__(self) -> None:
        """Check what was asked for."""
        settle(self)
        check_sampling(self.most, self.seed)
        if isinstance(self.bins, bool) or not isinstance(self.bins, int) or not 2 <= self.bins <= 1000:
            raise ParameterError("Numbers are put into 2 to 1,000 bins.", "Leave it out for 20.")

    def score(self, original: Table, released: Table) -> Score:
        """Compare the distributions of all pairs."""
        names = original.schema.of(*RELEASED) if self.columns is None else self.columns
        for name in names:
            _ = original.schema[name], released.schema[name]
        if len(names) < 2:
            return nothing_to_measure(self.name, "there are no two columns")
        ground = CommonGround.of((original, released), names)
        before, after = (
            ground.cells(table, sampled_rows(table.rows, self.most, self.seed)) for table in (original, released)
        )
        if not before.lo.size or not after.lo.size:
            return nothing_to_measure(self.name, "there are no records")
        shares = [
            (_spread(ground, before, line, j), _spread(ground, after, line, j))
            for j, line in enumerate(self._lines(ground, before))
        ]
        apart = {
            (names[i], names[j]): _distance(_joint(shares[i][0], shares[j][0]), _joint(shares[i][1], shares[j][1]))
            for i, j in combinations(range(len(names)), 2)
        }
        of_columns = {name: float(np.mean([v for pair, v in apart.items() if name in pair])) for name in names}
        worst = max(apart, key=lambda pair: apart[pair])
        detail = {"per_attribute": of_columns, "worst_pair": list(worst), "worst": apart[worst], "pairs": len(apart)}
        return Score.exact(self.name, float(np.mean(list(apart.values()))), detail)

    def _lines(self, ground: CommonGround, before: ComparedCells) -> list[Floats]:
        """Give the upper ends of the bins of each column of numbers; of others its most frequent categories."""
        known = single(before, ground.kinds)
        found = []
        for j, kind in enumerate(ground.kinds.tolist()):
            values, counts = np.unique(before.lo[known[:, j], j], return_counts=True)
            if kind == NUMBER:
                if values.size > self.bins:
                    cuts = np.quantile(
                        before.lo[known[:, j], j], np.arange(1, self.bins + 1) / self.bins, method="higher"
                    )
                    values = np.unique(cuts)
                found.append(values)
            else:
                found.append(np.sort(values[np.argsort(-counts, kind="stable")[:_FREQUENT]]))
        return found


@dataclass(frozen=True, eq=False)
class _Spread:
    """The bins of one column: of each record its bin, or a row of shares if its cell shows several values."""

    bins: int
    of_record: Integers
    wide: Flags
    shares: Floats
    which: Integers

    def rows(self, records: Integers) -> Floats:
        """Give the shares of some records as rows."""
        found = np.zeros((records.size, self.bins))
        alone = ~self.wide[records]
        found[alone, self.of_record[records[alone]]] = 1
        found[~alone] = self.shares[self.which[records[~alone]]]
        return found


def _spread(ground: CommonGround, cells: ComparedCells, line: Floats, j: int) -> _Spread:
    """Put the cells of a column into bins; behind those of the line are one for other values and one for no value."""
    kind, lo, hi = int(ground.kinds[j]), cells.lo[:, j], cells.hi[:, j]
    alone = single(cells, ground.kinds)[:, j]
    bins, gone = line.size + 2, np.isnan(lo)
    of_record = np.full(lo.size, line.size + 1)
    of_record[alone] = _bin_of(kind, line, lo[alone])
    wide = ~alone & ~gone
    distinct, which = np.unique(np.stack([lo[wide], hi[wide]]), axis=1, return_inverse=True)
    shares = np.zeros((distinct.shape[1], bins))
    for row, (low, high) in zip(shares, distinct.T, strict=True):
        if low == -np.inf:
            row[: line.size] = 1
        elif kind == NOMINAL:
            members = np.flatnonzero(cells.sets[int(high)]).astype(np.float64)
            np.add.at(row, _bin_of(kind, line, members), 1)
        else:
            first, last = _bin_of(kind, line, np.array([low, high]))
            row[first : last + 1] = 1
        row /= row.sum() if row.any() else 1
    numbers = np.zeros(lo.size, np.int64)
    numbers[wide] = which.reshape(-1)
    return _Spread(bins, of_record, wide, shares, numbers)


def _bin_of(kind: int, line: Floats, values: Floats) -> Integers:
    """Give the bin of each value: the first that reaches up to it; of categories their own, or that of all others."""
    at = np.searchsorted(line, values)
    if kind == NUMBER:
        return np.minimum(at, max(line.size - 1, 0))
    found = np.minimum(at, max(line.size - 1, 0))
    here = line[found] == values if line.size else np.zeros(values.size, np.bool_)
    return np.where(here, found, line.size)


def _joint(first: _Spread, second: _Spread) -> Floats:
    """Give the shares of records in each pair of bins."""
    both = np.zeros(first.bins * second.bins)
    wide = first.wide | second.wide
    alone = ~wide
    both += np.bincount(first.of_record[alone] * second.bins + second.of_record[alone], minlength=both.size)
    found = both.reshape(first.bins, second.bins)
    several = np.flatnonzero(wide)
    for begin in range(0, several.size, _STRETCH):
        records = several[begin : begin + _STRETCH]
        found += first.rows(records).T @ second.rows(records)
    return found / wide.size


def _distance(first: Floats, second: Floats) -> float:
    return min(float(np.abs(first - second).sum()) / 2, 1.0)
