"""One-to-one assignment at least cost."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Positions
from shoal.kernels import call, of_kind


def assigned(costs: Floats) -> Positions:
    """Give each row of a square matrix of finite costs its own column, so that their sum is the least."""
    of_kind(np.float64, costs)
    n = costs.shape[0]
    assert costs.shape == (n, n)
    assert np.isfinite(costs).all()
    found = np.empty(n, np.int32)
    call("assign", n, costs, np.empty(3 * n), np.empty(4 * n, np.int32), found)
    return found
