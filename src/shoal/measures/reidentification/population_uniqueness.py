"""Population uniqueness, estimated from the sizes of classes in a sample.

A record that is alone in a sample need not be alone in the population. Who has only the sample can estimate how
many are: from a model of class sizes (Pitman, SNB), or from the sizes in the sample itself (Zayatz).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.measures.statistics.polygamma import harmonic


class NoEstimateError(ArithmeticError):
    """A model fits no class sizes such as these, and says why: another estimate does not take its place."""


_LOOPED = 100_000  # terms of sums that are added up one by one
_STEPS = 100  # of Newton's method, which needs about ten where there is a solution
_GRID = 400  # places where a change of sign is looked for
_ODDS = (-300.0, 50.0)  # the logarithms of b / (1 - b) between which they are


@dataclass(frozen=True)
class SampledClasses:
    """The classes of a sample: how many there are of each size, and how many records the population has.

    Parameters
    ----------
    sizes
        The sizes that occur, in ascending order.
    counts
        How many classes there are of each.
    population
        The number of records of the population.
    """

    sizes: NDArray[np.int64]
    counts: NDArray[np.int64]
    population: int

    def __post_init__(self) -> None:
        """Refuse a sample that is larger than what it comes from."""
        if not self.sizes.size or self.records > self.population:
            raise ParameterError(
                "A sample has at least one record, and not more than its population.", "Mend the sizes of its classes."
            )

    @classmethod
    def of(cls, sizes: NDArray[np.int64], population: int) -> SampledClasses:
        """Count the classes of each size, given the size of every class."""
        return cls(*np.unique(sizes, return_counts=True), population)

    @classmethod
    def counted(cls, sizes: Mapping[int, int], population: int) -> SampledClasses:
        """Take how many classes there are of each size."""
        pairs = np.array(sorted(sizes.items()), np.int64).reshape(-1, 2)
        return cls(np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]), population)

    @property
    def records(self) -> int:
        """The number of records of the sample."""
        return int(self.sizes @ self.counts)

    @property
    def fraction(self) -> float:
        """The share of the population that is in the sample."""
        return self.records / self.population

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(self.counts.sum())

    def of_size(self, size: int) -> int:
        """Give the number of classes of one size."""
        return int(self.counts[self.sizes == size].sum())


def zayatz(sample: SampledClasses) -> float:
    """Estimate how many records of the population stand alone: classes there are taken to be sized as in the sample.

    L. V. Zayatz: Estimation of the percent of unique population elements on a microdata file using the sample, US
    Bureau of the Census, 1991.

    >>> round(zayatz(SampledClasses.of(np.array([1, 1, 1, 2]), 10)), 3)
    4.378
    """
    n, total = sample.records, sample.population
    later = np.arange(sample.sizes[-1] - 1)
    # The chance that one of so many marked records is drawn, and no other, when n of all records are.
    spared = np.cumprod(np.concatenate([[1.0], np.maximum(total - n - later, 0) / (total - 1 - later)]))
    drawn = sample.sizes * (n / total) * spared[sample.sizes - 1]
    alone = sample.of_size(1)
    return float(alone * alone / (drawn @ sample.counts)) if alone else 0.0


def pitman(sample: SampledClasses) -> float:
    """Estimate how many records of the population stand alone, by Pitman's model.

    N. Hoshino: Applying Pitman's sampling formula to microdata disclosure risk assessment, Journal of Official
    Statistics 17(4), 2001.
    """
    if not sample.of_size(1):
        return 0.0
    theta, alpha = pitman_parameters(sample)
    logarithm = math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(sample.population)
    return min(math.exp(logarithm), float(sample.population))


def pitman_parameters(sample: SampledClasses) -> tuple[float, float]:
    """Give theta and alpha of Pitman's model at which the sample is most likely.

    Where no class has two records, the start of the search is not defined, and alpha is 0: the model of Ewens.
    """
    alone, pairs = sample.of_size(1), sample.of_size(2)
    n, u = sample.records, sample.classes
    if u == n:
        raise NoEstimateError("every record is alone in the table, so that its classes tell nothing of the population")
    if u == 1:
        raise NoEstimateError("there is only one class")
    if not alone or not pairs:
        return _ewens(n, u), 0.0
    c = alone * (alone - 1) / pairs
    divisor = 2 * alone * u + alone * c - n * c
    theta = (n * u * c - alone * (n - 1) * (2 * u + c)) / divisor if divisor else 1.0
    alpha = (theta * (alone - n) + (n - 1) * alone) / (n * u)
    if not (0 < alpha < 1 and theta > -alpha):
        theta, alpha = 1.0, 0.5
    steps = np.arange(1.0, sample.sizes[-1])
    # How many classes are larger than each size: so often 1/(size - alpha) occurs in the second equation.
    larger = u - np.searchsorted(np.repeat(sample.sizes, sample.counts), steps, side="right")
    for _ in range(_STEPS):
        own, own_squares = _inverses(theta, 1.0, n - 1)
        ends, squares = _inverses(theta, alpha, u - 1)
        numbered = (u - 1 - theta * ends) / alpha  # the sum of i/(theta + i alpha), and so on
        apart = steps - alpha
        first = ends - own
        second = numbered - (larger / apart).sum()
        by_theta = own_squares - squares
        crossed = -(ends - theta * squares) / alpha
        by_alpha = -(u - 1 - 2 * theta * ends + theta**2 * squares) / alpha**2 - (larger / apart**2).sum()
        determinant = by_theta * by_alpha - crossed * crossed
        if not math.isfinite(determinant) or determinant == 0:
            raise NoEstimateError(_NOWHERE)
        moves = (
            (first * by_alpha - second * crossed) / determinant,
            (second * by_theta - first * crossed) / determinant,
        )
        share = 1.0  # of a step that would leave the model
        while not (0 < alpha - share * moves[1] < 1 and theta - share * moves[0] > -(alpha - share * moves[1])):
            share /= 2
            if share < 1e-12:
                raise NoEstimateError(_NOWHERE)
        theta, alpha = theta - share * moves[0], alpha - share * moves[1]
        if share == 1.0 and abs(moves[0]) <= 1e-10 * (1 + abs(theta)) and abs(moves[1]) <= 1e-12:
            return float(theta), float(alpha)
    raise NoEstimateError(_NOWHERE)


_NOWHERE = "Newton's method finds no alpha between 0 and 1 at which Pitman's model makes these class sizes most likely"


def _inverses(start: float, step: float, terms: int) -> tuple[float, float]:
    """Give the sum of 1/(start + i · step) for i from 1 on, and that of their squares; of many without a loop."""
    if terms > _LOOPED:
        return harmonic(start, step, terms)
    found = 1 / (start + step * np.arange(1.0, terms + 1))
    return float(found.sum()), float(found @ found)


def _ewens(n: int, u: int) -> float:
    """Give theta of the model of Ewens: so many classes are expected among so many records as there are.

    They are the sum of theta / (theta + i), which grows with theta from 1 to the number of records.
    """
    records = np.arange(1.0, n)
    low, high = -40.0, 80.0  # logarithms
    while high - low > 1e-14 * max(1.0, abs(high)):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        theta = math.exp(middle)
        low, high = (middle, high) if 1 + float((theta / (theta + records)).sum()) < u else (low, middle)
    return math.exp((low + high) / 2)


def snb(sample: SampledClasses) -> float:
    """Estimate how many records of the population stand alone: sizes follow a shifted negative binomial distribution.

    G. Chen, S. Keller-McNulty: Estimation of identification disclosure risk in microdata, Journal of Official
    Statistics 14(1), 1998; the number of classes after P. J. Haas, L. Stokes, JASA 93(444), 1998.
    """
    alone, pairs, share = sample.of_size(1), sample.of_size(2), sample.fraction
    if not alone:
        return 0.0
    if share >= 1:
        raise NoEstimateError("the table is the whole population: who is alone in it is known")
    if not pairs:
        raise NoEstimateError("no class has two records, so that no negative binomial distribution can be fitted")
    classes = _shlosser(sample)

    def missed(b: float, c: float) -> float:
        """Give how many more classes of one record are expected in the sample than there are."""
        a, p = _a_of(b, c, pairs / alone, share), share + (1 - share) * b
        kept = math.log(b / p) if b < c else math.log1p(-share * c / p)
        return classes * share * math.exp(a * kept) * (1 + a * (1 - share) * c / p) - alone

    found = _root(missed)
    if found is None:
        raise NoEstimateError("no negative binomial distribution gives as many classes of one and of two records")
    b, c = found
    logarithm = math.log(b) if b < c else math.log1p(-c)
    return min(classes * math.exp(_a_of(b, c, pairs / alone, share) * logarithm), float(sample.population))


def _a_of(b: float, c: float, ratio: float, share: float) -> float:
    """Give the other parameter at which classes of two and of one are expected in the ratio of the sample.

    c is 1 - b, which has digits of its own where b is nearly 1.
    """
    q, p, s = (1 - share) * c, share + (1 - share) * b, share * c
    square, linear, fixed = q * s, s * (2 - q) - 2 * ratio * p * q, 2 * ratio * p**2
    root = math.sqrt(linear * linear + 4 * square * fixed)
    return 2 * fixed / (linear + root) if linear > 0 else (root - linear) / (2 * square)


def _shlosser(sample: SampledClasses) -> float:
    """Estimate the number of classes of the population, by the modified estimator of Shlosser."""
    i, f, share = sample.sizes.astype(np.float64), sample.counts, sample.fraction
    rest = 1 - share
    first = float((i * share**2 * (1 - share**2) ** (i - 1)) @ f)
    # (1 - π)^i ((1 + π)^i - 1), written so that large sizes do not pass the largest number
    second = float(((1 - share**2) ** i - rest**i) @ f)
    third, fourth = float((rest**i) @ f), float((i * share * rest ** (i - 1)) @ f)
    return sample.classes + sample.of_size(1) * first / second * (third / fourth) ** 2


def _root(function: Callable[[float, float], float]) -> tuple[float, float] | None:
    """Find the b, and 1 - b, at which a function changes its sign: the first such place, by halving.

    Of small samples b may be a millionth and less, so places are even by the logarithm of b / (1 - b).
    """

    def at(odds: float) -> tuple[float, float]:
        return 1 / (1 + math.exp(-odds)), 1 / (1 + math.exp(odds))

    places = np.linspace(*_ODDS, _GRID + 1).tolist()
    values = [function(*at(place)) for place in places]
    for low, high, first, second in zip(places, places[1:], values, values[1:], strict=False):
        if first == 0:
            return at(low)
        if first * second < 0:
            while (middle := (low + high) / 2) not in (low, high):
                low, high = (middle, high) if function(*at(middle)) * first > 0 else (low, middle)
            return at(low)
    return None
