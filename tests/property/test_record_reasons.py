"""Why records are at risk: every smallest set and every attribute that helps, counted one by one on random tables."""

import stat
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from engines.tiny import Tiny
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.assessment.record_reasons import RecordReasons
from shoal.assessment.records_at_risk import write_records
from shoal.errors import ParameterError, ShoalError


@st.composite
def tables(draw):
    rows, columns = draw(st.integers(1, 14)), draw(st.integers(1, 4))
    cell = st.one_of(st.integers(0, 2), st.none())
    return {f"c{j}": draw(st.lists(cell, min_size=rows, max_size=rows)) for j in range(columns)}


def group(made, i, names):
    mine = [tuple(made[name][row] for name in names) for row in range(len(made["c0"]))]
    return mine.count(mine[i])


@given(tables(), st.integers(1, 5))
def test_every_reason_is_found_and_what_helps(made, fewer):
    frame = pl.DataFrame(made, dict.fromkeys(made, pl.Int64))
    given = {"quasi": list(made), "kinds": dict.fromkeys(made, "integer")}
    reasons = RecordReasons.of(shoal.read(frame, **given), fewer)
    risky = [i for i in range(len(made["c0"])) if group(made, i, made) < fewer]
    every = [names for size in range(1, len(made) + 1) for names in combinations(made, size)]
    minimal = {}
    for i in risky:
        small = [names for names in every if group(made, i, names) < fewer]
        minimal[i] = {names for names in small if not any(set(other) < set(names) for other in small)}
    helps = {
        i: [n for n in made if len(made) == 1 or group(made, i, [o for o in made if o != n]) >= fewer] for i in risky
    }
    listed = list(reasons.listed())
    assert sorted(record - 1 for record, *_ in listed) == risky
    assert reasons.records == len(risky)
    for record, size, sets, helping in listed:
        assert size == group(made, record - 1, made)
        assert set(sets) <= minimal[record - 1]
        assert len(sets) == min(3, len(minimal[record - 1]))
        assert helping == helps[record - 1]
    assert [size for _, size, *_ in listed] == sorted(size for _, size, *_ in listed)
    for name, touched, freed in reasons.by_attribute():
        assert touched == sum(any(name in names for names in minimal[i]) for i in risky)
        assert freed == sum(name in helps[i] for i in risky)
    for names, records in reasons.by_set(100):
        assert records == sum(names in minimal[i] for i in risky)
    elsewhere = RecordReasons.of(shoal.read(frame, engine=Tiny(), **given), fewer)
    assert list(elsewhere.listed()) == listed
    assert elsewhere.by_attribute() == reasons.by_attribute()


def test_the_list_is_for_its_owner_alone_and_holds_no_cell(tmp_path):
    table = shoal.read(pl.DataFrame({"town": ["Ayr", "Ayr", "Bo"], "age": [771, 772, 771]}), quasi=["town", "age"])
    reasons = shoal.risk(table, why=True).reasons
    path = tmp_path / "risky.csv"
    assert write_records(reasons, path) == 3
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text(encoding="utf-8")
    assert text.splitlines() == [
        "record,group,risk,reasons,helps", "2,1,1,age,age", "3,1,1,town,town", "1,1,1,town + age,town; age"
    ]  # fmt: skip
    assert not any(cell in text for cell in ("Ayr", "Bo", "77"))
    with pytest.raises(ShoalError):
        write_records(reasons, path)
    assert write_records(reasons, path, overwrite=True) == 3
    with pytest.raises(ParameterError):
        write_records(reasons, tmp_path / "risky.html")


def test_a_threshold_says_who_is_at_risk():
    ages = pl.DataFrame({"age": [1] * 4 + [2] * 6})
    found = shoal.risk(ages, quasi="age", why=True, threshold="trusted")["why"]
    assert (found["fewer"], found["records"], found["best"]) == (5, 4, "age")
    found = shoal.risk(ages, quasi="age", why=True)
    assert found["why"]["records"] == 0
    assert "No record is at risk" in found.sections[-1].sentences[0]
    assert shoal.risk(ages, quasi="age", why=True, threshold=1.0)["why"]["records"] == 0


def test_sets_that_were_not_looked_at_are_said_to_be_so(monkeypatch):
    monkeypatch.setattr("shoal.measures.reidentification.minimal_uniques.EFFORT", 0)
    draw = np.random.default_rng(1)
    table = shoal.read(
        pl.DataFrame({f"c{j}": draw.integers(0, 2, 40) for j in range(8)}), quasi=[f"c{j}" for j in range(8)]
    )
    found = shoal.risk(table, why=True)
    assert found["why"]["size"] == 1
    assert any("Sets of up to 1 of the 8 attributes were looked at" in line for line in found.remarks())


TREE = {
    "a": ("a", "ab", "*"),
    "b": ("b", "ab", "*"),
    "c": ("c", "c+", "*"),
    "d": ("d", "de", "*"),
    "e": ("e", "de", "*"),
}
BINS = {"[0;9]": "[0;19]", "[10;19]": "[0;19]", "[20;29]": "[20;39]", "[30;39]": "[20;39]", "[40;49]": "[40;59]"}


@pytest.mark.parametrize("seed", range(12))
def test_one_step_coarser_is_counted_one_by_one(seed, tmp_path):
    draw = np.random.default_rng(seed)
    rows = int(draw.integers(4, 24))
    made = {
        "letter": draw.choice(list(TREE), rows).tolist(),
        "age": [*BINS, *draw.choice(list(BINS), rows - 4).tolist()][:rows] if rows > 4 else list(BINS)[:rows],
        "size": draw.integers(0, 3, rows).tolist(),
    }
    (tmp_path / "tree.csv").write_text("".join(f"{','.join(row)}\n" for row in TREE.values()), encoding="utf-8")
    table = shoal.read(
        pl.DataFrame(made),
        quasi=list(made),
        kinds={"age": "integer"},
        hierarchies={"letter": str(tmp_path / "tree.csv")},
    )
    fewer = int(draw.integers(2, 5))
    reasons = RecordReasons.of(table, fewer)
    above = {"letter": {value: row[1] for value, row in TREE.items()}, "age": BINS}
    risky = [i for i in range(rows) if group({**made, "c0": made["size"]}, i, made) < fewer]
    expected = {}
    for name, over in above.items():
        coarser = {**made, name: [over[cell] for cell in made[name]], "c0": made["size"]}
        expected[name] = sum(group(coarser, i, made) >= fewer for i in risky)
    assert reasons.by_step() == expected
    found = shoal.risk(table, why=True)["why"]["attributes"]
    assert {each["name"]: each["step"] for each in found} == {"letter": "level", "age": "bins", "size": None}
    assert all((each["coarser"] or 0) <= each["freed"] for each in found)


def test_the_sentence_says_how_it_was_measured(tmp_path):
    frame = pl.DataFrame({"age": [31, 34, 52, 58, 58], "town": ["A", "A", "B", "B", "B"]})
    table = shoal.read(frame, quasi=["age", "town"], hierarchies={"age": "bands 10"})
    said = shoal.risk(table, why=True)
    assert said["why"]["best"] == "age"
    assert (
        "Coarsening 'age' helps most: one level up its hierarchy, 3 of them (100.00%) would not be at risk; without "
        "it, 3. Nothing tells what is coarser of 'town'."
    ) in said.sections[-1].sentences
    alone = shoal.risk(frame, quasi=["age", "town"], why=True)
    assert "Coarsening 'age' helps most: without it 3 of them (100.00%)" in alone.sections[-1].sentences[1]
