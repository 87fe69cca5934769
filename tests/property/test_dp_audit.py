"""The auditor itself: sound mechanisms pass with a bound near what they claim, broken ones are caught."""

import math
from functools import cache

import numpy as np
import pytest
from property.dp_audit import RUNS, claims_too_little, epsilon_at_least

from shoal.private.accounting import Price, epsilon_of
from shoal.private.mechanisms import NoiseMechanism

pytest.importorskip("opendp")


@cache
def outputs(noise, count):
    return np.array(noise.added([count] * RUNS))


def test_laplace_loses_what_it_claims():
    noise = NoiseMechanism("laplace", 1, 1.0)
    assert 0.8 < epsilon_at_least(outputs(noise, 20), outputs(noise, 21)) <= 1.0


def test_gaussian_noise_loses_no_more_than_zcdp_says():
    noise = NoiseMechanism("gaussian", 1, 3.0)
    bound = epsilon_at_least(outputs(noise, 20), outputs(noise, 21), delta=1e-3)
    assert 0.2 < bound <= epsilon_of(noise.rho, 1e-3)


@pytest.mark.parametrize("runs", [RUNS // 20, pytest.param(RUNS, marks=pytest.mark.large)])
def test_a_noisy_maximum_loses_no_more_than_it_claims(runs):
    noise = NoiseMechanism("noisy-maximum", 1, 1.0)
    one, other = (np.array([noise.best(scores) for _ in range(runs)]) for scores in ([-3, -2, -3], [-2, -3, -2]))
    assert 0.5 < epsilon_at_least(one, other) <= 2.0


def test_noise_for_one_row_where_a_person_has_five_is_caught():
    noise = NoiseMechanism("laplace", 1, 1.0)
    assert claims_too_little(outputs(noise, 20), outputs(noise, 21) + 4, 1.0)


def test_noise_that_leaves_small_counts_alone_is_caught():
    whole = outputs(NoiseMechanism("laplace", 1, 1.0), 20) - 19
    assert claims_too_little(np.zeros(RUNS, int), whole, 3.0)


def test_noise_whose_tails_are_cut_off_is_caught():
    """What lies beyond the longest tail of one table shows with certainty that it was the other."""
    noise = NoiseMechanism("gaussian", 1, 3.0)
    one, other = (np.clip(outputs(noise, count), count - 6, count + 6) for count in (20, 21))
    assert claims_too_little(one, other, epsilon_of(noise.rho, 1e-3), delta=1e-3)


def test_the_same_mechanism_twice_is_never_told_apart():
    noise = NoiseMechanism("laplace", 1, 1.0)
    assert epsilon_at_least(outputs(noise, 20), outputs(noise, 21) - 1) < 0.05
    assert Price.of(epsilon=1).scale(1, 1, selecting=False) == 1.0
    assert math.isfinite(epsilon_at_least([1] * 100, [2] * 100))
