"""What privacy costs: published numbers, exact sums, scales that never cost more than they should."""

import math
from fractions import Fraction

import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.private.accounting import Budget, Price, delta_of, epsilon_of, loss, rho_of
from shoal.private.exact_numbers import at_least, exact, root_at_least, written
from shoal.private.mechanisms import NoiseMechanism


def test_known_conversions_to_epsilon():
    """OpenDP's own give the same six digits; the textbook's rho + 2 sqrt(rho ln 1/delta) is larger."""
    assert round(epsilon_of(Fraction(1, 18), 1e-5), 6) == 1.385744
    assert round(epsilon_of(Fraction(1, 18), 1e-6), 6) == 1.557656
    assert round(1 / 18 + 2 * math.sqrt(math.log(1e5) / 18), 6) == 1.655064


@pytest.mark.parametrize("rho", ["1e-9", "0.0001", "0.05", "1", "30"])
@pytest.mark.parametrize("delta", ["1e-12", "1e-5", "0.2"])
def test_conversions_equal_those_of_opendp(rho, delta):
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    scale = root_at_least(1 / (2 * Fraction(rho)))
    number = dp.atom_domain(T="i64"), dp.absolute_distance(T="i64")
    curve = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*number, scale=scale)).map(1)
    assert epsilon_of(Fraction(rho), float(delta)) == pytest.approx(curve.epsilon(float(delta)), rel=2e-6, abs=1e-9)


def test_delta_and_epsilon_undo_each_other():
    for rho in ("0.001", "0.3", "4"):
        assert delta_of(Fraction(rho), epsilon_of(Fraction(rho), 1e-7)) == pytest.approx(1e-7, rel=1e-5)
    assert epsilon_of(0, 1e-6) == delta_of(0, 1) == 0


def test_the_rho_of_a_budget_never_means_more_than_was_asked_for():
    for epsilon, delta in (("1", "1e-6"), ("0.01", "1e-9"), ("10", "0.1")):
        rho = rho_of(Fraction(epsilon), Fraction(delta))
        assert epsilon_of(rho, float(delta)) <= float(epsilon)
        assert epsilon_of(rho * Fraction("1.000001"), float(delta)) > float(epsilon) * (1 - 1e-9)


def test_costs_of_the_mechanisms():
    assert loss("gaussian", 1, 3.0) == Fraction(1, 18)
    assert Price.of(epsilon="0.1").rho_of_parts(1) == Fraction(1, 200)  # a pure epsilon costs half its square
    assert Price.of(epsilon="0.1").rho_of_parts(1, selecting=True) == Fraction(1, 800)  # a noisy maximum an eighth
    assert Price.of(epsilon="0.1").scale(3, 1, selecting=False) == at_least(Fraction(30))


@pytest.mark.parametrize("price", [Price.of(rho="1/7"), Price.of(epsilon="0.3"), Price.of(rho="1e-9")])
@pytest.mark.parametrize("selecting", [False, True])
def test_noise_never_costs_more_than_its_price(price, selecting):
    """Scales are floats: they are rounded up, and the loss of what is rounded is counted in fractions."""
    mechanism = price.mechanism(selecting=selecting)
    for sensitivity in (1, 5, 7, 250_000, 1 << 40):
        for parts in (1, 2):
            scale = price.scale(sensitivity, parts, selecting=selecting)
            paid = price.rho_of_parts(parts, selecting=selecting)
            assert paid * (1 - Fraction(1, 10**9)) < parts * loss(mechanism, sensitivity, scale) <= paid


def test_numbers_are_read_exactly_and_written_so_that_they_are_read_again():
    assert exact("1e-6", "x") == exact(1e-6, "x") == Fraction(1, 10**6)
    assert sum([exact("0.1", "x")] * 10) == 1
    for text in ("0.0243559703595", "1/18", "-2.5", "100000"):
        assert written(exact(text, "x")) == text


@pytest.mark.parametrize(
    "odd", ["nan", "inf", "1e999", "1/0", "", "0x1", "1_0", float("nan"), float("inf"), True, None, "9" * 500]
)
def test_what_is_no_number_is_refused(odd):
    with pytest.raises(ParameterError):
        exact(odd, "rho")


def test_budgets_say_what_they_lack():
    for given in (
        {},
        {"epsilon": 1},
        {"epsilon": 1, "rho": 1},
        {"rho": 0},
        {"rho": 1, "delta": 1},
        {"epsilon": -1, "delta": "1e-6"},
    ):
        with pytest.raises(ParameterError):
            Budget.of(**given)
    with pytest.raises(ParameterError):
        Price.of(rho=1, epsilon=1)


def test_noise_has_the_known_distribution():
    """Discrete Laplace of scale 2: P(0) = tanh(1/4), variance 2 sqrt(e)/(sqrt(e) - 1)^2; five deviations of error."""
    pytest.importorskip("opendp")
    n = 60_000
    drawn = np.array(NoiseMechanism("laplace", 1, 2.0).added([0] * n))
    assert abs((drawn == 0).mean() - 0.2449187) < 5 * math.sqrt(0.2449187 * 0.7550813 / n)
    assert abs(drawn.var() - 7.835396) < 5 * math.sqrt((6 - 1) * 7.835396**2 / n)
    gauss = np.array(NoiseMechanism("gaussian", 1, 3.0).added([0] * n))
    assert abs(gauss.var() - 9.0) < 5 * math.sqrt(2 * 81 / n)


@pytest.mark.parametrize(
    "noise",
    [
        NoiseMechanism("laplace", 1, 2.0),
        NoiseMechanism("gaussian", 1, 3.0),
        NoiseMechanism("laplace", 5, 40.5),
        NoiseMechanism("gaussian", 1, 0.3),
    ],
)
def test_intervals_are_the_narrowest_that_cover(noise):
    half = noise.half_width()

    def weight(x):
        return math.exp(-abs(x) / noise.scale if noise.mechanism == "laplace" else -(x**2) / (2 * noise.scale**2))

    whole = math.fsum(map(weight, range(-2000, 2001)))
    covered = [math.fsum(map(weight, range(-h, h + 1))) / whole for h in (half - 1, half)]
    assert covered[0] < 0.95 <= covered[1]


def test_large_gaussian_intervals_join_those_that_are_added_up():
    assert (
        abs(NoiseMechanism("gaussian", 1, 200.0).half_width() - NoiseMechanism("gaussian", 1, 200.1).half_width()) <= 1
    )


def test_nobody_needs_noise_where_nobody_changes_anything():
    assert NoiseMechanism("gaussian", 0, 0.0).added([5, 6]) == [0, 0]
    assert loss("gaussian", 0, 0.0) == 0


def test_numbers_beyond_64_bits_are_brought_to_the_end_first():
    pytest.importorskip("opendp")
    found = NoiseMechanism("gaussian", 1, 3.0).added([10**30, -(10**30)])
    assert abs(found[0] - 2**62) < 100
    assert abs(found[1] + 2**62) < 100
