"""Measures with survey weights: a record of weight three counts as three, and estimates are as defined."""

import numpy as np
import polars as pl
import pytest
from engines.tiny import Tiny
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import ParameterError, SchemaError
from shoal.measures import EstimateShift, KolmogorovSmirnov, TotalVariation

KINDS = {"a": "integer", "c": "category"}
PAIRED = (KolmogorovSmirnov(weighted=True), TotalVariation(weighted=True))


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
    plain = shoal.score(whole, shown, measures=[KolmogorovSmirnov(), TotalVariation()])
    for weighted, repeated in zip(found, plain, strict=True):
        assert weighted.detail["per_attribute"] == pytest.approx(repeated.detail["per_attribute"], abs=1e-12)
    assert shoal.score(*pair(frame, Tiny()), measures=PAIRED) == found


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
