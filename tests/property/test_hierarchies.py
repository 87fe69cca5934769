"""Trees of any shape: what is derived of them, compared with what plain loops over their rows find."""

from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.domains.hierarchy import Hierarchy
from shoal.kernels.partition import TreeCosts
from shoal.methods.search.generalization_levels import _levels as levels_of_tree


@st.composite
def trees(draw):
    """Leaves under groups under larger groups, any of which may hold one thing only, in the order of a file."""
    leaves = draw(st.integers(1, 14))
    groups = np.arange(leaves)
    levels = [[f"v{i}" for i in groups]]
    for level in range(draw(st.integers(0, 4))):
        above = draw(st.lists(st.integers(0, 3), min_size=14, max_size=14))
        groups = np.array([above[group] for group in groups])
        levels.append([f"{level}.{group}" for group in groups])
    return Hierarchy.of(draw(st.permutations(list(zip(*levels, strict=True)))), "v")


def stretches(tree):
    """Give the ends of each node, level by level, and its name; nodes that hold the same are told once."""
    found = {}
    for level in range(len(tree.levels[0])):
        first = 0
        for name, rows in groupby(row[level] for row in tree.levels):
            last = first + len(list(rows)) - 1
            found.setdefault((first, last), name)
            first = last + 1
    return found


def lowest_above(spans, *inside):
    """Give the number of the least node that holds all of some stretches."""
    low, high = min(low for low, _ in inside), max(high for _, high in inside)
    return min((last - first, i) for i, (first, last) in enumerate(spans) if first <= low and high <= last)[1]


@given(trees())
def test_nodes_are_numbered_level_by_level_and_lie_where_their_leaves_do(tree):
    assert dict(tree.nodes) == stretches(tree)
    assert list(tree.nodes) == list(stretches(tree))
    assert {name: span for span, name in stretches(tree).items()} == tree.spans
    spans = list(tree.nodes)
    for nodes, level in zip(tree.above, zip(*tree.levels, strict=True), strict=True):
        for leaf, node in enumerate(nodes.tolist()):
            first, last = spans[node]
            assert [i for i, name in enumerate(level) if name == level[leaf]] == list(range(first, last + 1))


@given(trees(), st.data())
def test_climbing_from_two_nodes_leads_to_the_lowest_above_both(tree, data):
    ends, parents, price = tree.tables
    spans = [tuple(span) for span in ends.tolist()]
    assert all(node < above for node, above in enumerate(parents[:-1].tolist()))
    assert parents[-1] == len(spans) - 1
    assert price.tolist() == [(high - low) / max(len(tree.levels) - 1, 1) for low, high in spans]
    a, b = (data.draw(st.integers(0, len(spans) - 1)) for _ in "ab")
    wanted = lowest_above(spans, spans[a], spans[b])
    low, high = (np.array([end], np.int32) for end in (min(spans[a][0], spans[b][0]), max(spans[a][1], spans[b][1])))
    assert [int(end[0]) for end in tree.cover(low, high)] == list(spans[wanted])
    while a != b:
        a, b = sorted([int(parents[min(a, b)]), max(a, b)])
    assert a == wanted


@given(trees(), st.data())
def test_generalization_levels_lead_from_every_value_through_the_nodes_above_it_to_all(tree, data):
    with_gaps = TreeCosts(*tree.tables).with_gaps()
    size = with_gaps.price.size  # the last two: no value, and the wildcard above everything
    spans = [*tree.nodes, (size, size), (0, size)]
    codes = np.array(data.draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=9)), np.int32)
    found = levels_of_tree(with_gaps, codes)
    for row, code in enumerate(codes.tolist()):
        levels = found.levels[:, found.codes[row]].tolist()
        over = [i for i, (low, high) in enumerate(spans) if low <= spans[code][0] and spans[code][1] <= high]
        assert levels == sorted(levels)
        assert set(levels) <= set(over)
        assert levels[0] == code
    assert len(set(found.levels[-1].tolist())) == 1
    assert (np.diff(found.prices) > -1e-12).all()
