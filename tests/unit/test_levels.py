"""Levels of generalization, from their text to parts of an axis."""

import numpy as np
import pytest

from shoal.domains.axis import Axis
from shoal.domains.levels import Step
from shoal.errors import ParameterError


def ends(text, axis, present):
    found = Step.parse(text).stretches(axis, np.array(present, np.int32))
    return list(zip(found.lows.tolist(), found.highs.tolist(), strict=True))


def test_bands_reach_to_the_next_one_and_the_last_to_the_highest_value():
    assert ends("age -> bands 0,18,65", Axis("integer"), [0, 3, 85]) == [(0, 17), (18, 64), (65, 85)]


def test_bands_of_listed_numbers_are_places_on_the_axis():
    axis = Axis("float", np.array([0.5, 1.5, 2.5, 9.0]))
    assert ends("x -> bands 0,2", axis, [0, 1, 2, 3]) == [(0, 1), (2, 3)]


def test_bands_of_ordered_categories_begin_with_a_category():
    axis = Axis("ordered", np.array(["low", "middle", "high"], dtype=object))
    assert ends("stage -> bands low,high", axis, [0, 1, 2]) == [(0, 1), (2, 2)]


def test_a_prefix_of_numbers_keeps_the_leading_digits():
    assert ends("zip -> prefix 3", Axis("integer"), [93701, 93799, 94000]) == [(93700, 93799), (94000, 94099)]


def test_a_prefix_of_codes_is_a_wildcard():
    axis = Axis("category", np.array(["93701", "93702", "94000", "X"], dtype=object))
    found = Step.parse("zip -> prefix 3").stretches(axis, np.arange(4, dtype=np.int32))
    assert found.patterns == ("937**", "940**", "X")
    assert found.lows.tolist() == [0, 2, 3]
    assert found.highs.tolist() == [1, 2, 3]


def test_a_star_is_no_part_of_the_axis():
    assert Step.parse("age -> *").stretches(Axis("integer"), np.array([1], np.int32)) is None


@pytest.mark.parametrize(
    "text", ["age", "age ->", "-> *", "age -> nothing", "age -> bands", "age -> bands 1,,2", "age -> prefix 0",
             "age -> prefix x", "age -> prefix 1,2", "age -> * 3"],
)  # fmt: skip
def test_a_step_that_cannot_be_read_is_refused(text):
    with pytest.raises(ParameterError, match="not a masking step"):
        Step.parse(text)


@pytest.mark.parametrize(
    ("text", "axis"),
    [
        ("age -> bands 5,18", Axis("integer")),  # 3 lies below the first band
        ("age -> bands 0,18,9", Axis("integer")),
        ("age -> bands 0,x", Axis("integer")),
        ("age -> bands a,b", Axis("category", np.array(["a", "b", "c", "d"], dtype=object))),
        ("age -> prefix 2", Axis("float", np.array([0.5, 1.5, 2.5, 9.0]))),
    ],
)
def test_a_level_that_does_not_suit_the_column_is_refused(text, axis):
    with pytest.raises(ParameterError, match="'age'"):
        Step.parse(text).stretches(axis, np.array([3], np.int32))
