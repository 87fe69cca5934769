"""The risk of single records in a sample, by how many people of the population share their values."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats
from shoal.kernels import call, of_kind


def individual_risks(records: Floats, people: Floats) -> Floats:
    """Give the chance that a match is right, for groups of so many records that stand for so many people.

    Where there are no more people than records, it is one in the records.

    >>> [round(risk, 8) for risk in individual_risks(np.array([3.0, 1.0, 4.0]), np.array([108.0, 45.5, 2.0])).tolist()]
    [0.01355297, 0.08579129, 0.25]
    """
    of_kind(np.float64, records, people)
    found = np.empty(records.size)
    call("individual_risks", np.ascontiguousarray(records), np.ascontiguousarray(people), records.size, found)
    return found
