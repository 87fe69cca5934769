"""Correlation shift against NumPy and SciPy-free formulas worked by hand."""

import numpy as np
import polars as pl
import pytest

import shoal


def shift(before, after, ranges="middle", **given):
    quasi = list(before.columns)
    original = shoal.read(before, quasi=quasi, **given)
    kinds = {a.name: a.axis.kind for a in original.schema.attributes}
    released = shoal.read(after, quasi=quasi, kinds=kinds, masked=True)
    return shoal.score(original, released, measures=[shoal.measures.CorrelationShift(ranges)])[0]


DRAW = np.random.Generator(np.random.PCG64(5))
X = DRAW.integers(0, 50, 300)
Y = X + DRAW.integers(0, 40, 300)
Z = DRAW.normal(1e6, 1.0, 300)
NUMBERS = pl.DataFrame({"x": X, "y": Y, "z": Z})


def test_correlations_of_numbers_are_pearsons():
    found = shift(NUMBERS, NUMBERS)
    expected = np.corrcoef([X, Y, Z])
    assert found.value == 0
    assert found.detail["agreement"] == pytest.approx(1.0)
    assert found.detail["before"] == pytest.approx(
        {"x ~ y": expected[0, 1], "x ~ z": expected[0, 2], "y ~ z": expected[1, 2]}, abs=1e-9
    )


def test_correlations_of_whole_numbers_are_the_same_to_the_last_digit_in_whatever_order_they_are_summed():
    """Threads and processors sum in an order of their own, and results must not show it."""
    people = pl.DataFrame({"x": X * 1000 + 7, "y": Y, "sex": X % 2})
    turned = shift(people.reverse(), people.reverse())
    assert shift(people, people).detail == turned.detail


def test_masked_cells_do_not_count_and_ranges_count_with_their_middle_or_not_at_all():
    hidden = NUMBERS.with_columns(
        x=pl.when(pl.int_range(300) < 100).then(pl.lit("*")).otherwise(pl.col("x").cast(pl.String)),
        y=pl.when(pl.int_range(300) >= 250).then(pl.format("[{};{}]", pl.col("y"), pl.col("y") + 8))
        .otherwise(pl.col("y").cast(pl.String)),
    )  # fmt: skip
    middle = Y + np.where(np.arange(300) >= 250, 4, 0)
    assert shift(NUMBERS, hidden).detail["after"]["x ~ y"] == pytest.approx(np.corrcoef(X[100:], middle[100:])[0, 1])
    assert shift(NUMBERS, hidden, "skip").detail["after"]["x ~ y"] == pytest.approx(
        np.corrcoef(X[100:250], Y[100:250])[0, 1]
    )


def test_a_release_in_classes_counts_as_its_rows_do(tmp_path):
    original = shoal.read(NUMBERS, quasi=["x", "y", "z"])
    release = shoal.anonymize(original, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(4)])
    whole = shoal.score(original, release.table, measures=[shoal.measures.CorrelationShift()])[0]
    release.write(tmp_path / "r.csv")
    again = shoal.read(tmp_path / "r.csv", quasi=["x", "y", "z"], kinds={"x": "integer", "y": "integer", "z": "float"})
    assert shoal.score(original, again, measures=[shoal.measures.CorrelationShift()])[0].detail[
        "after"
    ] == pytest.approx(whole.detail["after"])


def test_categories_are_compared_by_cramers_v_and_the_correlation_ratio():
    frame = pl.DataFrame({"a": ["p", "p", "q", "q"] * 5, "b": ["r", "r", "s", "r"] * 5, "n": [1, 2, 5, 6] * 5})
    found = shift(frame, frame).detail["before"]
    # counts p: r 10; q: r 5, s 5. Chi-square is 20 * (10*5 - 0*5)^2 / (10*10*15*5).
    assert found["a ~ b"] == pytest.approx((20 * 50**2 / 7500 / 20) ** 0.5)
    # Means 1.5 and 5.5 around 3.5; the total sum of squares is 4.25 per record.
    assert found["a ~ n"] == pytest.approx((4 / 4.25) ** 0.5)


def test_an_attribute_that_does_not_vary_has_no_correlation():
    found = shift(NUMBERS.with_columns(z=pl.lit(7)), NUMBERS.with_columns(z=pl.lit(7)))
    assert found.detail["before"]["x ~ z"] is None
    assert found.value == 0
