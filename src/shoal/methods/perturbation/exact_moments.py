"""Means and covariances that do not depend on how records are divided: what is summed are whole numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Integers
from shoal.methods.perturbation.numbers import present
from shoal.table import Column, Table

_DIGITS = 50  # binary ones, of the distance from the middle of a column in units of its half width
_LIMB = 17
_ROWS = 1 << 16  # products of two limbs of so many rows sum to less than 2^53: floats hold them exactly


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
    lowest = np.nanmin([low for low, _ in limits], axis=0, initial=np.inf)
    highest = np.nanmax([high for _, high in limits], axis=0, initial=-np.inf)
    filled = lowest <= highest
    middle = np.where(filled, lowest / 2 + highest / 2, 0.0)
    half = np.where(filled, np.maximum(highest - middle, middle - lowest), 0.0)
    exponents = np.array([math.frexp(width)[1] for width in half.tolist()])

    def sums(part: Floats) -> tuple[Any, ...]:
        whole = np.rint(np.ldexp(part - middle, _DIGITS - exponents))
        complete = present(part)
        own = [_sums(column[~np.isnan(column)][:, None]) for column in whole.T] if not complete.all() else None
        return own, _sums(whole[complete])

    found = table.collect(sums, matrix)
    units = [Fraction(2) ** (int(e) - _DIGITS) for e in exponents]
    n, total, squares = _added([part[1] for part in found])
    alone = [
        _added(
            [
                (part[1][0], part[1][1][[j]], part[1][2][[j]][:, [j]]) if part[0] is None else part[0][j]
                for part in found
            ]
        )
        for j in range(len(units))
    ]
    mean = [middle[j] + float(units[j] * Fraction(int(s[0]), max(m, 1))) for j, (m, s, _) in enumerate(alone)]
    variance = [_covariance(m, s[0], s[0], q[0, 0]) * units[j] ** 2 for j, (m, s, q) in enumerate(alone)]
    covariance = np.array(
        [
            [float(_covariance(n, total[i], total[j], squares[i, j]) * units[i] * units[j]) for j in range(len(units))]
            for i in range(len(units))
        ]
    ).reshape(len(units), len(units))
    return JointMoments(
        np.array([m for m, _, _ in alone], np.int64),
        np.array(mean),
        np.where(lowest < highest, [math.sqrt(each) for each in variance], 0.0),
        lowest,
        highest,
        n,
        np.array([middle[j] + float(units[j] * Fraction(int(total[j]), max(n, 1))) for j in range(len(units))]),
        covariance,
    )


def _limits(part: Floats) -> tuple[Floats, Floats]:
    low = np.nanmin(part, axis=0, initial=np.inf, where=~np.isnan(part))
    return low, np.nanmax(part, axis=0, initial=-np.inf, where=~np.isnan(part))


def _sums(whole: Floats) -> tuple[int, NDArray[Any], NDArray[Any]]:
    """Give how many rows of whole numbers there are, their sums, and the sums of their products, all exact."""
    width = whole.shape[1]
    total, squares = np.zeros(width, object), np.zeros((width, width), object)
    for start in range(0, whole.shape[0], _ROWS):
        numbers = whole[start : start + _ROWS].astype(np.int64)
        limbs = [numbers >> 2 * _LIMB, numbers >> _LIMB & (1 << _LIMB) - 1, numbers & (1 << _LIMB) - 1]
        parts = [limb.astype(np.float64) for limb in limbs]
        for i, one in enumerate(parts):
            weight = 1 << _LIMB * (2 - i)
            total = total + weight * limbs[i].sum(axis=0).astype(object)
            for k, other in enumerate(parts[i:], i):
                product = (one.T @ other).astype(np.int64).astype(object)
                both = product if i == k else product + product.T
                squares = squares + (weight << _LIMB * (2 - k)) * both
    return whole.shape[0], total, squares


def _added(parts: Any) -> tuple[int, NDArray[Any], NDArray[Any]]:
    return sum(part[0] for part in parts), sum(part[1] for part in parts), sum(part[2] for part in parts)


def _covariance(n: int, first: Any, second: Any, products: Any) -> Fraction:
    return Fraction(int(n * products - first * second), n * (n - 1)) if n > 1 else Fraction(0)
