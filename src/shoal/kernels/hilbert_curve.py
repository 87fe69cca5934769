"""Places of records along the Hilbert curve, which visits every cell of a grid and stays close to where it was."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Offsets, Positions
from shoal.errors import InternalError
from shoal.kernels import call, of_kind

MOST_AXES, MOST_BITS = 31, 14


def bits_for(axes: int) -> int:
    """Give the number of bits that each of some columns has in a key of 63 bits."""
    return min(MOST_BITS, 63 // axes)


def curve_keys(
    lo: Positions, hi: Positions, columns: Offsets, origin: Floats, scale: Floats, table: Floats, offsets: Offsets
) -> Floats:
    """Give the place of each row along the curve through some columns, as floats whose bits are in that order.

    A cell of the grid is as wide as the inverse of ``scale``, and the first begins at ``origin``; what lies outside
    the grid is put into its outermost cells.
    """
    of_kind(np.int32, lo, hi)
    of_kind(np.int64, columns, offsets)
    of_kind(np.float64, origin, scale, table)
    if not 1 <= columns.size <= MOST_AXES:
        raise InternalError("The curve has too many or too few axes.")
    n, m = lo.shape
    keys = np.empty(n, np.uint64)
    bits, spread = bits_for(columns.size), np.empty(128, np.uint64)
    call("curve_keys", lo, hi, n, m, columns, columns.size, bits, origin, scale, table, offsets, spread, keys)
    return keys.view(np.float64)
