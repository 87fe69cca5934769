"""Targeted record swapping keeps what it says, on random people, and leaves nobody out who had a donor."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.methods.perturbation.household_swapping import Households, pair


@st.composite
def people(draw):
    """Draw people in households: their places, what they stand out by, and what they agree in."""
    seed, households = draw(st.integers(0, 2**32)), draw(st.integers(2, 60))
    areas, kinds = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    random = np.random.default_rng(seed)
    of = np.repeat(np.arange(households), random.integers(1, 4, households))
    places = np.stack([random.integers(0, areas, households), random.integers(0, 3, households)], axis=1)[of]
    risk, alike = random.integers(0, kinds, (of.size, 2)), random.integers(0, 2, (of.size, 2))
    mixed = random.permutation(of.size)
    return seed, *(each[mixed].astype(np.int32) for each in (of, places, risk, alike))


def drawer(seed, households):
    return lambda purpose: np.random.default_rng([seed, purpose]).integers(0, 2**64, households, dtype=np.uint64)


def by_hand(of, places, risk, k):
    """Give the households at high risk at each level, person by person."""
    found = []
    for level in range(places.shape[1]):
        who = [(tuple(place[: level + 1]), tuple(kind)) for place, kind in zip(places, risk, strict=True)]
        counts = Counter(who)
        found.append({h for h, each in zip(of.tolist(), who, strict=True) if counts[each] < k})
    return found


@settings(max_examples=150)
@given(people(), st.integers(1, 5), st.floats(0, 1))
def test_households_swap_in_pairs_with_others_like_them_elsewhere(drawn, k, share):
    seed, of, places, risk, alike = drawn
    profiles = [alike, alike[:, :1]]
    all_of_them = Households.at(of, places, risk, profiles)
    pairs = pair(all_of_them, k, share, drawer(seed, all_of_them.size))
    partner, swapped = pairs.partner, np.flatnonzero(pairs.swapped)
    assert (partner[partner[swapped]] == swapped).all()
    members = {h: [sorted(map(tuple, p[of == h].tolist())) for p in profiles] for h in range(all_of_them.size)}
    home = {h: tuple(places[of == h][0].tolist()) for h in range(all_of_them.size)}
    assert all(members[h][1] == members[partner[h]][1] for h in swapped.tolist())
    assert all(home[h] != home[partner[h]] for h in swapped.tolist())
    now = {h: home[partner[h]] if pairs.swapped[h] else home[h] for h in home}
    for level in (1, 2):  # people by what all profiles have in common, in every area
        counts = [Counter((where[h][:level], str(members[h][1])) for h in home) for where in (home, now)]
        assert counts[0] == counts[1]
    at_risk = by_hand(of, places, risk, k)
    assert pairs.at_risk.tolist() == [len(each) for each in at_risk]
    for level, without in enumerate(pairs.without):
        assert set(without.tolist()) <= at_risk[level]
        for h in at_risk[level]:  # either it is swapped, out of its area here or above, or nobody is left for it
            moved = pairs.swapped[h]
            assert moved or h in without
            if h in without:
                left = [
                    d for d in home if members[d][1] == members[h][1] and home[d][: level + 1] != home[h][: level + 1]
                ]
                assert all(pairs.swapped[d] for d in left)
    if share:
        areas = all_of_them.areas[:, -1]
        shares = np.bincount(areas, pairs.swapped) / np.maximum(np.bincount(areas), 1)
        for h, place in home.items():  # who is not swapped lives where enough are, or has nobody to swap with
            area = all_of_them.areas[h, -1]
            donors = [d for d in home if members[d][1] == members[h][1] and home[d] != place and not pairs.swapped[d]]
            assert pairs.swapped[h] or shares[area] >= share - 1e-9 or not donors


def test_the_first_profile_in_which_somebody_agrees_decides():
    of = np.arange(4, dtype=np.int32)
    places = np.array([[0], [1], [1], [1]], np.int32)
    alike = np.array([[0, 0], [0, 1], [0, 0], [1, 0]], np.int32)
    risk = np.array([[0], [1], [1], [1]], np.int32)
    four = Households.at(of, places, risk, [alike, alike[:, :1]])
    for seed in range(20):
        assert pair(four, 2, 0, drawer(seed, 4)).partner.tolist() == [2, -1, 0, -1]


def test_donors_are_drawn_in_proportion_to_their_own_risk():
    """One household is alone in its place and looks for a donor: two are one of two there, and four one of four."""
    of, runs = np.arange(7, dtype=np.int32), 4000
    places = np.array([[0], *[[1]] * 6], np.int32)
    risk = np.array([[7], *[[0]] * 2, *[[1]] * 4], np.int32)
    seven = Households.at(of, places, risk, [np.zeros((7, 0), np.int32)])
    counts = Counter(int(pair(seven, 2, 0, drawer(seed, 7)).partner[0]) for seed in range(runs))
    for donor, chance in zip(range(1, 7), (0.25, 0.25, 0.125, 0.125, 0.125, 0.125), strict=True):
        assert abs(counts[donor] / runs - chance) < 5 * (chance * (1 - chance) / runs) ** 0.5


def test_nobody_swaps_where_there_is_nowhere_to_go():
    of = np.arange(5, dtype=np.int32)
    one_place = Households.at(of, np.zeros((5, 2), np.int32), of[:, None], [np.zeros((5, 0), np.int32)])
    pairs = pair(one_place, 3, 0.5, drawer(1, 5))
    assert not pairs.swapped.any()
    assert [each.tolist() for each in pairs.without] == [[0, 1, 2, 3, 4]] * 2


def test_a_name_of_a_place_may_stand_for_several_places():
    """A town of the same name in another region is another place."""
    of = np.arange(4, dtype=np.int32)
    places = np.array([[0, 5], [1, 5], [0, 5], [1, 5]], np.int32)
    four = Households.at(of, places, np.zeros((4, 1), np.int32), [np.zeros((4, 0), np.int32)])
    assert np.unique(four.areas[:, 1]).size == 2
    assert four.counts.tolist() == [[2, 2]] * 4
