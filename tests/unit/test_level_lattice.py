"""Lattices of levels: keys of several words, missing cells, people, bounds of levels, and what is refused."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import GuaranteeError, ParameterError
from shoal.kernels.roll_up import Fields, Tuples, Workspace, find_keys
from shoal.methods import FullDomain, Layers
from shoal.methods.lattice.beam import beam_search
from shoal.methods.lattice.optimum import proven_optimum
from shoal.models import KAnonymity, LDiversity, TCloseness


@pytest.fixture
def towns(tmp_path):
    """Give a table of 60 people with a hierarchy, missing cells and people with several rows."""
    draw = np.random.default_rng(4)
    places = [f"{a}{b}" for a in "ABC" for b in "123"]
    (tmp_path / "town.csv").write_text("".join(f"{place};{place[0]};*\n" for place in places), encoding="utf-8")
    frame = pl.DataFrame(
        {
            "town": [None if i % 20 == 7 else places[j] for i, j in enumerate(draw.integers(0, 9, 60))],
            "sex": draw.choice(["f", "m"], 60),
            "age": draw.integers(20, 24, 60),
            "who": [f"p{i}" for i in draw.integers(0, 40, 60)],
            "ill": draw.choice(["flu", "cold", "none"], 60),
        }
    )
    return frame, {"town": str(tmp_path / "town.csv")}


@pytest.fixture
def table(towns):
    frame, hierarchies = towns
    return shoal.read(frame.drop("who"), quasi=["town", "sex", "age"], sensitive=["ill"], hierarchies=hierarchies)


def test_keys_of_several_words_are_rolled_up_as_rows_are():
    draw = np.random.default_rng(2)
    sizes = [5, 70_000, 3, 90_000, 1_000, 2, 40_000]
    rows = np.stack([draw.integers(0, min(size, 4), 500) for size in sizes], axis=1).astype(np.int32)
    fields = Fields.of(sizes)
    assert fields.words == 2
    tuples = Tuples(fields.packed(list(rows.T)), np.ones(500, np.int64)).in_order()
    above = [np.zeros(sizes[1], np.int32), (np.arange(sizes[3]) // 2).astype(np.int32)]
    found, labels = Workspace(500, 2).roll_up(tuples, fields, [1, 3], above, label=True)
    expected = Counter((a, 0, c, d // 2, e, f, g) for a, _, c, d, e, f, g in rows.tolist())
    codes = np.stack([fields.unpacked(found.keys, j) for j in range(7)], axis=1)
    assert dict(zip(map(tuple, codes.tolist()), found.counts.tolist(), strict=True)) == dict(expected)
    assert Counter(labels.tolist()).keys() == set(range(found.size))
    ordered = found.in_order()
    assert find_keys(found.keys, ordered.keys[::2].copy()).max() == -(-ordered.size // 2) - 1
    assert (find_keys(ordered.keys, ordered.keys) == np.arange(ordered.size)).all()


def test_a_missing_cell_is_a_leaf_of_its_own_below_the_root(table):
    nodes, _ = FullDomain().lattice(table, [KAnonymity(2)])
    town = nodes.lattice.columns[0]
    assert (town.height, town.domain) == (2, 10)
    assert [level.tolist()[0] for level in town.leaves] == [1, 1, 10]
    shown = shoal.anonymize(table, FullDomain(levels=(1, 1, 1)), k=3).to_polars(cells="text")["town"]
    assert shown.is_null().sum() == 3 or (shown == "").sum() == 3
    everything = shoal.anonymize(table, FullDomain(levels=(2, 1, 1)), k=3).to_polars(cells="text")["town"]
    assert set(everything) == {"*"}


def test_levels_can_be_bounded_and_given(table):
    release = shoal.anonymize(table, FullDomain(min_level={"town": 1}, max_level={"sex": 0}), k=2)
    assert release.table.recoding["levels"]["town"] >= 1
    assert release.table.recoding["levels"]["sex"] == 0
    given = shoal.anonymize(table, FullDomain(levels="2,0,1"), k=2).table.recoding
    assert (given["levels"], given["nodes"]) == ({"town": 2, "sex": 0, "age": 1}, 1)
    losses = {"2,1,1": 0.25, "1,1,1": 0.5}
    chosen = shoal.anonymize(table, FullDomain(utility="given", given=losses), k=2).table.recoding
    assert (list(chosen["levels"].values()), chosen["loss"]) == ([2, 1, 1], 0.25)


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"limit": 1.5}, "'limit'"),
        ({"utility": "beauty"}, "utility model"),
        ({"aggregate": "mean"}, "aggregate"),
        ({"factor": 2}, "'factor'"),
        ({"utility": "discernibility", "weights": {"age": 1}}, "not made of columns"),
        ({"utility": "classification"}, "target"),
        ({"utility": "given"}, "given"),
        ({"given": {"1": 0.5}}, "given"),
        ({"normalized": True}, "entropy"),
        ({"levels": (1, -1.5)}, "whole numbers"),
        ({"levels": (1,), "min_level": {"age": 1}}, "fixes all"),
        ({"min_level": 3}, "by column"),
        ({"budget": 0}, "'budget'"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(wrong, what):
    with pytest.raises(ParameterError, match=what):
        FullDomain(**wrong)


@pytest.mark.parametrize(
    ("method", "what"),
    [
        (FullDomain(min_level={"town": 9}), "no level 9"),
        (FullDomain(max_level={"place": 1}), "no quasi-identifier"),
        (FullDomain(min_level={"town": 2}, max_level={"town": 1}), "above its highest"),
        (FullDomain(weights={"place": 1}), "no quasi-identifier"),
        (FullDomain(levels=(0, 1)), "2 levels"),
        (FullDomain(utility="given", given={"0,1": 1.0}), "3 levels"),
        (FullDomain(utility="classification", target="age"), "cannot be the target"),
    ],
)
def test_what_does_not_fit_the_table_is_refused(table, method, what):
    with pytest.raises(ParameterError, match=what):
        shoal.anonymize(table, method, k=2)


def test_where_no_node_will_do_it_is_said_what_the_highest_reaches(table):
    with pytest.raises(GuaranteeError, match="No combination of levels") as refused:
        shoal.anonymize(table, FullDomain(limit=0, max_level={"town": 0, "age": 0}), k=30)
    assert "smallest class" in refused.value.remedy


@pytest.mark.parametrize("method", [FullDomain(limit=0.3), FullDomain(limit=1.0), FullDomain(limit=0)])
@pytest.mark.parametrize("k", [2, 4])
def test_people_are_counted_where_a_column_tells_them_apart(towns, method, k):
    frame, hierarchies = towns
    people = shoal.read(frame, quasi=["town", "sex", "age"], subject="who", plain=["ill"], hierarchies=hierarchies)
    nodes, objective = method.lattice(people, [KAnonymity(k)])
    assert nodes.monotone == "always"
    best = []
    for number in range(nodes.lattice.nodes):
        node = nodes.at(nodes.lattice.levels(number))
        shown = shown_at(frame, node.levels)
        members = {}
        for cells, who in zip(shown, frame["who"], strict=True):
            members.setdefault(cells, []).append(who)
        out = sum(len(rows) for rows in members.values() if len(set(rows)) < k)
        assert (node.outliers, node.classes.size) == (out, len(members))
        if out <= method.most(60):
            best.append(objective.reported(node))
    found = proven_optimum(nodes, objective, method.most(60), mend=False)
    assert found.loss == pytest.approx(min(best))
    assert shoal.anonymize(people, method, k=k).holds


def shown_at(frame, levels):
    """Show rows at levels, cell by cell."""
    town, sex, age = levels
    ways = {0: lambda place: place, 1: lambda place: place and place[0], 2: lambda place: "*"}
    return [
        (ways[town](row["town"]), "*" if sex else row["sex"], "*" if age else row["age"])
        for row in frame.iter_rows(named=True)
    ]


def test_a_beam_finds_what_is_best_here_within_its_budget(table):
    models = [KAnonymity(3), LDiversity(2)]
    nodes, objective = FullDomain().lattice(table, models)
    best = proven_optimum(nodes, objective, 60)
    again, objective = FullDomain().lattice(table, models)
    found = beam_search(again, objective, 60)
    assert found.proven  # the bound goes all the way where there are few nodes
    assert found.loss == found.bound == pytest.approx(best.loss)
    few, objective = FullDomain().lattice(table, models)
    cut = beam_search(few, objective, 60, width=1, budget=3)
    assert cut.evaluated <= 3
    assert not cut.proven
    assert cut.bound <= best.loss <= cut.loss


def test_a_lattice_too_large_to_prove_is_searched_all_the_same(monkeypatch, table):
    monkeypatch.setattr("shoal.methods.full_domain.PROVABLE", 1)
    release = shoal.anonymize(table, FullDomain(budget=30), k=3)
    assert release.holds
    said = release.table.recoding
    assert said["proven"] is False
    assert 0 < said["bound"] < said["loss"]
    assert f"none of them loses less than {said['bound']:.3g}" in release.steps[0]
    found = shoal.explore(table, k=3, method=FullDomain(budget=30))
    assert found["best"]["bound"] == said["bound"]
    assert f"none loses less than {said['bound']:.3g}" in repr(found)


def test_the_loss_does_not_depend_on_the_order_of_rows_or_columns(towns):
    frame, hierarchies = towns
    frame = frame.drop("who")
    losses = []
    for some, names in (
        (frame, ["town", "sex", "age"]),
        (frame.sample(fraction=1, shuffle=True, seed=3), ["age", "town", "sex"]),
    ):
        read = shoal.read(some, quasi=names, sensitive=["ill"], hierarchies=hierarchies)
        losses.append(FullDomain(limit=0.2).search(read, [KAnonymity(3), TCloseness(0.5)]).found.loss)
    assert losses[0] == pytest.approx(losses[1], rel=1e-12)


@pytest.mark.parametrize("k", [2, 5, 9])
def test_layers_leave_nobody_out_who_can_be_served(table, k):
    release = shoal.anonymize(table, Layers(least_share=0.2), [KAnonymity(k), LDiversity(2)])
    said = release.table.recoding
    assert release.holds
    assert sum(layer["records"] for layer in said["layers"]) + said["outliers"] == 60
    shown = release.to_polars(cells="text").select("town", "sex", "age").rows()
    assert min(Counter(shown).values()) >= k
    with pytest.raises(GuaranteeError, match="Not even all"):
        shoal.anonymize(table, Layers(), [KAnonymity(2), LDiversity(3.5, kind="entropy")])


def test_every_node_is_the_same_one_by_one_and_in_one_walk(table):
    walked = shoal.explore(table, k=3, method=FullDomain(limit=0.2))
    nodes, objective = FullDomain(limit=0.2).lattice(table, [KAnonymity(3)])
    for each in walked.table():
        node = nodes.at(tuple(each["levels"].values()))
        assert (each["outliers"], each["classes"]) == (node.outliers, node.classes.size)
        assert each["loss"] == pytest.approx(objective.reported(node), rel=1e-12)
        assert each["feasible"] == (node.outliers <= 12)
    assert walked["feasible"] == sum(each["feasible"] for each in walked.table())
    assert walked["best"]["loss"] == pytest.approx(min(e["loss"] for e in walked.table() if e["feasible"]))
    slowly = shoal.explore(table, LDiversity(2), k=3, method=FullDomain(utility="kl-divergence"))
    assert len(slowly.table()) == slowly["nodes"] == 12
    assert slowly["best"]["loss"] == pytest.approx(min(e["loss"] for e in slowly.table() if e["feasible"]))
    assert "records that break a promise" in walked.figure().svg
    assert "12 combinations" in repr(walked)
