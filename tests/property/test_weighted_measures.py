"""Measures with survey weights: a record of weight three counts as three, and estimates are as defined."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from engines.tiny import Tiny
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.measures import (
    CorrelationShift,
    EigenvalueShift,
    EstimateShift,
    Granularity,
    IL1s,
    InformationLoss,
    KolmogorovSmirnov,
    Mahalanobis,
    MarginalDistance,
    MomentShift,
    Propensity,
    QueryError,
    SumOfSquares,
    TotalVariation,
)

KINDS = {"a": "integer", "c": "category"}
PLAIN = (
    KolmogorovSmirnov(),
    TotalVariation(),
    Granularity(),
    MomentShift(),
    InformationLoss(),
    EigenvalueShift(),
    Mahalanobis(),
    SumOfSquares(),
    IL1s(),
    MarginalDistance(cells=3, columns=("a", "c")),
    MarginalDistance(columns=("a", "c")),
    QueryError(20, 2, 0.3),
    Propensity(),
)
BY_CHANCE = ("expected", "ratio", "records")  # what records repeated are not: drawn one by one
PAIRED = tuple(replace(measure, weighted=True) for measure in PLAIN)
RANGES = ("middle", "skip")


@st.composite
def surveys(draw):
    rows = draw(st.integers(4, 14))
    weights = draw(st.lists(st.integers(1, 4), min_size=rows, max_size=rows))
    numbers = draw(st.lists(st.one_of(st.integers(0, 9), st.none()), min_size=rows, max_size=rows))
    letters = draw(st.lists(st.sampled_from("xyz"), min_size=rows, max_size=rows))
    strata = draw(st.lists(st.sampled_from("NS"), min_size=rows, max_size=rows))
    columns = {"a": numbers, "c": letters, "w": weights, "s": strata}
    return pl.DataFrame(columns, {"a": pl.Int64, "c": pl.String, "w": pl.Int64, "s": pl.String})


def pair(frame, engine=None):
    table = shoal.read(frame, quasi=["a", "c"], weight="w", stratum="s", kinds=KINDS, engine=engine)
    return table, shoal.anonymize(table, "hilbert", k=2).table


@given(surveys())
def test_a_record_counts_as_often_as_it_weighs(frame):
    original, released = pair(frame)
    found = shoal.score(original, released, measures=PAIRED)
    index = np.repeat(np.arange(len(frame)), frame["w"].to_numpy())
    masked = released.to_polars(cells="text")
    whole = shoal.read(frame[index], quasi=["a", "c"], kinds=KINDS)
    shown = shoal.read(masked[index].drop("w", "s"), quasi=["a", "c"], kinds=KINDS, masked=True)
    plain = shoal.score(whole, shown, measures=PLAIN)
    for weighted, repeated in zip(found, plain, strict=True):
        assert weighted.value == pytest.approx(repeated.value, abs=1e-9)
        assert weighted.detail.keys() == repeated.detail.keys()
        for key in repeated.detail.keys() - BY_CHANCE:
            close = pytest.approx(repeated.detail[key], abs=1e-9)
            assert weighted.detail[key] == close, (weighted.measure, key)
    assert shoal.score(*pair(frame, Tiny()), measures=PAIRED) == found


@given(surveys())
def test_weights_of_one_change_nothing_and_the_unit_of_weights_does_not_matter(frame):
    ones = pair(frame.with_columns(w=pl.lit(1)))
    plain = shoal.score(*ones, measures=PLAIN)
    for tables in (ones, pair(frame.with_columns(w=pl.lit(0.01)))):
        for weighted, each in zip(shoal.score(*tables, measures=PAIRED), plain, strict=True):
            assert weighted.value == pytest.approx(each.value, abs=1e-9)


@given(surveys())
def test_associations_are_those_of_records_repeated_as_often_as_they_weigh(frame):
    original, released = pair(frame)
    index = np.repeat(np.arange(len(frame)), frame["w"].to_numpy())
    masked = released.to_polars(cells="text")
    whole = shoal.read(frame[index], quasi=["a", "c"], kinds=KINDS)
    shown = shoal.read(masked[index].drop("w", "s"), quasi=["a", "c"], kinds=KINDS, masked=True)
    for ranges in RANGES:
        weighted = CorrelationShift(ranges, weighted=True)
        (found,) = shoal.score(original, released, measures=[weighted])
        (plain,) = shoal.score(whole, shown, measures=[CorrelationShift(ranges)])
        for side in ("before", "after"):
            assert found.detail[side] == pytest.approx(plain.detail[side], abs=1e-9)
        assert shoal.score(*pair(frame, Tiny()), measures=[weighted])[0] == found


@given(surveys())
def test_estimates_are_weighted_sums_of_what_is_shown(frame):
    original, released = pair(frame)
    found = shoal.score(original, released, measures=[EstimateShift()])[0]
    rows = frame.filter(pl.col("a").is_not_null())
    spread = 0.0
    if len(rows):
        mean = (rows["a"] * rows["w"]).sum() / rows["w"].sum()
        spread = float(np.sqrt(((rows["a"] - mean) ** 2 * rows["w"]).sum() / rows["w"].sum()))
    if rows["a"].n_unique() < 2:
        assert "nothing_to_measure" in found.detail
        return
    cells = released.to_polars(cells="struct")["a"].to_list()
    middles = [None if cell is None or None in cell.values() else sum(cell.values()) / 2 for cell in cells]
    shown = [(value, w) for value, w in zip(middles, frame["w"], strict=True) if value is not None]
    if not shown:
        assert "nothing_to_measure" in found.detail
        return
    after = sum(value * w for value, w in shown) / sum(w for _, w in shown)
    estimates = found.detail["estimates"]["a"]
    assert estimates["mean"] == pytest.approx([mean, after])
    assert estimates["total"][0] == pytest.approx((rows["a"] * rows["w"]).sum())
    assert found.value == pytest.approx(abs(after - mean) / spread)
    assert shoal.score(*pair(frame, Tiny()), measures=[EstimateShift()])[0] == found


def test_hidden_cells_count_as_the_mean_and_missing_ones_not_at_all():
    frame = pl.DataFrame({"a": ["1", "5", "", "9"], "w": [10, 10, 10, 20]})
    original = shoal.read(frame, quasi="a", weight="w", kinds={"a": "integer"})
    shown = frame.with_columns(pl.Series("a", ["1", "*", "", "[8;10]"]))
    released = shoal.read(shown, quasi="a", weight="w", kinds={"a": "integer"}, masked=True)
    found = shoal.score(original, released, measures=[EstimateShift()])[0].detail["estimates"]["a"]
    assert found["mean"] == pytest.approx([240 / 40, (10 + 180) / 30])
    assert found["total"] == pytest.approx([240, 190 / 30 * 40])


def test_the_largest_move_in_a_stratum_is_seen_where_the_whole_does_not_move():
    frame = pl.DataFrame({"a": [0, 2, 8, 10], "s": list("NSNS")})
    original = shoal.read(frame, quasi="a", stratum="s")
    released = shoal.read(frame.with_columns(a=pl.Series([1, 1, 9, 9])), quasi="a", stratum="s")
    found = shoal.score(original, released, measures=[EstimateShift()])[0]
    assert found.value == 0
    assert found.detail["largest"] == pytest.approx(1 / np.std([0, 2, 8, 10]))


def test_weights_that_are_not_there_are_asked_for():
    table = shoal.read(pl.DataFrame({"a": [1, 2, 3, 4]}), quasi="a")
    with pytest.raises(SchemaError, match="no column holds weights"):
        shoal.score(table, table, measures=[KolmogorovSmirnov(weighted=True)])
    with pytest.raises(ParameterError):
        TotalVariation(weighted="w")
    nothing = shoal.read(pl.DataFrame({"a": [1, 2], "w": [0, 0]}), quasi="a", weight="w")
    with pytest.raises(DataError, match="weigh 0"):
        shoal.score(nothing, nothing, measures=[Granularity(weighted=True)])


def test_weighted_associations_of_two_numbers_and_of_two_categories():
    frame = pl.DataFrame({"a": [1, 2, 4, 8, 9], "b": [3, 1, 7, 5, 9], "c": list("xxyyx"), "d": list("uvuvv")})
    w = np.array([1, 3, 2, 2, 5])
    roles = {"quasi": ["a", "b", "c", "d"], "kinds": KINDS | {"b": "integer", "d": "category"}}
    table = shoal.read(frame.with_columns(w=pl.Series(w)), weight="w", **roles)
    (found,) = shoal.score(table, table, measures=[CorrelationShift(weighted=True)])
    covariance = np.cov(frame["a"], frame["b"], fweights=w)
    expected = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert found.detail["before"]["a ~ b"] == pytest.approx(expected)
    counts = np.array([[1, 3 + 5], [2, 2]])
    alone = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / 13
    assert found.detail["after"]["c ~ d"] == pytest.approx(np.sqrt(((counts - alone) ** 2 / alone).sum() / 13))
    assert found.value == 0


SURVEY = {"a": ["1", "2", "4", "8", "10"], "c": list("xxyzz"), "w": [1, 3, 2, 0, 4]}
SHOWN = SURVEY | {"a": ["[1;3]", "[1;3]", "4", "*", "[8;12]"], "c": ["{x;y}", "x", "y", "*", "z"]}


def survey(weighted):
    """Score a table of five records, of which one weighs nothing, as one does it by hand."""
    roles = {"quasi": ["a", "c"], "weight": "w", "kinds": KINDS}
    original = shoal.read(pl.DataFrame(SURVEY), **roles)
    return shoal.score(original, shoal.read(pl.DataFrame(SHOWN), masked=True, **roles), measures=[weighted])[0]


def test_granularity_by_hand():
    found = survey(Granularity(weighted=True)).detail["per_attribute"]
    assert found == pytest.approx({"a": (4 * 2 / 9 + 4 * 4 / 9) / 10, "c": 0.5 * 1 / 10})


def test_moment_shift_by_hand():
    mean, after = (1 + 6 + 8 + 40) / 10, (2 * 4 + 4 * 2 + 10 * 4) / 10
    spread = np.sqrt((4.5**2 + 3 * 3.5**2 + 2 * 1.5**2 + 4 * 4.5**2) / 9)
    found = survey(MomentShift(weighted=True))
    assert found.value == pytest.approx(abs(after - mean) / spread)
    assert found.detail["deviations"]["a"] == pytest.approx(
        np.sqrt((4 * 3.6**2 + 2 * 1.6**2 + 4 * 4.4**2) / 9) / spread - 1
    )


def test_information_loss_by_hand():
    mean = (1 + 6 + 8 + 40) / 10
    spread = np.sqrt((4.5**2 + 3 * 3.5**2 + 2 * 1.5**2 + 4 * 4.5**2) / 9)
    place = np.sqrt((4 * 1.0**2 + 2 * 0.0 + 4 * 1.0**2) / 9)  # x, y and z lie at 0, 1 and 2
    a, c = np.array([2, 1, 0, 7, 2]) / spread, np.array([1, 0, 0, 2, 0]) / place
    weights = np.array([1, 3, 2, 0, 4])
    found = survey(InformationLoss(weighted=True))
    assert mean == 5.5
    assert found.detail["per_attribute"] == pytest.approx({"a": weights @ a / 10, "c": weights @ c / 10})
    assert found.value == pytest.approx(weights @ np.hypot(a, c) / 20)


def test_the_distance_of_records_along_one_attribute_by_hand():
    found = survey(Mahalanobis(weighted=True))
    spread = np.sqrt((4.5**2 + 3 * 3.5**2 + 2 * 1.5**2 + 4 * 4.5**2) / 9)
    assert found.value == pytest.approx((1 * 1 + 3 * 0 + 2 * 0 + 4 * 0) / spread / 10)
    assert survey(EigenvalueShift(weighted=True)).value == 0  # of one attribute there is one eigenvalue


def test_differences_by_hand():
    """Only the first record, of weight 1, shows another number than its own, and only it loses its category."""
    spread = np.sqrt((4.5**2 + 3 * 3.5**2 + 2 * 1.5**2 + 4 * 4.5**2) / 9)
    apart, whole = 1 / spread, 9  # of records that weigh ten; of letters the most frequent, z and x, weigh four
    assert survey(SumOfSquares(weighted=True)).detail["per_attribute"] == pytest.approx(
        {"a": 100 * apart**2 / whole, "c": 100 * 1 / 6}
    )
    assert survey(IL1s(weighted=True)).detail["per_attribute"] == pytest.approx(
        {"a": apart / np.sqrt(2) / 10, "c": 1 / 10}
    )


def test_marginal_distances_by_hand():
    found = survey(MarginalDistance(columns=("a", "c"), weighted=True)).detail["per_attribute"]
    # Of letters x has 3.5 of ten people instead of 4, and y half a person more. Of numbers 1 and 2 have 1 and 3 people,
    # then 4/3 of each of 1 to 3; 8 has none, then 8 to 12 have 4/5 each, which 10 alone had.
    assert found == pytest.approx({"c": 0.05, "a": (1 / 3 + 5 / 3 + 4 / 3 + 4 * 4 / 5 + 16 / 5) / 2 / 10})


def test_query_errors_by_hand():
    frame = pl.DataFrame({"x": ["a", "a", "b", "b"], "w": [1, 3, 2, 2]})
    roles = {"quasi": "x", "weight": "w", "kinds": {"x": "category"}}
    shown = shoal.read(frame.with_columns(x=pl.Series(["a", "{a;b}", "{a;b}", "b"])), masked=True, **roles)
    found = shoal.score(shoal.read(frame, **roles), shown, measures=[QueryError(50, selectivity=0.5, weighted=True)])[0]
    assert found.detail == {
        "median": 0.125,
        "ninth_decile": 0.125,
        "queries": 50,
        "mean_selectivity": 0.5,
    }  # 3.5 or 4.5


def test_some_records_and_those_that_weigh_nothing_do_not_spoil_what_is_looked_at():
    frame = pl.DataFrame({"a": list(range(12)), "c": list("xyz") * 4, "w": [0, 1] * 6, "s": ["N"] * 12})
    tables = pair(frame)
    for measure in (QueryError(20, 2, most=5, weighted=True), Propensity(most=3, weighted=True)):
        found = shoal.score(*tables, measures=[measure])[0]
        assert np.isfinite(found.value)
    assert found.detail["records"] == 3
    assert shoal.score(tables[0], tables[0], measures=[QueryError(20, most=1, weighted=True)])[0].value == 0


def test_what_chance_alone_makes_of_a_propensity_is_known_for_weights_that_differ():
    draw = np.random.default_rng(3)
    heavy = np.round(draw.lognormal(1, 1, 200), 2) + 0.01
    frame = pl.DataFrame(
        {
            "a": draw.integers(0, 50, 200) + np.round(4 * heavy).astype(int),
            "c": draw.choice(list("xyz"), 200),
            "w": heavy,
        }
    )
    roles = {"quasi": ["a", "c"], "weight": "w", "kinds": KINDS}
    original, found = shoal.read(frame, **roles), []
    for _ in range(80):
        again = shoal.read(frame[draw.integers(0, 200, 200)], **roles)
        found.append(shoal.score(original, again, measures=[Propensity(squares=False, weighted=True)])[0])
    expected = np.mean([each.detail["expected"] for each in found])
    assert np.mean([each.value for each in found]) == pytest.approx(expected, rel=0.25)
    assert expected > 1.5 * 3 / 16 / 200  # what it would be if all weighed alike


@pytest.mark.parametrize("weight", [-1.0, 1e300, 1e-300])
def test_weights_of_which_no_sums_can_be_made_are_refused(weight):
    """Their squares are infinite, or 0: everything would seem to be as it was."""
    frame = pl.DataFrame({"a": [1, 2, 3, 4], "w": [1.0, 1.0, weight, 0.0]})
    table = shoal.read(frame, quasi="a", weight="w")
    with pytest.raises(DataError, match=r"^Column .w. has records with a weight that is .*: 1\."):
        shoal.score(table, table, measures=[MomentShift(weighted=True)])
