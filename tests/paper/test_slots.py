"""Tables of slots, and arithmetic that is the same on every machine."""

import numpy as np
import pytest

from shoal_paper.datasets.slots import exponential, logarithm, power, scaled, slots, stretches, totals, whole


def test_shares_are_rounded_by_the_largest_remainders():
    assert whole(np.array([[1, 1, 1], [5, 3, 0]]), 8).tolist() == [[3, 3, 2], [5, 3, 0]]
    assert slots([1, 3], 3).tolist() == [0, 0, 1, 1, 1, 1, 1, 1]


def test_many_small_shares_stay_together_in_stretches():
    shares = np.array([[1.0] * 100 + [100.0], [0.0] * 100 + [1.0]])
    few, one = stretches(shares, 4).reshape(2, 16)
    assert (few < 100).sum() == 8
    assert one.tolist() == [100] * 16


def test_scaling_gives_the_margin_and_leaves_empty_rows_empty():
    cells = scaled(np.array([[1.0, 3.0], [0.0, 0.0]]), np.array([[8.0], [5.0]]), 1)
    assert cells.tolist() == [[2, 6], [0, 0]]
    assert totals(cells, 0).tolist() == [[2, 6]]


def test_powers_are_those_of_the_machine():
    x = np.array([1e-6, 0.3, 0.75, 1.0, 2.5, 1000.0])
    assert logarithm(x) == pytest.approx(np.log(x), rel=1e-12, abs=1e-14)
    assert exponential(np.linspace(-5, 5, 21)) == pytest.approx(np.exp(np.linspace(-5, 5, 21)), rel=1e-9)
    assert power(x, 1.5) == pytest.approx(x**1.5, rel=1e-8)
