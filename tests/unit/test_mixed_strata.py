"""Algorithm S4 with records dealt at random: the same strata, no farther than asked, and another draw each time."""

import numpy as np
import polars as pl
import pytest
from engines.tiny import Tiny

import shoal
from shoal.errors import ParameterError
from shoal.methods import StratifiedClusters
from shoal.models import KAnonymity, TCloseness

SIZE, GROUPS = 3, 40


def people(seed=1, rows=SIZE * GROUPS):
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {"age": draw.permutation(rows) + 1, "zip": draw.integers(0, 9, rows), "pay": draw.permutation(rows)}
    )


def read(frame, engine=None):
    return shoal.read(frame, quasi=["age"], sensitive=["pay"], engine=engine)


def classes_of(release, frame):
    """Give the ages of each class, by stratum: a row for each class."""
    found = {}
    for (cell,), age, pay in zip(
        release.table.to_polars(cells="text").select("age").rows(), frame["age"], frame["pay"], strict=True
    ):
        found.setdefault(cell, {}).setdefault(pay // GROUPS, []).append(age)
    assert all(
        sorted(members) == [0, 1, 2] and all(len(each) == 1 for each in members.values()) for members in found.values()
    )
    return np.array([[members[stratum][0] for stratum in range(SIZE)] for members in found.values()])


@pytest.mark.parametrize("mixed", [1, 7, GROUPS, 1000])
def test_every_class_has_one_of_each_stratum_and_nobody_is_dealt_far(mixed):
    frame = people()
    release = shoal.anonymize(read(frame), StratifiedClusters(mixed=mixed), k=SIZE, measures=[])
    ages = classes_of(release, frame)
    assert len(ages) == GROUPS
    places = ages.argsort(axis=0).argsort(axis=0) // mixed  # who stands in which stretch of each stratum
    assert (places == places[:, :1]).all()


def test_a_full_draw_leaves_no_order_and_is_another_each_time():
    frame = people(rows=SIZE * GROUPS)
    made = [shoal.anonymize(read(frame), StratifiedClusters(mixed=GROUPS), k=SIZE, measures=[]) for _ in range(2)]
    ages = [classes_of(each, frame) for each in made]
    assert {tuple(row) for row in ages[0]} != {tuple(row) for row in ages[1]}
    rises = np.mean([np.diff(each[each[:, 0].argsort()][:, 1]) > 0 for each in ages])
    assert 0.2 < rises < 0.8  # as published, it is 1
    assert "assigned at random among 40 classes" in made[0].steps[0]


def test_a_seed_gives_the_same_on_every_engine_and_closeness_is_kept():
    frame = people(rows=200)
    models = [KAnonymity(2), TCloseness(0.15)]
    tables = [read(frame), read(frame, Tiny())]
    made = [shoal.anonymize(each, StratifiedClusters(mixed=16), models, seed=5, measures=[]) for each in tables]
    assert made[0].table.to_polars(cells="text").equals(made[1].table.to_polars(cells="text"))
    assert all(each.holds for each in made)


@pytest.mark.parametrize("mixed", [0, -1, 1.5, True, "all"])
def test_what_is_no_number_of_classes_is_refused(mixed):
    with pytest.raises(ParameterError, match="whole number of classes"):
        StratifiedClusters(mixed=mixed)
