"""Random numbers for each record that go together as columns do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Array, Bits, Floats, Integers
from shoal.kernels.random_streams import normal_quantiles, random_words
from shoal.kernels.row_products import times
from shoal.methods.perturbation.stretches import by_stretches

# A column whose variance is to such a part explained by others, in units of its own, is taken to depend on them alone.
_NOTHING_LEFT = 1e-11


def normals(keys: Sequence[Bits], records: Array) -> Floats:
    """Give a standard normal number for each record and key, a column for each key."""
    found = np.empty((records.size, len(keys)))
    for j, key in enumerate(keys):
        found[:, j] = normal_quantiles(random_words(key, records))
    return found


def picking(places: Array) -> Callable[[Floats], Floats]:
    """Give what takes some columns of a matrix."""
    return lambda matrix: np.ascontiguousarray(matrix[:, places])


def adding(keys: Sequence[Bits], factor: Floats) -> Callable[[Array, Floats], Floats]:
    """Give what adds random numbers to each record: independent ones, one for each key, times a matrix."""
    return by_stretches(lambda records, matrix: matrix + times(normals(keys, records), factor))


@dataclass(frozen=True, eq=False)
class Root:
    """A covariance matrix as the product of a triangle of independent columns with its transpose.

    ``pivots`` are columns that do not depend on each other, ``lower`` the Cholesky factor of their covariances, and
    ``weights`` how each column is made of them: the identity for the pivots themselves.
    """

    pivots: Integers
    lower: Floats
    weights: Floats

    @classmethod
    def of(cls, covariance: Floats) -> Root:
        """Find columns that do not depend on each other, those with the most left of their variance first."""
        size = covariance.shape[0]
        scale = np.sqrt(np.diag(covariance))
        unit = np.divide(
            covariance, np.outer(scale, scale), out=np.zeros_like(covariance), where=np.outer(scale, scale) > 0
        )
        left, chosen, rest = np.diag(unit).copy(), list[int](), unit.copy()
        while len(chosen) < size and left.max(initial=0.0) > _NOTHING_LEFT:
            j = int(np.argmax(left))
            chosen.append(j)
            column = rest[:, j] / np.sqrt(left[j])
            rest = rest - np.outer(column, column)
            left = np.diag(rest).copy()
            left[chosen] = -1.0
        pivots = np.sort(np.array(chosen, np.int64))
        inner: Floats = unit[np.ix_(pivots, pivots)]
        lower: Floats = scale[pivots][:, None] * np.linalg.cholesky(inner)
        weights: Floats = np.linalg.solve(inner, unit[pivots]) * scale / scale[pivots][:, None]
        weights[:, pivots] = np.eye(pivots.size)
        return cls(pivots, lower, weights)

    def spread(self) -> Floats:
        """Give the matrix that turns rows of independent standard normal numbers into rows with the covariances."""
        found: Floats = self.lower.T @ self.weights
        return found
