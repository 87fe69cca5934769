"""Baskets of a supermarket and sessions of a shop, to the digits that are known of them."""

import csv
import itertools

import pytest

import shoal
from shoal.linked.losses import retention, set_loss
from shoal.linked.private_items import published_items, supports
from shoal.linked.traces import traces_of
from shoal.models.km_anonymity import KmAnonymity

LOSSES = {
    1: {2: 0.002111, 5: 0.002597, 10: 0.004438, 25: 0.017037, 50: 0.029073},
    2: {2: 0.040182, 5: 0.076014, 10: 0.076014, 25: 0.137354, 50: 0.137354},
    3: {2: 0.137354, 5: 0.137354, 10: 0.137354, 25: 0.137354, 50: 1.0},
}


@pytest.fixture(scope="module")
def groceries(public_file):
    tree = str(public_file("transactions/groceries_item_hierarchy.csv"))
    return shoal.read(public_file("transactions/groceries.csv"), baskets=True, hierarchies={"item": tree})


@pytest.fixture(scope="module")
def traces(groceries):
    return traces_of(groceries)


@pytest.fixture(scope="module")
def sessions(public_file, tmp_path_factory):
    """Give the sessions, with five items side by side below one node, and so on up to the root."""
    place = public_file("transactions/BMS1.dat")
    items = sorted({int(item) for line in place.read_text().splitlines() for item in line.split()})
    tree = tmp_path_factory.mktemp("tree") / "items.csv"
    with tree.open("w", newline="") as file:
        csv.writer(file).writerows([item, f"a{i // 5}", f"b{i // 25}", f"c{i // 125}"] for i, item in enumerate(items))
    return shoal.read(place, baskets=True, hierarchies={"item": str(tree)})


def counted(traces, size, k):
    people = [some for _, some in traces.holders.combinations(size)]
    return sum(some.size for some in people), sum(int((some < k).sum()) for some in people)


def test_combinations_are_as_many_as_is_known(traces, sessions):
    assert (traces.people, traces.points.number, traces.labels.size) == (9835, 169, 43367)
    assert [counted(traces, size, 5) for size in (1, 2, 3)] == [(169, 5), (9636, 4854), (139424, 120198)]
    assert [counted(traces, size, 2)[1] for size in (1, 2, 3)] == [2, 2114, 76255]
    clicks = traces_of(sessions)
    assert (clicks.people, clicks.points.number, clicks.labels.size) == (59602, 497, 149639)
    assert [counted(clicks, size, 5) for size in (1, 2, 3)] == [(497, 41), (63973, 31345), (4796411, 3813039)]
    assert clicks.holders.effort(3) == 24131446


@pytest.mark.parametrize(("m", "k"), [(m, k) for m, losses in LOSSES.items() for k in losses])
def test_cuts_lose_what_the_best_cut_loses(traces, m, k):
    released, _ = shoal.methods.CoverCut().masked(traces, KmAnonymity(k, m))
    assert round(set_loss(traces, released)[0], 6) == LOSSES[m][k]
    if (k, m) in ((5, 2), (2, 2)):
        values = int((released.points.lo == released.points.hi).sum())
        assert (values, released.points.number - values) == {(5, 2): (1, 15), (2, 2): (16, 22)}[k, m]


def test_the_cut_of_the_sessions_is_the_best_that_is_known(sessions):
    clicks = traces_of(sessions)
    released, _ = shoal.methods.CoverCut().masked(clicks, KmAnonymity(5, 2))
    assert round(set_loss(clicks, released)[0], 6) == 0.026010
    assert released.points.number == 60
    assert int((released.points.lo == released.points.hi).sum()) == 10


def test_the_proof_of_the_best_cut_agrees(traces):
    pytest.importorskip("highspy", reason="highspy is not installed")
    for k, m in ((5, 1), (5, 2), (50, 2), (2, 3)):
        released, said = shoal.methods.CoverCut(optimal=True).masked(traces, KmAnonymity(k, m))
        assert round(set_loss(traces, released)[0], 6) == LOSSES[m][k]
        assert "least possible" in said.public


@pytest.mark.parametrize(
    ("k", "m", "kept", "emptied", "items", "rounds"),
    [(5, 1, 43355, 3, 164, 2), (2, 2, 41201, 10, 148, 18), (5, 2, 36516, 98, 113, 19), (5, 3, 21554, 102, 112, 61)],
)
def test_suppression_removes_as_many_points_as_is_known(traces, k, m, kept, emptied, items, rounds):
    released, said = shoal.methods.SuppressPoints().masked(traces, KmAnonymity(k, m))
    assert (released.labels.size, released.empty) == (kept, emptied)
    assert int((released.holders.people_of > 0).sum()) == items
    assert f"in {rounds} rounds" in said.exact


def test_losses_disagree_about_what_is_better(traces):
    model = KmAnonymity(5, 2)
    cut, suppressed = (
        method.masked(traces, model)[0] for method in (shoal.methods.CoverCut(), shoal.methods.SuppressPoints())
    )
    assert retention(traces, cut, 300).gone == pytest.approx(0.9967, abs=5e-5)
    assert retention(traces, cut, 300).error == 2.0
    assert set_loss(traces, suppressed)[0] == pytest.approx(0.1580, abs=5e-5)
    assert retention(traces, suppressed, 300).gone == pytest.approx(0.0733, abs=5e-5)
    assert retention(traces, suppressed, 300).error == pytest.approx(0.033, abs=5e-4)
    both, _ = shoal.methods.CutAndSuppress().masked(traces, model)
    assert set_loss(traces, both)[0] <= 0.04275
    assert retention(traces, both, 300).gone == pytest.approx(0.84, abs=5e-3)
    assert retention(traces, both, 300).error == pytest.approx(1.70, abs=5e-3)
    kept, _ = shoal.methods.CutAndSuppress(minimise="itemset-retention").masked(traces, model)
    assert retention(traces, kept, 300).gone <= 0.0734
    assert set_loss(traces, shoal.methods.CutAndSuppress().masked(traces, KmAnonymity(5, 3))[0])[0] <= 0.06865


@pytest.mark.parametrize(
    ("promised", "cut_for", "share", "loss"), [((5, 2), (2, 2), 0.0026, 0.0427), ((5, 3), (5, 2), 0.0026, 0.0780)]
)
def test_a_cut_for_a_weaker_promise_leaves_little_to_suppress(traces, promised, cut_for, share, loss):
    recoded, _ = shoal.methods.CoverCut().masked(traces, KmAnonymity(*cut_for))
    released, _ = shoal.methods.SuppressPoints().masked(recoded, KmAnonymity(*promised))
    assert 1 - released.labels.size / recoded.labels.size == pytest.approx(share, abs=1e-4)
    assert set_loss(traces, released)[0] == pytest.approx(loss, abs=2e-4)


def test_levels_of_a_hierarchy_are_tried_beside_cuts(sessions):
    clicks = traces_of(sessions)
    released, said = shoal.methods.CutAndSuppress().masked(clicks, KmAnonymity(5, 2))
    assert round(set_loss(clicks, released)[0], 6) == 0.022769
    assert "level 1 of the hierarchy" in said.public


def test_frequent_itemsets_are_as_many_as_is_known(traces):
    least = 0.01 * traces.people
    found = [sum(int((n >= least).sum()) for _, n in traces.holders.combinations(size)) for size in (1, 2, 3)]
    assert found == [88, 213, 32]


def test_a_release_of_baskets_is_proved_from_its_file(groceries, tmp_path):
    release = shoal.anonymize(groceries, "cover-cut", k=5, m=2)
    release.write(tmp_path / "out.csv")
    proof = shoal.verify(tmp_path / "out.csv")
    assert proof.holds
    assert proof.promised == ("km-anonymity (5, m = 2)",)
    rows = [line.split(",", 1) for line in (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[1:]]
    assert len({tuple(row) for row in rows}) == len(rows)
    assert all(int(a[0]) <= int(b[0]) for a, b in itertools.pairwise(rows))


PRIVATE = ("female sanitary products", "baby cosmetics", "liquor", "liquor (appetizer)", "dental care")


def test_private_items_are_concluded_as_often_as_is_known(groceries, traces):
    for k, few in ((2, 1942), (5, 4513)):
        found = shoal.models.Coherence(k, 2, 0.5, PRIVATE).measured(groceries)
        assert found.cases == 9336
        secret = published_items(traces.points, PRIVATE).private
        pairs = list(supports(traces, secret, (1, 2), secret))
        assert sum(int((people < k).sum()) for people, _ in pairs) == few
        assert sum(int((having > 0.5 * people).sum()) for people, having in pairs) == 196
    assert shoal.models.RhoUncertainty(0.5, 2, PRIVATE, "public").measured(groceries).failing == 199
