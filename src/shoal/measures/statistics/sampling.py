"""Which records a model is fitted to: the same for the same seed, whatever holds the table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Integers
from shoal.errors import ParameterError
from shoal.measures import Score

_Z = 1.959963984540054  # of the 95 % interval of a normal distribution


def chances(numbers: Integers, seed: int) -> NDArray[np.float64]:
    """Give each number its own chance in [0, 1) (SplitMix64: Steele, Lea, Flood, doi:10.1145/2660193.2660195)."""
    mixed = numbers.astype(np.uint64) + np.uint64(seed % 2**32) * np.uint64(2**32) + np.uint64(1)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53


def sampled_rows(rows: int, most: int, seed: int, weights: Floats | None = None) -> Integers:
    """Give the numbers of at most so many records, in ascending order: all, or one by chance of each equal interval.

    Of records that have weights, those that weigh nothing are not chosen.
    """
    if weights is not None:
        some = np.flatnonzero(weights > 0)
        return some[sampled_rows(some.size, most, seed)]
    if rows <= most:
        return np.arange(rows, dtype=np.int64)
    interval = np.arange(most, dtype=np.int64)
    begins, ends = interval * rows // most, (interval + 1) * rows // most
    return begins + np.floor(chances(interval, seed) * (ends - begins)).astype(np.int64)


def share_of(measure: str, parts: Floats, rows: int, detail: Mapping[str, Any]) -> Score:
    """Make the score of a share, the mean of what each record looked at adds, with its interval if that is a sample.

    The bounds are Wilson's, of 95 %. They are for counts, and no narrower than they have to be where a record may add a
    fraction.
    """
    n, value = parts.size, float(parts.mean())
    if n == rows:
        return Score.exact(measure, value, detail)
    middle = (value + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(max(value * (1 - value), 0.0) / n + _Z**2 / (4 * n * n))
    return Score(measure, value, min(max(middle - half, 0.0), value), max(min(middle + half, 1.0), value), detail)


def check_sampling(most: int, seed: int) -> None:
    """Refuse what cannot be meant."""
    if not isinstance(most, int) or most < 1:
        raise ParameterError("At most how many records are looked at is a whole number above 0.", "Mend 'most'.")
    if not isinstance(seed, int) or seed < 0:
        raise ParameterError("A seed is a whole number, at least 0.", "Leave it out for the usual one.")
