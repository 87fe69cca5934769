"""The study of known points: promises that hold and are looked at, what is kept, and what its page says."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import DataError, GuaranteeError
from shoal.linked.traces import traces_of
from shoal_paper.datasets.linked_tables import households, sessions
from shoal_paper.reproduction.critics import publish as publishing
from shoal_paper.reproduction.critics.experiment import (
    KNOWN,
    PROMISED,
    TABLES,
    LinkedTable,
    cheapest,
    levels_of,
    measure,
    results,
    thinned,
)
from shoal_paper.reproduction.critics.page import Found, broken
from shoal_paper.reproduction.kept_results import load

KEPT = Path(__file__).parents[2] / "reproduction" / "critics"


def made_up(folder=None):
    """Give sixty households with some purchases each."""
    draw = np.random.default_rng(3)
    rows = {
        "household": draw.integers(0, 60, 500),
        "store": draw.integers(0, 12, 500) ** 2,
        "day": draw.integers(0, 90, 500),
    }
    return shoal.read(pl.DataFrame(rows), subject="household", quasi=["store", "day"], linked=True)


SMALL = LinkedTable(
    "households", "small.csv", "a store and a day", made_up, ("day=28", "day=*", "store=100,day=*"), thinned=(2, 5)
)


@pytest.fixture(scope="module")
def found():
    return results(Path(), [SMALL])


def test_nobody_is_singled_out_by_as_many_points_as_are_promised(found):
    assert broken(found) == []
    promised = [row for row in found["attack"] if "m" in row and row["known"] <= row["m"]]
    assert len(promised) == sum(PROMISED)
    assert all(row["fewest"] == 0 or row["fewest"] >= 5 for row in promised)


def test_a_promise_that_does_not_hold_is_seen(found, tmp_path, monkeypatch):
    wrong = [row | ({"fewest": 4} if row.get("m") == row["known"] == 2 else {}) for row in found["attack"]]
    assert broken(found | {"attack": wrong}) == ["households, k = 5, m = 2"]
    (tmp_path / SMALL.file).write_text("x")
    monkeypatch.setattr(publishing, "TABLES", (SMALL,))
    monkeypatch.setattr(publishing, "results", lambda *_: found | {"attack": wrong})
    with pytest.raises(GuaranteeError, match="does not hold"):
        publishing.studied(tmp_path)


def test_the_page_says_what_was_found_and_the_figure_has_every_curve(found, tmp_path):
    publishing.publish(found, {"data": "small"}, tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"{Found(found).attacked('households', 1)['unique']:.2%}" in page
    assert "What both sides can sign" in page
    assert {"figure.svg", "attack.csv", "price.csv", "people.csv", "points.csv"} <= {
        path.name for path in tmp_path.iterdir()
    }
    assert json.loads((tmp_path / "study.json").read_text(encoding="utf-8"))["made"] == {"data": "small"}
    for name in ("as it is", "by 28 days", "k = 5, m = 3"):
        assert name in (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_thinning_keeps_so_many_points_of_each_and_no_others():
    traces = traces_of(made_up())
    some = thinned(traces, 3)
    assert (some.holders.lengths == np.minimum(traces.holders.lengths, 3)).all()
    for person in range(traces.people):
        mine, kept = (each.labels[each.offsets[person] : each.offsets[person + 1]] for each in (traces, some))
        assert set(kept) <= set(mine)
        assert (np.diff(kept) > 0).all()


def test_a_folder_without_tables_is_refused(tmp_path):
    with pytest.raises(DataError, match="has none of the tables"):
        publishing.studied(tmp_path)


def test_what_is_kept_holds_what_it_promises():
    made, kept = load(KEPT / "study.json")
    assert {row["table"] for row in kept["attack"]} == {table.name for table in TABLES}
    assert broken(kept) == []
    before = [row["unique"] for row in kept["attack"] if row["table"] == "households" and row["data"] == "original"]
    assert before == pytest.approx([0.311176, 0.942038, 0.993871, 0.999223], abs=5e-7)
    assert len(made["SHA-256 of BMS1.dat"]) == 64


def test_households_lose_what_was_counted_independently(public_file):
    folder = public_file("transactions/completejourney_transactions.csv.gz").parent
    traces = traces_of(households(folder))
    for at, kept in (("day=28", (0.6653, 0.5957)), ("store=10,day=*", (0.9772, 0.9553))):
        levels = levels_of(LinkedTable("households", "", "", households, (at,)), traces)
        found = [1 - cheapest({at: levels[at]}, m).suppressed for m in (2, 3)]
        assert found == pytest.approx(kept, abs=0.01)


def test_sessions_have_a_tree_over_all_items(public_file):
    table = sessions(public_file("transactions/BMS1.dat").parent)
    traces = traces_of(table)
    assert (traces.people, traces.labels.size, traces.points.number) == (59_602, 149_639, 497)
    assert len(table.schema["item"].axis.tree.levels[0]) == 5


@pytest.mark.large
def test_public_tables_give_the_numbers_that_are_kept(public_file):
    folder = public_file("transactions/BMS1.dat").parent
    _, kept = load(KEPT / "study.json")
    fresh = measure(TABLES[0], folder)
    for step, rows in fresh.items():
        mine = [row for row in kept[step] if row["table"] == TABLES[0].name]
        assert rows == [pytest.approx(row) for row in mine], step
    assert KNOWN[-1] == 4
