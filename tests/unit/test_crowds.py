"""Crowds and settling on small tables worked by hand."""

import itertools

import numpy as np
import pytest

from shoal.errors import InternalError
from shoal.kernels.constraints import Kind, Promise, Promises
from shoal.kernels.lattice import Ladder, cheapest_steps, crowds, settle
from shoal.kernels.partition import Costs, Prepared

NONE = np.empty(0, np.int64)


def ladder(codes, *rungs, prices):
    return Ladder(np.array(codes, np.int32), np.array(rungs, np.int32), np.array(prices, float))


def promised(n, k, *promises, persons=None):
    """Say what is promised: pairs of a promise and the bins of the rows."""
    codes = np.array([bins for _, bins in promises], np.int32).reshape(len(promises), n).T
    whose = None if persons is None else np.array(persons, np.int32)
    return Promises(k, whose, tuple(promise for promise, _ in promises), np.ascontiguousarray(codes))


def groups(labels):
    return sorted(np.flatnonzero(labels == label).tolist() for label in set(labels.tolist()) - {-1})


def steps_by_hand(prices):
    all_steps = itertools.product(*(range(len(column)) for column in prices))
    return sorted(sum(column[rung] for column, rung in zip(prices, step, strict=True)) for step in all_steps)


def test_the_cheapest_steps_come_first_and_none_is_left_out():
    prices = [[0, 0.2, 1], [0, 0.5], [0, 0.1, 0.3, 0.9]]
    ladders = [ladder([0], *([0] for _ in column), prices=column) for column in prices]
    steps = cheapest_steps(ladders, 100)
    sums = [sum(column[rung] for column, rung in zip(prices, step, strict=True)) for step in steps.tolist()]
    assert sums == pytest.approx(steps_by_hand(prices))
    assert len({tuple(step) for step in steps.tolist()}) == 24


def test_where_steps_are_too_many_the_way_still_leads_from_the_first_to_the_last():
    prices = np.array([0, 0.1, 0.4, 0.5, 1])
    ladders = [ladder([0], *([0] for _ in prices), prices=prices) for _ in range(3)]
    steps = cheapest_steps(ladders, 60)
    sums = prices[steps].sum(axis=1)
    assert len(steps) <= 60
    assert (np.diff(sums) >= -1e-12).all()
    assert sums[:30] == pytest.approx(steps_by_hand([prices.tolist()] * 3)[:30])
    assert steps[-1].tolist() == [4, 4, 4]
    assert set(steps[30:].reshape(-1).tolist()) <= {0, 2, 4}
    assert len(cheapest_steps(ladders, 4)) <= 4


def test_crowds_are_found_where_they_cost_least():
    # Values 0 and 1 have one parent, 2 and 3 another.
    one = ladder([0, 0, 0, 1, 2, 3, 1], [0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0], prices=[0, 0.3, 1])
    labels, number = crowds([one], cheapest_steps([one], 99), promised(7, 2), 999)
    assert groups(labels) == [[0, 1, 2], [3, 6], [4, 5]]
    assert number == 3
    labels, _ = crowds([one], cheapest_steps([one], 99), promised(7, 3), 999)
    assert groups(labels) == [[0, 1, 2], [3, 4, 5, 6]]
    labels, number = crowds([one], cheapest_steps([one], 1), promised(7, 3), 999)
    assert (groups(labels), number) == ([[0, 1, 2]], 1)


def test_a_crowd_of_one_person_is_none():
    one = ladder([0] * 4, [0], prices=[0])
    steps = cheapest_steps([one], 9)
    assert crowds([one], steps, promised(4, 2, persons=[0, 0, 0, 0]), 99)[1] == 0
    assert crowds([one], steps, promised(4, 2, persons=[0, 0, 1, 0]), 99)[1] == 1


def test_what_stands_in_the_way_of_a_promise_is_left_out():
    bins = [0, 0, 0, 0, 1, 1]
    one = ladder([0] * 6, [0], prices=[0])
    steps = cheapest_steps([one], 9)
    share = Promise(Kind.SHARE, 0.5, np.array([4, 2, 0]))
    labels, _ = crowds([one], steps, promised(6, 2, (share, bins)), 99)
    assert np.bincount(np.array(bins)[labels == 0]).tolist() == [2, 2]
    close = Promise(Kind.VARIATION, 0.2, np.array([50, 50]))
    labels, _ = crowds([one], steps, promised(6, 2, (close, bins)), 99)
    assert np.bincount(np.array(bins)[labels == 0]).tolist() == [4, 2]
    alike = Promise(Kind.DISTINCT, 3.0, np.array([4, 2, 0]))
    assert crowds([one], steps, promised(6, 2, (alike, bins)), 99)[1] == 0


@pytest.mark.parametrize(
    ("kind", "level", "factor", "enough"),
    [(Kind.ENTROPY, 1.9, 1, 5), (Kind.RECURSIVE, 2, 1.5, 4), (Kind.DISTINCT, 2, 1, 6), (Kind.SHARE, 0.5, 1, 4)],
)
def test_cells_without_a_value_count_to_the_most_frequent_one(kind, level, factor, enough):
    one = ladder([0] * 6, [0], prices=[0])
    bins = [0, 0, 0, 1, 1, 2]  # the last bin is that of cells without a value
    promise = Promise(kind, level, np.array([3, 2, 0]), factor)
    labels, _ = crowds([one], cheapest_steps([one], 9), promised(6, 2, (promise, bins)), 99)
    assert int((labels == 0).sum()) == enough


@pytest.mark.parametrize(
    ("kind", "level", "factor", "persons", "left"),
    [
        # Four rows of one person with the same value are one, against two people with the other.
        (Kind.SHARE, 0.5, 1, [0, 0, 0, 0, 1, 2], [4, 1]),
        (Kind.VARIATION, 0.2, 1, [0, 0, 0, 0, 1, 2], [4, 2]),
        (Kind.RECURSIVE, 2, 2.5, [0, 0, 0, 0, 1, 2], [4, 2]),
        # All people have the first value: whatever else they have, no part of them is diverse.
        (Kind.ENTROPY, 1.1, 1, [0, 0, 1, 1, 0, 1], []),
        (Kind.RECURSIVE, 2, 9, [0, 0, 1, 1, 0, 1], []),
        (Kind.DISTINCT, 2, 1, [0, 0, 1, 1, 0, 1], []),
        (Kind.SHARE, 0.9, 1, [0, 0, 1, 1, 0, 1], []),
    ],
)
def test_people_count_once_for_each_value(kind, level, factor, persons, left):
    bins = [0, 0, 0, 0, 1, 1]
    one = ladder([0] * 6, [0], prices=[0])
    promise = Promise(kind, level, np.array([50, 50] if kind is Kind.VARIATION else [1, 2, 0]), factor)
    labels, _ = crowds([one], cheapest_steps([one], 9), promised(6, 2, (promise, bins), persons=persons), 99)
    assert np.bincount(np.array(bins)[labels == 0]).tolist() == left


def ready(values, *, squared=False):
    cells = np.array(values, np.int32).reshape(len(values), -1)
    wide = cells.shape[1]
    low, high = cells.min(axis=0).astype(float), cells.max(axis=0).astype(float)
    costs = Costs(1 / np.maximum(high - low, 1), low, high, NONE, NONE, squared=squared)
    return Prepared.of(cells, cells, np.zeros(1), np.full(wide, -1, np.int64), costs)


def test_records_go_where_they_cost_least_and_classes_are_given_up():
    rows = ready([0, 1, 2, 1, 9, 10, 8, 2])
    start = np.array([0, 0, 0, 1, 1, 1, 1, 0], np.int32)
    labels, cost = settle(rows, start, 2, promised(8, 3), 9)
    assert groups(labels) == [[0, 1, 2, 3, 7], [4, 5, 6]]
    assert cost == pytest.approx(8 * 0.2)
    labels, _ = settle(rows, np.array([0, 0, 0, 1, 2, 2, 2, 1], np.int32), 3, promised(8, 2), 9)
    assert groups(labels) == [[0, 2], [1, 3, 7], [4, 5, 6]]  # what fits into the narrow one goes there


def test_records_without_a_class_are_taken_in_where_promises_allow():
    rows = ready([0, 1, 9, 10, 1])
    start = np.array([0, 0, 1, 1, -1], np.int32)
    labels, _ = settle(rows, start, 2, promised(5, 2), 3)
    assert groups(labels) == [[0, 1, 4], [2, 3]]
    share = Promise(Kind.SHARE, 0.5, np.array([3, 2, 0]))
    bins = [0, 1, 0, 1, 0]
    labels, _ = settle(rows, start, 2, promised(5, 2, (share, bins)), 3)
    assert labels.tolist() == [0, 0, 0, 0, 0]  # half of a class is the most there may be, and three of five are more


def test_records_that_fit_nowhere_gather_others_until_promises_hold():
    rows = ready([0, 0, 5, 5, 5, 9, 9])
    start = np.array([0, 0, -1, -1, 1, 1, 1], np.int32)
    bins = [0, 1, 0, 0, 0, 1, 1]
    share = Promise(Kind.SHARE, 0.67, np.array([4, 3, 0]))
    labels, _ = settle(rows, start, 2, promised(7, 2, (share, bins)), 3)
    for group in groups(labels):
        assert np.bincount(np.array(bins)[group]).max() / len(group) <= 0.67
    assert (labels >= 0).all()


def test_a_class_that_lost_all_its_records_takes_none_in():
    rows = ready([0, 0, 9, 9])
    share = Promise(Kind.SHARE, 0.5, np.array([3, 1, 0]))
    start = np.array([0, 0, 1, 1], np.int32)
    labels, _ = settle(rows, start, 2, promised(4, 2, (share, [0, 0, 0, 1])), 3)
    assert groups(labels) == [[0, 1, 2, 3]]  # no promise is left that could be kept


def test_a_start_that_is_not_bearable_is_given_up():
    rows = ready([0, 1, 2, 3])
    share = Promise(Kind.SHARE, 0.5, np.array([4, 0]))
    everyone = promised(4, 2, (share, [0, 0, 0, 0]))
    assert settle(rows, np.zeros(4, np.int32), 1, everyone, 3, 0.5)[1] == np.inf


def test_rows_that_do_not_fit_together_are_refused():
    one = ladder([0, 0], [0], prices=[0])
    with pytest.raises(InternalError, match="fit together"):
        crowds([one], np.zeros((1, 1), np.uint8), promised(3, 2), 9)
