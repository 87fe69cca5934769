"""What critics of the paper asked for: each experiment against brute force on small tables, and what is told of it."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.measures.reidentification.erring_attacker import ErringAttacker
from shoal.measures.statistics.sampling import chances
from shoal.report.page import Html, Page
from shoal_paper.datasets.discharges import discharges
from shoal_paper.reproduction.beyond import attacker_errors, dimensions, population, subsets
from shoal_paper.reproduction.beyond.all import EXPERIMENTS
from shoal_paper.reproduction.case import Case
from shoal_paper.reproduction.records import Records

MINE = [each for each in EXPERIMENTS if each.name in ("population", "attacker-errors", "subsets", "dimensions")]
CENSUS = ("age", "sex")


def case_of(table):
    return Case(Records(None, table, table))


def read(frame, knowledge):
    charged = frame.with_columns(charge=pl.int_range(pl.len()))
    return shoal.read(charged, quasi=list(knowledge), sensitive=["charge"], knowledge=knowledge)


@pytest.fixture(scope="module")
def case():
    """Give a table of discharges."""
    return case_of(discharges(1200))


@pytest.fixture(scope="module")
def other():
    """Give a table of another kind: categories, decimals, missing cells, and two groups of what is known."""
    generator = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "age": [None, *generator.integers(20, 40, 399).tolist()],
            "sex": generator.choice(["f", "m"], 400).tolist(),
            "place": generator.choice(list("abcdef"), 400).tolist(),
            "dose": [*generator.choice([0.5, 1.25, 8.0], 399).tolist(), None],
        }
    )
    return case_of(read(frame, dict.fromkeys(CENSUS, "census") | dict.fromkeys(("place", "dose"), "treatment")))


def records_of(table, names):
    frame = table.to_polars().select(names)
    return list(frame.iter_rows())


def test_samples_are_looked_up_in_the_whole_table(other, monkeypatch):
    monkeypatch.setattr(population, "SAMPLES", (50, 200, 1000))
    rows = population.measure(other)
    assert [(row["known"], row["sample"]) for row in rows] == [
        ("census + treatment", 50), ("census + treatment", 200), ("census", 50), ("census", 200),
    ]  # fmt: skip
    for row in rows:
        names = CENSUS if row["known"] == "census" else other.table.schema.quasi
        records = records_of(other.table, names)
        drawn = np.argsort(chances(np.arange(400), other.seed))[: row["sample"]]
        here, everywhere = Counter(records[i] for i in drawn), Counter(records)
        alone = [i for i in drawn if here[records[i]] == 1]
        in_all = [i for i in alone if everywhere[records[i]] == 1]
        assert row["unique in the sample"] == len(alone) / row["sample"]
        assert row["of these unique in all"] == pytest.approx(len(in_all) / len(alone) if alone else None)


def test_a_sample_of_everybody_but_one_tells_the_truth(case, monkeypatch):
    monkeypatch.setattr(population, "SAMPLES", (case.table.rows - 1,))
    for row in population.measure(case):
        assert row["of these unique in all"] > 0.99
        assert row["Zayatz"] == pytest.approx(row["of these unique in all"], abs=0.01)


def test_errors_are_measured_for_one_attribute_and_for_all(case, other):
    for each, one in ((case, "los"), (other, "dose")):
        rows = attacker_errors.measure(each)
        assert [row["wrong about"] for row in rows] == [one] * 6 + ["every attribute"] * 6
        alone = shoal.score(each.table, measures=[shoal.measures.Uniqueness()])[0].value
        for row in rows:
            assert row["claimed"] == pytest.approx(row["right"] + row["wrong"])
            if row["rate"] == 0:
                assert (row["right"], row["wrong"]) == (pytest.approx(alone), 0)
        wanted = ErringAttacker(each.table, codes=attacker_errors.CODES).matches({one: 0.3})
        assert (rows[4]["right"], rows[4]["wrong"]) == (wanted.right, wanted.wrong)


def test_there_are_as_many_sets_as_can_be_measured(case):
    assert [subsets.largest(n) for n in (1, 9, 12, 13, 20, 5000)] == [1, 9, 12, 6, 3, 1]
    rows = subsets.measure(case)
    assert len(rows) == 511
    assert rows[-1]["unique"] == shoal.score(case.table, measures=[shoal.measures.Uniqueness()])[0].detail["unique"]
    assert rows[0]["known"] == case.table.schema.quasi[0]


def test_people_with_several_records_have_those_that_follow_each_other_by_census_features(other):
    people = dimensions._people(other)
    assert people.shape == (25, 16, 4)
    cells, _ = other.table.cells(other.table.schema.quasi, np.arange(400))
    assert Counter(map(tuple, people.reshape(-1, 4).tolist())) == Counter(map(tuple, cells.tolist()))
    census = sorted(map(tuple, cells[:, :2].tolist()))
    assert [sorted(map(tuple, records)) for records in people[:, :, :2].tolist()] == [
        census[i : i + 16] for i in range(0, 400, 16)
    ]


def test_loss_by_dimension_is_that_of_releases(other):
    rows = dimensions.measure(other)
    assert [row["number"] for row in rows] == [1, 2, 3, 4] * 4 + [1, 2, 4, 8, 16]
    assert [row["columns"] for row in rows[-5:]] == [4, 6, 10, 18, 34]
    release = shoal.anonymize(other.table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(5)])
    loss = shoal.score(
        other.table, release.table, measures=[shoal.measures.InformationLoss(), shoal.measures.Granularity()]
    )
    assert (rows[3]["loss"], rows[3]["certainty"]) == pytest.approx(tuple(each.value for each in loss))
    assert rows[3]["loss of a value"] == pytest.approx(2 * rows[3]["loss"])
    by_records = [row["loss of a value"] for row in rows[-5:]]
    assert by_records == sorted(by_records)  # the curse


def test_experiments_leave_out_what_a_table_is_too_small_for():
    frame = pl.DataFrame({"age": [30, 31, 32, 33] * 3, "place": ["a", "b", "b"] * 4})
    tiny = case_of(read(frame, {"age": "census", "place": "spatial"}))
    assert population.measure(tiny) == []
    assert {row["by"] for row in dimensions.measure(tiny)} == {dimensions.ATTRIBUTES}
    assert len(attacker_errors.measure(tiny)) == 12
    assert len(subsets.measure(tiny)) == 3


@pytest.mark.parametrize("each", MINE, ids=lambda each: each.name)
@pytest.mark.parametrize("which", ["case", "other"])
def test_each_is_drawn_and_told_with_its_own_figures(each, which, request, monkeypatch):
    monkeypatch.setattr(population, "SAMPLES", (50, 200))
    rows = each.measure(request.getfixturevalue(which))
    drawn = each.figures(rows)
    assert all(figure.rows and figure.title.startswith(number) for number, figure in drawn.items())
    shown = {number: Html(f"<figure>{number}</figure>") for number in ("Fig. S1", *drawn, "Fig. Z")}
    page = Page("Study", "", [each.section(rows, shown)]).html()
    assert [number for number in shown if f"<figure>{number}</figure>" in page] == list(drawn)
