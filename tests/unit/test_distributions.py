"""Kolmogorov-Smirnov and total variation on tables small enough to work out by hand."""

import polars as pl
import pytest

import shoal

KS, TV = shoal.measures.KolmogorovSmirnov(), shoal.measures.TotalVariation()


def table(column, kind):
    return shoal.read(pl.DataFrame({"x": column}, schema={"x": pl.String}), quasi=["x"], kinds={"x": kind}, masked=True)


def value(measure, kind, before, after):
    (found,) = shoal.score(table(before, kind), table(after, kind), measures=[measure])
    return found.value


@pytest.mark.parametrize(
    ("kind", "before", "after", "distance", "variation"),
    [
        # 3 has a quarter of the records before and a sixteenth after: up to 3 that is 0.75 and 0.5625.
        ("integer", "1 2 3 10", "[1;2] [1;2] [3;10] [3;10]", 0.1875, 0.375),
        ("date", "2001-01-01 2001-01-02", "[2001-01-01;2001-01-02] [2001-01-01;2001-01-02]", 0, 0),
        # Half of the records are at 1 before; after, none is exactly there, and all are below 2.
        ("float", "1.0 2.0", "[1.0;2.0] [1.0;2.0]", 0.5, 1),
        ("float", "0.0 1.0 2.0 3.0", "0.0 [1.0;3.0] [1.0;3.0] 3.0", 0.25, 0.5),
        # The wildcard gives a sixteenth to each value from 1 to 4.
        ("integer", "1 2 3 4", "1 2 * 4", 0.125, 0.1875),
        ("integer", "1 2 3 4", "1 2 3 5", 0.25, 0.25),
        # Having no value is a value of its own, before all others.
        ("integer", "1 2 3 -", "1 2 - -", 0.25, 0.25),
        ("integer", "1 1 1 1", "7 7 7 7", 1, 1),
        ("integer", "- - - -", "- - * *", 0, 0),
    ],
)
def test_numbers(kind, before, after, distance, variation):
    columns = [[None if text == "-" else text for text in column.split()] for column in (before, after)]
    assert value(KS, kind, *columns) == pytest.approx(distance)
    assert value(TV, kind, *columns) == pytest.approx(variation)


@pytest.mark.parametrize(
    ("before", "after", "variation"),
    [
        ("a b c c", "{a;b} {a;b} c c", 0),
        ("a a b c", "{a;b} {a;b} b c", 0.25),
        ("a a b c", "a a b *", 1 / 6),  # c keeps a third of a quarter
        ("93701 93702 94000 94000", "9370* 9370* 94000 94000", 0),
        ("93701 93701 93702 94000", "9370* 9370* 9370* 94000", 0.125),
        ("93701 93701 93702 94000", "96*** 93701 93702 94000", 0.25),  # a wildcard that nothing in the original fits
        ("a b c d", "w x y z", 1),
    ],
)
def test_categories(before, after, variation):
    columns = before.split(), after.split()
    assert value(TV, "category", *columns) == pytest.approx(variation)
    assert value(KS, "category", *columns) == 0


def test_ordered_categories_have_a_distance():
    sizes = {"orders": {"x": ("small", "middle", "large")}}
    before, after = (
        shoal.read(pl.DataFrame({"x": column}), quasi=["x"], **sizes)
        for column in (
            ["small", "middle", "large", "large"],
            ["[small;middle]", "[small;middle]", "[small;large]", "large"],
        )
    )
    ks, tv = shoal.score(before, after, measures=[KS, TV])
    assert ks.value == pytest.approx(1 / 6)
    assert tv.value == pytest.approx(1 / 6)


def test_the_value_is_the_mean_over_attributes_and_the_detail_has_each():
    before = pl.DataFrame({"age": [1, 2], "town": ["a", "b"]})
    after = pl.DataFrame({"age": ["2", "2"], "town": ["a", "{a;b}"]})
    quasi = {"quasi": ["age", "town"], "kinds": {"age": "integer"}}
    ks, tv = shoal.score(shoal.read(before, **quasi), shoal.read(after, **quasi), measures=[KS, TV])
    assert ks.detail == {"per_attribute": {"age": 0.5}, "worst": 0.5}
    assert tv.detail == {"per_attribute": {"age": 0.5, "town": 0.25}, "worst": 0.5}
    assert tv.value == pytest.approx(0.375)


@pytest.mark.parametrize("unit", [1e-300, 1e-200, 1e-9, 1.0, 1e9, 1e200, 1e300])
def test_the_unit_of_a_column_does_not_matter(unit):
    before = [repr(number * unit) for number in (0.0, 0.25, 0.5, 1.0)]
    after = [f"[{0.0!r};{0.5 * unit!r}]"] * 2 + [f"[{0.5 * unit!r};{1.0 * unit!r}]"] * 2
    assert value(KS, "float", before, after) == pytest.approx(0.25)


def test_a_narrow_range_far_from_a_wide_one_leaves_no_rounding_behind():
    before = ["0.0", "1e-9", "1e9", "2e9"]
    after = ["[0.0;1e-9]", "[0.0;1e-9]", "[1e9;2e9]", "[1e9;2e9]"]
    assert value(KS, "float", before, after) == pytest.approx(0.25, abs=1e-12)


def test_means_of_whole_numbers_are_compared_with_them():
    before = shoal.read(pl.DataFrame({"x": [1, 2, 3, 4]}), quasi=["x"])
    after = shoal.read(pl.DataFrame({"x": [1.5, 1.5, 3.5, 3.5]}), quasi=["x"])
    ks, tv = shoal.score(before, after, measures=[KS, TV])
    assert (ks.value, tv.value) == (0.25, 1)


def test_columns_of_different_kinds_are_refused():
    with pytest.raises(shoal.errors.SchemaError, match="category in the other"):
        shoal.score(table(["1"], "integer"), table(["a"], "category"), measures=[KS])
