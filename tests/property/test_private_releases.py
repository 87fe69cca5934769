"""Private releases, audited: what they lose stays below what they claim, and broken ones are caught."""

from functools import cache

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from property.dp_audit import RUNS, claims_too_little, epsilon_at_least

import shoal
from shoal.methods.private.declared_columns import UnitsOf
from shoal.methods.private_averages import PrivateAverages, _key, _sums
from shoal.methods.private_tree import PrivateTree, scores
from shoal.private.accounting import epsilon_of
from shoal.private.mechanisms import NoiseMechanism

pytest.importorskip("opendp")
ONE, OTHER = [0, 0, 0], [0, 0, 10]  # neighbours: the last record is replaced


def prepared(rows, method, domains="a"):
    """Give the sums that a method would add noise to, and what it would add."""
    table = shoal.read(pl.DataFrame(dict.fromkeys(domains, rows)), quasi=list(domains))
    plan = method._plan(table.schema, table.rows, method.k)
    units = UnitsOf.of(plan.domains, table.schema)
    return _sums(table, plan, units, table.rank([_key(table, plan, units)], every=plan.size)), plan


FEWER = RUNS // 5  # enough to catch what is broken


@cache
def drawn(noise, side, runs=RUNS):
    """Give noise of so many runs for one of two neighbours: it is the same whatever it is added to."""
    return np.array(noise.added([0] * runs))


def runs(rows, method):
    """Run a method of one column and one class many times."""
    sums, plan = prepared(rows, method)
    assert sums.shape == (1, 1)
    return int(sums[0, 0]) + drawn(plan.noise("a").noise, rows is ONE)


def test_averages_lose_no_more_than_epsilon():
    epsilon = 0.5
    method = PrivateAverages({"a": "0..10"}, k=2, epsilon=epsilon)
    bound = epsilon_at_least(runs(ONE, method), runs(OTHER, method))
    assert 0.75 * epsilon < bound <= epsilon


def test_averages_lose_no_more_than_rho():
    method = PrivateAverages({"a": "0..10"}, k=2, rho=0.5)
    bound = epsilon_at_least(runs(ONE, method), runs(OTHER, method), delta=1e-3)
    assert 0.5 < bound <= epsilon_of(0.5, 1e-3)


def test_averages_of_several_columns_lose_no_more_than_rho_together():
    method = PrivateAverages({"a": "0..10", "b": "0..10"}, k=2, rho=0.5)
    sides = []
    for seed, rows in enumerate((ONE, OTHER)):
        sums, plan = prepared(rows, method, "ab")
        noise, random = drawn(plan.noise("a").noise, rows is ONE), np.random.default_rng(seed)
        sides.append(sum(int(total) + random.permutation(noise) for total in sums[0]))
    bound = epsilon_at_least(*sides, delta=1e-3)
    assert 0.5 < bound <= epsilon_of(0.5, 1e-3)


def test_margins_of_a_tree_lose_no_more_than_their_share():
    schema = shoal.read(pl.DataFrame({"a": [1], "b": [2]}), quasi=["a", "b"]).schema
    plan = PrivateTree({"a": "0..9", "b": "0..9"}, rho=3)._plan(schema)
    bound = epsilon_at_least(7 + drawn(plan.ones, True), 8 + drawn(plan.ones, False), delta=1e-3)
    assert 0.3 < bound <= epsilon_of(0.5, 1e-3)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_one_record_more_changes_each_score_of_a_pair_by_one_at_most(seed):
    random = np.random.default_rng(seed)
    table = random.integers(0, 6, (3, 4))
    more = table.copy()
    more[random.integers(3), random.integers(4)] += 1
    margins, total = [random.random(3) * 20, random.random(4) * 20], float(random.random() * 60)
    found = [scores({(0, 1): each}, margins, total)[0, 1] for each in (table, more)]
    assert abs(found[0] - found[1]) == 1


# What public implementations, and careless ones, do


def test_bounds_from_the_data_are_caught():
    """Declared bounds do not depend on anybody; those of the data put every value of one table at zero."""

    def broken(rows):
        reach = max(rows) - min(rows)
        noise = NoiseMechanism("laplace", max(reach, 1), max(reach, 1) / 1.0)
        return np.clip(sum(rows) + drawn(noise, rows is ONE, FEWER), 0, reach * len(rows))

    assert claims_too_little(broken(ONE), broken(OTHER), 1.0)


def test_noise_for_one_class_where_all_of_them_change_is_caught():
    """The bound of individual ranking does not hold for an order that looks at other columns."""
    random, noise = np.random.default_rng(2), NoiseMechanism("laplace", 10, 10.0)
    sides = [
        sum(total + random.permutation(drawn(noise, side, FEWER)) for total in sums)
        for side, sums in ((True, [0, 0, 0]), (False, [10, 10, 10]))
    ]
    assert claims_too_little(*sides, 1.0)


def test_the_classes_of_individual_ranking_put_together_are_caught():
    """How many records share the first classes of both columns is released without noise: it tells neighbours apart."""

    def shared(rows):
        places = [np.argsort(np.argsort(column, kind="stable")) // 2 for column in np.array(rows).T]
        return int(((places[0] == 0) & (places[1] == 0)).sum())

    one, other = ([(1, 1), (2, b), (8, 8), (9, 9)] for b in (2, 9))
    assert epsilon_at_least([shared(one)] * RUNS, [shared(other)] * RUNS) > 5


def test_noise_of_whole_numbers_is_exact():
    """Discrete Laplace noise of scale 2: P(0) = tanh(1/4), variance 7.835396; five deviations of 100,000 draws."""
    noise = drawn(NoiseMechanism("laplace", 1, 2.0), True)
    assert noise.dtype == np.int64
    zero = 0.2449187
    assert abs((noise == 0).mean() - zero) < 5 * (zero * (1 - zero) / RUNS) ** 0.5
    assert abs((noise.astype(float) ** 2).mean() - 7.835396) < 5 * (5.2 * 7.835396**2 / RUNS) ** 0.5
