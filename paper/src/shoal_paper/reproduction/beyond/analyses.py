"""What analysts do with a table: explain a confidential number by what is published beside it, and predict it.

Both are done with the release and with its original, and what becomes of the answers is compared. They need no library
beyond NumPy, so that every study has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats
from shoal.domains.axis import Axis
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.statistics.design_matrix import design, middles
from shoal.measures.statistics.sampling import chances, sampled_rows
from shoal.measures.statistics.uniformity import ORIGINAL, Line
from shoal.table import Table

Truths = NDArray[np.bool_]
HELD_OUT = 0.3
FEWEST = 50  # records, below which nothing is learned
_BINS = 10


@dataclass(frozen=True)
class Analyses:
    """How far a regression and a prediction of a confidential number go astray that are learned from the release.

    The logarithm of the number, or the place of an ordered category, is regressed on all quasi-identifiers by least
    squares. The coefficients from the release and those from the original are applied to the original records: the
    score is the root mean square of the difference, divided by that of what the original's coefficients say (both
    about their means). It is 0 if they say the same and 1 if nothing is found to matter. Ranges count with their
    middle, and codes as numbers, as in Eq. 3. The detail gives what share of the variance each regression explains of
    original records that were held out (``r_squared``), and how often naive Bayes over tenths of each attribute
    rightly predicts of these whether the number is above its median (``accuracy``), learned from the release and from
    the original. Records without a value, or with a number that has no logarithm, are left out.

    Parameters
    ----------
    secret
        The confidential number.
    most
        At most so many records are looked at.
    seed
        The seed by which these, and those that are held out, are chosen.

    References
    ----------
    For naive Bayes over equally frequent values: Y. Yang, G. I. Webb, Discretization for naive-Bayes learning, Machine
    Learning 74, 2009, doi:10.1007/s10994-008-5083-5.
    """

    name: ClassVar[str] = "analyses"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    secret: str
    most: int = 100_000
    seed: int = 0

    def score(self, original: Table, released: Table) -> Score:
        """Learn from both tables."""
        rows = sampled_rows(original.rows, self.most, self.seed)
        goal = _goal(original, self.secret, rows)
        known = ~np.isnan(goal)
        left_out = int(rows.size - known.sum())
        rows, goal = rows[known], goal[known]
        held = chances(rows, self.seed + 1) < HELD_OUT
        detail = {"records": int(rows.size), "left_out": left_out}
        if min(held.sum(), (~held).sum()) < FEWEST or np.ptp(goal[~held]) == 0 or np.ptp(goal[held]) == 0:
            return nothing_to_measure(self.name, f"too few records tell '{self.secret}', or all the same", detail)
        before, after = design(original, released, original.schema.quasi, rows)
        asked, true = before[held], goal[held]
        learned = {"original": before[~held], "released": after[~held]}
        lines = {side: _Regression.of(x, goal[~held]) for side, x in learned.items()}
        middle = np.median(goal[~held])
        high = goal > middle if middle < goal.max() else goal >= middle
        cuts = [_cuts(column) for column in before.T]
        right = {
            side: _Bayes.of(_tenths(x, cuts), high[~held]).right(_tenths(asked, cuts), high[held])
            for side, x in learned.items()
        }
        effects = {side: (before - before.mean(axis=0)) @ line.slopes for side, line in lines.items()}
        size = float(np.linalg.norm(effects["original"]))
        error = float(np.linalg.norm(effects["released"] - effects["original"])) / size if size else 0.0
        explained = {side: line.explained(asked, true) for side, line in lines.items()}
        return Score.exact(self.name, error, {**detail, "r_squared": explained, "accuracy": right})


def has_logarithm(axis: Axis) -> bool:
    """Tell whether a confidential attribute is analysed by its logarithm, as amounts are."""
    return axis.kind in ("integer", "float")


def _goal(table: Table, name: str, rows: NDArray[np.int64]) -> Floats:
    """Give what is to be explained; not a number where there is nothing."""
    axis = table.schema[name].axis
    lo, hi = table.cells([name], rows)
    values = middles(Line.between((axis, axis), None), ORIGINAL, lo[:, 0], hi[:, 0])
    if not has_logarithm(axis):
        return values
    found: Floats = np.log(np.where(values > 0, values, np.nan))
    return found


@dataclass(frozen=True, eq=False)
class _Regression:
    """A line through records by least squares: of those that fit equally well, the flattest."""

    means: Floats
    level: float
    slopes: Floats

    @classmethod
    def of(cls, x: Floats, y: Floats) -> _Regression:
        means, level = x.mean(axis=0), float(y.mean())
        away = np.where(np.ptp(x, axis=0) > 1e-9, x - means, 0.0)  # what rounding leaves of a constant tells nothing
        slopes = np.linalg.lstsq(away.T @ away, away.T @ (y - level), rcond=1e-10)[0]
        return cls(means, level, slopes)

    def explained(self, x: Floats, y: Floats) -> float:
        """Give the share of the variance of new records that it explains; below 0 if their mean is a better guess."""
        left = y - self.level - (x - self.means) @ self.slopes
        return float(1 - (left @ left) / ((y - y.mean()) @ (y - y.mean())))


def _cuts(column: Floats) -> Floats:
    """Say where one bin ends and the next begins: between all values, or between tenths if they are many."""
    values = np.unique(column)
    if values.size > _BINS:
        values = np.unique(np.quantile(column, np.linspace(0, 1, _BINS + 1)))
    found: Floats = (values[1:] + values[:-1]) / 2
    return found


def _tenths(x: Floats, cuts: list[Floats]) -> NDArray[np.int64]:
    return np.stack([np.searchsorted(mine, x[:, j]) for j, mine in enumerate(cuts)], axis=1)


@dataclass(frozen=True, eq=False)
class _Bayes:
    """Naive Bayes: what each bin of each attribute says for and against, in logarithms, added up."""

    prior: float
    weights: list[Floats]

    @classmethod
    def of(cls, bins: NDArray[np.int64], high: Truths) -> _Bayes:
        shares = (high.sum() + 1) / (high.size + 2), ((~high).sum() + 1) / (high.size + 2)
        weights = []
        for column in bins.T:
            # One more in each bin, shared as all are: a bin that nobody was seen in says nothing.
            counts = [np.bincount(column[which], minlength=_BINS + 2) for which in (high, ~high)]
            logs = [np.log((count + share) / share) for count, share in zip(counts, shares, strict=True)]
            weights.append(logs[0] - logs[1])
        return cls(float(np.log(shares[0] / shares[1])), weights)

    def right(self, bins: NDArray[np.int64], high: Truths) -> float:
        """Give the share of records of which it is right."""
        said = np.full(high.size, self.prior)
        for j, weights in enumerate(self.weights):
            said += weights[bins[:, j]]
        return float(((said > 0) == high).mean())
