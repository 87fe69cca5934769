"""Random numbers that are looked up: compared with NumPy's own generator, and with the definitions of their uses."""

import math
import statistics

import numpy as np
import pytest

from shoal.kernels.random_streams import (
    normal_quantiles,
    quantiles_at,
    random_words,
    swap_ranks,
    uniform,
)
from shoal.methods.perturbation.streams import Streams, fresh_seed, seed_of_step

KEY = np.array([0x0123456789ABCDEF, 0xFEDCBA9876543210], np.uint64)


def philox(key, block, draw):
    """Give four words of NumPy's generator, which counts up before it draws."""
    counter = (block + (draw << 64) - 1) % (1 << 256)
    words = [(counter >> 64 * i) % (1 << 64) for i in range(4)]
    return np.random.Philox(key=key, counter=np.array(words, np.uint64)).random_raw(4)


def test_words_are_those_of_philox():
    for draw in (0, 1, 7):
        expected = np.concatenate([philox(KEY, block, draw) for block in range(6)])
        assert (random_words(KEY, np.arange(24), draw) == expected).all()


def test_words_depend_on_the_number_of_the_record_alone():
    whole = random_words(KEY, np.arange(1000))
    some = np.random.Generator(np.random.PCG64(1)).permutation(1000)
    assert (random_words(KEY, some) == whole[some]).all()
    assert (random_words(KEY, np.arange(517, 640, dtype=np.int32)) == whole[517:640]).all()
    assert (random_words(np.array([1, 2], np.uint64), np.arange(1000)) != whole).all()


def test_normal_numbers_are_the_inverse_of_the_distribution():
    words = random_words(KEY, np.arange(2000))
    for share, found in zip(uniform(words).tolist(), normal_quantiles(words).tolist(), strict=True):
        assert found == pytest.approx(statistics.NormalDist().inv_cdf(share), rel=1e-12, abs=1e-15)
    ends = normal_quantiles(np.array([0, 2**64 - 1], np.uint64))
    assert ends[0] == -ends[1] == pytest.approx(-8.209536151601387, rel=1e-14)
    assert quantiles_at(np.array([0.25, 0.5])).tolist() == pytest.approx([-0.6744897501960817, 0.0], abs=1e-15)


def test_normal_numbers_have_the_moments_of_their_distribution():
    """Five deviations of each estimate, over numbers that never change."""
    n = 1_000_000
    found = normal_quantiles(random_words(KEY, np.arange(n)))
    for power, (expected, variance) in {1: (0, 1), 2: (1, 2), 3: (0, 15), 4: (3, 96)}.items():
        assert abs((found**power).mean() - expected) < 5 * math.sqrt(variance / n)
    assert abs((found[1:] * found[:-1]).mean()) < 5 / math.sqrt(n)


def test_ranks_change_places_in_pairs_within_their_window():
    for n in range(12):
        for window in range(1, 6):
            found = swap_ranks(np.array([n, window], np.uint64), n, window)
            assert (found[found] == np.arange(n)).all()
            assert (np.abs(found - np.arange(n)) <= window).all()
            alone = np.flatnonzero(found == np.arange(n))
            assert (np.diff(alone) > window).all()  # or else they would have found each other
        far = swap_ranks(np.array([n, 0], np.uint64), n, scale=0.5)
        assert (far[far] == np.arange(n)).all()
        assert (far == np.arange(n)).sum() == n % 2


def test_a_rank_finds_each_that_it_can_reach_equally_often():
    """The lowest rank chooses among five, the next among those that are left: as a plain program does it."""
    runs = 6000
    firsts = np.bincount([swap_ranks(np.array([s, 5], np.uint64), 20, 5)[0] for s in range(runs)], minlength=6)
    assert firsts[0] == 0
    assert (np.abs(firsts[1:] - runs / 5) < 5 * math.sqrt(runs * 0.16)).all()
    draw = np.random.Generator(np.random.PCG64(2))
    moves = np.array(
        [np.abs(swap_ranks(np.array([s, 9], np.uint64), 60, 7) - np.arange(60)).mean() for s in range(500)]
    )
    plain = np.array([np.abs(plainly(draw, 60, 7) - np.arange(60)).mean() for _ in range(500)])
    assert abs(moves.mean() - plain.mean()) < 5 * math.sqrt((moves.var() + plain.var()) / 500)


def plainly(draw, n, window):
    """Swap ranks as the definition says."""
    found = np.arange(n)
    for i in range(n):
        free = [j for j in range(i + 1, min(i + window, n - 1) + 1) if found[j] == j]
        if found[i] == i and free:
            j = free[draw.integers(len(free))]
            found[i], found[j] = j, i
    return found


def test_distances_without_a_window_are_geometric():
    n = 4000
    firsts = np.array([swap_ranks(np.array([s, 3], np.uint64), n, scale=100.0)[0] for s in range(2000)])
    mean = 1 / (1 - math.exp(-0.01))
    assert abs(firsts.mean() - mean) < 5 * mean / math.sqrt(2000)
    assert firsts.max() > 500


def test_streams_differ_by_seed_step_and_name():
    keys = [
        Streams(seed).key(*name).tobytes() for seed in (0, 1, 2**127) for name in (("a",), ("b",), ("a", 1), ("a1",))
    ]
    assert len(set(keys)) == len(keys)
    assert Streams(5).key("a").tobytes() == Streams(5).key("a").tobytes()
    assert seed_of_step(5, 0) not in (5, seed_of_step(5, 1), seed_of_step(6, 0))
    assert fresh_seed() != fresh_seed()
