"""Studies: the grid, the cache, and going on after an interruption."""

import json

import polars as pl
import pytest

import shoal
from shoal.assessment.study import Cell, kept
from shoal.errors import GuaranteeError, ParameterError

PEOPLE = pl.DataFrame(
    {
        "age": [(i * 7) % 31 for i in range(40)],
        "zip": [100 + (i * 13) % 17 for i in range(40)],
        "charge": [(i * 29) % 101 for i in range(40)],
    }
)


@pytest.fixture
def table():
    return shoal.read(PEOPLE, quasi=["age", "zip"], sensitive=["charge"])


MODELS = [{"name": "k-anonymity", "k": [2, 5]}, {"name": "t-closeness", "t": [0.4, 0.5], "column": "charge"}]


def test_the_grid_crosses_methods_with_what_they_enforce_and_with_seeds():
    methods = [shoal.methods.SortedClusters(), shoal.methods.StratifiedClusters(), shoal.methods.Coarsen(2)]
    study = shoal.Study.grid(methods, MODELS, seeds=[0, 1])
    counted = {}
    for cell in study.cells:
        counted[cell.methods[0].name] = counted.get(cell.methods[0].name, 0) + 1
    assert counted == {"sorted-clusters": 4 * 2, "stratified-clusters": 4 * 2, "coarsen": 2}


def test_rows_are_tidy(table):
    rows = shoal.Study.grid([shoal.methods.SortedClusters()], MODELS[:1]).run(table)
    assert {(row["models"]["k-anonymity"]["k"], row["measure"]) for row in rows} >= {
        (2, "uniqueness"), (5, "uniqueness"), (2, "information-loss"), (5, "information-loss"),
    }  # fmt: skip
    assert all(row["lower"] <= row["value"] <= row["upper"] for row in rows)
    losses = [row["value"] for row in rows if row["measure"] == "information-loss"]
    assert losses[0] < losses[1]


def test_a_study_goes_on_where_it_stopped(table, tmp_path, monkeypatch):
    study = shoal.Study.grid(
        [shoal.methods.SortedClusters()], [{"name": "k-anonymity", "k": [2, 3, 5]}], cache=tmp_path
    )
    asked = []
    run = Cell.run

    def counted(cell, table):
        asked.append(cell.label)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return run(cell, table)

    monkeypatch.setattr(Cell, "run", counted)
    with pytest.raises(KeyboardInterrupt):
        study.run(table)
    assert len(list(tmp_path.glob("*.json"))) == 2
    rows = study.run(table)
    assert len(asked) == 4  # only the cell that was interrupted is run again
    monkeypatch.undo()
    fresh = shoal.Study(study.cells).run(table)
    assert [(r["models"], r["measure"], r["value"]) for r in rows] == [
        (r["models"], r["measure"], r["value"]) for r in fresh
    ]


def test_other_data_and_other_recipes_have_other_places_in_the_cache(table):
    cell, other = (Cell((shoal.methods.SortedClusters(),), (shoal.models.KAnonymity(k),), ()) for k in (2, 3))
    changed = shoal.read(PEOPLE.with_columns(age=pl.col("age") + 1), quasi=["age", "zip"], sensitive=["charge"])
    assert len({cell.digest(table), other.digest(table), cell.digest(changed)}) == 3


def test_a_broken_piece_of_work_leaves_nothing_in_the_cache(tmp_path):
    with pytest.raises(ZeroDivisionError):
        kept(tmp_path, "x", lambda: 1 / 0)
    assert list(tmp_path.iterdir()) == []
    assert kept(tmp_path, "x", lambda: [1]) == [1]
    assert kept(tmp_path, "x", lambda: 1 / 0) == [1]


def test_a_promise_that_is_not_kept_stops_the_study(table):
    with pytest.raises(GuaranteeError, match="does not keep its promise"):
        Cell((shoal.methods.Coarsen(30),), (shoal.models.KAnonymity(5),), ()).run(table)


def test_a_study_is_read_from_toml(tmp_path, table):
    PEOPLE.write_csv(tmp_path / "people.csv")
    (tmp_path / "study.toml").write_text(
        """
        seeds = [0, 3]
        [table]
        file = "people.csv"
        quasi = ["age", "zip"]
        sensitive = ["charge"]
        [[method]]
        name = "sorted-clusters"
        [[method]]
        name = "coarsen"
        resolution = 4
        [[model]]
        name = "k-anonymity"
        k = [2, 5]
        [[measure]]
        name = "uniqueness"
        """,
        encoding="utf-8",
    )
    study, recipe = shoal.Study.load(tmp_path / "study.toml")
    assert len(study.cells) == 2 * 2 + 2
    assert json.dumps(study.run(shoal.read(recipe.source, options=recipe.options)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seeds = 3", "whole numbers"),
        ("[table]\nquasi = ['a']\n[[method]]\nname = 'coarsen'", "no table"),
        ("[table\n", "not TOML"),
        ("[[method]]\nname = 'coarsen'\n[tabel]\n", "tabel"),
    ],
)
def test_a_study_that_cannot_be_read_says_why(tmp_path, text, said):
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match=said):
        shoal.Study.load(tmp_path / "study.toml")
