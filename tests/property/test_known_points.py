"""The attack by known points, against brute force over all sets of points of small random traces."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ParameterError
from shoal.measures.reidentification.known_points import InvertedLists, attack


def flat(sets):
    """Give sets of labels as offsets and labels."""
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    return offsets, np.array([label for each in sets for label in sorted(each)], np.int32)


def brute(known, released, points):
    """Give people, share of unique and of lost sets, and the smallest set of candidates, one set after the other."""
    unique, lost, sizes = [], [], []
    for trace in known:
        sets = list(itertools.combinations(trace, points))
        if not sets:
            continue
        counts = [sum(set(some) <= other for other in released) for some in sets]
        unique.append(Fraction(counts.count(1), len(sets)))
        lost.append(Fraction(counts.count(0), len(sets)))
        sizes += [count for count in counts if count]
    people = len(unique)
    return people, *(float(sum(each) / people) if people else 0.0 for each in (unique, lost)), min(sizes, default=0)


people = st.lists(st.sets(st.integers(0, 7), max_size=6), min_size=1, max_size=12)


@given(people, st.integers(1, 5))
def test_the_attack_on_the_table_itself_counts_every_set(traces, points):
    found = attack(*flat(traces), InvertedLists.of(*flat(traces), 8), points)
    expected = brute([sorted(trace) for trace in traces], traces, points)
    assert found.exact
    assert (found.people, found.unique, found.not_found, found.smallest) == pytest.approx(expected, abs=1e-12)
    assert found.not_found == 0
    assert found.lower == found.unique == found.upper


@given(people, st.lists(st.lists(st.integers(0, 7), max_size=6), min_size=1, max_size=8), st.integers(1, 4))
def test_a_release_is_searched_for_points_that_may_be_alike_or_gone(released, known, points):
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in known])]).astype(np.int64)
    labels = np.array([label for each in known for label in each], np.int32)
    found = attack(offsets, labels, InvertedLists.of(*flat(released), 8), points)
    expected = brute(known, released, points)
    assert (found.people, found.unique, found.not_found, found.smallest) == pytest.approx(expected, abs=1e-12)


@given(people, st.integers(2, 4))
def test_a_sample_of_sets_finds_what_each_set_has(traces, points):
    """People whose sets are all alike in what they find leave nothing to chance."""
    whole = [trace for trace in traces if len(trace) == points] or [set(range(points))]
    exact = attack(*flat(whole), InvertedLists.of(*flat(whole), 8), points)
    drawn = attack(*flat(whole), InvertedLists.of(*flat(whole), 8), points, effort=0)
    assert not drawn.exact
    assert (drawn.people, drawn.smallest) == (exact.people, exact.smallest)
    assert (drawn.unique, drawn.not_found) == pytest.approx((exact.unique, exact.not_found))
    half = 1.959963984540054 * math.sqrt(drawn.unique * (1 - drawn.unique) / drawn.people)
    assert (drawn.lower, drawn.upper) == pytest.approx((max(drawn.unique - half, 0), min(drawn.unique + half, 1)))


def test_long_traces_take_more_than_one_word_and_a_sample_is_near_the_truth():
    generator = np.random.default_rng(4)
    common = generator.integers(0, 900, size=(300, 80))
    traces = [set(row.tolist()) for row in common]
    arrays = flat(traces)
    holders = InvertedLists.of(*arrays, 900)
    for points in (2, 3):
        exact = attack(*arrays, holders, points)
        assert exact.exact
        supports = {}
        if points == 2:
            for trace in traces:
                for pair in itertools.combinations(sorted(trace), 2):
                    supports[pair] = supports.get(pair, 0) + 1
            assert exact.smallest == min(supports.values())
        drawn = [attack(*arrays, holders, points, effort=0, sample=200, seed=seed) for seed in range(20)]
        assert [each.people for each in drawn] == [200] * 20
        inside = sum(each.lower <= exact.unique <= each.upper for each in drawn)
        assert inside >= 16, points


def test_known_points_are_a_small_whole_number():
    arrays = flat([{1}])
    for wrong in (0, 65, True, 1.5):
        with pytest.raises(ParameterError, match="whole number from 1 to 64"):
            attack(*arrays, InvertedLists.of(*arrays, 2), wrong)


def test_by_hand():
    """Milk and beer, milk and wine, tea and beer, milk and beer."""
    arrays = flat([{0, 2}, {0, 3}, {1, 2}, {0, 2}])
    shares = [attack(*arrays, InvertedLists.of(*arrays, 4), points).unique for points in (1, 2, 3)]
    assert shares == [0.25, 0.5, 0.0]
