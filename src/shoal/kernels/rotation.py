"""Rotation of records around their mean, which keeps means and covariances whatever the records are."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats
from shoal.errors import InternalError
from shoal.kernels import call, of_kind


def rotated_around_mean(rows: Floats, square: Floats) -> Floats:
    """Multiply rows by an orthogonal matrix that leaves their sum as it is: 11ᵀ/n + B Q Bᵀ.

    B is an orthonormal basis of what is upright to the ones, and Q the orthogonal factor of a square matrix with one
    row less than there are, where the diagonal of the other factor is positive. The matrix is used up.
    """
    of_kind(np.float64, rows, square)
    n, d = rows.shape
    if square.shape != (n - 1, n - 1):
        raise InternalError("The matrix of a rotation has one row less than there are records.")
    mean = rows.mean(axis=0)
    upright = _turned(rows - mean)
    columns = np.ascontiguousarray(upright[1:].T)
    call("rotate", square, n - 1, columns, d, np.empty(n - 1))
    upright[0], upright[1:] = 0.0, columns.T
    found: Floats = _turned(upright) + mean
    return found


def _turned(rows: Floats) -> Floats:
    """Reflect rows so that the first becomes what all have in common; doing it twice changes nothing."""
    n = rows.shape[0]
    direction = np.full((n, 1), -1 / np.sqrt(n))
    direction[0] += 1.0
    squared = float((direction * direction).sum())
    if squared == 0.0:
        return rows.copy()
    found: Floats = rows - direction * ((direction * rows).sum(axis=0) * (2 / squared))
    return found
