"""Tables that are taken in pieces: where pieces end, and which classes get a second chance."""

import numpy as np
import polars as pl
import pytest
from engines.pools import Memory

import shoal
from shoal.engines.local import Local
from shoal.engines.parts.engine import Parted
from shoal.kernels.microaggregation import Points
from shoal.methods.points import Space, second_chance, steps_first


def points(*columns, categories=()):
    cells = np.stack([*columns, *categories], axis=1).astype(np.float64)
    sizes = [0] * len(columns) + [int(max(column)) + 1 for column in categories]
    weights = [0.0] * len(columns) + [2.0] * len(categories)
    return Points(np.ascontiguousarray(cells), len(columns), np.array(weights), np.array(sizes, np.int64))


def test_the_classes_that_are_least_alike_are_given_up():
    found, groups = second_chance(points([0, 0, 1, 9, 5, 5]), np.array([0, 0, 1, 1, 2, 2], np.int32), 3, share=0.4)
    assert found.tolist() == [0, 0, -1, -1, 1, 1]
    assert groups == 2


def test_no_more_records_are_given_up_than_may_be_and_none_that_are_alike():
    labels = np.array([0, 0, 1, 1, 2, 2], np.int32)
    for share, left in ((0.3, 3), (0.4, 2), (0.7, 1), (1.0, 1)):
        found, groups = second_chance(points([0, 0, 1, 9, 5, 6]), labels, 3, share)
        assert groups == left
        assert (found < 0).sum() <= share * 6
    assert found[:2].tolist() == [0, 0]


def test_categories_that_differ_count_by_what_they_cost():
    labels = np.array([0, 0, 1, 1], np.int32)
    found, _ = second_chance(points([0, 1, 0, 0], categories=[[1, 1, 0, 1]]), labels, 2, 0.5)
    assert found.tolist() == [0, 0, -1, -1]


def test_records_that_are_left_over_stay_so():
    found, groups = second_chance(points([0, 0, 7, 1, 9]), np.array([0, 0, -1, 1, 1], np.int32), 2, 0.5)
    assert found.tolist() == [0, 0, -1, -1, -1]
    assert groups == 1


def test_attributes_with_long_steps_come_first():
    draw = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "age": draw.integers(0, 90, 500), "sex": draw.integers(0, 2, 500), "quarter": draw.integers(1, 5, 500),
            "stay": np.minimum(draw.geometric(0.2, 500), 400), "same": np.ones(500, int),
        }
    )  # fmt: skip
    table = shoal.read(frame, quasi=frame.columns)
    assert steps_first(table, Space.of(table)) == ["sex", "quarter"]


@pytest.mark.parametrize("name", ["mdav", "v-mdav"])
def test_pieces_lose_little_more_than_the_whole(name):
    draw = np.random.default_rng(1)
    n = 12_000
    frame = pl.DataFrame(
        {
            "age": draw.integers(0, 90, n),
            "sex": draw.integers(0, 2, n),
            "zip": draw.integers(0, 999, n),
            "s": np.zeros(n),
        }
    )
    whole = shoal.read(frame, quasi=["age", "sex", "zip"], sensitive=["s"], engine=Local())
    method = shoal.Mdav() if name == "mdav" else shoal.VMdav()
    losses = []
    for table in (whole, Parted(Memory(), n // 2).taken(whole)):
        release = shoal.anonymize(table, method, [shoal.KAnonymity(5)], measures=[shoal.InformationLoss()])
        assert release.holds
        losses.append(release.scores[0].value)
    assert losses[1] < 1.02 * losses[0]  # pieces of six thousand records; larger ones lose less
