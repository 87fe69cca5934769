"""Axes: positions, what they stand for, and how two of them become one."""

import datetime

import numpy as np
import pytest

from shoal.domains.axis import NOTHING, STAR, Axis, Group, days, microseconds
from shoal.domains.cell_parser import Reading, parse
from shoal.domains.notation import escape


def categories(*names, groups=()):
    return Axis("category", np.array(names, dtype=object), tuple(Group(g) for g in groups))


def test_a_plain_axis_renders_values_ranges_stars_and_nothing():
    axis = Axis("integer")
    assert axis.render((5, 5)) == "5"
    assert axis.render((5, 5), ranged=True) == "[5;5]"
    assert axis.render((-3, 5)) == "[-3;5]"
    assert axis.render(STAR) == axis.render(STAR, ranged=True) == "*"
    assert axis.render(NOTHING) == axis.render(NOTHING, ranged=True) == ""


def test_days_are_counted_from_1970():
    assert days(["1970-01-01", "1969-12-31", "2000-03-01"]).tolist() == [0, -1, 11017]
    assert Axis("date").value(11017) == datetime.date(2000, 3, 1)
    assert Axis("date").render((0, 31)) == "[1970-01-01;1970-02-01]"


def test_microseconds_are_counted_from_1970():
    assert microseconds(["1970-01-01 00:00:01", "1969-12-31T23:59:59.999999"]).tolist() == [1_000_000, -1]


def test_a_datetime_is_written_with_a_blank_between_day_and_time():
    axis = Axis("datetime", np.array([0, 86_400_000_000], np.int64))
    assert axis.render((0, 1)) == "[1970-01-01 00:00:00;1970-01-02 00:00:00]"


def test_numbers_behind_positions_exist_only_for_listed_numbers():
    assert Axis("integer").coordinates() is None
    assert categories("a", "b").coordinates() is None
    assert Axis("float", np.array([0.5, 2.0])).coordinates().tolist() == [0.5, 2.0]


def test_a_nominal_cell_is_a_category_or_a_set():
    axis, places = categories("a", "b", "c").with_groups([(0, 2), (0, 1, 2)])
    assert places == {(0, 2): 3, (0, 1, 2): 4}
    assert [axis.render((p, p)) for p in range(5)] == ["a", "b", "c", "{a;c}", "{a;b;c}"]
    assert [axis.members(p) for p in (1, 3)] == [(1,), (0, 2)]
    low, high = axis.hull()
    assert low.tolist() == [0, 1, 2, 0, 0]
    assert high.tolist() == [0, 1, 2, 2, 2]


def test_groups_that_are_known_already_are_not_added_twice():
    axis, first = categories("a", "b", "c").with_groups([(0, 1)])
    wider, places = axis.with_groups([(1, 2), (0, 1), (1, 2)])
    assert places == {(0, 1): first[(0, 1)], (1, 2): 4}
    assert len(wider.groups) == 2
    assert len(axis.groups) == 1


@pytest.mark.parametrize(
    ("text", "marked"),
    [("a", "a"), ("{a", "{a"), ("{a}", "\\{a}"), ("[", "["), ("[0-10)", "[0-10)"), ("[0;1]", "\\[0;1]"), ("*x", "*x"),
     ("x*", "\\x*"), ("\\", "\\\\"), ("a}b;c", "a}b;c")],
)  # fmt: skip
def test_only_texts_that_could_be_misread_are_marked(text, marked):
    assert escape(text) == marked


def test_nominal_axes_are_joined_by_their_names():
    one = categories("a", "c", groups=[(0, 1)])
    other = categories("b", "c", groups=[(0, 1)])
    common, mine, theirs = one.shared_with(other)
    assert common.values.tolist() == ["a", "b", "c"]
    assert mine[:2].tolist() == [0, 2]
    assert theirs[:2].tolist() == [1, 2]
    assert common.members(int(mine[2])) == (0, 2)
    assert common.members(int(theirs[2])) == (1, 2)


def test_listed_axes_are_joined_by_their_values():
    common, mine, theirs = Axis("float", np.array([0.5, 2.0])).shared_with(Axis("float", np.array([1.0, 2.0])))
    assert common.values.tolist() == [0.5, 1.0, 2.0]
    assert mine.tolist() == [0, 2]
    assert theirs.tolist() == [1, 2]


def test_an_axis_joined_with_itself_stays_as_it_is():
    axis = categories("a")
    assert axis.shared_with(axis) == (axis, None, None)
    assert Axis("integer").shared_with(Axis("integer"))[1:] == (None, None)


def test_ordered_axes_are_joined_in_the_first_one_s_order():
    one = Axis("ordered", np.array(["low", "high"], dtype=object))
    other = Axis("ordered", np.array(["low", "high", "extreme"], dtype=object))
    common, mine, theirs = one.shared_with(other)
    assert common.values.tolist() == ["low", "high", "extreme"]
    assert (mine.tolist(), theirs.tolist()) == ([0, 1], [0, 1, 2])


def test_small_and_large_integers_can_be_joined():
    small = parse(["1", "2"]).axis
    large = parse(["1", "10000000000"], Reading(kind="integer")).axis
    common, mine, theirs = small.listed(np.array([1, 2], np.int32)).shared_with(large)
    assert common.value(int(theirs[1])) == 10_000_000_000
    assert [common.value(int(place)) for place in mine] == [1, 2]


def test_axes_with_many_categories_are_joined_without_looking_at_all_for_each():
    looks = 0

    class Name(str):
        __slots__ = ()

        def __hash__(self):
            nonlocal looks
            looks += 1
            return super().__hash__()

    names = [Name(i) for i in range(300)]
    first, second = (Axis("ordered", np.array(some, dtype=object)) for some in (names[:200], names[100:]))
    common, mine, theirs = first.shared_with(second)
    assert list(common.values) == names
    assert mine.tolist() == list(range(200))
    assert theirs.tolist() == list(range(100, 300))
    assert looks < 10 * len(names)
