"""Estimates of population uniqueness by their published equations, written down once more and solved in other ways."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import brentq

import shoal
from shoal.measures.reidentification.population_uniqueness import NoEstimateError, SampledClasses, pitman_parameters

SAMPLES = [(50, 6, 0.9), (200, 40, 0.6), (400, 300, 0.8), (300, 9, 1.3)]


def sampled(rows, kinds, skew):
    """Draw a sample whose classes have many sizes."""
    draw = np.random.default_rng(rows)
    chances = np.arange(1, kinds * 3 + 1) ** -skew
    return draw.choice(kinds * 3, rows, p=chances / chances.sum()).tolist()


def estimates(values, people):
    import pyarrow as pa

    found = shoal.risk(pa.table({"a": values}), quasi="a", population_size=people)["population_uniqueness"]
    return found, Counter(Counter(values).values()), Fraction(len(values), people)


@pytest.mark.parametrize("asked", SAMPLES)
@pytest.mark.parametrize("times", [1, 3, 20])
def test_zayatz_by_chances_of_drawing_one(asked, times):
    values = sampled(*asked)
    n, people = len(values), len(values) * times
    found, f, share = estimates(values, people)

    def one_of(i):
        """Give the chance that of i marked ones among all just one is drawn."""
        return Fraction(i * math.comb(people - i, n - 1), math.comb(people, n))

    u = sum(f.values())
    chance = Fraction(f[1], u) * one_of(1) / sum(Fraction(number, u) * one_of(i) for i, number in f.items())
    assert found["zayatz"] == pytest.approx(float(f[1] * chance / share / people), rel=1e-9)


@pytest.mark.parametrize("asked", SAMPLES)
def test_pitmans_parameters_solve_both_equations(asked):
    values = sampled(*asked)
    found, f, _ = estimates(values, 20 * len(values))
    sizes = np.array(sorted(Counter(values).values()))
    n, u = len(values), sizes.size
    try:
        theta, alpha = pitman_parameters(SampledClasses.of(sizes, 20 * n))
    except NoEstimateError:
        assert found["pitman"] is None
        assert "pitman" in found["reasons"]
        return
    if not f[1]:
        assert found["pitman"] == 0
        return
    i = np.arange(1.0, u)
    assert (1 / (theta + i * alpha)).sum() == pytest.approx((1 / (theta + np.arange(1.0, n))).sum(), rel=1e-8)
    if f[2]:
        held = sum(number * sum(1 / (j - alpha) for j in range(1, size)) for size, number in f.items())
        assert (i / (theta + i * alpha)).sum() == pytest.approx(held, rel=1e-8)
    alone = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha)) * (20 * n) ** alpha
    assert found["pitman"] == pytest.approx(min(alone / (20 * n), 1), rel=1e-9)


@pytest.mark.parametrize("asked", SAMPLES)
@pytest.mark.parametrize("times", [2, 10])
def test_the_negative_binomial_gives_as_many_classes_of_one_and_of_two(asked, times):
    values = sampled(*asked)
    found, f, share = estimates(values, len(values) * times)
    if found["snb"] is None:
        assert "snb" in found["reasons"]
        return
    if not f[1]:
        assert found["snb"] == 0
        return
    p = float(share)

    def over(terms):
        return sum(terms(i) * number for i, number in f.items())

    shlosser = over(lambda i: i * p**2 * (1 - p**2) ** (i - 1)) / over(lambda i: (1 - p) ** i * ((1 + p) ** i - 1))
    rest = over(lambda i: (1 - p) ** i) / over(lambda i: i * p * (1 - p) ** (i - 1))
    classes = sum(f.values()) + f[1] * shlosser * rest**2

    def of_one(a, b):
        q = (1 - p) * (1 - b)
        return classes * p * (b / (1 - q)) ** a * (1 + a * q / (1 - q))

    def two_to_one(a, b):
        """Give how many classes of two are expected for one of one; the powers of b and 1 - q cancel."""
        q = (1 - p) * (1 - b)
        return a * p * (1 - b) * (2 - (1 - a) * q) / (2 * (1 - q) ** 2 * (1 + a * q / (1 - q)))

    def a_of(b):
        return brentq(lambda a: two_to_one(a, b) - f[2] / f[1], 0, 1e9, xtol=1e-15, rtol=1e-14)

    def missed(b):
        return of_one(a_of(b), b) - f[1]

    grid = np.linspace(0, 1, 402)[1:-1].tolist()
    roots = [
        brentq(missed, low, high, xtol=1e-15)
        for low, high in itertools.pairwise(grid)
        if missed(low) * missed(high) < 0
    ]
    alone = [min(classes * b ** a_of(b) / (len(values) * times), 1) for b in roots]
    assert found["snb"] == pytest.approx(alone[0], rel=1e-8)
