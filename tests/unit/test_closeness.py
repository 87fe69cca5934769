"""Eq. 6 to 8 and the distances of t-closeness, against values worked out by hand or printed in the literature."""

import math
from fractions import Fraction

import polars as pl
import pytest
from property.independent import ordered_distance

import shoal
from shoal.models import check


def test_upper_bound_of_eq_6():
    assert shoal.models.closeness_bound(60, 5) == pytest.approx(0.0932203, abs=5e-8)
    assert shoal.models.closeness_bound(60, 5) == float(Fraction(55, 590))


@pytest.mark.parametrize(("n", "k"), [(60, 5), (12, 3), (100, 10), (8, 2)])
def test_the_bound_is_attained_by_the_first_record_of_each_block(n, k):
    first = [block * (n // k) for block in range(k)]
    assert float(ordered_distance(first, list(range(n)))) == pytest.approx(
        shoal.models.closeness_bound(n, k), abs=1e-15
    )


@pytest.mark.parametrize(("n", "k", "least"), [(60, 5, 0.0504944), (65, 5, 0.0504808)])
def test_no_class_of_size_k_is_nearer_than_the_lower_bound_of_the_literature(n, k, least):
    # Soria-Comas et al. 2015: (n + k)(n - k) / (4n(n - 1)k), attained by the middle of each block when n/k is odd.
    assert (n + k) * (n - k) / (4 * n * (n - 1) * k) == pytest.approx(least, abs=5e-8)
    middles = [block * (n // k) + n // k // 2 for block in range(k)]
    distance = float(ordered_distance(middles, list(range(n))))
    assert distance >= least - 5e-8
    if n // k % 2:
        assert distance == pytest.approx(least, abs=5e-8)


@pytest.mark.parametrize(("t", "size"), [(0.01, 48), (0.05, 10), (0.09, 6), (0.13, 4), (0.17, 3), (0.21, 3), (0.25, 2)])
def test_eq_8_is_the_smallest_size_that_keeps_t(t, size):
    assert shoal.models.cluster_size(1080, 2, t) == size
    assert shoal.models.cluster_size(1080, 60, t) == 60
    assert shoal.models.closeness_bound(1080, size) <= t
    assert size == 2 or shoal.models.closeness_bound(1080, size - 1) > t


@pytest.mark.parametrize("n", [10, 60, 1080])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_eq_7_is_the_inverse_of_eq_6(n, k):
    assert shoal.models.smallest_cluster(n, shoal.models.closeness_bound(n, k)) == pytest.approx(k)


def table(quasi, confidential, **options):
    frame = pl.DataFrame({"q": quasi, "s": confidential})
    return shoal.read(frame, quasi=["q"], sensitive=["s"], **options)


def level(quasi, confidential, distance=None, **options):
    (verdict,) = check(table(quasi, confidential, **options), [shoal.models.TCloseness(1, "s", distance)])
    return verdict.level


SALARIES = [3000, 4000, 5000, 6000, 8000, 11_000, 7000, 9000, 10_000]


def test_the_salaries_of_li_et_al():
    # Classes {3k,4k,5k} and the rest; then {6k,8k,11k} and the rest, which is nearer to the table.
    assert level([1, 1, 1, 2, 2, 2, 2, 2, 2], SALARIES) == pytest.approx(0.375)
    assert level([1, 1, 1, 2, 2, 2, 1, 1, 1], SALARIES) == pytest.approx(1 / 6)


@pytest.mark.parametrize("scale", [1, 1000, 10**7])
@pytest.mark.parametrize("shift", [0, -5, 10**12])
def test_only_the_order_of_the_values_counts(scale, shift):
    assert level([1, 1, 1, 2, 2, 2, 2, 2, 2], [v * scale + shift for v in SALARIES]) == pytest.approx(0.375)


def test_ties_count_once_over_distinct_values_and_each_over_records():
    quasi, values = [1, 1, 2, 2], [5, 5, 5, 9]
    # Distinct values: cumulative shares of class 2 are (1/2, 1) against (3/4, 1); of class 1 (1, 1).
    assert level(quasi, values, "ordered-distinct") == 0.25
    # Records in order: class 1 has ranks 0 and 1: |1/2-1/4| + |1-1/2| + |1-3/4| = 1, over 3.
    assert level(quasi, values, "ordered-records") == pytest.approx(1 / 3)


def test_categories_differ_by_total_variation():
    assert level([1, 1, 2, 2], ["flu", "flu", "flu", "cold"]) == 0.25
    assert level([1, 1, 1, 1], ["flu", "flu", "flu", "cold"]) == 0
    assert level([1, 2, 2, 2], ["flu", "a", "b", "c"]) == 0.75


def test_a_missing_value_is_a_value_of_its_own_below_all_others():
    assert level([1, 1, 2, 2], [None, None, 4, 9]) == level([1, 1, 2, 2], [0, 0, 4, 9])
    assert level([1, 1, 2, 2], [None, None, "a", "b"]) == 0.5


def test_an_order_makes_categories_comparable():
    values = ["low", "low", "high", "high"]
    assert level([1, 1, 2, 2], values, orders={"s": ["low", "high"]}) == 0.5
    (verdict,) = check(table([1, 1, 2, 2], values, orders={"s": ["low", "high"]}), [shoal.models.TCloseness(1)])
    assert "ordered distance over distinct values" in verdict.convention


def test_a_constant_confidential_column_is_always_close():
    assert level([1, 1, 2, 3], [7, 7, 7, 7]) == 0
    assert level([1, 1, 2, 3], [7, 7, 7, 7], "variation") == 0


def test_a_distance_that_equals_t_keeps_the_promise():
    (verdict,) = check(table([1, 1, 1, 2, 2, 2, 2, 2, 2], SALARIES), [shoal.models.TCloseness(0.375)])
    assert verdict.holds
    (verdict,) = check(
        table([1, 1, 1, 2, 2, 2, 2, 2, 2], SALARIES), [shoal.models.TCloseness(math.nextafter(0.375, 0))]
    )
    assert not verdict.holds
    assert verdict.failing == 1


@pytest.mark.parametrize("distance", ["ordered-distinct", "ordered-records", "variation"])
def test_the_convention_is_named(distance):
    (verdict,) = check(table([1, 1, 2, 2], [1, 2, 3, 4]), [shoal.models.TCloseness(0.5, "s", distance)])
    words = {"ordered-distinct": "distinct values", "ordered-records": "Eq. 6", "variation": "total variation"}
    assert words[distance] in verdict.convention


@pytest.mark.parametrize("t", [0, -0.1, 1.5, float("nan"), float("inf"), True, "0.1"])
def test_a_t_that_is_no_distance_is_refused(t):
    with pytest.raises(shoal.errors.ParameterError, match="above 0 and at most 1"):
        shoal.models.TCloseness(t)


@pytest.mark.parametrize("k", [1, 0, -3, 2.5, True, "5"])
def test_a_k_that_is_no_crowd_is_refused(k):
    with pytest.raises(shoal.errors.ParameterError, match="at least 2"):
        shoal.models.KAnonymity(k)


def test_an_unknown_distance_is_refused():
    with pytest.raises(shoal.errors.ParameterError, match="not a distance"):
        shoal.models.TCloseness(0.1, "s", "euclidean")


def test_an_order_is_not_invented_for_categories():
    with pytest.raises(shoal.errors.ParameterError, match="without an order"):
        level([1, 2], ["a", "b"], "ordered-distinct")


def test_the_confidential_column_must_be_clear_and_not_quasi():
    frame = pl.DataFrame({"q": [1, 1], "s": [1, 2], "u": [3, 4]})
    two = shoal.read(frame, quasi=["q"], sensitive=["s", "u"])
    with pytest.raises(shoal.errors.SchemaError, match="2 confidential columns"):
        check(two, [shoal.models.TCloseness(0.5)])
    with pytest.raises(shoal.errors.SchemaError, match="quasi-identifier"):
        check(two, [shoal.models.TCloseness(0.5, "q")])
    with pytest.raises(shoal.errors.SchemaError, match="no column 'v'"):
        check(two, [shoal.models.TCloseness(0.5, "v")])
    assert check(two, [shoal.models.TCloseness(0.5, "u")])[0].level == 0
