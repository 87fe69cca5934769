"""Distances between distributions and counts of queries, against enumeration with fractions."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.measures.statistics.cell_masses import CellMasses
from shoal.measures.statistics.range_counts import Range, Several, estimated_counts
from shoal.measures.statistics.uniformity import common_ground

LETTERS = "abcd"
numbers = st.one_of(
    st.none(),
    st.just("*"),
    st.integers(0, 8).map(lambda v: (v, v)),
    st.tuples(st.integers(0, 8), st.integers(0, 8)).map(lambda ends: tuple(sorted(ends))),
)
sets = st.one_of(st.none(), st.just("*"), st.sets(st.sampled_from(LETTERS), min_size=1).map(lambda s: tuple(sorted(s))))
exact_numbers, exact_sets = st.integers(0, 8).map(lambda v: (v, v)), st.sampled_from(LETTERS).map(lambda v: (v,))
rows = st.lists(st.tuples(exact_numbers, exact_sets, numbers, sets), min_size=1, max_size=8)


def text(cell):
    if cell is None or cell == "*":
        return cell
    if isinstance(cell[0], int):
        return f"[{cell[0]};{cell[1]}]" if cell[0] < cell[1] else str(cell[0])
    return "{" + ";".join(cell) + "}" if len(cell) > 1 else cell[0]


def read(column, other):
    frame = pl.DataFrame(
        {"x": list(map(text, column)), "y": list(map(text, other))}, schema=dict.fromkeys("xy", pl.String)
    )
    return shoal.read(frame, quasi=["x", "y"], kinds={"x": "integer", "y": "category"}, masked=True)


def spread(cell, domain):
    """Give the values that a cell may stand for, each with its weight."""
    if cell is None:
        return {None: Fraction(1)}
    shown = range(cell[0], cell[-1] + 1) if isinstance(cell[0], int) else cell
    values = domain if cell == "*" else shown
    return {value: Fraction(1, len(values)) for value in values}


def shares(column, domain):
    found = {}
    for cell in column:
        for value, weight in spread(cell, domain).items():
            found[value] = found.get(value, 0) + weight / len(column)
    return found


def domains(table):
    column = [cell[0] for cell, *_ in table]
    return range(min(column), max(column) + 1), sorted({letter for _, (letter,), *_ in table})


@given(rows)
def test_distances_are_those_of_the_enumerated_distributions(table):
    before, after = (
        read(*zip(*[row[:2] for row in table], strict=True)),
        read(*zip(*[row[2:] for row in table], strict=True)),
    )
    ks, tv = shoal.score(before, after, measures=[shoal.measures.KolmogorovSmirnov(), shoal.measures.TotalVariation()])
    for j, (name, domain) in enumerate(zip("xy", domains(table), strict=True)):
        p, q = shares([row[j] for row in table], domain), shares([row[j + 2] for row in table], domain)
        variation = sum(abs(p.get(v, 0) - q.get(v, 0)) for v in {*p, *q}) / 2
        assert tv.detail["per_attribute"][name] == pytest.approx(float(variation), abs=1e-12)
        if name == "x":
            order = [None, *range(9)]
            steps = np.cumsum([float(q.get(v, 0) - p.get(v, 0)) for v in order])
            assert ks.detail["per_attribute"][name] == pytest.approx(np.abs(steps).max(), abs=1e-12)
    assert 0 <= ks.value <= tv.detail["per_attribute"]["x"] + 1e-12


@given(rows, st.tuples(st.integers(0, 8), st.integers(0, 8)).map(sorted), st.sets(st.sampled_from(LETTERS), min_size=1))
def test_counts_of_queries_are_expectations_over_the_enumerated_values(table, limits, letters):
    both = [read(*zip(*[row[i : i + 2] for row in table], strict=True)) for i in (0, 2)]
    grounds = {name: common_ground(*both, name, both[0].moments()) for name in "xy"}
    wanted = frozenset(grounds["y"].names.index(letter) for letter in letters if letter in grounds["y"].names)
    query = {"x": Range(*map(float, limits)), "y": Several(wanted)}
    domain = domains(table)
    for side in (0, 1):
        expected = Fraction(0)
        for row in table:
            x, y = (spread(cell, domain[j]) for j, cell in enumerate(row[2 * side : 2 * side + 2]))
            inside = sum(w for v, w in x.items() if v is not None and limits[0] <= v <= limits[1])
            expected += inside * sum(w for v, w in y.items() if v in letters)
        found = estimated_counts(CellMasses.of(both[side]), side, grounds, [query, {"x": query["x"]}])
        assert found[0] == pytest.approx(float(expected), abs=1e-9)
        assert found[0] <= found[1] + 1e-9


@given(rows, st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(table, random):
    measures = [
        shoal.measures.KolmogorovSmirnov(),
        shoal.measures.TotalVariation(),
        shoal.measures.QueryError(20, 2),
        shoal.measures.Propensity(),
    ]
    values = []
    for _ in range(2):
        before, after = (read(*zip(*[row[i : i + 2] for row in table], strict=True)) for i in (0, 2))
        values.append([found.value for found in shoal.score(before, after, measures=measures)])
        table = random.sample(table, len(table))
    assert values[0] == pytest.approx(values[1], abs=1e-9)
    assert shoal.score(before, before, measures=measures)[0].value == 0
