"""Eigenvalue shift: how far the principal components of the attributes moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.statistics.joint_moments import Standardized
from shoal.measures.statistics.weighable import Weighable
from shoal.table import Table


@dataclass(frozen=True)
class EigenvalueShift(Weighable):
    """The mean difference between the eigenvalues of the correlation matrices before and after masking.

    Eigenvalues say how much of the attributes' spread each principal component holds; they are sorted, and sum to the
    number of attributes. Differences are not divided by eigenvalues, of which those of attributes that nearly
    determine each other are near 0. Attributes with an order count if they vary; a range counts with its middle,
    ``*`` and cells without a value with the mean.

    Parameters
    ----------
    weighted
        Whether records count as much as their survey weights say, instead of one each.

    References
    ----------
    M. Templ, A. Kowarik, B. Meindl: Statistical disclosure control for micro-data using the R package sdcMicro,
    Journal of Statistical Software 67(4), 2015, doi:10.18637/jss.v067.i04.
    """

    name: ClassVar[str] = "eigenvalue-shift"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, 2.0)

    def score(self, original: Table, released: Table) -> Score:
        """Compare the eigenvalues, the largest with the largest."""
        both = Standardized.of(original, released, self.weights_in(original))
        if not both.names:
            return nothing_to_measure(self.name, "no attribute with an order varies")
        before, after = (np.linalg.eigvalsh(matrix)[::-1] for matrix in both.correlations())
        moved = np.abs(before - after)
        detail = {"before": before.tolist(), "after": after.tolist(), "largest": float(moved.max())}
        return Score.exact(self.name, min(float(moved.mean()), 2.0), detail)
