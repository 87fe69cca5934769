"""Visits of households to shops: how many of them can be published at which resolution, as is known of them."""

from dataclasses import replace

import polars as pl
import pytest

import shoal
from shoal.domains.resolution import Resolution
from shoal.linked.losses import set_loss
from shoal.linked.resolutions import seen_at
from shoal.linked.traces import traces_of
from shoal.methods.traces.suppression import suppressed

KEPT = {
    "day=7@2017-01-01": {(2, 2): 0.4214, (5, 2): 0.0965},
    "day=28@2017-01-01": {(2, 2): 0.7391, (5, 2): 0.6653},
    "day=84@2017-01-01": {(2, 2): 0.8204, (5, 2): 0.7105, (5, 3): 0.6568},
    "day=*": {(2, 2): 0.9170, (5, 2): 0.7847, (5, 3): 0.6854},
    "day=*,store_id=10 values": {(2, 2): 0.9894, (5, 2): 0.9772, (5, 3): 0.9553},
}


@pytest.fixture(scope="module")
def visits(public_file):
    """Give one row for each basket: the shop, and the day of its earliest row."""
    rows = pl.read_csv(public_file("transactions/completejourney_transactions.csv.gz"), infer_schema_length=0)
    day = pl.col("transaction_timestamp").min().str.slice(0, 10).str.to_date().alias("day")
    baskets = rows.group_by("basket_id", maintain_order=True).agg(
        pl.col("household_id").first(), pl.col("store_id").first().cast(pl.Int64), day
    )
    return shoal.read(baskets, subject="household_id", quasi=["store_id", "day"], linked=True)


@pytest.mark.parametrize("level", KEPT)
def test_as_many_points_are_kept_as_is_known(visits, level):
    traces = traces_of(visits)
    assert (traces.people, traces.points.number) == (2377, 26169)
    coarse = seen_at(traces, Resolution.of(level))
    for (k, m), kept in KEPT[level].items():
        left, _ = suppressed(coarse.holders, k, m)
        gone = set_loss(traces, replace(coarse, offsets=left.offsets, labels=left.labels))[1]
        assert 1 - gone / traces.labels.size == pytest.approx(kept, abs=0.01)


def test_the_best_level_is_released_and_proved(visits, tmp_path):
    def at(*levels):
        return shoal.anonymize(visits, shoal.methods.CutAndSuppress(levels=levels), k=5, m=2)

    levels = tuple(KEPT)[1:3]
    alone = {level: at(level).scores["set-loss"].value for level in levels}
    release = at(*levels)
    release.write(tmp_path / "out.csv")
    assert shoal.verify(tmp_path / "out.csv").holds
    best = min(alone, key=alone.get)
    assert release.scores["set-loss"].value == alone[best]
    assert best in release.steps[0]
