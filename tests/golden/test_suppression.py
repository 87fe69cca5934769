"""Local suppression against what is known of it: upper bounds of a plain search, and the offices' cells exactly."""

from collections import Counter

import pytest

import shoal
from shoal.assessment.hidden_cells import hidden_cells
from shoal.measures import KnownMatches, RareCombinations
from shoal.methods import Suppress
from shoal.models import KAnonymity, check

FIVE = ("urbrur", "roof", "walls", "water", "sex")
SEVEN = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
ADULT = ("sex", "age", "race", "marital-status", "education")


def records_under(table, names, k):
    counts = Counter(table.to_polars(cells="text").select(names).iter_rows())
    return sum(count for count in counts.values() if count < k)


@pytest.fixture(scope="module")
def census(public_file):
    return {names: shoal.read(public_file("census/testdata.csv"), quasi=names) for names in (FIVE, SEVEN)}


@pytest.fixture(scope="module")
def adult(public_file):
    return shoal.read(public_file("adult/adult.csv"), quasi=ADULT)


def released(table, k, missing="own"):
    release = shoal.anonymize(table, Suppress(missing=missing), k=k)
    assert release.holds
    return release


@pytest.mark.parametrize(
    ("names", "k", "cells", "records"),
    [(FIVE, 3, 44, 44), (FIVE, 5, 120, 120), (SEVEN, 3, 513, 489), (SEVEN, 5, 996, 906)],
)
def test_no_more_cells_are_hidden_than_by_a_plain_search(census, names, k, cells, records):
    table = released(census[names], k).table
    found = hidden_cells(table)
    assert sum(found["suppressed"].values()) <= cells
    assert found["records_touched"] <= records
    assert records_under(table, names, k) == 0
    assert [one.level for one in check(table, [KAnonymity(k, way) for way in ("own", "known", "either")])] >= [k] * 3


def test_adult_loses_few_cells(adult):
    found = hidden_cells(released(adult, 5).table)
    assert sum(found["suppressed"].values()) <= 8200
    assert found["records_touched"] <= 9534


@pytest.mark.parametrize(
    ("names", "k", "cells"),
    [
        (FIVE, 3, 24),
        (FIVE, 5, 79),
        (FIVE, 10, 173),
        (SEVEN, 2, 157),
        (SEVEN, 3, 293),
        (SEVEN, 5, 500),
        (SEVEN, 10, 911),
    ],
)
def test_the_heuristic_of_offices_hides_as_many_cells(census, names, k, cells):
    found = hidden_cells(released(census[names], k, "either").table)["suppressed"]
    assert sum(found.values()) == cells
    if (names, k) == (SEVEN, 3):
        assert list(found.values()) == [0, 14, 4, 40, 6, 229, 0]


@pytest.mark.parametrize(
    ("names", "k", "own", "known"), [(FIVE, 3, 18, 18), (FIVE, 5, 61, 45), (SEVEN, 3, 150, 113), (SEVEN, 5, 262, 192)]
)
def test_what_either_leaves_to_somebody_who_knows_the_hidden_value(census, names, k, own, known):
    release = released(census[names], k, "either")
    assert records_under(release.table, names, k) == own
    detail = release.scores["known-matches"].detail
    assert (detail["below"], detail["fewer"]) == (known, k)
    if (names, k) == (SEVEN, 3):
        assert detail["alone"] == 53


def test_adult_by_the_heuristic_of_offices(adult):
    release = released(adult, 5, "either")
    assert sum(hidden_cells(release.table)["suppressed"].values()) == 7883
    assert records_under(release.table, ADULT, 5) == 341
    assert release.scores["known-matches"].detail["below"] == 113


def test_eight_records_by_the_heuristic_of_offices(public_file):
    keys = ["Key1", "Key2", "Key3", "Key4"]
    table = shoal.read(public_file("census/francdat.csv"), quasi=keys)
    shown = released(table, 2, "either").table.to_polars(cells="text").select(keys).rows()
    hidden = {
        (row, key) for row, cells in enumerate(shown, 1) for key, cell in zip(keys, cells, strict=True) if cell == "*"
    }
    assert hidden == {(4, "Key1"), (5, "Key4"), (6, "Key4"), (7, "Key2")}


@pytest.mark.parametrize(
    ("fewer", "found"),
    [(3, {"1": [1, 1], "2": [23, 29], "3": [245, 326]}), (5, {"1": [1, 1], "2": [45, 111], "3": [403, 887]})],
)
def test_rare_combinations_are_as_many_as_is_known(census, fewer, found):
    (score,) = shoal.score(census[SEVEN], measures=[RareCombinations(3, fewer)])
    assert score.detail["combinations_and_records"] == found


def test_before_anything_is_hidden_known_matches_are_the_classes(census):
    table = census[SEVEN]
    (score,) = shoal.score(table, table, measures=[KnownMatches(3)])
    assert score.detail["below"] == records_under(table, SEVEN, 3)
