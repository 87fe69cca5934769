"""An auditor of differential privacy: a lower bound on ε from what a mechanism gives for two neighbouring tables.

Half of the runs choose an event that tells the two tables apart best; the other half count how often it occurs with
each. With Clopper-Pearson bounds of these counts the lower bound is wrong with a probability of at most `error`. A
mechanism whose lower bound lies above what it claims is broken. The opposite is no proof.

F. Lu, J. Munoz, M. Fuchs, T. LeBlond, E. Zaresky-Williams, E. Raff, F. Ferraro, B. Testa: A general framework for
auditing differentially private machine learning, NeurIPS 2022; Z. Ding, Y. Wang, G. Wang, D. Zhang, D. Kifer: Detecting
violations of differential privacy, CCS 2018.
"""

import math

import numpy as np
from scipy.stats import beta

RUNS = 100_000


def epsilon_at_least(one, other, *, delta=0.0, error=1e-6):
    """Give a lower bound on ε from outputs (one number per run) for two neighbours, in whichever order they differ."""
    one, other = np.asarray(one), np.asarray(other)
    return max(_one_way(one, other, delta, error / 2), _one_way(other, one, delta, error / 2))


def _one_way(one, other, delta, error):
    event = _most_different(one[::2], other[::2], delta)
    often, seldom = (int(event(side[1::2]).sum()) for side in (one, other))
    low = _at_least(often, one[1::2].size, error / 2)
    high = _at_most(seldom, other[1::2].size, error / 2)
    return math.log((low - delta) / high) if low > delta else 0.0


def _most_different(one, other, delta):
    """Give the event, a tail or a single value, whose probabilities under the two differ most for sure."""
    values = np.unique(np.concatenate([one, other]))
    if values.size > 2000:
        values = np.unique(np.quantile(values, np.linspace(0, 1, 2000), method="nearest"))
    first, second = np.sort(one), np.sort(other)
    best, found = -math.inf, None
    for make, count in (
        (lambda v: lambda x: x <= v, lambda s: np.searchsorted(s, values, "right")),
        (lambda v: lambda x: x >= v, lambda s: s.size - np.searchsorted(s, values, "left")),
        (
            lambda v: lambda x: x == v,
            lambda s: np.searchsorted(s, values, "right") - np.searchsorted(s, values, "left"),
        ),
    ):
        a, b = count(first), count(second)
        # Three standard deviations to the safe side, so that an event that was seen by chance is not chosen.
        low = (a - 3 * np.sqrt(a + 1)) / one.size - delta
        high = (b + 3 * np.sqrt(b + 1)) / other.size
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = np.where(low > 0, np.log(np.maximum(low, 1e-300) / high), -np.inf)
        at = int(np.argmax(bound))
        if found is None or bound[at] > best:
            best, found = float(bound[at]), make(values[at])
    return found


def _at_least(count, runs, error):
    return float(beta.ppf(error, count, runs - count + 1)) if count else 0.0


def _at_most(count, runs, error):
    return float(beta.ppf(1 - error, count + 1, runs - count)) if count < runs else 1.0


def claims_too_little(one, other, epsilon, *, delta=0.0, error=1e-6):
    """Tell whether outputs for two neighbours show that a mechanism loses more than the ε (and δ) that it claims."""
    return epsilon_at_least(one, other, delta=delta, error=error) > epsilon
