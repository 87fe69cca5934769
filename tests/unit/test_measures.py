"""Measures on tables of four records, worked by hand."""

import polars as pl
import pytest

import shoal

PEOPLE = pl.DataFrame({
    "age": [30, 30, 30, 41],
    "sex": ["f", "f", "m", "m"],
    "charge": [100_000, 200_000, 300_000, 50_000],
})  # fmt: skip
SIGMA = (5 / 3) ** 0.5  # of 1, 2, 3, 4


@pytest.fixture(scope="module")
def people():
    return shoal.read(PEOPLE, quasi=["age", "sex"], sensitive=["charge"])


def measured(table, measure, original=None):
    (found,) = shoal.score(original, table, measures=[measure])
    return found


@pytest.mark.parametrize(
    ("known", "unique", "classes", "smallest"),
    [(None, 2, 3, 1), (("age",), 1, 2, 1), (("sex",), 0, 2, 2), (("sex", "age"), 2, 3, 1)],
)
def test_uniqueness_counts_combinations_that_occur_once(people, known, unique, classes, smallest):
    found = measured(people, shoal.measures.Uniqueness(known))
    assert found.value == found.lower == found.upper == unique / 4
    assert found.detail == {"records": 4, "unique": unique, "classes": classes, "smallest_class": smallest}


@pytest.mark.parametrize(
    ("known", "mean"), [(None, (0.5 + 0.5 + 1 + 1) / 4), (("age",), (1 / 3 * 3 + 1) / 4), (("sex",), 0.5)]
)
def test_random_reidentification_is_averaged_over_records(people, known, mean):
    assert measured(people, shoal.measures.RandomReidentification(known)).value == pytest.approx(mean)


@pytest.mark.parametrize(
    ("where", "known", "disclosed", "total"),
    [
        ("charge > 100000", None, 1, 2),  # the man of 30; the two women differ
        ("charge >= 100000", None, 3, 3),
        ("charge >= 100000", ("sex",), 2, 3),
        ("charge > 10000000", None, 0, 0),
        ("charge > 10 and charge < 90000", ("age",), 1, 1),
    ],
)
def test_attribute_disclosure_is_eq_5(people, where, known, disclosed, total):
    found = measured(people, shoal.measures.AttributeDisclosure(where, known))
    assert found.detail == {"where": where, "disclosed": disclosed, "records": total}
    assert found.value == (disclosed / total if total else 0)


def test_attribute_disclosure_with_missing_confidential_categories():
    frame = pl.DataFrame({"q": [1, 1, 2, 2], "ill": ["flu", "flu", "flu", None]})
    found = measured(shoal.read(frame, quasi=["q"], sensitive=["ill"]), shoal.measures.AttributeDisclosure("ill = flu"))
    assert found.detail["disclosed"] == 2
    assert found.value == pytest.approx(2 / 3)


def test_attribute_disclosure_needs_a_condition(people):
    with pytest.raises(shoal.errors.ParameterError, match="needs a condition"):
        measured(people, shoal.measures.AttributeDisclosure())


def test_class_sizes(people):
    found = measured(people, shoal.measures.ClassSizes())
    assert found.value == pytest.approx(4 / 3)
    assert found.detail == {"classes_by_size": [[1, 2], [2, 1]]}


def loss(original, released, **options):
    """Give the loss between a frame of exact cells and a frame of released ones."""
    names = original.columns
    before = shoal.read(original, quasi=names, **options)
    after = shoal.read(released, quasi=names, masked=True, **options)
    return measured(after, shoal.measures.InformationLoss(), before)


def test_loss_takes_the_end_of_a_range_that_is_farthest():
    found = loss(pl.DataFrame({"a": [1, 2, 3, 4]}), pl.DataFrame({"a": ["[1;3]", "[1;3]", "[1;3]", "[4;4]"]}))
    assert found.value == pytest.approx((2 + 1 + 2 + 0) / 4 / SIGMA)
    assert found.detail["per_attribute"] == {"a": pytest.approx(found.value)}


def test_loss_is_euclidean_over_attributes_and_divided_by_their_number():
    original = pl.DataFrame({"a": [1, 2, 3, 4], "b": [10, 20, 30, 40]})
    released = pl.DataFrame({"a": ["[1;2]"] * 2 + ["[3;4]"] * 2, "b": ["[10;20]"] * 2 + ["[30;40]"] * 2})
    assert loss(original, released).value == pytest.approx((2**0.5 / SIGMA) / 2)


def test_an_untouched_table_loses_nothing():
    original = pl.DataFrame({"a": [1, 2, 3, 4], "c": ["x", "y", "x", None]})
    assert loss(original, original).value == 0


def test_a_wildcard_takes_the_limits_of_the_domain():
    found = loss(pl.DataFrame({"a": [1, 2, 3, 4]}), pl.DataFrame({"a": ["*", "*", "*", "*"]}), kinds={"a": "integer"})
    assert found.value == pytest.approx((3 + 2 + 2 + 3) / 4 / SIGMA)


@pytest.mark.parametrize(("new", "lost", "spread"), [
    ("a", 2 + 3, 11 / 12),  # a, b, c, d lie at 0, 1, 2, 3, and the original's are still b to d
    ("bb", 3 + 2, 2),  # b, bb, c, d
    ("e", 2 + 1, 11 / 12),
])  # fmt: skip
def test_categories_that_only_the_release_has_move_the_limits_too(new, lost, spread):
    kinds = {"c": "category"}
    table = shoal.read(pl.DataFrame({"c": ["b", "c", "d", "d"]}), quasi="c", kinds=kinds)
    shown = shoal.read(pl.DataFrame({"c": ["*", "c", "d", new]}), quasi="c", kinds=kinds, masked=True)
    found = measured(shown, shoal.measures.InformationLoss(), table)
    assert found.value == pytest.approx(lost / spread**0.5 / 4)


def test_cells_that_lose_a_value_or_were_missing_take_the_limits_of_the_domain():
    released = pl.DataFrame({"a": ["*", "*", "*", "*"]})
    found = loss(pl.DataFrame({"a": [1, 4, None, None]}), released, kinds={"a": "integer"})
    assert found.value == pytest.approx(3 / (4.5**0.5))
    released = pl.DataFrame({"a": ["1", "4", "", ""]})
    assert loss(pl.DataFrame({"a": [1, 4, None, None]}), released, kinds={"a": "integer"}).value == 0


def test_attributes_that_do_not_vary_contribute_nothing_but_are_counted():
    original = pl.DataFrame({"a": [1, 2, 3, 4], "c": [7, 7, 7, 7]})
    released = pl.DataFrame({"a": ["[1;2]"] * 2 + ["[3;4]"] * 2, "c": ["[0;99]"] * 4})
    assert loss(original, released).value == pytest.approx(1 / SIGMA / 2)


def test_a_set_of_categories_counts_with_the_places_of_its_members():
    original = pl.DataFrame({"c": ["a", "b", "c", "d"]})
    released = pl.DataFrame({"c": ["{a;c}", "{b;d}", "{a;c}", "d"]})
    assert loss(original, released).value == pytest.approx((2 + 2 + 2 + 0) / 4 / SIGMA)


@pytest.mark.parametrize(("scale", "shift"), [(1, 0), (1000, 0), (1000, 10**6), (10**9, -7)])
def test_loss_does_not_depend_on_the_unit_of_a_column(scale, shift):
    values = [1, 2, 3, 4]
    original = pl.DataFrame({"a": [v * scale + shift for v in values]})
    low, high = scale + shift, 3 * scale + shift
    released = pl.DataFrame({"a": [f"[{low};{high}]"] * 3 + [str(4 * scale + shift)]})
    assert loss(original, released).value == pytest.approx(5 / 4 / SIGMA)


@pytest.mark.parametrize("scale", [1e-200, 1e-100, 1.0, 1e100, 1e200])
def test_loss_does_not_depend_on_the_unit_of_a_column_of_floats(scale):
    original = pl.DataFrame({"a": [v * scale for v in (1.0, 2.0, 3.0, 4.0)]})
    released = pl.DataFrame({"a": [f"[{scale!r};{3 * scale!r}]"] * 3 + [repr(4 * scale)]})
    assert loss(original, released, kinds={"a": "float"}).value == pytest.approx(5 / 4 / SIGMA)


def test_loss_between_tables_of_different_length_or_columns_is_refused():
    three, four = pl.DataFrame({"a": [1, 2, 3]}), pl.DataFrame({"a": [1, 2, 3, 4]})
    with pytest.raises(shoal.errors.SchemaError, match="same number of records"):
        measured(shoal.read(three, quasi=["a"]), shoal.measures.InformationLoss(), shoal.read(four, quasi=["a"]))
    other = shoal.read(pl.DataFrame({"b": [1, 2, 3]}), quasi=["b"])
    with pytest.raises(shoal.errors.SchemaError, match="same quasi-identifiers"):
        measured(other, shoal.measures.InformationLoss(), shoal.read(three, quasi=["a"]))


def test_loss_does_not_mind_the_order_of_columns():
    original = pl.DataFrame({"a": [1, 2, 3, 4], "c": ["x", "y", "x", "y"]})
    released = pl.DataFrame({"c": ["{x;y}"] * 4, "a": ["1", "2", "3", "4"]})
    before = shoal.read(original, quasi=["a", "c"])
    after = shoal.read(released, quasi=["a", "c"], kinds={"a": "integer"}, masked=True)
    found = measured(after, shoal.measures.InformationLoss(), before)
    assert found.detail["per_attribute"] == {"a": 0, "c": pytest.approx(1 / (1 / 3) ** 0.5)}


def test_a_table_with_numbers_beyond_32_bits_can_be_compared_with_one_without():
    original, released = pl.DataFrame({"a": [1, 2]}), pl.DataFrame({"a": ["[0;10000000000]"] * 2})
    assert loss(original, released).value == pytest.approx((1e10 - 1.5) / 0.5**0.5)


def test_measures_of_pairs_are_left_out_without_an_original(people):
    found = shoal.score(people, measures=[shoal.measures.InformationLoss(), shoal.measures.Uniqueness()])
    assert [score.measure for score in found] == ["uniqueness"]


def test_a_known_attribute_that_is_not_quasi_is_refused(people):
    with pytest.raises(shoal.errors.SchemaError, match="not a quasi-identifier"):
        measured(people, shoal.measures.Uniqueness(("charge",)))
    with pytest.raises(shoal.errors.SchemaError, match="no column 'agee'"):
        measured(people, shoal.measures.Uniqueness(("agee",)))
