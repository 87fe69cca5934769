"""Merging classes with their neighbours until all keep a promise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Labels, Levels
from shoal.engines.values import Promise
from shoal.table import Classes


def until_met(classes: Classes, promise: Promise) -> Labels:
    """Join each class that breaks a promise with the better of its two neighbours, until none does or one is left.

    Gives what has become of each class. In each round every failing class at least doubles its share of the table, so
    there are few rounds.
    """
    level = promise.level(classes)
    number = np.arange(level.size, dtype=np.int32)
    while level.size > 1 and not (met := promise.met(level)).all():
        opens, _ = openings(level, ~met, -np.inf, -np.inf, higher_is_better=promise.higher_is_better)
        opens[0] = True
        classes, level = merged(classes, level, opens, promise)
        number = (np.cumsum(opens, dtype=np.int32) - np.int32(1))[number]
    return number


def openings(
    level: Levels, bad: NDArray[np.bool_], before: float, after: float, *, higher_is_better: bool
) -> tuple[NDArray[np.bool_], bool]:
    """Tell which classes begin a new one when every bad one is joined with a neighbour; and if the last joins the next.

    ``before`` and ``after`` are the strengths of the classes around these: -inf where there are none.
    """
    strength = strengths(level, higher_is_better=higher_is_better)
    back = bad & (np.append(before, strength[:-1]) >= np.append(strength[1:], after))
    opens = ~back
    opens[1:] &= ~(bad & ~back)[:-1]
    return opens, bool(bad[-1] and not back[-1])


def strengths(level: Levels, *, higher_is_better: bool) -> Levels:
    """Give levels as numbers of which the higher is the better."""
    return level if higher_is_better else -level


def merged(classes: Classes, level: Levels, opens: NDArray[np.bool_], promise: Promise) -> tuple[Classes, Levels]:
    """Join classes that do not open a new one with what stands before them, and give the levels of all.

    Classes lie in their order, so that joining them only takes away the boundary between them; what was not joined is
    as it was.
    """
    first = np.flatnonzero(opens)
    several = np.diff(np.append(first, opens.size)) > 1
    classes = replace(classes, starts=np.append(classes.starts[:-1][first], classes.starts[-1]))
    level = level[first]
    if several.any():
        level[several] = promise.level(_some(classes, np.flatnonzero(several)))
    return classes, level


def _some(classes: Classes, chosen: NDArray[np.int64]) -> Classes:
    """Give some of the classes. Tallies, which have one number per class, are not carried by models."""
    sizes = classes.sizes[chosen]
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    rows = np.arange(starts[-1]) + np.repeat(classes.starts[:-1][chosen] - starts[:-1], sizes)
    return Classes(starts, {name: column[rows] for name, column in classes.columns.items()})
