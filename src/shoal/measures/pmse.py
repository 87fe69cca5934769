"""pMSE: how well a model tells released records from original ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.measures import Direction, Score
from shoal.measures.statistics.design_matrix import design
from shoal.measures.statistics.sampling import check_sampling, sampled_rows
from shoal.measures.statistics.uniformity import ORIGINAL
from shoal.measures.statistics.weighable import Weighable
from shoal.table import Table

# The ridge, per record. Without it nothing holds the coefficients when a column tells the tables apart for certain.
_RIDGE = 1e-4
_STEPS = 100

BothSides = tuple[Floats, Floats]  # of the original, and of its release


@dataclass(frozen=True)
class Propensity(Weighable):
    """The mean squared difference between released records' propensity score and one half (pMSE).

    Original and released records are put together, and a logistic regression on the main effects of all
    quasi-identifiers (and on squares of numbers: masking draws values to the middle, which leaves means as they were)
    says how likely each is a released one. 0 if it cannot tell, 0.25 if it always can. A number counts with its value
    and a range with its middle, both standardized; the 20 most frequent categories have a column each, of which a set
    has equal shares; ``*`` and cells without a value count with the mean and have a column of their own. A slight
    ridge (1e-4 per record) keeps coefficients finite. The detail gives what pMSE would be on average if records
    were drawn at random from the original's distribution (``expected``), the ``ratio`` to it (up to about 1: no more
    differs than chance would make), the number of ``parameters``, and of ``records`` that were looked at.

    Parameters
    ----------
    squares
        Whether squares of numbers are part of the model. Without them there are main effects only.
    most
        At most so many records of each table are looked at, chosen by their number and the seed. The ratio grows with
        them, pMSE does not.
    seed
        The seed by which they are chosen.
    weighted
        Whether records count as much as their survey weights say, instead of one each.

    References
    ----------
    M.-J. Woo, J. P. Reiter, A. Oganian, A. F. Karr: Global measures of data utility for microdata masked for disclosure
    limitation, Journal of Privacy and Confidentiality 1(1), 2009, doi:10.29012/jpc.v1i1.568. J. Snoke, G. M. Raab, B.
    Nowok, C. Dibben, A. Slavkovic: General and specific utility measures for synthetic data, JRSS A 181(3), 2018,
    doi:10.1111/rssa.12358, for the expectation. J. N. K. Rao, A. J. Scott: The analysis of categorical data from
    complex sample surveys, JASA 76(374), 1981, doi:10.1080/01621459.1981.10477633, for that with weights.
    """

    name: ClassVar[str] = "pmse"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, 0.25)
    squares: bool = True
    most: int = 50_000
    seed: int = 0

    def __post_init__(self) -> None:
        """Check what was asked for."""
        super().__post_init__()
        check_sampling(self.most, self.seed)

    def score(self, original: Table, released: Table) -> Score:
        """Fit the model to a sample of both tables."""
        rows = sampled_rows(original.rows, self.most, self.seed, self.weights_in(original))
        masses = self._masses(original, rows), self._masses(released, rows)
        sides = design(original, released, original.schema.quasi, rows, masses[ORIGINAL], squares=self.squares)
        scores = _propensities(sides, masses)
        value = sum(float(mass @ (each - 0.5) ** 2) for each, mass in zip(scores, masses, strict=True)) / 2
        independent, by_chance = _independent(sides, masses)
        expected = by_chance * 0.5**3 / 2
        detail = {
            "ratio": value / expected if expected else None,
            "expected": expected,
            "parameters": 1 + independent,
            "records": int(rows.size),
        }
        return Score.exact(self.name, min(value, 0.25), detail)

    def _masses(self, table: Table, rows: Integers) -> Floats:
        """Give the share that each of some records has in what all of them weigh."""
        weights = self.weights_in(table)
        masses = np.ones(rows.size) if weights is None else weights[rows]
        shares: Floats = masses / max(masses.sum(), np.finfo(float).tiny)
        return shares


def _independent(sides: BothSides, masses: BothSides) -> tuple[int, float]:
    """Count the columns that say something new: the rank of the matrix about its means; and add up their variances.

    These are of the means of as many records as there are, in units of the records' own: one over their number where
    all weigh alike, and more where some weigh more, by the design effect of the column.
    """
    mean = sum(mass @ side for side, mass in zip(sides, masses, strict=True)) / 2
    centred = [side - mean for side in sides]
    spread, of_means = (
        sum(_products(side, mass**power) for side, mass in zip(centred, masses, strict=True)) for power in (1, 2)
    )
    widths, axes = np.linalg.eigh(spread)
    largest = sum((mass @ (side * side)).max(initial=0.0) for side, mass in zip(sides, masses, strict=True))
    new = widths > 1e-9 * largest  # a column that does not vary has a spread of rounding errors only
    return int(np.count_nonzero(new)), float(
        np.einsum("ij,ik,kj,j->", axes[:, new], of_means, axes[:, new], 1 / widths[new])
    )


def _propensities(sides: BothSides, masses: BothSides) -> BothSides:
    """Fit a logistic regression by Newton steps, halved while they lead uphill, and give each record's score.

    The tables are kept apart, so that what is equal in both cancels to the last digit: equal tables give one half.
    """
    first, second = (np.column_stack([np.ones(len(side)), side]) for side in sides)
    one, other = masses
    ridge = np.full(first.shape[1], _RIDGE * 2)
    ridge[0] = 0
    weights = np.zeros(first.shape[1])

    def off(at: Floats) -> float:
        apart = one @ np.logaddexp(0, first @ at) + other @ np.logaddexp(0, -(second @ at))
        return float(apart + (ridge * at * at).sum() / 2)

    now = off(weights)
    for _ in range(_STEPS):
        low, high = _logistic(first @ weights), _logistic(second @ weights)
        slope = first.T @ (one * low) - second.T @ (other * (1 - high)) + ridge * weights
        curve = _products(first, one * low * (1 - low)) + _products(second, other * high * (1 - high)) + np.diag(ridge)
        step = np.linalg.lstsq(curve, slope)[0]
        gain = float(slope @ step)
        if gain <= 1e-14:
            break
        size = 1.0
        while size > 1e-9 and off(weights - size * step) > now - 0.25 * size * gain:
            size /= 2
        weights = weights - size * step
        now = off(weights)
    return _logistic(first @ weights), _logistic(second @ weights)


def _products(rows: Floats, weights: Floats) -> Floats:
    scaled = rows * np.sqrt(weights)[:, None]
    found: Floats = scaled.T @ scaled  # a matrix with itself takes half the time
    return found


def _logistic(x: Floats) -> Floats:
    found: Floats = 0.5 * (1 + np.tanh(x / 2))
    return found
