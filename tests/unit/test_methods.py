"""Methods on tables of four records or so, worked by hand."""

import datetime
import subprocess
import sys

import polars as pl
import pytest

import shoal

S2, S4 = shoal.methods.SortedClusters(), shoal.methods.StratifiedClusters()


def released(columns, method, k=None, t=None, **options):
    """Give the released quasi-identifiers, as text, by name."""
    quasi = [name for name in columns if name not in ("s", "person")]
    given = {"quasi": quasi, "sensitive": ["s"] if "s" in columns else [], "masked": True} | options
    models = ([shoal.models.KAnonymity(k)] if k else []) + ([shoal.models.TCloseness(t)] if t else [])
    release = shoal.anonymize(shoal.read(pl.DataFrame(columns), **given), method, models)
    frame = release.table.to_arrow(cells="text")
    return {name: ["" if cell is None else cell for cell in frame.column(name).to_pylist()] for name in quasi}


def test_neighbours_by_distance_from_zero_share_a_range():
    assert released({"a": [4, 1, 3, 2]}, S2, k=2) == {"a": ["[3;4]", "[1;2]", "[3;4]", "[1;2]"]}


def test_negative_numbers_are_as_far_from_zero_as_positive_ones():
    assert released({"a": [-4, 1, 4, -1]}, S2, k=2) == {"a": ["[-4;4]", "[-1;1]", "[-4;4]", "[-1;1]"]}


def test_ties_keep_the_order_of_the_table():
    # All at the same distance from zero: the first two form a class, then the next two.
    assert released({"a": [5, -5, 5, -5], "b": [1, 1, 1, 1]}, S2, k=2)["a"] == ["[-5;5]"] * 4
    assert released({"a": [5, 5, -5, -5]}, S2, k=2) == {"a": ["[5;5]", "[5;5]", "[-5;-5]", "[-5;-5]"]}


def test_attributes_weigh_alike_whatever_their_unit():
    a, b = [0, 10, 1, 9], [10, 0, 9, 1]
    expected = ["[0;10]", "[0;10]", "[1;9]", "[1;9]"]
    assert released({"a": a, "b": b}, S2, k=2) == {"a": expected, "b": expected}
    large = released({"a": a, "b": [v * 10**6 for v in b]}, S2, k=2)
    assert large["a"] == expected


def test_the_last_class_takes_what_is_left():
    assert released({"a": [1, 2, 3, 4, 5]}, S2, k=2) == {"a": ["[1;2]"] * 2 + ["[3;5]"] * 3}
    assert released({"a": [1, 2, 3]}, S2, k=2) == {"a": ["[1;3]"] * 3}
    assert released({"a": [3, 1]}, S2, k=2) == {"a": ["[1;3]"] * 2}


@pytest.mark.parametrize(
    "constant", [7, 0.1, "same", datetime.date(2020, 2, 29), datetime.datetime(2020, 2, 29, 1, 2, 3)]
)
def test_an_attribute_that_does_not_vary_has_no_say(constant):
    pairs = {1: "[1;2]", 2: "[1;2]", 3: "[3;7]", 7: "[3;7]", 8: "[8;9]", 9: "[8;9]"}
    ages = [1, 9, 2, 8, 3, 7]
    assert released({"c": [constant] * 6, "a": ages}, S2, k=2)["a"] == [pairs[age] for age in ages]


def test_an_attribute_without_any_value_has_no_say():
    columns = {"a": [4, 1, 3, 2], "n": pl.Series([None] * 4, dtype=pl.Int64)}
    assert released(columns, S2, k=2) == {"a": ["[3;4]", "[1;2]", "[3;4]", "[1;2]"], "n": [""] * 4}


def test_every_kind_of_attribute_is_published_in_its_own_way():
    columns = {
        "whole": [1, 2, 30, 40],
        "float": [0.5, 1.5, 30.25, 40.0],
        "day": [datetime.date(2020, 1, d) for d in (1, 2, 30, 31)],
        "time": [datetime.datetime(2020, 1, d, 12) for d in (1, 2, 30, 31)],
        "race": ["Asian", "Black", "White", "White"],
        "stage": ["low", "low", "middle", "high"],
    }
    found = released(columns, S2, k=2, orders={"stage": ["low", "middle", "high"]})
    assert {name: cells[::2] for name, cells in found.items()} == {
        "whole": ["[1;2]", "[30;40]"],
        "float": ["[0.5;1.5]", "[30.25;40.0]"],
        "day": ["[2020-01-01;2020-01-02]", "[2020-01-30;2020-01-31]"],
        "time": ["[2020-01-01 12:00:00;2020-01-02 12:00:00]", "[2020-01-30 12:00:00;2020-01-31 12:00:00]"],
        "race": ["{Asian;Black}", "White"],
        "stage": ["[low;low]", "[middle;high]"],
    }


def test_records_that_miss_the_same_cells_are_kept_together():
    assert released({"a": [1, None, 3, None]}, S2, k=2) == {"a": ["[1;3]", "", "[1;3]", ""]}


def test_a_class_that_mixes_missing_and_present_cells_is_a_wildcard():
    assert released({"a": [1, None], "c": ["x", "x"]}, S2, k=2) == {"a": ["*", "*"], "c": ["x", "x"]}
    assert released({"c": ["x", None]}, S2, k=2) == {"c": ["*", "*"]}


def test_wildcards_and_ranges_of_the_input_are_covered():
    columns = {"a": ["[1;4]", "3", "*", "937**"]}
    assert released(columns, S2, k=4, kinds={"a": "integer"}) == {"a": ["*"] * 4}
    assert released({"a": ["[1;4]", "3"]}, S2, k=2, kinds={"a": "integer"}) == {"a": ["[1;4]"] * 2}
    assert released({"c": ["{a;b}", "c"]}, S2, k=2) == {"c": ["{a;b;c}"] * 2}


def test_more_categories_than_a_machine_word_has_bits():
    names = [f"c{i:03}" for i in range(100)]
    found = released({"c": names}, S2, k=50)["c"]
    assert found[0] == "{" + ";".join(names[:50]) + "}"
    assert found[99] == "{" + ";".join(names[50:]) + "}"


@pytest.mark.parametrize(("one", "other"), [("02139", "021**"), ("021**", "94***")])
def test_a_class_with_a_pattern_of_codes_covers_the_pattern_and_not_only_known_codes(one, other):
    found = released({"zip": [one, other]}, S2, k=2, kinds={"zip": "category"})["zip"]
    assert found[0] == found[1]
    # 021** stands for codes that are not in the table too, so no set of known codes covers it.
    assert found[0] in ("*", "021**")


def test_people_not_records_make_the_crowd():
    columns = {"a": [1, 2, 3, 4], "person": ["x", "x", "y", "y"]}
    assert released(columns, S2, k=2, subject="person") == {"a": ["[1;4]"] * 4}
    columns = {"a": [1, 2, 3, 4], "person": ["x", "y", "x", "y"]}
    assert released(columns, S2, k=2, subject="person") == {"a": ["[1;2]", "[1;2]", "[3;4]", "[3;4]"]}


def test_a_record_of_nobody_cannot_be_counted():
    with pytest.raises(shoal.errors.DataError, match="whose it is"):
        released({"a": [1, 2, 3, 4], "person": ["x", "y", None, "z"]}, S2, k=2, subject="person")


def test_one_record_of_each_stratum_in_every_class():
    # Strata by s: {10, 20} and {30, 40}; the first of each by a, then the second of each.
    columns = {"a": [1, 2, 3, 4], "s": [10, 20, 30, 40]}
    assert released(columns, S4, k=2, t=1.0) == {"a": ["[1;3]", "[2;4]", "[1;3]", "[2;4]"]}


def test_the_largest_confidential_values_are_left_over_and_go_to_the_first_classes():
    columns = {"a": [1, 2, 3, 4, 9], "s": [10, 20, 30, 40, 50]}
    assert released(columns, S4, k=2, t=1.0) == {"a": ["[1;9]", "[2;4]", "[1;9]", "[2;4]", "[1;9]"]}


def test_t_alone_can_ask_for_larger_classes():
    columns = {"a": list(range(12)), "s": list(range(12))}
    # Eq. 7: 12 / (2 * 11 * 0.1 + 1) = 3.75, so classes of 4.
    found = released(columns, S4, k=2, t=0.1)["a"]
    assert sorted({found.count(cell) for cell in found}) == [4]


def test_classes_that_miss_t_are_mended():
    # Ties: as published, a class would have both records of the rare value or none.
    columns = {"a": list(range(8)), "s": [0, 0, 0, 0, 0, 0, 1, 1]}
    for t in (0.05, 0.2, 0.25):
        table = shoal.read(pl.DataFrame(columns), quasi=["a"], sensitive=["s"])
        release = shoal.anonymize(table, S4, [shoal.models.KAnonymity(2), shoal.models.TCloseness(t)])
        assert release.holds
        assert release.verdicts[1].level <= t


def test_intervals_by_distinct_values_and_by_width_differ_where_values_are_sparse():
    columns = {"a": [1, 2, 3, 10]}
    assert released(columns, shoal.methods.Coarsen(2)) == {"a": ["[1;2]", "[1;2]", "[3;10]", "[3;10]"]}
    assert released(columns, shoal.methods.Coarsen(2, "width")) == {"a": ["[1;5]", "[1;5]", "[1;5]", "[6;10]"]}
    assert released(columns, shoal.methods.Coarsen(4)) == {"a": [1, 2, 3, 10]}
    assert released(columns, shoal.methods.Coarsen(1)) == {"a": ["[1;10]"] * 4}


def test_coarsening_of_other_kinds():
    columns = {
        "c": ["a", "b", "c", None],
        "stage": ["low", "high", "middle", "low"],
        "day": [datetime.date(2020, 1, d) for d in (1, 2, 9, 10)],
        "x": [0.0, 0.1, 0.9, 1.0],
    }
    orders = {"stage": ["low", "middle", "high"]}
    assert released(columns, shoal.methods.Coarsen(2, "width"), orders=orders) == {
        "c": ["a", "{b;c}", "{b;c}", ""],
        "stage": ["[low;low]", "[middle;high]", "[middle;high]", "[low;low]"],
        "day": ["[2020-01-01;2020-01-05]"] * 2 + ["[2020-01-06;2020-01-10]"] * 2,
        "x": ["[0.0;0.1]"] * 2 + ["[0.9;1.0]"] * 2,
    }


def test_attributes_that_are_not_named_are_not_coarsened():
    columns = {"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]}
    assert released(columns, shoal.methods.Coarsen({"b": 2})) == {"a": [1, 2, 3, 4], "b": ["[1;2]"] * 2 + ["[3;4]"] * 2}
    with pytest.raises(shoal.errors.SchemaError, match="no column 'bb'"):
        released(columns, shoal.methods.Coarsen({"bb": 2}))


@pytest.mark.parametrize("by", ["distinct", "width"])
def test_patterns_of_codes_can_be_coarsened(by):
    columns = {"zip": ["02139", "021**", "94304", "94305"]}
    found = released(columns, shoal.methods.Coarsen(2, by), kinds={"zip": "category"})["zip"]
    assert found[0] in ("*", "021**", "{02139;94304}", "02139")
    assert found[1] in ("*", "021**")


def test_methods_follow_each_other():
    columns = {"a": [1, 2, 3, 4, 5, 6]}
    found = released(columns, [shoal.methods.Coarsen(3), S2], k=2)
    assert found == {"a": ["[1;2]"] * 2 + ["[3;4]"] * 2 + ["[5;6]"] * 2}


@pytest.mark.parametrize("method", [S2, S4])
def test_a_method_that_makes_crowds_must_be_told_how_large(method):
    with pytest.raises(shoal.errors.ParameterError, match="needs k-anonymity exactly once"):
        released({"a": [1, 2], "s": [1, 2]}, method)


def test_a_model_that_no_method_enforces_is_checked_and_the_release_refused(tmp_path):
    table = shoal.read(pl.DataFrame({"a": [1, 2, 3, 9]}), quasi=["a"])
    release = shoal.anonymize(table, shoal.methods.Coarsen({"a": 3}), [shoal.models.KAnonymity(2)])
    assert not release.holds
    with pytest.raises(shoal.errors.GuaranteeError, match="does not hold"):
        release.write(tmp_path / "out.csv")
    with pytest.raises(shoal.errors.GuaranteeError, match="does not hold"):
        release.to_native()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("method", ["SortedClusters", "StratifiedClusters"])
def test_a_method_that_is_called_by_itself_refuses_too_few_records(method):
    # In a process of its own: what is not refused here would write where it must not.
    code = f"""
import polars, shoal
table = shoal.read(polars.DataFrame({{"a": [1], "s": [1]}}), quasi=["a"], sensitive=["s"])
try:
    shoal.methods.{method}().apply(table, [shoal.models.KAnonymity(2)], 0)
except shoal.ShoalError:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "refused\n")


def test_masking_uniques_names_no_column_that_nobody_gave():
    """Its own order is for one state's files: of another table it says that an order is needed, and how to write it."""
    table = shoal.read(pl.DataFrame({"age": [1, 2], "sex": ["a", "b"]}), quasi=["age", "sex"])
    with pytest.raises(shoal.errors.ParameterError, match="no masking order") as refused:
        shoal.anonymize(table, shoal.methods.MaskUniques())
    assert "age_yrs" not in str(refused.value)
    assert "order=" in refused.value.remedy


def test_a_mode_that_there_is_not_is_refused_in_a_whole_sentence():
    with pytest.raises(shoal.ShoalError, match="The mode of mondrian is one of strict, relaxed, not 'loose'"):
        shoal.methods.Mondrian(mode="loose")
