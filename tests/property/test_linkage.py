"""Record linkage against plain code that looks at every pair: distances, ties, assignments, agreement."""

import math
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.kernels.assignment import assigned
from shoal.kernels.linkage import LinkageCells, nearest_counts
from shoal.measures.statistics.fellegi_sunter import fitted

KINDS = {"x": "integer", "y": "integer", "c": "category"}
TOWNS = "abcd"
STAR, NOTHING = "*", ""


@st.composite
def pairs(draw, most=12):
    """Give an original, whose cells are single, and a release of it with cells of every form, right and wrong ones."""
    rows = draw(st.integers(3, most))
    number = st.integers(-3, 9)
    end = st.tuples(number, number).map(sorted).map(tuple)
    shown = {
        "integer": st.one_of(number.map(lambda x: (x, x)), end, st.sampled_from([STAR, NOTHING])),
        "category": st.one_of(
            st.sampled_from([frozenset(town) for town in TOWNS]),
            st.sampled_from([frozenset(two) for two in combinations(TOWNS, 2)]),
            st.sampled_from([STAR, NOTHING]),
        ),
    }
    before, after = {}, {}
    for name, kind in KINDS.items():
        values = st.one_of(number if kind == "integer" else st.sampled_from(TOWNS), st.just(None))
        before[name] = draw(st.lists(values, min_size=rows, max_size=rows))
        cells = draw(st.lists(st.one_of(shown[kind], st.just("own")), min_size=rows, max_size=rows))
        after[name] = [own(value) if cell == "own" else cell for cell, value in zip(cells, before[name], strict=True)]
    return before, after


def own(value):
    if value is None:
        return NOTHING
    return frozenset(value) if isinstance(value, str) else (value, value)


def text(cell):
    if isinstance(cell, frozenset):
        return "".join(cell) if len(cell) == 1 else "{" + ";".join(sorted(cell)) + "}"
    return f"[{cell[0]};{cell[1]}]" if isinstance(cell, tuple) else cell


def tables(before, after):
    plain = {name: [None if value is None else str(value) for value in column] for name, column in before.items()}
    shown = {name: [text(cell) for cell in column] for name, column in after.items()}
    given = {"quasi": list(KINDS), "kinds": KINDS, "masked": True}
    return shoal.read(pl.DataFrame(plain, dict.fromkeys(KINDS, pl.String)), **given), shoal.read(
        pl.DataFrame(shown), **given
    )


def varying(before):
    return [
        name for name in KINDS if len(set(before[name]) - {None}) > 1 or (name == "c" and len(set(before["c"])) > 1)
    ]


def variance(values):
    """Give the sample variance as a fraction."""
    known = [Fraction(value) for value in values if value is not None]
    mean = sum(known) / len(known)
    return sum((value - mean) ** 2 for value in known) / (len(known) - 1)


def gap(cell, value):
    """Give how far a value is from a cell; None where one of them has no value and the other has."""
    if cell == STAR:
        return 0
    if cell == NOTHING or value is None:
        return 0 if cell == NOTHING and value is None else None
    if isinstance(cell, frozenset):
        return 0 if value in cell else 1
    return max(cell[0] - value, value - cell[1], 0)


def squared(before, after, names, i, r):
    """Give the squared distance of released record i from original record r, exactly."""
    total = Fraction(0)
    for name in names:
        off = gap(after[name][i], before[name][r])
        scale = 1 if off is None or name == "c" else variance(before[name])
        total += Fraction(1 if off is None else off) ** 2 / scale
    return total


@given(pairs())
def test_linkage_by_distance_is_what_all_pairs_give(made):
    before, after = made
    names, rows = varying(before), range(len(before["x"]))
    found = shoal.score(*tables(before, after), measures=["distance-linkage"])[0]
    if not names:
        assert "nothing_to_measure" in found.detail
        return
    expected = Fraction(0)
    for i in rows:
        apart = [squared(before, after, names, i, r) for r in rows]
        if apart[i] == min(apart):
            expected += Fraction(1, apart.count(apart[i]))
    assert found.value == pytest.approx(float(expected / len(rows)), abs=1e-12)


@given(pairs(most=6))
def test_an_assignment_costs_the_least_and_equal_records_share(made):
    before, after = made
    names, rows = varying(before), range(len(before["x"]))
    if not names:
        return
    costs = [[math.sqrt(squared(before, after, names, i, r)) for r in rows] for i in rows]
    totals = {order: sum(costs[i][r] for i, r in zip(rows, order, strict=True)) for order in permutations(rows)}
    least = min(totals.values())
    best = [order for order, total in totals.items() if total < least + 1e-9]
    right = [sum(i == r for i, r in enumerate(order)) for order in best]
    (found,) = shoal.score(*tables(before, after), measures=["assignment-linkage"])
    assert min(right) - 1e-9 <= found.value * len(rows) <= max(right) + 1e-9
    # Where the best assignments differ only by equal records, the share is their mean.
    kept = {tuple(sorted((key(after, names, i), key(before, names, r)) for i, r in enumerate(order))) for order in best}
    if len(kept) == 1:
        assert found.value * len(rows) == pytest.approx(sum(right) / len(right))


def key(columns, names, row):
    return tuple(str(columns[name][row]) for name in names)


@given(st.integers(1, 6), st.data())
def test_an_assignment_of_a_matrix_is_the_best_of_all(n, data):
    costs = np.array(data.draw(st.lists(st.integers(0, 5), min_size=n * n, max_size=n * n)), float).reshape(n, n)
    found = assigned(costs)
    assert sorted(found) == list(range(n))
    best = min(sum(costs[i, j] for i, j in enumerate(order)) for order in permutations(range(n)))
    assert costs[np.arange(n), found].sum() == best


@settings(max_examples=20)
@given(pairs(), st.sampled_from([0.0, 0.1, 0.7]))
def test_linkage_by_agreement_is_what_all_pairs_give(made, tolerance):
    before, after = made
    names, rows = varying(before), range(len(before["x"]))
    # The columns of numbers come first, as they do in the table.
    if not names:
        return
    reach = {name: tolerance * math.sqrt(variance(before[name])) for name in names if name != "c"} | {"c": 0}

    def agree(i, r):
        gaps = [(name, gap(after[name][i], before[name][r])) for name in names]
        return sum((off is not None and off <= reach[name] * (1 + 1e-12)) << j for j, (name, off) in enumerate(gaps))

    patterns = [[agree(i, r) for r in rows] for i in rows]
    known, counts = np.unique(patterns, return_counts=True)
    scores = fitted(known, counts.astype(float), len(names), 1 / len(rows)).scores()
    expected = 0.0
    for i in rows:
        mine = [scores[pattern] for pattern in patterns[i]]
        if mine[i] == max(mine):
            expected += 1 / mine.count(mine[i])
    found = shoal.score(*tables(before, after), measures=[shoal.measures.ProbabilisticLinkage(tolerance=tolerance)])[0]
    assert found.value == pytest.approx(expected / len(rows), abs=1e-12)


@given(pairs())
def test_intervals_and_moves_are_what_the_definitions_say(made):
    before, after = made
    rows = range(len(before["x"]))
    original, released = tables(before, after)
    measures = ["interval-disclosure", "rank-interval-disclosure", "permutation-distance"]
    near, among, moved = shoal.score(original, released, measures=measures)
    cells = {"near": {}, "among": {}}
    moves, size = 0, 0
    for name in KINDS:
        guess = [middle(cell) for cell in after[name]]
        shown = sorted(value for value in guess if value is not None) if name != "c" else []
        spread = 0 if name == "c" or len(shown) < 2 else math.sqrt(float(variance(shown)))
        for i in rows:
            value = before[name][i]
            if value is None:
                continue
            if name == "c" or guess[i] is None:
                cells["near"][i, name] = cells["among"][i, name] = after[name][i] == own(value)
                continue
            cells["near"][i, name] = abs(value - guess[i]) <= 0.05 * spread * (1 + 1e-12)
            ranks = int(0.05 * len(shown))
            low = shown[max(shown.index(guess[i]) - ranks, 0)]
            high = shown[min(len(shown) - 1 - shown[::-1].index(guess[i]) + ranks, len(shown) - 1)]
            cells["among"][i, name] = low <= value <= high
        both = [i for i in rows if name != "c" and before[name][i] is not None and guess[i] is not None]
        if len({before[name][i] for i in both}) > 1:
            first = sorted(both, key=lambda i: (before[name][i], i))
            second = sorted(both, key=lambda i: (guess[i], i))
            moves += sum(abs(first.index(i) - second.index(i)) for i in both) / (len(both) - 1)
            size += len(both)
    for found, kind in ((near, "near"), (among, "among")):
        flags = [[flag for (r, _), flag in cells[kind].items() if r == i] for i in rows]
        flags = [mine for mine in flags if mine]
        if not flags:
            assert "nothing_to_measure" in found.detail
            continue
        assert found.value == pytest.approx(sum(map(all, flags)) / len(flags))
        assert found.detail["any"] == pytest.approx(sum(map(any, flags)) / len(flags))
        assert found.detail["cells"] == pytest.approx(sum(map(sum, flags)) / sum(map(len, flags)))
    assert moved.value == pytest.approx(moves / size if size else 0)


def middle(cell):
    return (cell[0] + cell[1]) / 2 if isinstance(cell, tuple) else None


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (13, 2), (700, 3), (900, 12)])
def test_the_tree_finds_what_a_look_at_everybody_finds(rows, columns):
    draw = np.random.default_rng(rows)
    records = np.round(draw.normal(0, 2, (rows, columns)))
    records[draw.random(records.shape) < 0.05] = np.nan
    low = records + np.round(draw.normal(0, 0.8, records.shape))
    high = low + draw.choice([0.0, 0.0, 2.0], records.shape)
    wild = draw.random(records.shape) < 0.05
    low, high = np.where(wild, -np.inf, low), np.where(wild, np.inf, high)
    weights = draw.choice([0.25, 1.0, 4.0], columns)
    none = np.zeros(columns, np.int64)
    cells = LinkageCells(
        records, low, high, np.arange(rows), columns, weights, np.empty(0, np.uint64), none, none
    )  # fmt: skip
    with np.errstate(invalid="ignore"):
        off = np.maximum(np.maximum(low[:, None] - records[None], records[None] - high[:, None]), 0) ** 2 * weights
    gone, lost = np.isnan(records)[None], np.isnan(low)[:, None]
    off = np.where(gone | lost, np.where(gone & lost, 0.0, 1.0), off)
    apart = np.where(wild[:, None], 0.0, off).sum(axis=2)
    mine = np.diag(apart)
    expected = np.where(mine == apart.min(axis=1), (apart == mine[:, None]).sum(axis=1), 0)
    assert (nearest_counts(cells) == expected).all()


def test_every_pair_of_cells_has_the_gap_that_the_definition_says():
    """All forms of cells beside all values, one pair at a time."""
    cells = [STAR, NOTHING, frozenset("a"), frozenset("ab"), frozenset("cd")]
    for cell, value in product(cells, [*TOWNS, None]):
        before = {"x": [1, 2, 3], "y": [1, 2, 3], "c": [value, "a", None]}
        after = {"x": [STAR] * 3, "y": [STAR] * 3, "c": [cell] * 3}
        expected = Fraction(0)
        for i in range(3):
            apart = [squared(before, after, ["c"], i, r) for r in range(3)]
            expected += Fraction(int(apart[i] == min(apart)), apart.count(apart[i]))
        assert shoal.score(*tables(before, after), measures=["distance-linkage"])[0].value == pytest.approx(
            float(expected / 3)
        )
