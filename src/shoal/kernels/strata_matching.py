"""Matching of strata: classes with one record from each, all alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.kernels import call, of_kind

DEPTH = 64  # halves within halves


def match_strata(rows: NDArray[np.float32], width: int, records: NDArray[np.int32]) -> NDArray[np.int32]:
    """Order the records of each stratum so that those at the same place of all strata are alike.

    ``rows`` holds coordinates in units of what is counted, of which the first ``width`` columns count; records that
    have near numbers should be alike. ``records`` has one line per stratum with the numbers of its records.
    """
    of_kind(np.float32, rows)
    of_kind(np.int32, records)
    if records.size and (records.min() < 0 or records.max() >= rows.shape[0]):
        raise InternalError("A kernel was given records that do not exist.")
    strata, groups = records.shape
    ordered = records.copy()
    scratch = np.empty(4 * DEPTH, np.int64), np.empty(2 * rows.shape[1], np.float32)
    call("match_strata", rows, rows.shape[1], width, ordered, groups, strata, *scratch)
    return ordered
