"""Correlation shift: how far the associations between attributes moved (Tables S4 and S5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Positions
from shoal.engines.values import Moments, Spans
from shoal.errors import ParameterError
from shoal.kernels import MISSING, TOP
from shoal.kernels.spans import Members
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.statistics.cell_differences import middle_numbers
from shoal.measures.statistics.paired_columns import PairedTables, single_categories
from shoal.measures.statistics.uniformity import ORIGINAL, RELEASED, Categories
from shoal.measures.statistics.weighable import Weighable
from shoal.table import Table

_STEP = 1 << 16


@dataclass(frozen=True)
class CorrelationShift(Weighable):
    """The mean absolute difference between the pairwise associations before and after masking.

    Numbers and ordered categories are compared by Pearson's correlation of their values or codes, as in the paper;
    categories without an order by Cramér's V, and with numbers by the correlation ratio. The detail holds both sets,
    the correlation between them, and the largest difference. Cells without a value and wildcards do not count.

    Parameters
    ----------
    ranges
        ``middle`` counts a range with its middle; ``skip`` leaves it out, as the paper does with masked values.
    weighted
        Whether records count as much as their survey weights say, instead of one each.

    References
    ----------
    D. Sánchez, S. Martínez, J. Domingo-Ferrer, supplement of doi:10.1126/science.aad9295, Tables S4 and S5.
    H. Cramér: Mathematical Methods of Statistics, 1946, for V.
    """

    name: ClassVar[str] = "correlation-shift"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, 2.0)
    ranges: Literal["middle", "skip"] = "middle"

    def __post_init__(self) -> None:
        """Refuse another way to count ranges."""
        super().__post_init__()
        if self.ranges not in ("middle", "skip"):
            raise ParameterError(f"Ranges count with their middle or are left out, not '{self.ranges}'.", "Choose one.")

    def score(self, original: Table, released: Table) -> Score:
        """Compare the associations of all pairs of quasi-identifiers."""
        names = original.schema.quasi
        sums = _Sums.between(original, released, ranges=self.ranges == "middle")

        def kernel(before: Spans, after: Spans, members: Members | None) -> Floats:
            weight = None if members is None else np.diff(members[1]).astype(np.float64)
            return np.concatenate([sums.over(before, None), sums.over(after, weight)])

        if (weights := self.weights_in(original)) is not None:
            found: Sequence[Floats] = sums.weighed(original, released, weights)
        else:
            found = list(original.fold(released, kernel).reshape(2, -1))
        before, after = (sums.associations(side) for side in found)
        pairs = [f"{a} ~ {b}" for a, b in combinations(names, 2)]
        both = np.isfinite(before) & np.isfinite(after)
        moved = np.abs(after - before)[both]
        detail = {
            "before": _listed(pairs, before),
            "after": _listed(pairs, after),
            "largest": float(moved.max(initial=0.0)),
            "agreement": _pearson(before[both], after[both]),
        }
        if not moved.size:
            return nothing_to_measure(self.name, "no two attributes vary and show values in both tables", detail)
        return Score.exact(self.name, float(moved.mean()), detail)


def _listed(pairs: Sequence[str], values: Floats) -> dict[str, float | None]:
    """Give associations by name; None where there is none, because an attribute does not vary or shows nothing."""
    return {pair: float(value) if np.isfinite(value) else None for pair, value in zip(pairs, values, strict=True)}


def _pearson(x: Floats, y: Floats) -> float | None:
    if x.size < 2 or x.std() == 0 or y.std() == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])


@dataclass(frozen=True)
class _Sums:
    """Sums over records from which the associations of all pairs follow, one behind the other.

    First, for pairs of numbers: how many records show both, the sums of the first, of its square, and of the product.
    Then for each pair of a category and a number: the count, sum and sum of squares of each category. Last for each
    pair of categories: the counts of their combinations. Numbers are taken from near their mean, so that no digits are
    lost.
    """

    sizes: tuple[int, ...]  # the number of categories of each column; 0 where it holds numbers
    centre: Floats
    ranges: bool

    @classmethod
    def between(cls, original: Table, released: Table, *, ranges: bool) -> _Sums:
        """Say what is summed for two tables, whose columns are put on common axes."""
        sizes = []
        for name in original.schema.quasi:
            axis = original.schema[name].axis
            common = axis.shared_with(released.schema[name].axis)[0] if axis.nominal else axis
            sizes.append(len(common.values) if axis.nominal and common.values is not None else 0)
        return cls(tuple(sizes), _near(original.moments()), ranges)

    @property
    def numbers(self) -> list[int]:
        """The columns that hold numbers."""
        return [j for j, size in enumerate(self.sizes) if not size]

    @property
    def length(self) -> int:
        """How many sums there are."""
        of_pairs = (
            a * b if a and b else 3 * (a or b) for a, b in ((self.sizes[i], self.sizes[j]) for i, j in self.mixed)
        )
        return 4 * len(self.numbers) ** 2 + sum(of_pairs)

    @property
    def mixed(self) -> list[tuple[int, int]]:
        """The pairs in which at least one column holds categories."""
        return [(i, j) for i, j in combinations(range(len(self.sizes)), 2) if self.sizes[i] or self.sizes[j]]

    def over(self, rows: Spans, weight: Floats | None) -> Floats:
        """Add up the rows of a table, each as often as its weight says."""
        total = np.zeros(self.length)
        for start in range(0, rows.lo.shape[0], _STEP):
            some = slice(start, start + _STEP)
            times = np.ones(rows.lo[some].shape[0]) if weight is None else weight[some]
            total = total + self._stretch(rows.lo[some], rows.hi[some], rows, times)
        return total

    def weighed(self, original: Table, released: Table, weights: Floats) -> list[Floats]:
        """Add up the rows of both tables, each as much as it weighs, in the order of the records."""
        tables = PairedTables.of(original, released)
        shown = [self._paired(tables, name, j) for j, name in enumerate(tables.grounds)]
        totals = []
        for side in (ORIGINAL, RELEASED):
            total = np.zeros(self.length)
            for start in range(0, weights.size, _STEP):
                some = slice(start, start + _STEP)
                columns = [(numbers[some], there[some]) for numbers, there in (column[side] for column in shown)]
                total = total + self._summed(columns, weights[some])
            totals.append(total)
        return totals

    def _paired(self, tables: PairedTables, name: str, j: int) -> list[tuple[NDArray[Any], NDArray[np.bool_]]]:
        """Give the numbers or categories of a column before and after, as `_column` gives them."""
        ground = tables.grounds[name]
        if isinstance(ground, Categories):
            codes = [single_categories(ground, side, lo) for side, (lo, _) in enumerate(tables.ends_of(name))]
            return [(np.maximum(code, 0), code >= 0) for code in codes]
        column, centre = tables.column(name), np.ldexp(self.centre[j], ground.scale)
        after = column.guess if self.ranges else np.where(column.low == column.high, column.low, np.nan)
        return [(np.where(np.isnan(x), 0.0, x - centre), ~np.isnan(x)) for x in (column.own, after)]

    def _stretch(self, lo: Positions, hi: Positions, rows: Spans, times: Floats) -> Floats:
        columns = [self._column(lo[:, j], hi[:, j], rows, j) for j in range(len(self.sizes))]
        return self._summed(columns, times)

    def _summed(self, columns: Sequence[tuple[NDArray[Any], NDArray[np.bool_]]], times: Floats) -> Floats:
        found: list[Floats] = [np.empty(0)]
        if self.numbers:
            x = np.stack([columns[j][0] for j in self.numbers], axis=1)
            shown = np.stack([columns[j][1] for j in self.numbers], axis=1).astype(np.float64)
            weighed = times[:, None] * shown
            powers = (weighed, times[:, None] * x, times[:, None] * x * x)
            found += [(power.T @ shown).reshape(-1) for power in powers]
            found.append((powers[1].T @ x).reshape(-1))
        for i, j in self.mixed:
            (x, x_shown), (y, y_shown) = columns[i], columns[j]
            both = times * (x_shown & y_shown)
            a, b = self.sizes[i], self.sizes[j]
            if a and b:
                found.append(_tallied(x * b + y, both, a * b))
            else:
                category, number = (x, y) if a else (y, x)
                found += [_tallied(category, power, a or b) for power in (both, both * number, both * number * number)]
        return np.concatenate(found)

    def _column(self, lo: Positions, hi: Positions, rows: Spans, j: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Give the numbers or categories of a column, zero where they do not count, and which of them count."""
        shown = (lo != MISSING) & (hi != TOP)
        if self.sizes[j] or not self.ranges:
            shown &= lo == hi
        if self.sizes[j]:
            return np.where(shown, lo, 0).astype(np.int64), shown
        return np.where(shown, middle_numbers(rows, lo, hi, j, shown) - self.centre[j], 0.0), shown

    def associations(self, sums: Floats) -> Floats:
        """Give the association of each pair; not a number where an attribute does not vary."""
        q = len(self.numbers)
        found: dict[tuple[int, int], float] = {}
        n, x, xx, xy = sums[: 4 * q * q].reshape(4, q, q)
        for a, b in combinations(range(q), 2):
            # An attribute that does not vary has a spread of rounding errors only.
            spreads = [n[a, b] * xx[i, j] - x[i, j] ** 2 for i, j in ((a, b), (b, a))]
            varies = all(s > 1e-12 * n[a, b] * xx[i, j] for s, (i, j) in zip(spreads, ((a, b), (b, a)), strict=True))
            shared = n[a, b] * xy[a, b] - x[a, b] * x[b, a]
            both = np.sqrt(spreads[0] * spreads[1]) if varies else np.nan
            found[self.numbers[a], self.numbers[b]] = shared / both
        at = 4 * q * q
        for i, j in self.mixed:
            a, b = self.sizes[i], self.sizes[j]
            size = a * b if a and b else 3 * (a or b)
            mine = sums[at : at + size]
            at += size
            found[i, j] = _cramer(mine.reshape(a, b)) if a and b else _correlation_ratio(*mine.reshape(3, -1))
        return np.array([found[pair] for pair in combinations(range(len(self.sizes)), 2)])


def _near(moments: Moments) -> Floats:
    """Give a number near the mean of each column, by less than its deviation, that has few digits.

    Whole numbers less such a number have exact products and sums. The order of sums, which is another with other
    processors and numbers of threads, then does not matter.
    """
    _, exponent = np.frexp(moments.deviation)
    return np.ldexp(np.rint(np.ldexp(moments.mean, -exponent)), exponent)


def _tallied(codes: NDArray[np.int64], weights: Floats, size: int) -> Floats:
    return np.bincount(codes, weights=weights, minlength=size).astype(np.float64)


def _cramer(counts: Floats) -> float:
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    n, smaller = counts.sum(), min(counts.shape) - 1
    if smaller < 1:
        return float("nan")
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    return float((((counts - expected) ** 2 / expected).sum() / (n * smaller)) ** 0.5)


def _correlation_ratio(counts: Floats, sums: Floats, squares: Floats) -> float:
    n = counts.sum()
    inside = counts > 0
    total = squares.sum() - sums.sum() ** 2 / n if n else 0.0
    if total <= 0 or inside.sum() < 2:
        return float("nan")
    between = (sums[inside] ** 2 / counts[inside]).sum() - sums.sum() ** 2 / n
    return float(min(max(between / total, 0.0), 1.0) ** 0.5)
