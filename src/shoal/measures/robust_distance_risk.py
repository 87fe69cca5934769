"""Robust distance risk: outliers whose released record still gives them away."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.errors import ParameterError
from shoal.extras import missing
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.statistics.joint_moments import Standardized
from shoal.measures.statistics.sampling import sampled_rows
from shoal.parameters import seed_of, settle
from shoal.schema import Schema
from shoal.table import Table

_FITTED = 50_000  # records from which centre and spread are estimated, at most


@dataclass(frozen=True)
class RobustDistanceRisk:
    """The share of records whose released values are all near their own, measured by how far out they lie, and alone.

    An interval around each original value, in standard deviations, is ``interval`` times the robust Mahalanobis
    distance of the record: outliers need more masking than those amid others. A record is at risk if all that is shown
    for it is inside, and no other released record lies within ``alone`` standard deviations of it. Centre and spread
    are those of the minimum covariance determinant (MCD), which outliers do not move; where attributes determine each
    other there is none, and the classical ones are taken, with a pseudo-inverse. Attributes with an order count if
    they vary. A range counts with its middle; a record with ``*`` or a lost value is not at risk. It needs scikit-learn
    (``make install EXTRAS=learn``).

    Parameters
    ----------
    interval
        How wide intervals are, as a share of the robust distance, above 0.
    alone
        How near another released record protects, in standard deviations, at least 0.
    seed
        The seed of the MCD.

    References
    ----------
    M. Templ, B. Meindl: Robust statistics meets SDC: new disclosure risk measures for continuous microdata masking,
    Privacy in Statistical Databases 2008, doi:10.1007/978-3-540-87471-3_10. P. J. Rousseeuw, K. Van Driessen: A fast
    algorithm for the minimum covariance determinant estimator, Technometrics 41(3), 1999,
    doi:10.1080/00401706.1999.10485670.
    """

    name: ClassVar[str] = "robust-distance-risk"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    interval: float = 0.01
    alone: float = 0.05
    seed: int = 0

    def __post_init__(self) -> None:
        """Check what was asked for."""
        settle(self)
        seed_of(self.seed)
        if not isinstance(self.interval, int | float) or not 0 < self.interval < float("inf"):
            raise ParameterError("The width of an interval is a share of the distance, above 0.", "Usual is 0.01.")
        if not isinstance(self.alone, int | float) or not 0 <= self.alone < float("inf"):
            raise ParameterError("A record is near in standard deviations, at least 0.", "Usual is 0.05.")

    def demand(self, schema: Schema) -> None:
        """Refuse before any work is done what cannot be measured."""
        if find_spec("sklearn") is None:
            raise missing("The minimum covariance determinant needs scikit-learn", "learn")

    def score(self, original: Table, released: Table) -> Score:
        """Find the records that are near their own, and of these the ones that are alone."""
        self.demand(original.schema)
        both = Standardized.of(original, released)
        if not both.names:
            return nothing_to_measure(self.name, "no attribute with an order varies")
        own, shown = (np.concatenate(side) for side in zip(*both.stretches(), strict=True))
        hidden = np.concatenate(
            [(np.isnan(y) & ~np.isnan(x)).any(axis=1) for x, y in both.tables.stretches(both.names)]
        )
        distances, robust = self._distances(own)
        near = ~hidden & (np.abs(own - shown) < self.interval * distances[:, None]).all(axis=1)
        rows = np.flatnonzero(near)
        alone = _neighbours(shown, rows, self.alone) == 0
        detail = {
            "near": rows.size / original.rows,
            "records": original.rows,
            "robust": robust,
        }
        return Score.exact(self.name, float(np.count_nonzero(alone)) / original.rows, detail)

    def _distances(self, own: Floats) -> tuple[Floats, bool]:
        """Give the distance of each record from the centre, and whether outliers did not move that."""
        from sklearn.covariance import MinCovDet

        centre, spread, robust = own.mean(axis=0), np.atleast_2d(np.cov(own.T)), False
        if _regular(spread):
            sample = own[sampled_rows(len(own), _FITTED, self.seed)]
            found: Any = None
            with warnings.catch_warnings(), suppress(ValueError):  # half the records may be alike
                warnings.simplefilter("ignore")  # that half the records determine each other is looked at below
                found = MinCovDet(random_state=self.seed % 2**32).fit(sample)
            if found is not None and np.isfinite(found.covariance_).all() and _regular(found.covariance_):
                centre, spread, robust = found.location_, found.covariance_, True
        apart = own - centre
        inverse = np.linalg.pinv(spread, rcond=1e-10, hermitian=True)
        return np.sqrt(np.maximum(((apart @ inverse) * apart).sum(axis=1), 0.0)), robust


def _regular(spread: Floats) -> bool:
    values = np.linalg.eigvalsh(spread)
    return bool(values[0] > 1e-10 * max(values[-1], 1e-300))


def _neighbours(shown: Floats, rows: Integers, radius: float) -> Integers:
    """Count the other records within a distance of each of some."""
    if not rows.size:
        return rows
    from sklearn.neighbors import KDTree

    found: Integers = KDTree(shown).query_radius(shown[rows], radius * (1 + 1e-12), count_only=True) - 1
    return found
