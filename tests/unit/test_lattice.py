"""The generalization lattice and reassignment on small tables worked by hand."""

import itertools

import numpy as np
import pytest

from shoal.errors import InternalError
from shoal.kernels.constraints import Constraint, ConstraintKind, Constraints
from shoal.kernels.lattice import ColumnLevels, cheapest_nodes, classes_at_nodes, reassign
from shoal.kernels.partition import Costs, Prepared

NONE = np.empty(0, np.int64)


def levels_of(codes, *levels, prices):
    return ColumnLevels(np.array(codes, np.int32), np.array(levels, np.int32), np.array(prices, float))


def constrained(n, k, *given, persons=None):
    """Give constraints: pairs of one and the bins of the rows."""
    codes = np.array([bins for _, bins in given], np.int32).reshape(len(given), n).T
    whose = None if persons is None else np.array(persons, np.int32)
    return Constraints(k, whose, tuple(constraint for constraint, _ in given), np.ascontiguousarray(codes))


def groups(labels):
    return sorted(np.flatnonzero(labels == label).tolist() for label in set(labels.tolist()) - {-1})


def nodes_by_hand(prices):
    all_nodes = itertools.product(*(range(len(column)) for column in prices))
    return sorted(sum(column[level] for column, level in zip(prices, node, strict=True)) for node in all_nodes)


def test_the_cheapest_nodes_come_first_and_none_is_left_out():
    prices = [[0, 0.2, 1], [0, 0.5], [0, 0.1, 0.3, 0.9]]
    columns = [levels_of([0], *([0] for _ in column), prices=column) for column in prices]
    nodes = cheapest_nodes(columns, 100)
    sums = [sum(column[level] for column, level in zip(prices, node, strict=True)) for node in nodes.tolist()]
    assert sums == pytest.approx(nodes_by_hand(prices))
    assert len({tuple(node) for node in nodes.tolist()}) == 24


def test_where_nodes_are_too_many_the_way_still_leads_from_the_first_to_the_last():
    prices = np.array([0, 0.1, 0.4, 0.5, 1])
    columns = [levels_of([0], *([0] for _ in prices), prices=prices) for _ in range(3)]
    nodes = cheapest_nodes(columns, 60)
    sums = prices[nodes].sum(axis=1)
    assert len(nodes) <= 60
    assert (np.diff(sums) >= -1e-12).all()
    assert sums[:30] == pytest.approx(nodes_by_hand([prices.tolist()] * 3)[:30])
    assert nodes[-1].tolist() == [4, 4, 4]
    assert set(nodes[30:].reshape(-1).tolist()) <= {0, 2, 4}
    assert len(cheapest_nodes(columns, 4)) <= 4


def test_classes_are_found_where_they_cost_least():
    # Values 0 and 1 have one parent, 2 and 3 another.
    one = levels_of([0, 0, 0, 1, 2, 3, 1], [0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0], prices=[0, 0.3, 1])
    labels, number = classes_at_nodes([one], cheapest_nodes([one], 99), constrained(7, 2), 999)
    assert groups(labels) == [[0, 1, 2], [3, 6], [4, 5]]
    assert number == 3
    labels, _ = classes_at_nodes([one], cheapest_nodes([one], 99), constrained(7, 3), 999)
    assert groups(labels) == [[0, 1, 2], [3, 4, 5, 6]]
    labels, number = classes_at_nodes([one], cheapest_nodes([one], 1), constrained(7, 3), 999)
    assert (groups(labels), number) == ([[0, 1, 2]], 1)


def test_records_of_one_person_are_no_class():
    one = levels_of([0] * 4, [0], prices=[0])
    nodes = cheapest_nodes([one], 9)
    assert classes_at_nodes([one], nodes, constrained(4, 2, persons=[0, 0, 0, 0]), 99)[1] == 0
    assert classes_at_nodes([one], nodes, constrained(4, 2, persons=[0, 0, 1, 0]), 99)[1] == 1


def test_what_stands_in_the_way_of_a_constraint_is_left_out():
    bins = [0, 0, 0, 0, 1, 1]
    one = levels_of([0] * 6, [0], prices=[0])
    nodes = cheapest_nodes([one], 9)
    share = Constraint(ConstraintKind.SHARE, 0.5, np.array([4, 2, 0]))
    labels, _ = classes_at_nodes([one], nodes, constrained(6, 2, (share, bins)), 99)
    assert np.bincount(np.array(bins)[labels == 0]).tolist() == [2, 2]
    close = Constraint(ConstraintKind.VARIATION, 0.2, np.array([50, 50]))
    labels, _ = classes_at_nodes([one], nodes, constrained(6, 2, (close, bins)), 99)
    assert np.bincount(np.array(bins)[labels == 0]).tolist() == [4, 2]
    alike = Constraint(ConstraintKind.DISTINCT, 3.0, np.array([4, 2, 0]))
    assert classes_at_nodes([one], nodes, constrained(6, 2, (alike, bins)), 99)[1] == 0


@pytest.mark.parametrize(
    ("kind", "level", "factor", "enough"),
    [
        (ConstraintKind.ENTROPY, 1.9, 1, 5),
        (ConstraintKind.RECURSIVE, 2, 1.5, 4),
        (ConstraintKind.DISTINCT, 2, 1, 6),
        (ConstraintKind.SHARE, 0.5, 1, 4),
    ],
)
def test_cells_without_a_value_count_to_the_most_frequent_one(kind, level, factor, enough):
    one = levels_of([0] * 6, [0], prices=[0])
    bins = [0, 0, 0, 1, 1, 2]  # the last bin is that of cells without a value
    constraint = Constraint(kind, level, np.array([3, 2, 0]), factor)
    labels, _ = classes_at_nodes([one], cheapest_nodes([one], 9), constrained(6, 2, (constraint, bins)), 99)
    assert int((labels == 0).sum()) == enough


@pytest.mark.parametrize(
    ("kind", "level", "factor", "persons", "left"),
    [
        # Four rows of one person with the same value are one, against two people with the other.
        (ConstraintKind.SHARE, 0.5, 1, [0, 0, 0, 0, 1, 2], [4, 1]),
        (ConstraintKind.VARIATION, 0.2, 1, [0, 0, 0, 0, 1, 2], [4, 2]),
        (ConstraintKind.RECURSIVE, 2, 2.5, [0, 0, 0, 0, 1, 2], [4, 2]),
        # All people have the first value: whatever else they have, no part of them is diverse.
        (ConstraintKind.ENTROPY, 1.1, 1, [0, 0, 1, 1, 0, 1], []),
        (ConstraintKind.RECURSIVE, 2, 9, [0, 0, 1, 1, 0, 1], []),
        (ConstraintKind.DISTINCT, 2, 1, [0, 0, 1, 1, 0, 1], []),
        (ConstraintKind.SHARE, 0.9, 1, [0, 0, 1, 1, 0, 1], []),
    ],
)
def test_people_count_once_for_each_value(kind, level, factor, persons, left):
    bins = [0, 0, 0, 0, 1, 1]
    one = levels_of([0] * 6, [0], prices=[0])
    constraint = Constraint(kind, level, np.array([50, 50] if kind is ConstraintKind.VARIATION else [1, 2, 0]), factor)
    labels, _ = classes_at_nodes(
        [one], cheapest_nodes([one], 9), constrained(6, 2, (constraint, bins), persons=persons), 99
    )
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
    labels, cost = reassign(rows, start, 2, constrained(8, 3), 9)
    assert groups(labels) == [[0, 1, 2, 3, 7], [4, 5, 6]]
    assert cost == pytest.approx(8 * 0.2)
    labels, _ = reassign(rows, np.array([0, 0, 0, 1, 2, 2, 2, 1], np.int32), 3, constrained(8, 2), 9)
    assert groups(labels) == [[0, 2], [1, 3, 7], [4, 5, 6]]  # what fits into the narrow one goes there


def test_records_without_a_class_are_taken_in_where_constraints_allow():
    rows = ready([0, 1, 9, 10, 1])
    start = np.array([0, 0, 1, 1, -1], np.int32)
    labels, _ = reassign(rows, start, 2, constrained(5, 2), 3)
    assert groups(labels) == [[0, 1, 4], [2, 3]]
    share = Constraint(ConstraintKind.SHARE, 0.5, np.array([3, 2, 0]))
    bins = [0, 1, 0, 1, 0]
    labels, _ = reassign(rows, start, 2, constrained(5, 2, (share, bins)), 3)
    assert labels.tolist() == [0, 0, 0, 0, 0]  # half of a class is the most there may be, and three of five are more


def test_records_that_fit_nowhere_gather_others_until_constraints_hold():
    rows = ready([0, 0, 5, 5, 5, 9, 9])
    start = np.array([0, 0, -1, -1, 1, 1, 1], np.int32)
    bins = [0, 1, 0, 0, 0, 1, 1]
    share = Constraint(ConstraintKind.SHARE, 0.67, np.array([4, 3, 0]))
    labels, _ = reassign(rows, start, 2, constrained(7, 2, (share, bins)), 3)
    for group in groups(labels):
        assert np.bincount(np.array(bins)[group]).max() / len(group) <= 0.67
    assert (labels >= 0).all()


def test_a_class_that_lost_all_its_records_takes_none_in():
    rows = ready([0, 0, 9, 9])
    share = Constraint(ConstraintKind.SHARE, 0.5, np.array([3, 1, 0]))
    start = np.array([0, 0, 1, 1], np.int32)
    labels, _ = reassign(rows, start, 2, constrained(4, 2, (share, [0, 0, 0, 1])), 3)
    assert groups(labels) == [[0, 1, 2, 3]]  # no constraint is left that could be kept


def test_a_start_that_is_not_bearable_is_given_up():
    rows = ready([0, 1, 2, 3])
    share = Constraint(ConstraintKind.SHARE, 0.5, np.array([4, 0]))
    everyone = constrained(4, 2, (share, [0, 0, 0, 0]))
    assert reassign(rows, np.zeros(4, np.int32), 1, everyone, 3, 0.5)[1] == np.inf


def test_rows_that_do_not_fit_together_are_refused():
    one = levels_of([0, 0], [0], prices=[0])
    with pytest.raises(InternalError, match="fit together"):
        classes_at_nodes([one], np.zeros((1, 1), np.uint8), constrained(3, 2), 9)
