"""pMSE: how well a model tells released records from original ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.measures import Direction, Score
from shoal.measures.statistics.design_matrix import design
from shoal.measures.statistics.sampling import check_sampling, sampled_rows
from shoal.parameters import settle
from shoal.table import Table

# The ridge, per record. Without it nothing holds the coefficients when a column tells the tables apart for certain.
_RIDGE = 1e-4
_STEPS = 100


@dataclass(frozen=True)
class Propensity:
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

    References
    ----------
    M.-J. Woo, J. P. Reiter, A. Oganian, A. F. Karr: Global measures of data utility for microdata masked for disclosure
    limitation, Journal of Privacy and Confidentiality 1(1), 2009, doi:10.29012/jpc.v1i1.568. J. Snoke, G. M. Raab, B.
    Nowok, C. Dibben, A. Slavkovic: General and specific utility measures for synthetic data, JRSS A 181(3), 2018,
    doi:10.1111/rssa.12358, for the expectation.
    """

    name: ClassVar[str] = "pmse"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, 0.25)
    squares: bool = True
    most: int = 50_000
    seed: int = 0

    def __post_init__(self) -> None:
        """Check what was asked for."""
        settle(self)
        check_sampling(self.most, self.seed)

    def score(self, original: Table, released: Table) -> Score:
        """Fit the model to a sample of both tables."""
        rows = sampled_rows(original.rows, self.most, self.seed)
        before, after = design(original, released, original.schema.quasi, rows, squares=self.squares)
        scores = _propensities(before, after)
        value = float(((scores[0] - 0.5) ** 2).mean() + ((scores[1] - 0.5) ** 2).mean()) / 2
        parameters = 1 + _independent(before, after)
        expected = (parameters - 1) * 0.5**3 / (2 * rows.size)
        detail = {
            "ratio": value / expected if expected else None,
            "expected": expected,
            "parameters": parameters,
            "records": int(rows.size),
        }
        return Score.exact(self.name, min(value, 0.25), detail)


def _independent(before: Floats, after: Floats) -> int:
    """Count the columns that say something new: the rank of the matrix about its means."""
    mean = (before.mean(axis=0) + after.mean(axis=0)) / 2
    first, second = before - mean, after - mean
    spreads = np.linalg.eigvalsh(first.T @ first + second.T @ second)
    return int(np.count_nonzero(spreads > 1e-9 * spreads.max(initial=0.0)))


def _propensities(before: Floats, after: Floats) -> tuple[Floats, Floats]:
    """Fit a logistic regression by Newton steps, halved while they lead uphill, and give each record's score.

    The tables are kept apart, so that what is equal in both cancels to the last digit: equal tables give one half.
    """
    first, second = (np.column_stack([np.ones(len(side)), side]) for side in (before, after))
    ridge = np.full(first.shape[1], _RIDGE * 2 * len(first))
    ridge[0] = 0
    weights = np.zeros(first.shape[1])

    def off(at: Floats) -> float:
        return float(
            np.logaddexp(0, first @ at).sum() + np.logaddexp(0, -(second @ at)).sum() + (ridge * at * at).sum() / 2
        )

    now = off(weights)
    for _ in range(_STEPS):
        low, high = _logistic(first @ weights), _logistic(second @ weights)
        slope = first.T @ low - second.T @ (1 - high) + ridge * weights
        curve = _products(first, low * (1 - low)) + _products(second, high * (1 - high)) + np.diag(ridge)
        step = np.linalg.lstsq(curve, slope)[0]
        gain = float(slope @ step)
        if gain <= 1e-14 * len(first):
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
