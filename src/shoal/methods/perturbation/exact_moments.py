"""Means and covariances that do not depend on how records are divided: what is summed are whole numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Integers
from shoal.kernels.exact_sums import DIGITS, exact_sums
from shoal.table import Column, Table

Sums = tuple[Integers, NDArray[Any], NDArray[Any]]
_LEAST = -900  # of numbers closer together the scale would be none


@dataclass(frozen=True)
class JointMoments:
    """The moments of columns: each one's over its own values, and all together over records that lack none.

    Parameters
    ----------
    count, mean, deviation
        Of each column, over its values; the sample deviation is 0 where there is one value only.
    lowest, highest
        Of each column.
    complete
        How many records lack no value.
    centre, covariance
        Means, and sample covariances, over these records.
    """

    count: Integers
    mean: Floats
    deviation: Floats
    lowest: Floats
    highest: Floats
    complete: int
    centre: Floats
    covariance: Floats

    @property
    def varying(self) -> Integers:
        """The numbers of the columns that are not constant."""
        return np.flatnonzero(self.deviation > 0)

    def spread(self) -> Floats:
        """Give covariances with each column's own deviation, and the correlations of complete records."""
        inner = np.sqrt(np.diag(self.covariance))
        scale = np.divide(self.deviation, inner, out=np.zeros_like(inner), where=inner > 0)
        found: Floats = self.covariance * np.outer(scale, scale)
        if self.complete == self.count.max(initial=0):
            return self.covariance
        return found


def moments_of(table: Table, matrix: Column) -> JointMoments:
    """Give the moments of the columns of a matrix, in which NaN stands for a missing value."""
    limits = table.collect(_limits, matrix)
    lowest = np.fmin.reduce([low for low, _ in limits])
    highest = np.fmax.reduce([high for _, high in limits])
    filled = lowest <= highest
    middle = np.where(filled, lowest / 2 + highest / 2, 0.0)
    half = np.where(filled, np.maximum(highest - middle, middle - lowest), 0.0)
    exponents = np.array([max(math.frexp(width)[1], _LEAST) for width in half.tolist()])
    scale = np.ldexp(1.0, DIGITS - exponents)

    def sums(part: Floats) -> tuple[Sums, Sums]:
        whole = exact_sums(part, middle, scale, together=True)
        complete = part.shape[0] == whole[0][0]
        return whole, whole if complete else exact_sums(part, middle, scale, together=False)

    found = table.collect(sums, matrix)
    (together, total, products), (count, own, squares) = (_added([part[i] for part in found]) for i in (0, 1))
    n, columns = int(together[0]), range(len(exponents))
    units = [Fraction(2) ** (int(exponent) - DIGITS) for exponent in exponents]
    variance = [_covariance(int(count[j]), own[j], own[j], squares[j, j]) * units[j] ** 2 for j in columns]
    covariance = [
        [float(_covariance(n, total[i], total[j], products[i, j]) * units[i] * units[j]) for j in columns]
        for i in columns
    ]
    return JointMoments(
        count,
        np.array([middle[j] + float(units[j] * Fraction(int(own[j]), max(int(count[j]), 1))) for j in columns]),
        np.where(lowest < highest, [math.sqrt(each) for each in variance], 0.0),
        lowest,
        highest,
        n,
        np.array([middle[j] + float(units[j] * Fraction(int(total[j]), max(n, 1))) for j in columns]),
        np.array(covariance),
    )


def _limits(part: Floats) -> tuple[Floats, Floats]:
    none = np.full((1, part.shape[1]), np.nan)
    held = part if part.shape[0] else none
    return np.fmin.reduce(held), np.fmax.reduce(held)


def _added(parts: Sequence[Sums]) -> Sums:
    counts, totals, products = zip(*parts, strict=True)
    return sum(counts), sum(totals), sum(products)


def _covariance(n: int, first: Any, second: Any, products: Any) -> Fraction:
    return Fraction(int(n * products - first * second), n * (n - 1)) if n > 1 else Fraction(0)
