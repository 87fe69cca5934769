"""`hilbert` beside the paper's algorithms, with and without t-closeness, and the sample that this is measured on."""

from dataclasses import replace

import polars as pl
import pytest

import shoal
from shoal.domains.hierarchy import Hierarchy
from shoal_paper.datasets.discharges import discharges
from shoal_paper.reproduction import experiments
from shoal_paper.reproduction.beyond import Experiment, hilbert
from shoal_paper.reproduction.beyond.samples import drawn
from shoal_paper.reproduction.case import LEVELS, Case
from shoal_paper.reproduction.experiments import Experiments
from shoal_paper.reproduction.records import Records
from shoal_paper.reproduction.setting import DISCHARGES


@pytest.fixture(scope="module")
def case():
    return Case(Records.of(discharges(600)))


@pytest.fixture(scope="module")
def rows(case):
    steps = Experiments(case)
    results = {"masking": steps.masking(), "comparison": steps.comparison()}
    return [*hilbert.measure(case), *hilbert.compared(results)]


def values(rows, data, measure):
    found = [row for row in rows if (row["data"], row["measure"]) == (data, measure)]
    return {(row["family"], row["label"]): row["value"] for row in found}


def test_four_ways_are_measured_at_every_level_and_those_of_the_paper_not_twice(rows):
    families = (hilbert.S2, hilbert.PLAIN, hilbert.S4, hilbert.CLOSE)
    losses = values(rows, hilbert.SAMPLE, hilbert.LOSS)
    assert set(losses) == {(family, f"k = {k}") for family in families for k in LEVELS}
    # A table that is short is its own sample, so that both must say the same.
    whole = values(rows, hilbert.ALL, hilbert.LOSS)
    assert whole == {place: loss for place, loss in losses.items() if place[0] in families[:2]}
    for k in LEVELS:
        label = f"k = {k}"
        assert losses[hilbert.PLAIN, label] < losses[hilbert.S2, label]
        assert losses[hilbert.CLOSE, label] < losses[hilbert.S4, label]


def test_rows_of_earlier_steps_are_told_behind_those_of_an_experiment(case, monkeypatch):
    again = Experiment(
        "again", 1, lambda case: [{"own": 1}], hilbert.figures, hilbert.section, lambda r: r["masking"][:1]
    )
    left_out = Experiment("not run", 1, lambda case: [], hilbert.figures, hilbert.section)
    monkeypatch.setattr(experiments, "EXPERIMENTS", (again, left_out))
    steps = {"masking": (1, Experiments(case).masking), "again": (1, lambda: again.measure(case))}
    monkeypatch.setattr(Experiments, "steps", property(lambda self: steps))
    found = Experiments(case).results()
    assert found["again"] == [{"own": 1}, found["masking"][0]]
    assert "not run" not in found


def test_releases_with_t_closeness_disclose_nothing_at_the_levels_of_table_s9(rows):
    shown = values(rows, hilbert.SAMPLE, hilbert.DISCLOSED)
    assert all(value == 0 for (family, _), value in shown.items() if family in (hilbert.S4, hilbert.CLOSE))
    assert {row["t"] for row in rows if row["family"] == hilbert.CLOSE} == {0.25, 0.17, 0.10, 0.05}


def test_both_sides_are_told_from_the_rows():
    def row(family, label, loss, disclosed):
        about = {"family": family, "label": label, "t": None, "data": hilbert.ALL, "records": 1000}
        return [about | {"measure": m, "value": v} for m, v in ((hilbert.LOSS, loss), (hilbert.DISCLOSED, disclosed))]

    whole = [*row(hilbert.S2, "k = 2", 0.4, 0.10), *row(hilbert.PLAIN, "k = 2", 0.1, 0.30)]
    whole += [*row(hilbert.S2, "k = 3", 0.6, 0.02), *row(hilbert.PLAIN, "k = 3", 0.2, 0.08)]
    close = [*row(hilbert.S4, "k = 2", 0.5, 0.0), *row(hilbert.CLOSE, "k = 2", 0.25, 0.0)]
    rows = [*whole, *({**each, "data": hilbert.SAMPLE} for each in close)]
    told = " ".join(map(str, hilbert.section(rows, {}).blocks))
    assert "At the same k it loses 3.0 to 4.0 times less. It discloses 3.0 to 4.0 times as many" in told
    assert "drawn at random" not in told
    assert "at k = 3 it beats Algorithm S2 at k = 2 in both" in told
    assert "loses 2.0 to 2.0 times less than Algorithm S4, and none of the confidential values" in told
    larger = [each | {"records": 9000} if each["data"] == hilbert.ALL else each for each in rows]
    assert "on 1,000 of the records, drawn at random" in " ".join(map(str, hilbert.section(larger, {}).blocks))
    spoilt = [each | {"value": 0.07} if each["value"] == 0 else each for each in rows]
    assert "up to 7.00% of the confidential values" in " ".join(map(str, hilbert.section(spoilt, {}).blocks))


def test_figures_name_the_number_of_records(rows):
    figures = hilbert.figures(rows)
    assert list(figures) == ["Fig. B1a", "Fig. B1b"]
    assert all("600 records" in figure.title for figure in figures.values())


def test_a_sample_has_some_of_the_records_and_knows_all_that_was_known(case):
    small = drawn(case, 200)
    assert small.table.rows == 200
    assert small.table.schema.quasi == case.table.schema.quasi
    assert small.groups == case.groups
    assert [small.closeness(k) for k in LEVELS] == [case.closeness(k) for k in LEVELS]
    kept = set(case.table.to_polars().iter_rows())
    assert set(small.table.to_polars().iter_rows()) <= kept
    assert drawn(case, 600) is case


def test_a_sample_keeps_orders_kinds_hierarchies_and_gaps():
    frame = pl.DataFrame({
        "code": ["01", "02", "11", None] * 5,
        "size": ["small", "large", "medium", "small"] * 5,
        "town": ["a1", "a2", "b1", "b2"] * 5,
        "pay": [1.5, None, 3.0, 4.0] * 5,
    })  # fmt: skip
    tree = {"a1": ("a",), "a2": ("a",), "b1": ("b",), "b2": ("b",)}
    hierarchy = Hierarchy.of([(leaf, *above, "*") for leaf, above in tree.items()], "town")
    table = shoal.read(
        frame, quasi=["code", "size", "town"], sensitive=["pay"], kinds={"code": "category"},
        orders={"size": ("small", "medium", "large")}, hierarchies={"town": hierarchy}, masked=True,
    )  # fmt: skip
    setting = replace(DISCHARGES, secret="pay", where="pay > 2")
    small = drawn(Case(Records(None, table, table), setting), 10).table
    for name in ("code", "size", "town", "pay"):
        assert small.schema[name].axis.kind == table.schema[name].axis.kind
    assert small.schema["size"].axis.values.tolist() == ["small", "medium", "large"]
    assert small.schema["town"].axis.tree is not None
    assert None in small.to_polars()["code"].to_list()
    assert set(small.to_polars().iter_rows()) <= set(table.to_polars().iter_rows())
