"""What reports say of attacks on linked releases and on stated ones: each where it applies."""

import math
import random

import polars as pl
import pytest

import shoal
from shoal.models.stated import Stated
from shoal.report import release_report
from shoal.report.linked_warnings import linked_warnings
from shoal.report.stated_warnings import stated_warnings

DRAW = random.Random(1)
AGES = {f"p{i}": DRAW.randint(20, 60) for i in range(60)}
ROWS = [(who, age, DRAW.choice("abcdefghijklmnop")) for who, age in AGES.items() for _ in range(4)]
VISITS = pl.DataFrame(ROWS, schema=["who", "age", "item"], orient="row")
ATTACKS = {
    "shared": "may have one more point in common", "more": "known points nothing is promised",
    "minimal": "only where they had to", "missing": "does not have a point",
    "again": "is recognized in the next one", "ends": "An end of a range of",
}  # fmt: skip


def traces(frame=VISITS, quasi=("item",), **more):
    return shoal.read(frame, quasi=list(quasi), subject="who", linked=True, **more)


def attacks_named(release):
    lines = list(linked_warnings(release))
    found = {name for name, part in ATTACKS.items() for line in lines if part in line}
    assert len(found) == len(lines)
    assert all("--" in line for line in lines)
    return found


def test_linked_releases_are_warned_of_what_applies():
    plain = shoal.anonymize(traces(), k=5, m=2)
    assert attacks_named(plain) == {"shared", "more", "minimal", "missing", "again"}
    assert "--m 3" in str(list(linked_warnings(plain)))
    nothing_lost = shoal.anonymize(traces(), k=2, m=1)
    assert attacks_named(nothing_lost) == {"shared", "more", "missing", "again"}
    private = shoal.anonymize(traces(), models=[shoal.models.RhoUncertainty(0.9, 1, ("a",))], k=2, m=1)
    assert "shared" not in attacks_named(private)


def test_ranges_of_attributes_end_at_somebody_unless_they_are_nodes():
    within = [shoal.models.KmAnonymity(3, 1, within=("age",))]
    assert "ends" in attacks_named(shoal.anonymize(traces(quasi=("age", "item")), models=within))
    tree = traces(quasi=("age", "item"), hierarchies={"age": "intervals 10,30"})
    assert "ends" not in attacks_named(shoal.anonymize(tree, models=within))


@pytest.mark.parametrize("audience", ["internal", "external"])
def test_reports_of_linked_releases_have_the_section(audience):
    original = traces()
    page = release_report(shoal.anonymize(original, k=5, m=2), original, audience=audience)
    assert "What attackers who know the method can try" in page
    assert "--m 3" in page[page.index('id="method"') :]


def stated(epsilon, neighbours, **more):
    return Stated("differential-privacy", "…", {"loss": {"epsilon": str(epsilon), **more}, "neighbours": neighbours})


def test_odds_follow_from_the_loss():
    first, second, third = stated_warnings(stated(1, "tables that differ in one record, which is replaced"))
    assert f"e^1, or {math.e:,.3g} times" in first
    assert "what the last one says" in first
    assert "hardly a bound" not in first
    assert "--param epsilon=…" in first
    assert "e^2." in second
    assert "shoal budget" in third
    first, *_ = stated_warnings(stated(5.222, "tables of which one has one record more", rho="0.5", delta="0.000001"))
    assert "e^5.222, or 185 times, but for a chance of 1e-06" in first
    assert "whether the last one is there" in first
    assert "hardly a bound" in first
    assert "--param rho=…" in first
    assert "more than a million times" in next(stated_warnings(stated(800, "…")))


@pytest.mark.parametrize("audience", ["internal", "external"])
def test_reports_of_stated_releases_have_the_section(audience):
    pytest.importorskip("opendp")
    table = shoal.read(pl.DataFrame({"age": [i % 90 for i in range(300)]}), quasi=["age"])
    release = shoal.anonymize(table, shoal.methods.PrivateTree({"age": "0..99"}, rho=0.5))
    page = release_report(release, table, audience=audience)
    assert "185 times" in page[page.index('id="method"') :]
