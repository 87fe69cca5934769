"""The order leak on random tables, many of them sorted before masking, against its definition in plain Python."""

from itertools import accumulate

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.measures.reidentification import row_order

TOWNS = ("Ayr", "Bath", "Ely", "Hull", "York")
ANY = frozenset({None, *range(10)})  # what a wildcard stands for: a value, or none


@st.composite
def columns(draw, rows):
    """Give a column of ranges around values that rise, fall or do neither: as sets of what each cell may be."""
    values = draw(st.lists(st.integers(0, draw(st.sampled_from([1, 4, 9]))), min_size=rows, max_size=rows))
    values = {"up": sorted, "down": lambda v: sorted(v, reverse=True), "no": list}[
        draw(st.sampled_from(["up", "down", "no"]))
    ](values)
    widths = st.sampled_from([0, 0, 1, 2, 4])
    cells = [frozenset(range(max(0, v - draw(widths)), min(9, v + draw(widths)) + 1)) for v in values]
    odd = draw(st.sampled_from([0, 0, 3]))
    return [
        draw(st.sampled_from([ANY, frozenset({None})])) if odd and draw(st.integers(0, 9)) < odd else c for c in cells
    ]


@st.composite
def towns(draw, rows):
    """Give a column of sets of towns, most of them in the order of their text."""
    sets = st.sets(st.integers(0, len(TOWNS) - 1), min_size=1, max_size=3)
    cells = [frozenset(draw(sets)) for _ in range(rows)]
    return sorted(cells, key=lambda cell: (min(cell), max(cell))) if draw(st.booleans()) else cells


def text(cell):
    if cell == ANY:
        return "*"
    if cell == {None}:
        return None
    return f"[{min(cell)};{max(cell)}]"


def town(cell):
    names = [TOWNS[i] for i in sorted(cell)]
    return names[0] if len(names) == 1 else "{" + ";".join(names) + "}"


def narrowed(cells):
    """Give what is left of the cells of a column that can rise, or None."""
    bare = [None in cell for cell in cells]
    lows = list(accumulate((-1 if b else min(c) for b, c in zip(bare, cells, strict=True)), max))
    highs = list(accumulate((99 if b else max(c) for b, c in zip(reversed(bare), reversed(cells), strict=True)), min))
    left = [
        cell if b else frozenset(v for v in range(low, high + 1)) & frozenset(range(min(cell), max(cell) + 1))
        for cell, b, low, high in zip(cells, bare, lows, reversed(highs), strict=True)
    ]
    return left if all(left) else None


def by_order(cells):
    """Give what the order leaves of the cells of a column, if it tells anything."""
    up, down = narrowed(cells), narrowed(cells[::-1])
    if (up is None) == (down is None):
        return cells, None
    kept = up if up is not None else down[::-1]
    # A set keeps those of its members that are left.
    return [
        c & k if k & c else frozenset() for c, k in zip(cells, kept, strict=True)
    ], "ascending" if up else "descending"


def fits(rows):
    return [sum(all(a & b for a, b in zip(one, other, strict=True)) for other in rows) for one in rows]


@pytest.mark.parametrize("reach", [row_order.REACH, 1, 2])
@settings(max_examples=120, deadline=None)
@given(st.data())
def test_it_is_what_its_definition_says(reach, data):
    """Also where rows are looked at few at a time: then some may be unsettled, but what is said is certain."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_order, "REACH", reach)
        patch.setattr(row_order, "WIDTH", 8 * reach)
        agrees(data, data.draw(st.integers(2, 14 if reach == row_order.REACH else 30)), 8 * reach)


def agrees(data, rows, width):
    """Compare what is measured of a random table with the definition."""
    table = {"a": data.draw(columns(rows)), "b": data.draw(columns(rows))}
    texts = {name: [text(cell) for cell in cells] for name, cells in table.items()}
    kinds = dict.fromkeys(table, "integer")
    if data.draw(st.booleans()):
        table["t"] = data.draw(towns(rows))
        texts["t"] = [town(cell) for cell in table["t"]]
    classes = list(zip(*texts.values(), strict=True))
    smallest = min(map(classes.count, classes))
    k = data.draw(st.sampled_from([None, 2, 3, 5]))
    read = shoal.read(
        pl.DataFrame(texts, schema=dict.fromkeys(texts, pl.String)), quasi=list(texts), kinds=kinds, masked=True
    )
    (found,) = shoal.score(read, measures=[shoal.measures.OrderLeak(k=k)])
    wanted = k or max(smallest, 2)
    assert found.detail["k"] == wanted
    runs = 1 + sum(one != other for one, other in zip(classes[1:], classes, strict=False))
    if runs == len(set(classes)):
        assert found.value == 0
        return
    told = {name: by_order(cells) for name, cells in table.items()}
    assert found.detail["sorted"] == {name: way for name, (_, way) in told.items() if way}
    before = fits(list(zip(*table.values(), strict=True)))
    after = fits(list(zip(*(left for left, _ in told.values()), strict=True)))
    leaking = [b >= wanted > a for b, a in zip(before, after, strict=True)] if found.detail["sorted"] else []
    told_of = found.detail["leaking"] + found.detail["unsettled"]
    assert found.detail["leaking"] <= sum(leaking)
    if "t" not in table:  # two sets may seem to meet where their ends overlap and a member that they share lies outside
        assert sum(leaking) <= told_of
    if rows <= width:
        assert found.detail["unsettled"] == 0
    assert (found.value, found.upper) == (found.detail["leaking"] / rows, told_of / rows)
