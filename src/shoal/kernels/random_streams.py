"""Random numbers that are looked up by key, record and draw, so that no division of the records changes them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Bits, Floats, Positions
from shoal.errors import InternalError
from shoal.kernels import call, of_kind

LARGEST_NORMAL = 8.3  # no normal number is farther from 0: they come from 52 random bits


def random_words(key: Bits, records: NDArray[np.integer], draw: int = 0) -> Bits:
    """Give 64 random bits for each record: those of a key, of the record's number, and of the number of the draw."""
    numbers = np.ascontiguousarray(records, np.int64)
    _key(key)
    words = np.empty(numbers.size, np.uint64)
    call("random_words", key, numbers, numbers.size, draw, words)
    return words


def normal_quantiles(words: Bits) -> Floats:
    """Turn random bits into standard normal numbers."""
    of_kind(np.uint64, words)
    found = np.empty(words.size)
    call("normal_quantiles", words, words.size, found)
    return found


def swap_ranks(key: Bits, ranks: int, window: int = 0, scale: float = 0.0) -> Positions:
    """Let ranks change places in pairs, and give the rank whose value each receives.

    From the lowest on, a rank that is still free changes places with a free one among the ``window`` above it, each
    with the same chance. With a ``scale`` there is no window: from distance to distance the chance falls by the factor
    exp(-1/scale), for ever.
    """
    _key(key)
    partner = np.arange(ranks, dtype=np.int32)
    call("swap_ranks", key, ranks, window, np.array([scale]), partner)
    return partner


def quantiles_at(shares: Floats) -> Floats:
    """Give the standard normal numbers below which some shares of all lie, which are between 0 and 1.

    >>> quantiles_at(np.array([0.5, 0.975])).round(6).tolist()
    [0.0, 1.959964]
    """
    return normal_quantiles((np.clip(shares, 0, 1 - 2.0**-53) * 2.0**52).astype(np.uint64) << np.uint64(12))


def _key(key: Bits) -> None:
    of_kind(np.uint64, key)
    if key.size != 2:
        raise InternalError("The key of a random stream has two words.")


def uniform(words: Bits) -> Floats:
    """Turn random bits into numbers between 0 and 1, neither of which occurs.

    >>> uniform(np.array([0, 2**64 - 1], np.uint64)).tolist()
    [1.1102230246251565e-16, 0.9999999999999999]
    """
    found: Floats = ((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52
    return found
