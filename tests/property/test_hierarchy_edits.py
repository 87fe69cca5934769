"""Whatever is changed of a hierarchy: it is still a tree, over the same values."""

import contextlib

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from shoal.domains.hierarchy import Hierarchy
from shoal.domains.hierarchy_edits import add_level, dissolve, merge, move, remove_level, rename, split, with_borders
from shoal.errors import ShoalError


def a_tree():
    return Hierarchy.build("bands 5,10,20", map(str, range(0, 40, 2)), "age")


@st.composite
def changes(draw):
    """Draw what someone may do: with names of groups that are there, and with others."""
    names = st.sampled_from(["0-4", "5-9", "10-14", "0-9", "10-19", "20-39", "young", "old", "*", "0", "2", "4"])
    level = draw(st.integers(0, 4))
    one, some = draw(names), draw(st.lists(names, max_size=3))
    return draw(
        st.sampled_from(
            [
                lambda tree: rename(tree, level, one, draw(names)),
                lambda tree: merge(tree, level, some, one),
                lambda tree: split(tree, level, one, some, draw(names)),
                lambda tree: dissolve(tree, level, one),
                lambda tree: move(tree, level, some, one),
                lambda tree: with_borders(tree, level, "10,20"),
                lambda tree: add_level(tree, level),
                lambda tree: remove_level(tree, level),
            ]
        )
    )


def is_tree(rows):
    """Look level by level, with nothing of the library: a group lies in one group, and all in one."""
    for level in range(len(rows[0]) - 1):
        above = {}
        for row in rows:
            if above.setdefault(row[level], row[level + 1]) != row[level + 1]:
                return False
    return len({row[-1] for row in rows}) == 1 and len({len(row) for row in rows}) == 1


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_every_change_gives_a_tree_over_the_same_values_or_is_refused(data):
    tree = a_tree()
    for _ in range(4):
        with contextlib.suppress(ShoalError):
            tree = data.draw(changes())(tree)
        assert is_tree(tree.levels)
        assert set(tree.leaves) == set(map(str, range(0, 40, 2)))


def of(tree, value):
    return next(row for row in tree.levels if row[0] == value)


def test_each_change_does_what_it_says():
    tree = a_tree()
    assert of(rename(tree, 1, "0-4", "babies"), "2") == ("2", "babies", "0-9", "0-19", "*")
    assert of(merge(tree, 1, ["0-4", "5-9"], "0-9"), "8") == ("8", "0-9", "0-9", "0-19", "*")
    assert of(split(tree, 1, "0-4", ["4"], "four"), "4") == ("4", "four", "0-9", "0-19", "*")
    assert of(split(tree, 1, "0-4", ["4"], "four"), "2") == of(tree, "2")
    assert of(dissolve(tree, 2, "0-9"), "2") == ("2", "0-4", "0-4", "0-19", "*")
    assert of(dissolve(tree, 2, "0-9"), "12") == of(tree, "12")
    assert of(move(tree, 1, ["0-4"], "10-19"), "0") == ("0", "0-4", "10-19", "0-19", "*")
    assert of(move(tree, 0, ["0"], "none"), "0") == ("0", "none", "0-9", "0-19", "*")
    assert of(with_borders(tree, 3, "20"), "38") == ("38", "35-39", "30-39", "20 and over", "*")
    assert of(add_level(tree, 1), "8") == ("8", "5-9", "5-9", "0-9", "0-19", "*")
    assert of(remove_level(tree, 2), "8") == ("8", "5-9", "0-19", "*")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda tree: merge(tree, 1, ["0-4", "10-14"], "x"), "different larger groups"),
        (lambda tree: rename(tree, 1, "0-4", "5-9"), "already"),
        (lambda tree: split(tree, 1, "0-4", ["0", "2", "4"], "x"), "not all"),
        (lambda tree: dissolve(rename(tree, 2, "10-19", "0-4"), 2, "0-9"), "same name"),
        (lambda tree: rename(tree, 4, "*", "all"), "no groups that could be changed"),
        (lambda tree: rename(tree, 1, "0-4", " "), "no name"),
    ],
)
def test_what_makes_no_sense_is_refused(change, said):
    with pytest.raises(ShoalError, match=said):
        change(a_tree())
