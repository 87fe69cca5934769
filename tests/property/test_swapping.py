"""Records that change places between classes: nobody is lost, boxes shrink, and no class gets too far."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property.independent import ordered_distance

import shoal
from shoal.kernels.closeness import ordered_distance as distances
from shoal.kernels.swapping import Spread, SwapEffort, swap_records
from shoal.methods.search.stratified_classes import strata_needed, strata_of
from shoal_paper.datasets.discharges import discharges

HARD = SwapEffort(block=8, passes=3, worth=0.0)


def boxes(rows, seats, full):
    return np.sqrt((np.minimum(rows[seats].max(1) - rows[seats].min(1), full) ** 2).sum(1))


@given(
    st.integers(2, 12), st.integers(2, 5), st.integers(1, 9), st.sampled_from([0.05, 0.1, 0.2, 0.4]), st.integers(0, 9)
)
def test_swapping_keeps_everybody_shrinks_boxes_and_leaves_no_class_farther(groups, size, bins, t, seed):
    draw = np.random.Generator(np.random.PCG64(seed))
    rows = draw.integers(0, 5, (groups * size, 4)).astype(np.float32)
    full = np.full(4, 3.0, np.float32)
    values = draw.integers(0, bins, len(rows)).astype(np.int32)
    values[:bins] = np.arange(min(bins, len(rows)))[: len(values[:bins])]
    seats = draw.permutation(len(rows)).astype(np.int32).reshape(groups, size)
    counts = np.bincount(values, minlength=bins).astype(np.int64)
    starts = np.arange(0, len(rows) + 1, size, dtype=np.int64)
    found = swap_records(rows, full, (seats.reshape(-1), starts), Spread(values, counts, t), HARD).reshape(groups, size)
    assert sorted(found.reshape(-1).tolist()) == list(range(len(rows)))

    def far(line):
        return ordered_distance(values[line].tolist(), values.tolist())

    before, after = [far(line) for line in seats], [far(line) for line in found]
    assert all(now <= max(t, then) + 1e-12 for then, now in zip(before, after, strict=True))
    if max(before) <= t:  # nobody has to pay for coming nearer
        assert boxes(rows, found, full).sum() <= boxes(rows, seats, full).sum() + 1e-3


def test_classes_that_are_too_far_come_nearer():
    draw = np.random.Generator(np.random.PCG64(5))
    rows = draw.normal(size=(2000, 4)).astype(np.float32)
    tenths = draw.permuted(np.arange(2000, dtype=np.int32).reshape(10, 200), axis=1)
    seats = np.ascontiguousarray(tenths.T)  # one record from each tenth, but for twenty classes, which have any
    draw.shuffle(seats.reshape(-1)[:200])
    spread = Spread(np.arange(2000, dtype=np.int32), np.ones(2000, np.int64), 0.06)
    starts = np.arange(0, 2001, 10)
    members = seats.reshape(-1), starts
    found = swap_records(rows, np.full(4, 9, np.float32), members, spread, SwapEffort(32, 4, 0.5)).reshape(-1, 10)
    far = [(distances(spread.bins[line].reshape(-1), starts, spread.counts) > 0.06).sum() for line in (seats, found)]
    assert far[0] > 10
    assert far[1] == 0


@pytest.mark.parametrize(("rows", "strata"), [(20, 5), (23, 5), (24, 4), (7, 7), (11, 4)])
def test_what_is_left_over_lies_amid_the_strata(rows, strata):
    groups = rows // strata
    found = strata_of(np.arange(rows, dtype=np.int32), rows, strata, groups)
    assert np.bincount(found + 1, minlength=strata + 1).tolist() == [rows - strata * groups] + strata * [groups]
    kept = found[found >= 0]
    assert (np.diff(kept) >= 0).all()
    over = np.flatnonzero(found < 0)
    assert over.size == 0 or rows // 4 <= over.mean() <= rows * 3 // 4


def test_a_looser_t_needs_fewer_strata():
    assert [strata_needed(t, 10) for t in (0.03, 0.05, 0.1, 0.2, 0.3)] == [10, 10, 2, 2, 1]
    assert [strata_needed(t, 5) for t in (0.1, 0.2)] == [5, 5]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "t", "distance"),
    [(5, 0.1, "ordered-records"), (10, 0.05, "ordered-distinct"), (3, 0.15, "ordered-records")],
)
def test_on_discharges_hilbert_loses_less_than_half_of_what_algorithm_s4_does(some_discharges, k, t, distance):
    models = [shoal.models.KAnonymity(k), shoal.models.TCloseness(t, "charge", distance)]
    losses = []
    for method in (shoal.methods.Hilbert(), shoal.methods.StratifiedClusters()):
        released = method.apply(some_discharges, models, 0)
        assert all(verdict.holds for verdict in shoal.models.check(released, models))
        losses.append(shoal.score(some_discharges, released, measures=[shoal.measures.InformationLoss()])[0].value)
    assert losses[0] < 0.48 * losses[1]


@pytest.fixture(scope="module")
def some_discharges():
    return discharges(200_000)
