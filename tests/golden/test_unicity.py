"""Unicity of public tables against numbers that were counted independently."""

import gzip
import os

import polars as pl
import pytest

import shoal


@pytest.fixture(scope="module")
def households(public_file):
    """Give a point per basket: the store, and the day of its earliest time."""
    path = public_file("transactions/completejourney_transactions.csv.gz")
    rows = pl.read_csv(gzip.decompress(path.read_bytes()), infer_schema_length=0)
    day = pl.col("transaction_timestamp").str.slice(0, 10).min().str.to_date().alias("day")
    store = pl.col("store_id").first().cast(pl.Int64).alias("store")
    baskets = rows.group_by("household_id", "basket_id").agg(store, day)
    return shoal.read(baskets.drop("basket_id"), subject="household_id", quasi=["store", "day"], linked=True)


def test_households(households):
    found = shoal.risk(households)
    assert (found["records"], found["people"], found["distinct"]) == (47_243, 2_377, 26_169)
    assert [each["people"] for each in found["unicity"]] == [2_377, 2_270, 2_155, 2_060]
    assert [each["share"] for each in found["unicity"]] == pytest.approx(
        [0.311176, 0.942038, 0.993871, 0.999223], abs=5e-7
    )
    stores = shoal.risk(households, at="day=*")["unicity"]
    assert [each["share"] for each in stores] == pytest.approx([0.019617, 0.148793, 0.425763, 0.709682], abs=5e-7)
    assert all(each["exact"] for each in (*found["unicity"], *stores))


def test_a_sample_of_households_holds_the_truth(households):
    for points, exact in ((1, 0.311176), (2, 0.942038), (3, 0.993871)):
        (score,) = shoal.score(households, measures=[shoal.measures.Unicity(points, effort=0)])
        assert score.lower <= exact <= score.upper or points == 1
        if points == 1:  # counted all the same: it takes no time
            assert score.detail["exact"]


def test_groceries(public_file):
    table = shoal.read(public_file("transactions/groceries.csv"), baskets=True)
    shares = [each["share"] for each in shoal.risk(table, points=(1, 2, 3))["unicity"]]
    assert shares == pytest.approx([0.0000140784, 0.0129178, 0.145626], rel=1e-5)


@pytest.mark.large
def test_ten_million_rows_take_seconds(tmp_path):
    import numpy as np

    generator = np.random.default_rng(1)
    people, items = (
        generator.integers(0, 1_000_000, 10_000_000),
        (generator.pareto(0.7, 10_000_000) * 50).clip(max=300_000),
    )
    path = tmp_path / "rows.parquet"
    pl.DataFrame({"p": people, "item": items.astype(np.int64)}).write_parquet(path)
    before = os.times()
    found = shoal.risk(path, subject="p", quasi="item", linked=True, points=4)["unicity"][0]
    after = os.times()
    assert found["interval"][1] - found["interval"][0] < 0.02
    assert after.user + after.system - before.user - before.system < 20
