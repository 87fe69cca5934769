"""Post-randomization: each record draws another category by the row of a transition matrix that is its own."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Bits, Floats, Integers, Positions
from shoal.kernels import below, call, of_kind


def running_sums(matrix: Floats) -> Bits:
    """Give the rows of a transition matrix as running sums in units of 2^-64: first of staying, then of the others."""
    size = matrix.shape[0]
    others = matrix[~np.eye(size, dtype=np.bool_)].reshape(size, max(size - 1, 0))
    sums = np.cumsum(np.column_stack([matrix.diagonal(), others]), axis=1)
    sums /= sums[:, -1:]
    found: Bits = np.minimum(sums * 2.0**64, 2.0**64 - 2048).astype(np.uint64)  # the largest float below 2^64
    found[sums >= 1] = np.iinfo(np.uint64).max  # nothing comes behind what is certain by then
    return found


def draw_transitions(
    cells: Integers, known: Integers, bounds: Bits, words: Bits, strata: Positions | None = None
) -> Integers:
    """Give each of the known cells, in ascending order, another one by random bits; cells that are not known stay.

    ``bounds`` are running sums, of one matrix or of one for each stratum, in which case ``strata`` says which is whose.
    """
    of_kind(np.int64, cells, known)
    of_kind(np.uint64, bounds, words)
    if strata is not None:
        of_kind(np.int32, strata)
        below(bounds.size // max(known.size, 1) ** 2, strata)
    out = np.empty_like(cells)
    call("draw_transitions", cells, cells.size, known, known.size, bounds, strata, words, out)
    return out
