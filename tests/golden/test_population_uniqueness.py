"""Estimates of population uniqueness from the UCI Adult data, taken for samples of different fractions.

Pitman's and Zayatz's estimates are those that ARX gives. Its SNB does not converge on these data: the values here were
worked out anew from the paper's generating function.
"""

import numpy as np
import pytest
from property.independent import columns_of, sizes

from shoal.errors import ParameterError
from shoal.measures.reidentification import population_uniqueness
from shoal.measures.reidentification.population_uniqueness import (
    NoEstimateError,
    SampledClasses,
    pitman,
    pitman_parameters,
    snb,
    zayatz,
)

PUBLISHED = {
    0.01: (0.144608353, 0.271712720, 0.20467902),
    0.1: (0.276849939, 0.320740239, 0.24997694),
    0.2: (0.336628017, 0.357709923, 0.31945938),
    1.0: (0.530023937, 0.514289503, None),
}


def estimated(estimate, sample):
    try:
        return estimate(sample)
    except NoEstimateError:
        return None


@pytest.fixture(scope="module")
def classes(public_file):
    columns = columns_of(public_file("adult/adult_int.csv"), ";")
    return np.array(list(sizes(columns, list(columns)).values()), np.int64)


@pytest.mark.parametrize("fraction", PUBLISHED)
def test_estimates_are_the_published_ones(classes, fraction):
    sample = SampledClasses.of(classes, round(30_162 / fraction))
    for estimate, published in zip((pitman, zayatz, snb), PUBLISHED[fraction], strict=True):
        found = estimated(estimate, sample)
        assert published is None if found is None else found / sample.population == pytest.approx(published, abs=1e-8)


def test_the_parameters_of_pitmans_model_are_the_published_ones(classes):
    sample = SampledClasses.of(classes, 301_620)
    assert pitman_parameters(sample) == pytest.approx((3176.2335, 0.7179489), rel=1e-7)


@pytest.mark.parametrize("sizes", [[1], [2], [5, 5], [1, 1, 1], [1, 2], [1, 1, 2], [1, 1, 2, 2, 40_000]])
def test_samples_that_tell_little_give_an_estimate_or_none(sizes):
    given = np.array(sizes, np.int64)
    for population in (int(given.sum()), 2 * int(given.sum()), 10**7):
        sample = SampledClasses.of(given, population)
        for estimate in (pitman, zayatz, snb):
            found = estimated(estimate, sample)
            assert found is None or 0 <= found <= population


def test_a_sample_is_not_larger_than_its_population():
    with pytest.raises(ParameterError, match="not more than its population"):
        SampledClasses.of(np.array([3, 4]), 6)


def test_every_tenth_record_of_adult_gives_the_known_answers(public_file):
    rows = columns_of(public_file("adult/adult.csv"), ";")
    tenth = {name: values[::10] for name, values in rows.items()}
    sample = SampledClasses.of(np.array(list(sizes(tenth, list(tenth)).values()), np.int64), 30_162)
    assert (sample.of_size(1), sample.of_size(2), sample.classes) == (2_506, 162, 2_722)
    assert pitman_parameters(sample) == pytest.approx((2704.35074, 0.75220343), rel=1e-8)
    found = [estimate(sample) / 30_162 for estimate in (pitman, zayatz, snb)]
    assert found == pytest.approx([0.55014042, 0.70819652, 0.66137223], abs=1e-8)


def test_long_sums_need_no_loop(classes, monkeypatch):
    sample = SampledClasses.of(classes, 301_620)
    by_loop = pitman_parameters(sample)
    monkeypatch.setattr(population_uniqueness, "_LOOPED", 0)
    assert pitman_parameters(sample) == pytest.approx(by_loop, rel=1e-9)


@pytest.mark.parametrize(
    ("step", "left_out", "share"),
    [
        (50, ("sex", "race"), 0.8214455504),
        (100, ("sex", "marital-status", "education", "workclass"), 0.4587406733),
        (200, ("sex", "age"), 0.5600238904),
    ],
)
def test_a_negative_binomial_distribution_with_a_tiny_parameter_is_found(public_file, step, left_out, share):
    """In small samples b may be a millionth: worked out with 50 digits, here 2e-3, 1e-8 and 2e-11."""
    rows = columns_of(public_file("adult/adult.csv"), ";")
    some = {name: values[::step] for name, values in rows.items() if name not in left_out}
    sample = SampledClasses.of(np.array(list(sizes(some, list(some)).values()), np.int64), 30_162)
    assert snb(sample) / 30_162 == pytest.approx(share, abs=1e-8)
