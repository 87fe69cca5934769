"""Special uniques: known answers, and every minimal unique found set by set on random tables."""

from collections import Counter
from itertools import combinations
from math import prod

import numpy as np
import polars as pl
import pytest
from engines.tiny import Tiny
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import ParameterError
from shoal.kernels.minimal_sets import MinimalSets
from shoal.measures import Suda
from shoal.measures.reidentification.minimal_uniques import MinimalUniques, affordable

SEVEN = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
FIVE = tuple(name for name in SEVEN if name not in ("electcon", "relat"))


def suda_of(table, **given):
    return shoal.score(table, measures=[Suda(**given)])[0].detail


def test_households_of_the_census_are_as_special_as_known(public_file):
    path = public_file("census/testdata.csv")
    found = suda_of(shoal.read(path, quasi=FIVE))
    assert (found["records"], found["total"], found["largest"]) == (12, 19, 2)
    assert found["minimal_uniques"] == [0, 0, 7, 5, 0]
    assert found["dis_sum"] == pytest.approx(0.139111, abs=5e-7)
    parts = [31.579, 78.947, 26.316, 100, 89.474]
    assert list(found["contributions"].values()) == pytest.approx(parts, abs=5e-4)
    found = suda_of(shoal.read(path, quasi=SEVEN))
    assert (found["records"], found["total"], found["largest"]) == (157, 4890, 720)
    assert found["minimal_uniques"] == [1, 11, 94, 86, 35, 7, 1]
    assert (found["dis_sum"], found["dis_largest"]) == pytest.approx((9.831093, 0.678143), abs=5e-7)
    parts = [12.045, 33.865, 18.098, 53.415, 22.515, 92.597, 24.949]
    assert list(found["contributions"].values()) == pytest.approx(parts, abs=5e-4)


def test_three_records_have_the_published_scores():
    table = shoal.read(pl.DataFrame({"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]}), quasi=["a", "b", "c"])
    found = suda_of(table)
    assert (found["total"], found["largest"]) == (8, 4)
    assert found["contributions"] == {"a": 50, "b": 37.5, "c": 37.5}
    assert found["dis_sum"] == 3  # nobody is one of a pair: every match is right


@st.composite
def tables(draw):
    rows, columns = draw(st.integers(1, 14)), draw(st.integers(1, 5))
    cell = st.one_of(st.integers(0, 2), st.none())
    return {f"c{j}": draw(st.lists(cell, min_size=rows, max_size=rows)) for j in range(columns)}


def alone(made, i, names):
    mine = [tuple(made[name][row] for name in names) for row in range(len(made["c0"]))]
    return mine.count(mine[i]) == 1


def minimal_of(made, i, most):
    found = []
    for size in range(1, most + 1):
        for names in combinations(made, size):
            if alone(made, i, names) and not any(set(smaller) < set(names) for smaller in found):
                found.append(names)
    return found


@given(tables(), st.sampled_from([None, 1, 2]), st.sampled_from([0.01, 0.3, 1.0]))
def test_every_minimal_unique_is_found_and_scored_as_defined(made, size, fraction):
    frame = pl.DataFrame(made, dict.fromkeys(made, pl.Int64))
    given = {"quasi": list(made), "kinds": dict.fromkeys(made, "integer")}
    table = shoal.read(frame, **given)
    columns, rows = len(made), range(len(made["c0"]))
    most = min(size or columns, columns)
    minimal = [minimal_of(made, i, most) for i in rows]
    weight = {s: prod(columns - i for i in range(s, most)) for s in range(1, most + 1)}
    scores = [sum(weight[len(names)] for names in found) for found in minimal]
    found = suda_of(table, size=size, fraction=fraction)
    assert (found["records"], found["total"], found["largest"]) == (
        sum(s > 0 for s in scores),
        sum(scores),
        max(scores),
    )
    counted = Counter(len(names) for sets in minimal for names in sets)
    assert found["minimal_uniques"] == [counted[s] for s in range(1, most + 1)]
    for name, part in found["contributions"].items():
        mine = sum(weight[len(names)] for sets in minimal for names in sets if name in names)
        assert part == pytest.approx(100 * mine / sum(scores) if sum(scores) else 0)
    classes = Counter(zip(*made.values(), strict=True))
    u, p = (s * sum(count == s for count in classes.values()) for s in (1, 2))
    power = 1 + (8 - columns) / 20
    a = sum(score**-power for score in scores if score)
    dis = 0
    for score in scores:
        if score:
            right = u * fraction / (u * fraction + p * (1 - fraction))
            dis += 1 / (1 + (u / right - u) / (score**power * a))
    assert found["dis_sum"] == pytest.approx(dis)
    assert suda_of(shoal.read(frame, engine=Tiny(), **given), size=size, fraction=fraction) == found


def test_a_set_is_not_minimal_when_a_smaller_one_was_found():
    found = MinimalSets(2)
    for records, columns in (([0], 0b001), ([1], 0b110), ([0, 1], 0b111), ([0], 0b110)):
        found.add(np.array(records, np.int32), columns)
    assert [side.tolist() for side in found.all()] == [[0, 1, 0], [1, 6, 6]]


def test_wide_tables_are_searched_as_far_as_can_be_and_it_is_said():
    draw = np.random.default_rng(2)
    wide = pl.DataFrame({f"c{j}": draw.integers(0, 3, 50) for j in range(40)})
    table = shoal.read(wide, quasi=wide.columns)
    assert affordable(40, 50, 40_000_000) == 2
    found = MinimalUniques.of(table, wide.columns, effort=6_000_000)
    assert found.size == 2
    assert found.sizes.max() == 2
    said = Suda.sentence(suda_of(table, size=2))
    assert "by at most 2 of the 40 attributes" in said


def test_too_many_columns_are_refused_and_what_makes_no_sense():
    wide = pl.DataFrame({f"c{j}": [1, 2] for j in range(63)})
    with pytest.raises(ParameterError, match="62 columns at most"):
        suda_of(shoal.read(wide, quasi=wide.columns))
    for wrong in ({"size": 0}, {"fraction": 0}, {"fraction": 1.5}):
        with pytest.raises(ParameterError):
            Suda(**wrong)
