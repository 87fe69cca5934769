"""Attacks on small random tables, by brute force: row by row, from the definitions, with fractions."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal

TOWNS = "abc"
KINDS = {"age": "integer", "town": "category", "tone": "ordered", "ill": "category"}
ORDER = {"tone": ("low", "mid", "high")}
QUASI = ("age", "town", "tone")

PEOPLE = st.tuples(
    st.none() | st.integers(0, 8),
    st.none() | st.sampled_from(TOWNS),
    st.sampled_from(ORDER["tone"]),
    st.sampled_from("xyz"),
)
AGES = st.tuples(st.integers(0, 8), st.integers(0, 8)).map(lambda ends: (min(ends), max(ends)))
CELLS = {
    "age": st.sampled_from(["*", ""])
    | AGES.map(lambda ends: str(ends[0]) if ends[0] == ends[1] else f"[{ends[0]};{ends[1]}]"),
    "town": st.sampled_from(["*", "", *TOWNS, "{a;b}", "{a;c}", "{a;b;c}"]),
    "tone": st.sampled_from(["*", *ORDER["tone"], "[low;mid]", "[mid;high]"]),
    "ill": st.sampled_from(["x", "x", "y", "z", "*", "{x;y}", ""]),
}
ROWS = st.tuples(*CELLS.values())


def holds(name, cell):
    """Give the values that a cell may stand for; None is no value, and a pair the ends of a range of numbers."""
    values = {"town": TOWNS, "tone": ORDER["tone"], "ill": "xyz"}.get(name)
    if cell == "*":
        return "any"
    if cell == "":
        return None
    if name == "age":
        ends = cell.strip("[]").split(";")
        return int(ends[0]), int(ends[-1])
    if cell[0] == "[":
        low, high = cell[1:-1].split(";")
        return set(values[values.index(low) : values.index(high) + 1])
    return set(cell.strip("{}").split(";"))


def apart(name, value, cell, spread):
    shown = holds(name, cell)
    if shown == "any":
        return Fraction(0)
    if shown is None or value is None:
        return Fraction(int((shown is None) != (value is None)))
    if name != "age":
        return Fraction(int(value not in shown))
    gap = max(shown[0] - value, value - shown[1], 0)
    return min(Fraction(gap, spread), Fraction(1)) if spread else Fraction(int(gap > 0))


def spread_of(people):
    ages = [person[0] for person in people if person[0] is not None]
    return max(ages) - min(ages) if ages else 0


def nearest(person, rows, names, spread):
    """Give the numbers of the rows at the least distance, and that distance."""
    places = [list(CELLS).index(name) for name in names]
    off = [sum(apart(list(CELLS)[j], person[j], row[j], spread) for j in places) for row in rows]
    return {i for i, each in enumerate(off) if each == min(off)}, min(off)


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def right(secret, cell, values):
    shown = holds("ill", cell)
    if shown is None:
        return Fraction(0)
    return Fraction(1, values) if shown == "any" else Fraction(int(secret in shown), len(shown))


def attacked(people, rows, others, **more):
    def frame(lines):
        columns = zip(*lines, strict=True)
        return pl.DataFrame(
            {n: [None if v is None else str(v) for v in c] for n, c in zip(CELLS, columns, strict=True)}
        )

    found = shoal.attack(
        frame(people), frame(rows), quasi=QUASI, sensitive="ill", kinds=KINDS | {"tone": "ordered"}, orders=ORDER,
        holdout=frame(others), masked=True, **more,
    )  # fmt: skip
    return {each.name: each for each in found.successes}


SOME = {"people": st.lists(PEOPLE, min_size=2, max_size=7), "rows": st.lists(ROWS, min_size=1, max_size=7)}


@settings(max_examples=60)
@given(others=st.lists(PEOPLE, min_size=1, max_size=5), **SOME)
def test_linkability_inference_and_membership_are_those_of_brute_force(people, rows, others):
    found, spread = attacked(people, rows, others), spread_of(people)
    values = len(
        {
            *"".join(person[3] for person in (*people, *others)),
            *"".join(c for row in rows for c in row[3] if c in "xyz"),
        }
    )
    for attack, sides in (("rate", people), ("control", others)):
        linked, drawn, moded = [], [], []
        for person in sides:
            one, other = (nearest(person, rows, names, spread)[0] for names in (QUASI[:2], QUASI[2:]))
            linked.append(Fraction(len(one & other), len(one) * len(other)))
            best = nearest(person, rows, QUASI, spread)[0]
            drawn.append(mean(right(person[3], rows[i][3], values) for i in best))
            cells = Counter(rows[i][3] for i in best)
            usual = [cell for cell, number in cells.items() if number == max(cells.values())]
            moded.append(mean(right(person[3], cell, values) for cell in usual))
        for name, expected in (("linkability", linked), ("inference draw", drawn), ("inference mode", moded)):
            assert getattr(found[name], attack) == pytest.approx(float(mean(expected)), abs=1e-12)

    def score(person):
        best, least = nearest(person, rows, QUASI, spread)
        return len(best) if least == 0 else -least

    pairs = [(score(mine), score(other)) for mine, other in product(people, others)]
    area = mean(Fraction((a > b) * 2 + (a == b), 2) for a, b in pairs)
    assert found["membership"].rate == pytest.approx(float(area), abs=1e-12)


@settings(max_examples=60)
@given(others=st.lists(PEOPLE, min_size=1, max_size=5), **SOME)
def test_singling_out_and_nearness_are_those_of_brute_force(people, rows, others):
    found, spread = attacked(people, rows, others), spread_of(people)
    described = {row for row in rows if set(row[:3]) != {"*"}}

    def isolated(sides):
        fits = [
            sum(not any(apart(n, p[j], row[j], spread) for j, n in enumerate(CELLS)) for p in sides)
            for row in described
        ]
        return sum(number == 1 for number in fits)

    single = found["singling out"]
    detail = single.detail
    assert (detail["descriptions"], detail["isolating"]) == (len(described), isolated(people))
    assert detail["isolating_others"] == (isolated(others) if described else None)

    part = others[: len(people)] if len(others) <= len(people) else None
    if part is None:  # a part of them is drawn
        return
    scores, chances = [], []
    for row in rows:
        off = [
            [sum(apart(n, p[j], row[j], spread) for j, n in enumerate(QUASI)) for p in side] for side in (people, part)
        ]
        least, beside = min(off[0]), min(off[1])
        scores.append(Fraction((least < beside) * 2 + (least == beside), 2))
        ties = (off[0] + off[1]).count(min(least, beside))
        whole = comb(len(people) + len(part), ties)
        chances.append((1 + Fraction(comb(len(people), ties) - comb(len(part), ties), whole)) / 2)
    assert found["dcr"].rate == pytest.approx(float(mean(scores)), abs=1e-12)
    assert found["dcr"].control == pytest.approx(float(mean(chances)), abs=1e-9)


@settings(max_examples=40)
@given(st.lists(st.tuples(PEOPLE, ROWS), min_size=2, max_size=7))
def test_the_nearest_record_is_that_of_brute_force(pairs):
    people, rows = (list(side) for side in zip(*pairs, strict=True))
    found, spread = attacked(people, rows, people, same_order=True, attacks="record-linkage"), spread_of(people)
    best = [nearest(person, rows, QUASI, spread)[0] for person in people]
    expected = mean(Fraction(int(i in near), len(near)) for i, near in enumerate(best))
    assert found["nearest record"].rate == pytest.approx(float(expected), abs=1e-12)
    assert found["nearest record"].detail["alone"] == pytest.approx(np.mean([len(near) == 1 for near in best]))
