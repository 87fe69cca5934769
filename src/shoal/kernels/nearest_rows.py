"""The distance of released rows to the nearest of some records: how many cells cannot stand for what the record has."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Bytes, Floats, Integers
from shoal.errors import InternalError
from shoal.kernels import call, of_kind

NUMBER, ORDERED, NOMINAL = 0, 1, 2


def nearest_rows(
    lo: Floats, hi: Floats, records: Floats, kinds: Integers, scale: Floats, sets: Bytes
) -> tuple[Floats, Floats]:
    """Give the least and the second least distance of each row to some records; infinity where there are too few.

    A cell is 0 from a value that it may stand for, and else 1, or, of numbers, the gap in units of their range, at most
    1. Rows have two ends; of categories the category twice, or -1 and the number of one of the sets.
    """
    of_kind(np.float64, lo, hi, records, scale)
    of_kind(np.int64, kinds)
    of_kind(np.uint8, sets)
    rows, columns = lo.shape
    if hi.shape != lo.shape or records.shape[1] != columns or kinds.size != columns or scale.size != columns:
        raise InternalError("Rows and records do not have the same columns.")
    nominal = kinds == NOMINAL
    _insist(records[:, nominal], sets.shape[1])
    chosen = lo[:, nominal] < 0
    _insist(hi[:, nominal][chosen & (lo[:, nominal] > -np.inf)], sets.shape[0])
    least, second = np.empty(rows), np.empty(rows)
    call(
        "nearest_rows", lo, hi, rows, records, records.shape[0], columns, kinds, scale, sets, sets.shape[1],
        least, second,
    )  # fmt: skip
    return least, second


def _insist(numbers: Floats, limit: int) -> None:
    """Insist that numbers name sets and categories that there are: a kernel looks where they point."""
    known = numbers[~np.isnan(numbers)]
    if known.size and not (known.min() >= 0 and known.max() < limit):
        raise InternalError("A kernel was given a category that does not exist.")
