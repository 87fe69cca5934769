"""Private synthesis: the published numbers on Adult, its parts by hand, and that what is drawn invents nothing."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from public_files import CODED, find

import shoal
from shoal.errors import ParameterError
from shoal.measures.marginal_distance import MarginalDistance
from shoal.methods.private.tree_model import Pooling, TreeModel, fitted, projected, systematic
from shoal.methods.private_tree import PrivateTree
from shoal.private.mechanisms import NoiseMechanism

pytest.importorskip("opendp")


@pytest.fixture
def without_chance(monkeypatch):
    monkeypatch.setattr(NoiseMechanism, "added", lambda self, numbers: list(numbers))
    monkeypatch.setattr(NoiseMechanism, "best", lambda self, scores: int(np.argmax(scores)))


def adult(tmp_path):
    frame = pl.read_csv(find(CODED, tmp_path), separator=";")
    domains = {name: f"{frame[name].min()}..{frame[name].max()}" for name in frame.columns}
    return frame, shoal.read(frame, quasi=frame.columns), domains


def test_adult_comes_out_as_published(tmp_path):
    """9 columns, ρ = 0.1: margins 0.0024, pairs 0.044, worst 0.137; independent columns 0.084, a bootstrap 0.015."""
    frame, table, domains = adult(tmp_path)
    rounds = [MarginalDistance().score(table, PrivateTree(domains, rho=0.1).apply(table, [], 0)) for _ in range(3)]
    assert np.mean([found.value for found in rounds]) == pytest.approx(0.044, rel=0.05)
    assert np.mean([found.detail["single"] for found in rounds]) == pytest.approx(0.0024, abs=0.0006)
    assert np.mean([found.detail["worst"] for found in rounds]) == pytest.approx(0.137, rel=0.06)
    apart = frame.select(pl.col(name).shuffle(seed=i) for i, name in enumerate(frame.columns))
    drawn = frame.sample(frame.height, with_replacement=True, seed=1)
    for other, expected in ((apart, 0.084), (drawn, 0.015)):
        found = MarginalDistance().score(table, shoal.read(other, quasi=frame.columns))
        assert found.value == pytest.approx(expected, abs=0.001)


def test_without_noise_a_tree_keeps_its_margins_and_pairs(without_chance):
    random = np.random.default_rng(1)
    a = random.integers(0, 4, 3000)
    frame = pl.DataFrame({"a": a, "b": (a + (random.random(3000) < 0.2)) % 4, "c": random.integers(0, 3, 3000)})
    table = shoal.read(frame, quasi=frame.columns)
    method = PrivateTree({"a": "0..3", "b": "0..3", "c": "0..2"}, rho=5)
    released = method.apply(table, [], 0)
    detail = MarginalDistance().score(table, released).detail
    assert released.rows == 3000
    assert detail["single"] < 2e-3
    assert detail["per_pair"]["a ~ b"] < 5e-3


def test_what_is_drawn_invents_no_correlation_that_the_model_has_not(without_chance):
    """Sampled, not rounded: pairs that the tree does not join are what it implies, but for sampling."""
    random = np.random.default_rng(2)
    a = random.integers(0, 5, 4000)
    b = (a + random.integers(0, 2, 4000)) % 5
    c = (b + random.integers(0, 2, 4000)) % 5
    joint = {(0, 1): np.zeros((5, 5)), (1, 2): np.zeros((5, 5))}
    np.add.at(joint[0, 1], (a, b), 1)
    np.add.at(joint[1, 2], (b, c), 1)
    model = TreeModel.fit([(np.bincount(each, minlength=5) * 1.0, np.ones(5)) for each in (a, b, c)], joint, 1.0)
    drawn = model.drawn(40_000, np.random.default_rng(5))
    implied = joint[0, 1] @ (joint[1, 2] / joint[1, 2].sum(axis=1, keepdims=True)) / 4000
    there = np.zeros((5, 5))
    np.add.at(there, (drawn[0], drawn[2]), 1 / 40_000)
    assert np.abs(there - implied).sum() / 2 < 0.012
    independent = np.outer(there.sum(axis=1), there.sum(axis=0))
    assert np.abs(there - independent).sum() / 2 > 0.1  # what there is through the tree is still there


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=8), st.floats(0.5, 100))
def test_projection_is_the_nearest_point_of_the_simplex(numbers, total):
    estimate = np.array(numbers)
    found = projected(estimate, total)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(total)
    # Where it is above zero all were lowered alike, and what is zero was below that: the conditions of the optimum.
    lowered = estimate - found
    level = lowered[found > 0].max()
    assert np.allclose(lowered[found > 0], level)
    assert (estimate[found == 0] <= level + 1e-9).all()


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5))
def test_tables_are_fitted_to_both_margins(seed, rows, columns):
    random = np.random.default_rng(seed)
    pair = np.where(random.random((rows, columns)) < 0.3, 0, random.random((rows, columns)) * 10)
    one, other = random.random(rows), random.random(columns)
    one, other = one / one.sum() * 50, other / other.sum() * 50
    found = fitted(np.where(pair.sum() > 0, pair + 1e-6, pair), one, other)
    assert np.allclose(found.sum(axis=1), one, rtol=1e-5)
    assert np.allclose(found.sum(axis=0), other, rtol=1e-5)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=9), st.integers(0, 500), st.integers(0, 99))
def test_systematic_rounding_gives_all_records_and_rounds_up_or_down(weights, rows, seed):
    shares = np.array(weights)
    found = systematic(shares, rows, np.random.default_rng(seed))
    assert found.sum() == rows
    assert found.min() >= 0
    if shares.sum() > 0:
        assert (np.abs(found - shares / shares.sum() * rows) < 1 + 1e-6).all()


def test_systematic_rounding_is_fair():
    weights, random = np.array([0.25, 1.5, 0.25]), np.random.default_rng(0)
    mean = np.mean([systematic(weights, 2, random) for _ in range(4000)], axis=0)
    assert np.allclose(mean, [0.25, 1.5, 0.25], atol=0.04)  # five deviations


def test_rare_values_are_pooled_and_no_value_is_believed_only_where_it_stands_out():
    counts = np.array([100.0, 3.0, -2.0, 1.0, 4.0])
    pooling = Pooling.of(counts, 2.0)
    assert pooling.alone.tolist() == [0]
    assert pooling.pooled.tolist() == [1, 2, 3]
    assert pooling.cells.tolist() == [0, 1, 1, 1, 2]
    assert pooling.shares.tolist() == [0.75, 0.0, 0.25]
    assert pooling.in_cells(counts).tolist() == [100.0, 2.0]
    assert pooling.spread(2.0).tolist() == [4.0, 12.0]
    values = pooling.values(np.array([0, 1, 1, 1, 1, 0]), np.random.default_rng(0))
    assert sorted(values[1:5].tolist()) == [1, 1, 1, 3]
    assert Pooling.of(np.array([100.0, 3.0, 50.0]), 2.0).cells.tolist() == [0, 2, 1]  # no value, often


def test_missing_cells_and_strange_values_come_out_without_a_value(without_chance):
    cells = ["x"] * 50 + [None] * 30 + ["odd"] * 20
    release = shoal.anonymize(pl.DataFrame({"c": cells}), PrivateTree({"c": "x,y"}, rho=9), quasi=["c"])
    assert release.to_polars()["c"].to_list().count(None) == 50
    assert set(release.to_polars()["c"].drop_nulls()) == {"x"}


def test_scales_are_those_that_were_published():
    """σ = √(3d/2ρ) for margins, √(3(d−1)/2ρ) for pairs; ε of a choice √(8ρ/(3(d−1))), of which the scale is 2/ε."""
    frame = pl.DataFrame({name: [1, 2, 3] for name in "abcdefghi"})
    method = PrivateTree(dict.fromkeys(frame.columns, "1..3"), rho=0.1)
    terms = method.stated(shoal.read(frame, quasi=frame.columns).schema, 3, []).content
    assert terms["margins"]["scale"] == pytest.approx((27 / 0.2) ** 0.5)
    assert terms["pairs"]["scale"] == pytest.approx((24 / 0.2) ** 0.5)
    assert terms["choices"]["scale"] == pytest.approx(2 / (0.8 / 24) ** 0.5)
    assert sum(terms[part]["times"] * Fraction(terms[part]["loss"]) for part in ("margins", "choices", "pairs")) == (
        pytest.approx(0.1)
    )


def test_as_many_rows_as_are_asked_for_and_no_more_values_than_can_be_counted():
    frame = pl.DataFrame({"a": list(range(50))})
    assert shoal.anonymize(frame, PrivateTree({"a": "0..49"}, rho=1, rows=7), quasi=["a"]).table.rows == 7
    with pytest.raises(ParameterError, match="at most 65,536"):
        shoal.anonymize(frame, PrivateTree({"a": "0..1000000"}, rho=1), quasi=["a"])
    with pytest.raises(ParameterError, match="at least 1"):
        PrivateTree({"a": "0..49"}, rho=1, rows=0)


def test_marginal_distance_by_hand():
    """Margins agree, pairs do not: {xx, yy} against {xy, yx} have no pair in common."""
    one, other = (
        shoal.read(pl.DataFrame({"a": ["x", "y"], "b": b}), quasi=["a", "b"]) for b in (["x", "y"], ["y", "x"])
    )
    found = MarginalDistance().score(one, other)
    assert (found.value, found.detail["single"], found.detail["worst_of"]) == (1.0, 0.0, "a ~ b")


def test_marginal_distance_spreads_ranges_and_needs_no_matching_rows():
    ages = shoal.read(pl.DataFrame({"age": [1, 2, 3, 4]}), quasi=["age"])
    ranges = shoal.anonymize(ages, k=2).table
    assert MarginalDistance().score(ages, ranges).value == pytest.approx(0)
    more = shoal.read(pl.DataFrame({"age": [1, 1, 2, 3, 4, 4]}), quasi=["age"])
    assert MarginalDistance().score(ages, more).value == pytest.approx(1 / 6)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_marginal_distance_is_that_of_brute_force(seed):
    random = np.random.default_rng(seed)
    frames = [pl.DataFrame({name: random.integers(0, 4, rows) for name in "abc"}) for rows in random.integers(3, 12, 2)]
    one, other = (shoal.read(frame, quasi=["a", "b", "c"]) for frame in frames)
    distances = []
    for pair in combinations("abc", 2):
        shares = [{row[:2]: row[2] / frame.height for row in frame.group_by(pair).len().rows()} for frame in frames]
        keys = set(shares[0]) | set(shares[1])
        distances.append(sum(abs(shares[0].get(key, 0) - shares[1].get(key, 0)) for key in keys) / 2)
    assert MarginalDistance().score(one, other).value == pytest.approx(np.mean(distances))
