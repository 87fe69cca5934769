"""Transition matrices of PRAM, their estimator, and controlled rounding: known answers, and every matrix."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from public_files import find

from shoal.errors import DataError
from shoal.kernels.controlled_rounding import round_controlled
from shoal.kernels.transitions import draw_transitions, running_sums
from shoal.methods.perturbation.transition_matrices import (
    change_share,
    estimable,
    estimate,
    even,
    invariant,
    milder,
)

COUNTS = st.lists(st.integers(1, 500), min_size=1, max_size=7).map(np.array)


def test_the_invariant_matrix_is_the_one_worked_out_by_hand():
    matrix = invariant(np.array([50, 30, 20]), even(3, 0.8))
    assert matrix.diagonal() == pytest.approx([0.748073476702509, 0.638521505376344, 0.544229390681004], abs=1e-15)
    assert matrix[0] == pytest.approx([0.748073476702509, 0.143252688172043, 0.108673835125448], abs=1e-15)


def test_rare_categories_hardly_survive_unless_it_is_asked_for(tmp_path):
    path = find("census/testdata.csv", tmp_path)
    counts = pl.read_csv(path)["roof"].value_counts().sort("roof")["count"].to_numpy()
    assert counts.tolist() == [814, 3697, 19, 34, 16]
    matrix = invariant(counts, even(5, 0.8))
    assert matrix.diagonal().round(6).tolist() == [0.646044, 0.911906, 0.050446, 0.086333, 0.042872]
    kept = milder(matrix, 0.9)
    assert kept.diagonal().min() == pytest.approx(0.9)
    assert counts @ kept == pytest.approx(counts)


def test_a_mixture_keeps_what_is_asked_for_and_never_more_change_than_there_was():
    matrix = invariant(np.array([50, 30, 20]), even(3, 0.8))
    assert change_share(float(matrix.diagonal().min()), 0.9) == pytest.approx(0.21940861906, abs=1e-11)
    assert milder(matrix, 0.9).diagonal().min() == pytest.approx(0.9, abs=1e-15)
    assert milder(matrix, 0.3) is matrix
    assert milder(matrix, None) is matrix
    assert milder(matrix, 1.0) == pytest.approx(np.eye(3))


@given(COUNTS, st.floats(0.01, 1), st.floats(0.01, 1))
def test_an_invariant_matrix_leaves_counts_as_they_are_on_average(counts, stay, keep):
    matrix = milder(invariant(counts, even(counts.size, stay)), keep)
    assert (matrix >= 0).all()
    assert matrix.sum(axis=1) == pytest.approx(1)
    assert counts @ matrix == pytest.approx(counts, rel=1e-12)
    assert matrix.diagonal().min() >= min(keep, invariant(counts, even(counts.size, stay)).diagonal().min()) - 1e-12


def test_a_category_that_nothing_becomes_is_no_origin():
    matrix = np.array([[0.0, 1.0], [0.0, 1.0]])
    assert invariant(np.array([10, 30]), matrix).tolist() == [[0.25, 0.75], [0.25, 0.75]]


@given(COUNTS, st.floats(0.6, 1))
def test_original_counts_are_estimated_from_expected_ones(counts, stay):
    matrix = even(counts.size, stay)
    assert estimate(counts @ matrix, matrix).counts == pytest.approx(counts, rel=1e-6)


def test_an_estimate_has_the_error_that_draws_show():
    matrix, counts = even(3, 0.7), np.array([500, 300, 200])
    draw = np.random.default_rng(4)
    drawn = sum(draw.multinomial(n, row, 3000) for n, row in zip(counts, matrix, strict=True))
    found = [estimate(each, matrix) for each in drawn]
    errors = estimate(counts @ matrix, matrix).errors
    spread = np.std([each.counts for each in found], axis=0, ddof=1)
    assert np.abs(np.mean([each.counts for each in found], axis=0) - counts).max() < 5 * (errors / 3000**0.5).max()
    assert np.abs(spread / errors - 1).max() < 5 / (2 * 3000) ** 0.5


@pytest.mark.parametrize("stay", [0.5, 0.5 + 1e-7])
def test_no_estimate_is_made_by_a_matrix_that_is_singular_or_nearly_so(stay):
    assert not estimable(even(2, stay))
    with pytest.raises(DataError, match="singular"):
        estimate(np.array([3, 4]), even(2, stay))


def test_draws_follow_the_matrix():
    matrix = invariant(np.array([50, 30, 20]), even(3, 0.8))
    known, draw = np.array([3, 7, 9]), np.random.default_rng(8)
    words = draw.integers(0, 2**64, 60_000, dtype=np.uint64)
    for i, cell in enumerate(known.tolist()):
        found = draw_transitions(np.full(words.size, cell), known, running_sums(matrix), words)
        shares = (found[:, None] == known).mean(axis=0)
        assert (np.abs(shares - matrix[i]) < 5 * np.sqrt(matrix[i] * (1 - matrix[i]) / words.size)).all()


def test_cells_that_are_not_known_stay_and_what_cannot_be_drawn_is_not():
    bounds = running_sums(np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]]))
    words = np.array([0, 1, 2**63 + 1, 2**64 - 1], np.uint64)
    drawn = [draw_transitions(np.full(4, cell), np.array([2, 4, 6]), bounds, words).tolist() for cell in (3, 4, 6)]
    assert drawn == [[3] * 4, [4] * 4, [6, 2, 4, 4]]
    assert draw_transitions(np.array([2]), np.array([2, 4, 6]), bounds, words[3:]).tolist() == [4]


def test_each_stratum_has_a_matrix_of_its_own():
    bounds = np.stack([running_sums(np.eye(2)), running_sums(np.eye(2)[::-1])])
    cells, strata = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1], np.int32)
    words = np.random.default_rng(1).integers(0, 2**64, 4, dtype=np.uint64)
    assert draw_transitions(cells, np.array([0, 1]), bounds, words, strata).tolist() == [0, 1, 1, 0]


@given(COUNTS, st.floats(0.05, 1), st.integers(0, 2**32))
def test_controlled_rounding_keeps_sums_and_moves_no_cell_by_one(counts, stay, seed):
    expected = invariant(counts, even(counts.size, stay)) * counts[:, None]
    found = round_controlled(expected, np.random.default_rng(seed).random(expected.size))
    assert found.sum(axis=0).tolist() == found.sum(axis=1).tolist() == counts.tolist()
    assert (np.abs(found - expected) < 1 + 1e-6).all()


def test_controlled_rounding_is_right_on_average():
    counts = np.array([814, 3697, 19, 34, 16])
    expected = invariant(counts, even(5, 0.8)) * counts[:, None]
    draw, runs = np.random.default_rng(2), 4000
    mean = sum(round_controlled(expected, draw.random(25)) for _ in range(runs)) / runs
    fractions = expected - np.floor(expected)
    assert (np.abs(mean - expected) <= 5 * np.sqrt(fractions * (1 - fractions) / runs) + 1e-9).all()


def test_controlled_rounding_of_any_table_with_whole_sums():
    draw = np.random.default_rng(3)
    for _ in range(50):
        table = np.zeros((4, 6))
        for _ in range(5):  # whole sums: cells go up and down around circles
            r, c = draw.choice(4, 2, replace=False), draw.choice(6, 2, replace=False)
            table[np.ix_(r, c)] += draw.random() * np.array([[1, -1], [-1, 1]])
        found = round_controlled(table + 3, draw.random(24))
        assert found.sum(axis=0).tolist() == [12] * 6
        assert found.sum(axis=1).tolist() == [18] * 4
