"""Work on records that is done a few at a time: what lies at hand is faster than memory that has to be found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.arrays import Array

_STRETCH = 1 << 14  # records


def by_stretches(work: Callable[..., Array]) -> Callable[..., Array]:
    """Give what does some work on a few records at a time, which the processor has at hand: it is the same for each."""

    def done(*columns: Array) -> Array:
        rows = columns[0].shape[0]
        if rows <= _STRETCH:
            return work(*columns)
        first = work(*(column[:_STRETCH] for column in columns))
        found = np.empty((rows, *first.shape[1:]), first.dtype)
        found[:_STRETCH] = first
        for start in range(_STRETCH, rows, _STRETCH):
            some = slice(start, start + _STRETCH)
            found[some] = work(*(column[some] for column in columns))
        return found

    return done
