"""Mahalanobis distance: how far records moved, in view of how attributes go together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.statistics.joint_moments import Standardized
from shoal.measures.statistics.weighable import Weighable
from shoal.table import Table


@dataclass(frozen=True)
class Mahalanobis(Weighable):
    """The mean Mahalanobis distance between original and published records, divided by the root of the attributes.

    The distance is 1 for a move by one standard deviation along every principal component: a move against the
    correlation of two attributes counts more than one along it. The covariances are those of the original, inverted
    where they can be, so attributes that determine each other do no harm. Attributes with an order count if they vary;
    a range counts with its middle, ``*`` with the mean, and cells that had no value do not count.

    Parameters
    ----------
    weighted
        Whether records count as much as their survey weights say, instead of one each.

    References
    ----------
    P. C. Mahalanobis: On the generalised distance in statistics, Proceedings of the National Institute of Sciences of
    India 2(1), 1936. As a measure of masked data: M. Templ: Statistical Disclosure Control for Microdata, Springer
    2017, doi:10.1007/978-3-319-50272-4.
    """

    name: ClassVar[str] = "mahalanobis"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def score(self, original: Table, released: Table) -> Score:
        """Take the mean over all records."""
        both = Standardized.of(original, released, self.weights_in(original))
        d = len(both.names)
        if not d:
            return nothing_to_measure(self.name, "no attribute with an order varies")
        # On standardized attributes the covariances are the correlations.
        inverse = np.linalg.pinv(both.correlations()[0], rcond=1e-10, hermitian=True)
        sums, largest = [], 0.0
        for own, shown, weights in both.weighed():
            apart = own - shown
            distances = np.sqrt(np.maximum(((apart @ inverse) * apart).sum(axis=1) / d, 0.0))
            sums.append(float(distances.sum() if weights is None else weights @ distances))
            largest = max(largest, float(distances.max(initial=0.0)))
        detail = {"largest": largest, "attributes": d}
        return Score.exact(self.name, math.fsum(sums) / both.total, detail)
