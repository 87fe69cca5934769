"""What it costs to merge classes, and with which others it costs least."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Integers, Singles
from shoal.kernels import below, call, of_kind


def cheapest_partners(
    lo: Singles, hi: Singles, full: Singles, sizes: Integers, some: Integers, reach: int, few: int
) -> tuple[Integers, NDArray[np.float64]]:
    """Give for some classes the few others that it costs least to join them with, and by how much more both cost then.

    ``lo`` and ``hi`` are the ends of the boxes around classes, in an order in which neighbours are alike, ``full`` is
    the most that each column may cost. Others are up to ``reach`` places away, the cheapest come first, and -1 stands
    where there are not so many.
    """
    of_kind(np.float32, lo, hi, full)
    of_kind(np.int64, sizes, some)
    below(sizes.size, some)
    partners, more = np.empty((some.size, few), np.int64), np.empty((some.size, few))
    call("cheapest_partners", lo, hi, *lo.shape, full, sizes, some, some.size, reach, few, partners, more)
    return partners, more
