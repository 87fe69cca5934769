"""What is counted for answers: the same as by hand on every engine, and no further from a neighbour than is claimed."""

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from clusters import cluster
from engines.pools import Memory
from engines.tiny import Tiny
from hypothesis import given, settings
from hypothesis import strategies as st
from property.dp_audit import RUNS, claims_too_little, epsilon_at_least

import shoal
from shoal.engines.local import Local
from shoal.engines.parts.engine import PartsEngine
from shoal.private.accounting import Price, epsilon_of
from shoal.private.aggregates import aggregated
from shoal.private.answers import noisy
from shoal.private.declarations import Bounds, Declarations, DeclaredColumn
from shoal.private.grammar import Query
from shoal.private.queries import planned

pytest.importorskip("opendp")

COLUMNS = {
    "age": DeclaredColumn("float", edges=("0", "18", "65", "120")),
    "charge": DeclaredColumn("float", Bounds.parse("-10..50 step 0.5")),
    "sex": DeclaredColumn("category", categories=("f", "m")),
    "day": DeclaredColumn("date", edges=("2024-01-01", "2024-01-10", "2024-02-01")),
}
KINDS = {name: column.kind for name, column in COLUMNS.items()}
QUESTIONS = (
    "count",
    "count where age >= 18 and sex != f by sex",
    "count by sex, age, day",
    "sum charge by sex",
    "sum charge in 0..20 step 0.25 where day > 2024-01-05",
    "mean charge by age",
    "histogram age by sex",
    "histogram charge in -20, 0, 7.5",
    "median charge over -5, 0, 2.5, 30",
    "quantile 9/10 of age over 0..100 step 10 by sex",
    "median day over 2024-01-03, 2024-01-20",
)
ENGINES = {"local": Local, "parts": lambda: PartsEngine(Memory(), 5), "disk": Tiny, "spark": cluster}
PRICE = Price.of(rho="1/18")
KEY = b"a key that nobody knows, in tests"

rows = st.lists(
    st.tuples(
        st.sampled_from(["p1", "p2", "p3", "p4", None]),
        st.one_of(st.none(), st.integers(-5, 130)),
        st.one_of(st.none(), st.floats(-100, 100, allow_nan=False).map(lambda x: round(x, 2))),
        st.sampled_from(["f", "m", "x", None]),
        st.sampled_from(["2024-01-01", "2024-01-09", "2024-01-10", "2024-03-01", None]),
    ),
    min_size=1,
    max_size=30,
)


def read(records, subject="id", engine=None, kinds=KINDS):
    frame = pl.DataFrame(
        {name: [record[i] for record in records] for i, name in enumerate(("id", *COLUMNS))},
        schema={"id": pl.String, "age": pl.Float64, "charge": pl.Float64, "sex": pl.String, "day": pl.String},
    )
    kinds = kinds | ({"id": "category"} if subject else {})
    return shoal.read(frame, quasi=list(COLUMNS), subject=subject, kinds=kinds, engine=engine)


def plan(question, c=2, subject="id", price=PRICE):
    return planned(Query.parse(question), Declarations(COLUMNS, subject, c if subject else 1), price)


def counted(records, question, c=2, subject="id", engine=None):
    found = aggregated(read(records, subject, engine), plan(question, c, subject), subject, KEY)
    return found.rows, found.steps


def holds(record, query):
    """A second reading of conditions, for these questions alone."""
    _, age, _, sex, day = record
    text = "" if query.where is None else query.where.text
    return (
        ("age >= 18" not in text or (age is not None and age >= 18))
        and ("sex != f" not in text or (sex is not None and sex != "f"))
        and ("day > 2024-01-05" not in text or (day is not None and day > "2024-01-05"))
    )


def by_hand(records, question):
    """Count row by row, in the plainest way."""
    made = plan(question, subject=None)
    query, places = made.query, {"age": 1, "charge": 2, "sex": 3, "day": 4}
    labels = [codes.labels for codes in made.codes]
    size = math.prod(map(len, labels))
    found, sums = [0] * size, [0] * size

    def code(codes, value):
        if value is None:
            return None
        if codes.column == "sex":
            return {"f": 0, "m": 1}.get(value, 2)
        number = (np.datetime64(value) - np.datetime64("1970-01-01")).astype(int) if codes.column == "day" else value
        if hasattr(codes, "candidates"):
            return sum(int(number > v) + int(number >= v) for v in codes.candidates)
        inside = [i for i, (a, b) in enumerate(zip(codes.edges, codes.edges[1:], strict=False)) if a <= number < b]
        return inside[0] if inside else len(codes.edges) - 2 if number == codes.edges[-1] else len(codes.edges) - 1

    for record in records:
        cells = [code(codes, record[places[codes.column]]) for codes in made.codes]
        if not holds(record, query) or None in cells or (made.units is not None and record[2] is None):
            continue
        at = 0
        for cell, names in zip(cells, labels, strict=True):
            at = at * len(names) + cell
        found[at] += 1
        if made.units is not None:
            low, high, step = (float(getattr(made.units.bounds, name)) for name in ("lower", "upper", "step"))
            sums[at] += round((min(max(record[2], low), high) - float(made.units.centre)) / step)
    return found, sums


@settings(max_examples=25, deadline=None)
@given(rows, st.sampled_from(QUESTIONS))
def test_every_row_is_counted_as_by_hand(records, question):
    assert counted(records, question, subject=None) == by_hand(records, question)


@settings(max_examples=25, deadline=None)
@given(rows, st.sampled_from(QUESTIONS), st.integers(1, 4))
def test_of_each_person_as_many_rows_count_as_may_and_never_more(records, question, c):
    """What counts is what would be counted of some choice of rows: of people with few rows all, of others c."""
    people = defaultdict(list)
    for record in records:
        if record[0] is not None:
            people[record[0]].append(record)
    if all(len(mine) <= c for mine in people.values()):
        assert counted(records, question, c) == by_hand([r for mine in people.values() for r in mine], question)
    (total,) = counted(records, "count", c)[0]
    assert total == sum(min(len(mine), c) for mine in people.values())


@settings(max_examples=40, deadline=None)
@given(rows, rows, st.sampled_from(QUESTIONS), st.integers(1, 3), st.integers(0, 40))
def test_one_person_more_changes_no_more_than_is_claimed(records, theirs, question, c, place):
    """The rows of others that count stay the same, wherever the rows of the new person stand."""
    hers = [("new", *record[1:]) for record in theirs]
    with_her = list(records)
    for i, record in enumerate(hers):
        with_her.insert((place * (i + 1)) % (len(with_her) + 1), record)
    made = plan(question, c)
    before, after = (counted(each, question, c) for each in (records, with_her))
    changes = {"rows": np.subtract(after[0], before[0]), "steps": np.subtract(after[1], before[1])}
    if made.buckets is not None:
        width = len(made.buckets.labels)
        scores = [
            np.concatenate(
                [
                    made.buckets.scores(found[0][i : i + width], made.query.fraction)
                    for i in range(0, len(found[0]), width)
                ]
            )
            for found in (before, after)
        ]
        assert np.abs(scores[1] - scores[0]).max() <= made.counted[0].noise.sensitivity
        return
    for each in made.counted:
        change = changes[each.what].astype(float)
        assert np.abs(change).sum() <= each.noise.sensitivity
        assert np.sqrt((change**2).sum()) <= each.noise.sensitivity


SOME = [
    (
        f"p{i % 7}" if i % 11 else None,
        (i * 37) % 125 - 2,
        (i * 7.31) % 80 - 20,
        "fmx"[i % 3],
        f"2024-01-{1 + i % 28:02d}",
    )
    for i in range(43)
]


@pytest.mark.parametrize(
    "kind",
    [kind if kind != "spark" else pytest.param(kind, marks=pytest.mark.spark) for kind in ENGINES if kind != "local"],
)
def test_the_same_is_counted_wherever_the_table_is_held(kind):
    for subject in ("id", None):
        local, other = (read(SOME, subject, ENGINES[each]()) for each in ("local", kind))
        for question in QUESTIONS if kind != "spark" else QUESTIONS[2:6]:
            made = plan(question, 3, subject)
            assert aggregated(local, made, subject, KEY) == aggregated(other, made, subject, KEY), question


def test_the_rows_of_a_person_that_count_are_drawn_by_the_key_and_not_by_value_or_place():
    records = [("p", float(i), None, "f", None) for i in range(100)] + [("q", 1.0, None, "m", None)]
    chosen = [
        tuple(
            np.flatnonzero(
                aggregated(read(records), plan(f"histogram age in {edges} where sex = f", 10), "id", key).rows
            )
        )
        for key in (KEY, b"another key, as long as the first")
        for edges in [",".join(map(str, range(101)))]
    ]
    assert all(len(each) == 10 for each in chosen)
    assert chosen[0] != chosen[1]
    assert chosen[0] not in (tuple(range(10)), tuple(range(90, 100)))


def outputs(records, question, *, price, c=1, runs=RUNS):
    """Answers to one question about a table, many times: noise is added to equal counts at once."""
    made = plan(question, c, price=price)
    found = aggregated(read(records), made, "id", KEY)
    if made.query.kind == "quantile":
        return np.array([noisy(made, found).cells[0].value for _ in range(runs)])
    (counts,) = made.counted
    numbers = found.rows if counts.what == "rows" else found.steps
    return np.array(counts.noise.added(numbers * runs))


FEW = [(f"p{i}", 20.0 + i, 10.0, "f", None) for i in range(4)]


@pytest.mark.slow
def test_answers_lose_no_more_privacy_than_they_claim():
    """Counts and sums of neighbours: the bound that an auditor finds stays below what was paid."""
    one_more = [*FEW, ("new", 90.0, 50.0, "m", None)]
    found = [outputs(records, "sum charge", price=Price.of(epsilon="1.2")) for records in (FEW, one_more)]
    assert 0.9 < epsilon_at_least(*found) <= 1.2
    price = Price.of(rho="0.5")
    found = [outputs(records, "count", price=price) for records in (FEW, one_more)]
    assert 0.9 < epsilon_at_least(*found, delta=1e-3) <= epsilon_of(Fraction(1, 2), 1e-3)


@pytest.mark.parametrize("runs", [RUNS // 20, pytest.param(RUNS, marks=pytest.mark.large)])
def test_a_quantile_loses_no_more_than_it_claims(runs):
    one_more = [*FEW, ("new", 90.0, 50.0, "m", None)]
    found = [
        outputs(records, "median age over 21, 80", price=Price.of(epsilon="2"), runs=runs)
        for records in (FEW, one_more)
    ]
    assert 0.2 < epsilon_at_least(*found) <= 2.0


def test_a_mechanism_that_forgets_how_many_rows_a_person_has_is_caught():
    hers = [("new", 90.0, 50.0, "m", None)] * 4
    price = Price.of(epsilon="1")
    made = plan("count", 1, price=price)
    broken = [
        np.array(made.counted[0].noise.added([aggregated(read(each), plan("count", 4), "id", KEY).rows[0]] * RUNS))
        for each in (FEW, FEW + hers)
    ]
    assert claims_too_little(*broken, 1.0)


def test_counts_made_non_negative_are_whole_and_keep_their_sum():
    from shoal.private.answers import _at_least_zero

    random = np.random.default_rng(3)
    for _ in range(200):
        values = random.integers(-20, 30, random.integers(1, 9)).tolist()
        found = _at_least_zero(values)
        assert sum(found) == max(sum(values), 0)
        assert min(found) >= 0
    assert _at_least_zero([5, -1, 3]) == [5, 0, 2] or _at_least_zero([5, -1, 3]) == [4, 0, 3]
    assert _at_least_zero([-5, -6]) == [0, 0]
