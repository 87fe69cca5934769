"""Products of rows with a matrix, digit for digit the same however the rows are divided."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats
from shoal.errors import InternalError
from shoal.kernels import call, of_kind


def times(rows: Floats, matrix: Floats) -> Floats:
    """Multiply rows by a matrix, each row by itself.

    >>> times(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [5.0, 6.0]])).tolist()
    [[13.0, 16.0]]
    """
    of_kind(np.float64, rows, matrix)
    if rows.shape[1] != matrix.shape[0]:
        raise InternalError("Rows and matrix do not fit.")
    found = np.empty((rows.shape[0], matrix.shape[1]))
    held = np.ascontiguousarray(rows), np.ascontiguousarray(matrix)
    call("row_products", held[0], *rows.shape, held[1], matrix.shape[1], found)
    return found
