"""Transition matrices of post-randomization: plain, invariant, milder ones, and what can be estimated by them.

A transition matrix has a row for each category: how likely a record that has it gets each other one. P. Kooiman, L.
Willenborg, J. Gouweleeuw: PRAM: a method for disclosure limitation of microdata, Statistics Netherlands, 1997, and J.
M. Gouweleeuw, P. Kooiman, L. C. R. J. Willenborg, P.-P. de Wolf: Post randomisation for statistical disclosure control:
theory and implementation, Journal of Official Statistics 14(4), 1998.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.errors import DataError

# Beyond this, digits of the released counts that are chance would decide on the estimate.
WORST_CONDITION = 1e6


def even(categories: int, stay: float) -> Floats:
    """Give the matrix by which a value stays with a probability, and else becomes any other, all equally likely."""
    if categories < 2:
        return np.ones((categories, categories))
    found = np.full((categories, categories), float((1 - Fraction(repr(float(stay)))) / (categories - 1)))
    np.fill_diagonal(found, stay)
    return found


def invariant(counts: Integers | Floats, matrix: Floats) -> Floats:
    """Give the matrix that leaves counts as they are on average: what a matrix does, and then what undoes it.

    A value is changed by the matrix, and what came of it is changed again, to what it may have been: to each category
    as likely as it would be the origin of what is seen (Bayes). All counts must be above zero.

    >>> invariant(np.array([50, 30, 20]), even(3, 0.8)).diagonal().round(5).tolist()
    [0.74807, 0.63852, 0.54423]
    """
    joint = matrix * np.asarray(counts, np.float64)[:, None]
    after = joint.sum(axis=0)
    reached = after > 0  # a category that nothing becomes has no origin, and needs none
    back = (joint / np.where(reached, after, 1.0)).T
    return _stochastic(matrix @ back)


def milder(matrix: Floats, keep: float | None) -> Floats:
    """Mix a matrix with standing still, so that its smallest diagonal is what is to be kept; one that keeps more stays.

    What a matrix leaves as it is on average, the mixture leaves too.
    """
    least = float(matrix.diagonal().min(initial=1.0))
    if keep is None or least >= keep:
        return matrix
    return change_share(least, keep) * matrix + (1 - change_share(least, keep)) * np.eye(matrix.shape[0])


def change_share(least: float, keep: float) -> float:
    """Give the share of a matrix in its mixture with standing still, by the smallest of its diagonal and what is kept.

    >>> round(change_share(0.544229390681004, 0.9), 11)
    0.21940861906
    """
    return 1.0 if least >= 1 else min((1 - keep) / (1 - least), 1.0)


def _stochastic(matrix: Floats) -> Floats:
    """Take the errors of rounding out of the sums of rows."""
    found: Floats = matrix / matrix.sum(axis=1, keepdims=True)
    return found


@dataclass(frozen=True)
class Estimate:
    """How many records had each category before a matrix was applied, and the standard error of each number."""

    counts: Floats
    errors: Floats


def estimate(released: Integers | Floats, matrix: Floats) -> Estimate:
    """Estimate original counts by the released ones and the published matrix: T = T* P^-1, which is unbiased.

    The errors are those of a multinomial draw for each category, at the estimated counts.

    Raises
    ------
    DataError
        If the matrix has no inverse, or a nearly singular one would turn chance into counts.
    """
    if not estimable(matrix):
        raise DataError(
            "Original counts cannot be estimated: the matrix is singular or nearly so.",
            "Use released counts as they are, or ask for a matrix that keeps more values.",
        )
    inverse = np.linalg.inv(matrix)
    counts = np.asarray(released, np.float64) @ inverse
    weights = np.maximum(counts, 0.0)
    spread = np.diag(weights @ matrix) - (matrix * weights[:, None]).T @ matrix
    errors = np.sqrt(np.maximum(np.einsum("ij,ik,kj->j", inverse, spread, inverse), 0.0))
    return Estimate(counts, errors)


def estimable(matrix: Floats) -> bool:
    """Tell whether original counts can be estimated: whether the matrix is far from singular."""
    return bool(np.linalg.cond(matrix) <= WORST_CONDITION)
