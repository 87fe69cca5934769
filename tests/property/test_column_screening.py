"""Sets of columns that single people out: known answers, and every set counted pair by pair on random tables."""

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property.independent import columns_of

import shoal
from shoal.errors import ParameterError, SchemaError
from shoal.measures import ColumnScreening

FIVE = {"age": [20, 30, 40, 20, 40], "sex": list("FFFMM"), "state": ["CA", "CA", "TX", "NY", "CA"]}


def screened(columns, **given):
    table = shoal.read(pl.DataFrame(columns), quasi=list(columns))
    return shoal.score(table, measures=[ColumnScreening(**given)])[0]


def by_columns(found):
    return {tuple(each["columns"]): each for each in found}


def test_five_people_are_told_apart_by_age_and_either_of_the_others():
    found = screened(FIVE, threshold=0.5)
    sets = by_columns(found.detail["sets"])
    known = {("sex",): (0.4, 0.6), ("state",): (0.6, 0.7), ("age",): (0.6, 0.8), ("sex", "state"): (0.8, 0.9)}
    known |= {("age", "sex"): (1, 1), ("age", "state"): (1, 1)}
    assert {each: (sets[each]["distinction"], sets[each]["separation"]) for each in known} == {
        each: pytest.approx(numbers) for each, numbers in known.items()
    }
    assert set(sets) == set(known)  # all three hold a set that tells everybody apart
    assert found.value == 1
    assert set(by_columns(found.detail["minimal"])) == {("age", "sex"), ("age", "state"), ("sex", "state")}


def test_adult_is_known_by_age_education_and_occupation(public_file):
    path = public_file("adult/adult.csv")
    found = shoal.score(shoal.read(path, quasi=list(columns_of(path, ";"))), measures=["column-screening"])[0].detail
    whole = [found[name] for name in ("distinction", "separation", "uniqueness")]
    assert whole == pytest.approx([0.6465751608, 0.9999063224, 0.5142895033], abs=5e-11)
    sets = by_columns(found["sets"])
    single = {"age": 0.9781172561, "occupation": 0.8946220036, "education": 0.8074379804}
    assert {name: sets[name,]["separation"] for name in single} == pytest.approx(single, abs=5e-11)
    best = max((each for each in found["sets"] if len(each["columns"]) == 3), key=lambda each: each["separation"])
    assert best["columns"] == ["age", "education", "occupation"]
    three = [best[name] for name in ("distinction", "separation", "uniqueness")]
    assert three == pytest.approx([0.16723029, 0.9993357202, 0.06322525], abs=5e-9)
    assert (found["largest"], found["looked_at"]) == (9, 511)


@st.composite
def tables(draw):
    rows, columns = draw(st.integers(1, 14)), draw(st.integers(1, 4))
    cell = st.one_of(st.integers(0, 3), st.none())
    return {f"c{j}": draw(st.lists(cell, min_size=rows, max_size=rows)) for j in range(columns)}


@given(tables(), st.sampled_from([0.1, 0.5, 1.0]), st.sampled_from([None, 1, 2]))
def test_every_set_is_counted_as_pairs_say(made, threshold, size):
    table = shoal.read(
        pl.DataFrame(made, dict.fromkeys(made, pl.Int64)), quasi=list(made), kinds=dict.fromkeys(made, "integer")
    )
    found = shoal.score(table, measures=[ColumnScreening(threshold=threshold, size=size)])[0]
    rows = range(len(made["c0"]))

    def numbers(names):
        seen = [tuple(made[name][i] for name in names) for i in rows]
        counts = Counter(seen)
        differ = [seen[a] != seen[b] for a, b in combinations(rows, 2)]
        return {
            "distinction": len(counts) / len(seen),
            "separation": sum(differ) / len(differ) if differ else 1.0,
            "uniqueness": sum(count == 1 for count in counts.values()) / len(seen),
        }

    def plain(each):
        return {name: each[name] for name in ("distinction", "separation", "uniqueness")}

    assert plain(found.detail) == pytest.approx(numbers(list(made)))
    most = size or len(made)
    every = {names: numbers(names) for s in range(1, most + 1) for names in combinations(made, s)}
    complete = [set(names) for names, told in every.items() if told["separation"] == 1]
    expected = {names: told for names, told in every.items() if not any(each < set(names) for each in complete)}
    shown = {tuple(each["columns"]): plain(each) for each in found.detail["sets"]}
    assert shown == {names: pytest.approx(told) for names, told in expected.items()}
    risky = [set(names) for names, told in every.items() if told["uniqueness"] >= threshold]
    minimal = {names for names in map(frozenset, risky) if not any(other < names for other in risky)}
    assert minimal <= {frozenset(each["columns"]) for each in found.detail["minimal"]}
    for each in found.detail["greedy"]:
        assert plain(each) == pytest.approx(numbers(each["columns"]))


def test_a_hundred_columns_are_looked_at_as_far_as_effort_goes_and_it_is_said():
    draw = np.random.default_rng(4)
    wide = {f"c{j}": draw.integers(0, 2, 300) for j in range(100)}
    found = screened(wide, effort=20_000_000)
    assert found.detail["largest"] == 2
    assert found.detail["looked_at"] == 100 + 4950
    steps = [each["separation"] for each in found.detail["greedy"]]
    assert steps == sorted(steps)
    assert steps[-1] == found.value == 1
    assert screened(wide, effort=0).detail["largest"] == 1
    assert len(found.detail["sets"]) == 200


def test_it_is_part_of_the_risk_of_a_table_and_says_it_in_words():
    found = shoal.risk(pl.DataFrame(FIVE), quasi=list(FIVE), measures=["column-screening"])
    assert found["scores"][0]["value"] == 1
    sentence = " ".join(found.remarks())
    assert "single out a share of 0.05 of the records: state (40.00%); age (20.00%)." in sentence
    nobody = ColumnScreening.sentence({"threshold": 0.05, "largest": 3, "minimal": []})
    assert nobody == "No set of at most 3 columns singles out a share of 0.05 of the records."


def test_what_makes_no_sense_is_refused():
    for wrong in ({"size": 0}, {"threshold": 0}, {"threshold": 5}, {"effort": -1}):
        with pytest.raises(ParameterError):
            ColumnScreening(**wrong)
    with pytest.raises(SchemaError):
        screened(FIVE, known=("name",))
