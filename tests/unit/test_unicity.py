"""Unicity of linked tables: by hand, as measure, risk, comparison and page, and the same on every engine."""

import numpy as np
import polars as pl
import pytest
from engines.pools import Memory
from engines.tiny import Tiny

import shoal
from shoal.engines.parts.engine import PartsEngine
from shoal.errors import ParameterError, SchemaError
from shoal.report.known_points_report import known_points_comparison, known_points_report

# Milk and tea are soft, beer and wine strong.
DRINKS = {
    "who": ["a", "a", "b", "b", "c", "c", "d", "d", "d", "e"],
    "item": ["milk", "beer", "milk", "wine", "tea", "beer", "beer", "milk", "milk", None],
}
LINKED = {"subject": "who", "quasi": "item", "linked": True}


@pytest.fixture
def drinks():
    return pl.DataFrame(DRINKS)


def test_by_hand(drinks):
    found = shoal.risk(drinks, points=[1, 2, 3], **LINKED)
    shares = [(each["points"], each["share"], each["people"], each["exact"]) for each in found["unicity"]]
    assert shares == [(1, 0.25, 4, True), (2, 0.5, 4, True), (3, None, 0, True)]
    sizes = {name: found[name] for name in ("records", "people", "empty", "points", "distinct", "longest")}
    assert sizes == {"records": 10, "people": 5, "empty": 1, "points": 8, "distinct": 4, "longest": 2}
    assert found.caption() == "Nobody has 3 points."
    assert "milk" not in repr(found)


def test_a_level_of_the_hierarchy_is_what_the_attacker_sees(drinks, tmp_path):
    (tmp_path / "item.csv").write_text("milk,soft\ntea,soft\nbeer,strong\nwine,strong\n")
    tree = {"hierarchies": {"item": str(tmp_path / "item.csv")}}
    found = shoal.risk(drinks, points=2, at="item=1", **LINKED, **tree)["unicity"]
    assert [(each["at"], each["share"], each["distinct"], each["smallest"]) for each in found] == [("item=1", 0, 2, 4)]


def test_the_measure_says_what_was_counted(drinks):
    table = shoal.read(drinks, **LINKED)
    score = shoal.score(table, measures=[shoal.measures.Unicity(2)])["unicity"]
    assert (score.value, score.lower, score.upper) == (0.5, 0.5, 0.5)
    assert score.detail == {"points": 2, "people": 4, "exact": True, "smallest": 1}
    assert shoal.measures.Unicity.sentence(score.detail).startswith("Of 4 people with at least 2 points")
    (sampled,) = shoal.score(table, measures=[shoal.measures.Unicity(2, effort=0)])
    assert not sampled.detail["exact"]
    assert sampled.lower < sampled.value == 0.5 < sampled.upper
    (none,) = shoal.score(table, measures=[shoal.measures.Unicity(3)])
    assert none.detail["nothing_to_measure"] == "nobody has so many points"
    (none,) = shoal.score(shoal.read(drinks, quasi="item"), measures=["unicity"])
    assert none.detail["nothing_to_measure"] == "nothing says which rows belong to one person"


@pytest.mark.parametrize("wrong", [{"points": 0}, {"points": 65}, {"sample": 0}, {"effort": -1}, {"seed": -1}])
def test_what_cannot_be_measured_is_refused(wrong):
    with pytest.raises(ParameterError):
        shoal.measures.Unicity(**wrong)


def test_every_engine_finds_the_same():
    frame = pl.DataFrame(
        {
            "p": [(i * 7) % 11 for i in range(60)],
            "shop": [(i * i) % 7 for i in range(60)],
            "day": [None if i % 50 == 3 else (i * 11) % 30 for i in range(60)],
        }
    )
    said = {"subject": "p", "quasi": ["shop", "day"], "linked": True}
    found = []
    for engine in (None, PartsEngine(Memory(), 17), Tiny()):
        table = shoal.read(frame, engine=engine, **said)
        exact = shoal.risk(table, points=(1, 2, 3), at="day=7@0,shop=2 values")
        sampled = shoal.score(table, measures=[shoal.measures.Unicity(2, effort=0, sample=5)])
        beside = shoal.compare(table, table, points=2)
        found.append((dict(exact), sampled, beside["releases"][0]["unicity"]))
    assert found[0] == found[1] == found[2]


def test_a_release_is_searched_for_what_is_known_of_the_original(drinks):
    published = pl.DataFrame(
        {"who": [1, 1, 2, 3, 3, 4, 4], "item": ["milk", "beer", "milk", "beer", "wine", "beer", "milk"]}
    )
    found = shoal.compare(drinks, published, points=[1, 2], **LINKED)
    one, two = found["releases"][0]["unicity"]
    # Wine is had by one candidate, tea by none; milk and beer by three of them.
    assert (one["share"], one["not_found"], one["smallest"]) == (0.125, 0.125, 1)
    assert (two["share"], two["not_found"], two["smallest"]) == (0, 0.5, 2)
    assert [line[0] for line in found.rows()] == ["of", "original", "original", "release 1", "release 1"]
    page = known_points_comparison("drinks", found)
    assert "release 1" in page
    assert "There is a line for each table." in page
    assert "milk" not in page
    assert "&lt;code" not in page


def test_the_page_of_a_comparison_says_what_its_lines_are(drinks, tmp_path):
    (tmp_path / "item.csv").write_text("milk,soft\ntea,soft\nbeer,strong\nwine,strong\n")
    tree = {"hierarchies": {"item": str(tmp_path / "item.csv")}}
    found = shoal.compare(drinks, drinks, points=[1, 2], at=["item=0", "item=1"], **LINKED, **tree)
    page = known_points_comparison("drinks", found)
    assert "There is a line for each table and for how coarsely they are seen." in page
    assert all(line in page for line in ("original at item=0", "release 1 at item=1"))


def visits(seed):
    draw = np.random.default_rng(seed)
    rows = {"who": draw.integers(0, 15, 90), "shop": draw.integers(0, 6, 90), "day": draw.integers(0, 40, 90)}
    return pl.DataFrame(rows)


@pytest.mark.parametrize("at", ["day=5", "day=10", "day=*", "shop=2 values,day=20"])
def test_a_table_beside_itself_is_seen_as_it_is_alone(at):
    asked = {"subject": "who", "quasi": ["shop", "day"], "linked": True, "points": (1, 2, 3), "at": at}
    alone = shoal.risk(visits(1), **asked)["unicity"]
    beside = shoal.compare(visits(1), visits(1), **asked)
    for each, there, mine in zip(alone, beside["releases"][0]["unicity"], beside["original"]["unicity"], strict=True):
        assert mine == each
        assert there == {key: value for key, value in mine.items() if key != "distinct"} | {"not_found": 0}


@pytest.mark.parametrize("at", [5, 10, 20])
def test_points_known_coarsely_are_looked_for_in_labels_that_are_finer_and_coarser(at):
    """A release by ten days, of which some points are gone: whose stretches overlap with what is known counts."""
    asked = {"subject": "who", "quasi": ["shop", "day"], "linked": True}
    frame = visits(2)
    release = shoal.anonymize(frame, shoal.methods.CutAndSuppress(levels=["day=10"]), k=2, m=1, **asked)
    (one,) = shoal.compare(frame, release, points=1, at=f"day={at}", **asked)["releases"][0]["unicity"]
    published, known = {}, {}
    for who, shop, day in release.to_polars().drop_nulls().iter_rows():
        first, last = day.values() if isinstance(day, dict) else (day, day)
        published.setdefault(who, []).append((shop, first, last))
    for who, shop, day in frame.iter_rows():
        known.setdefault(who, set()).add((shop, day // at * at))
    counts = {
        (shop, start): sum(
            any(shop == s and first < start + at and last >= start for s, first, last in labels)
            for labels in published.values()
        )
        for points in known.values()
        for shop, start in points
    }
    assert one["not_found"] == pytest.approx(mean_share(known, counts, 0))
    assert one["share"] == pytest.approx(mean_share(known, counts, 1))
    assert one["smallest"] == min(count for count in counts.values() if count)


def mean_share(known, counts, wanted):
    shares = [sum(counts[point] == wanted for point in points) / len(points) for points in known.values()]
    return sum(shares) / len(shares)


def test_the_page_draws_the_curves_and_shows_no_point(drinks):
    table = shoal.read(drinks, **LINKED)
    report = shoal.risk(table, points=(1, 2), measures="unicity")
    page = known_points_report(table, report, [shoal.measures.Unicity()])
    assert "2 known points single out 50.00% of 4 people." in page
    assert "<svg" in page
    assert "&lt;code" not in page
    assert '<code dir="auto">item</code>' in page
    assert "milk" not in page


def test_what_does_not_go_together_is_refused(drinks):
    with pytest.raises(SchemaError, match="which rows belong to one person"):
        shoal.risk(drinks, quasi="item", points=2)
    with pytest.raises(ParameterError, match="what points are made of"):
        shoal.risk(drinks, subject="who", linked=True)
    with pytest.raises(ParameterError, match="another risk"):
        shoal.risk(drinks, where="item = milk", **LINKED)
    for wrong in ([], [2, 2]):
        with pytest.raises(ParameterError, match="once each"):
            shoal.risk(drinks, points=wrong, **LINKED)
