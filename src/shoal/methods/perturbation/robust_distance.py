"""Which records lie far from the others: by means and covariances that the outlying ones themselves do not move."""

from __future__ import annotations

import math

import numpy as np

from shoal.arrays import Array, Bits, Flags, Floats, Positions
from shoal.kernels.random_streams import random_words, uniform
from shoal.kernels.row_products import times
from shoal.methods.perturbation.exact_moments import JointMoments
from shoal.methods.perturbation.numbers import present
from shoal.table import Column, Table

_SAMPLE = 5000  # records that the estimate is made of
_STARTS, _KEPT, _STEPS = 50, 5, 100
_SHARE = 0.975  # of normal records that are not outlying


def outlying(table: Table, matrix: Column, moments: JointMoments, key: Bits) -> Column:
    """Tell which records lie outside the ellipsoid that holds 97.5 percent of normal ones.

    Mean and covariance are those of the minimum covariance determinant, of a sample of records that lack no value, or
    of all records if more than half of them lie in a plane. A record that lacks a value is not outlying.
    """
    unit = moments.deviation
    robust: Floats
    centre, robust = robust_moments(_sampled(table, matrix, key) / unit, key)
    if np.linalg.matrix_rank(robust, hermitian=True) < unit.size:
        centre, robust = np.divide(moments.centre, unit), np.divide(moments.spread(), np.outer(unit, unit))
    limit = chi_square_quantile(_SHARE, int(np.linalg.matrix_rank(robust, hermitian=True)))
    precision = np.asarray(np.linalg.pinv(robust, hermitian=True), np.float64)

    def far(matrix: Floats) -> Flags:
        away = np.where(present(matrix)[:, None], matrix / unit - centre, 0.0)
        found: Flags = (times(away, precision) * away).sum(axis=1) > limit
        return found

    return table.combine(far, matrix)


def _sampled(table: Table, matrix: Column, key: Bits) -> Floats:
    """Give the numbers of some records that lack none, chosen and put in order by chance."""

    def lacking(matrix: Floats) -> Positions:
        return (~present(matrix)).astype(np.int32)

    def chance(records: Array) -> Floats:
        return uniform(random_words(key, records))

    def chosen(places: Array, matrix: Floats) -> tuple[Array, Floats]:
        here = (places < _SAMPLE) & present(matrix)
        return places[here], matrix[here]

    places = table.rank([table.combine(lacking, matrix), table.combine(chance, table.rank([]))])
    found = table.collect(chosen, places, matrix)
    order = np.argsort(np.concatenate([part[0] for part in found]))
    numbers: Floats = np.concatenate([part[1] for part in found])[order]
    return numbers


def robust_moments(rows: Floats, key: Bits) -> tuple[Floats, Floats]:
    """Give mean and covariance by the minimum covariance determinant, weighed anew by the distances that it gives.

    References
    ----------
    P. J. Rousseeuw, K. Van Driessen: A fast algorithm for the minimum covariance determinant estimator, Technometrics
    41(3), 1999, doi:10.1080/00401706.1999.10485670.
    """
    n, d = rows.shape
    half = (n + d + 1) // 2
    draw = np.random.Generator(np.random.Philox(key=key))
    begun = [_concentrated(rows, draw.choice(n, min(d + 1, n), replace=False), half, 2) for _ in range(_STARTS)]
    begun.sort(key=lambda found: found[0])
    best = min((_concentrated(rows, each[1], half, _STEPS) for each in begun[:_KEPT]), key=lambda found: found[0])
    centre, covariance = _moments(rows[best[1]])
    distances = _distances(rows, centre, covariance)
    covariance = covariance * (np.median(distances) / chi_square_quantile(0.5, d))
    inner = _distances(rows, centre, covariance) <= chi_square_quantile(_SHARE, d)
    return _moments(rows[inner]) if inner.sum() > d else (centre, covariance)


def _concentrated(rows: Floats, chosen: Array, half: int, steps: int) -> tuple[float, Array]:
    """Take the half of the records that are nearest to those chosen, again and again."""
    for _ in range(steps):
        nearest = np.sort(np.argsort(_distances(rows, *_moments(rows[chosen])), kind="stable")[:half])
        if nearest.size == chosen.size and (nearest == chosen).all():
            break
        chosen = nearest
    sign, size = np.linalg.slogdet(_moments(rows[chosen])[1])
    return float(size) if sign > 0 else -math.inf, chosen


def _moments(rows: Floats) -> tuple[Floats, Floats]:
    centre = rows.mean(axis=0)
    away = rows - centre
    return centre, away.T @ away / max(rows.shape[0] - 1, 1)


def _distances(rows: Floats, centre: Floats, covariance: Floats) -> Floats:
    away = rows - centre
    found: Floats = (away @ np.linalg.pinv(covariance, hermitian=True) * away).sum(axis=1)
    return found


def chi_square_quantile(share: float, degrees: int) -> float:
    """Give the number below which a share of a chi-square distribution lies.

    >>> round(chi_square_quantile(0.975, 1), 6), round(chi_square_quantile(0.975, 13), 6)
    (5.023886, 24.735605)
    """
    low, high = 0.0, 10.0 + 10.0 * degrees
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _below(middle / 2, degrees / 2) < share else (low, middle)
    return (low + high) / 2


def _below(x: float, shape: float) -> float:
    """Give the share of a gamma distribution that lies below a number, by its series."""
    term = total = 1.0 / shape
    place = shape
    while term > 1e-17 * total:
        place += 1
        term *= x / place
        total += term
    return total * math.exp(shape * math.log(x) - x - math.lgamma(shape)) if x > 0 else 0.0
