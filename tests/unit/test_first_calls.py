"""What people type first works in one line, and what is typed wrong is refused in words that say what to do."""

import io
import json
import pickle
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.engines.disk.engine import Disk
from shoal.engines.local import Local
from shoal.engines.memory import Need
from shoal.schema import ReadOptions

QUASI = ["age", "sex"]
ROWS = 24
PEOPLE = {
    "age": [20 + 7 * i % 50 for i in range(ROWS)],
    "sex": ["f", "m"] * (ROWS // 2),
    "charge": [100 * (i % 7) for i in range(ROWS)],
    "ill": ["flu", "cold", "asthma"] * (ROWS // 3),
}
PEOPLE_FRAME = pl.DataFrame(PEOPLE)
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}
ROLES = {"quasi": QUASI, "sensitive": ["charge"]}


@pytest.fixture(scope="module")
def table():
    return shoal.read(pa.table(PEOPLE), **ROLES)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.csv"
    pd.DataFrame(PEOPLE).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("kind", [*FRAMES, "path", "text"])
def test_a_frame_or_a_file_is_anonymized_in_one_line(kind, file, table):
    given = FRAMES[kind](PEOPLE) if kind in FRAMES else file if kind == "path" else str(file)
    release = shoal.anonymize(given, quasi=QUASI, sensitive=["charge"], k=3)
    longer = shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(3)])
    expected = longer.to_arrow(cells="text")
    assert release.holds
    assert release.to_arrow(cells="text").cast(expected.schema).equals(expected)  # texts of pandas are long ones
    assert release.recipe.methods == longer.recipe.methods
    assert release.recipe.models == longer.recipe.models


def test_levels_are_models(table):
    release = shoal.anonymize(table, k=3, t=0.5, l=2)
    assert release.recipe.models == (
        shoal.models.KAnonymity(3), shoal.models.TCloseness(0.5), shoal.models.LDiversity(2),
    )  # fmt: skip
    several = shoal.anonymize(
        PEOPLE_FRAME, quasi="age", sensitive=["charge", "ill"], k=3, t={"charge": 0.5}, l={"ill": 2}
    )
    assert several.recipe.models == (
        shoal.models.KAnonymity(3), shoal.models.TCloseness(0.5, "charge"), shoal.models.LDiversity(2, "ill"),
    )  # fmt: skip
    more = shoal.anonymize(table, "mondrian", shoal.models.LDiversity(2), k=3)
    assert [model.name for model in more.recipe.models] == ["k-anonymity", "l-diversity"]


@pytest.mark.parametrize("k", [np.int64(3), np.uint8(3), np.array(3)], ids=repr)
def test_whole_numbers_of_numpy_are_levels(table, k):
    assert shoal.anonymize(table, k=k).recipe.models == (shoal.models.KAnonymity(3),)


@pytest.mark.parametrize("engine", [Local, Disk], ids=["local", "disk"])
def test_one_line_works_where_the_table_is_held(file, engine, table):
    release = shoal.anonymize(file, **ROLES, k=3, engine=engine())
    assert release.to_arrow(cells="text").equals(shoal.anonymize(table, k=3).to_arrow(cells="text"))
    assert release.table.engine.name == engine.name


# What was typed, and a word of what is said about it.
WRONG = {
    "nothing said of the columns": (lambda: shoal.anonymize(PEOPLE_FRAME, k=3), "quasi="),
    "no column": (lambda: shoal.anonymize(PEOPLE_FRAME, quasi=[], k=3), "quasi="),
    "a column that is not there": (lambda: shoal.anonymize(PEOPLE_FRAME, quasi="agee", k=3), "Did you mean 'age'"),
    "a level that is none": (lambda: shoal.anonymize(PEOPLE_FRAME, quasi=QUASI, k=0), "at least 2"),
    "a text for a level": (lambda: shoal.anonymize(PEOPLE_FRAME, quasi=QUASI, k="5"), "'5'"),
    "a truth for a level": (lambda: shoal.anonymize(PEOPLE_FRAME, quasi=QUASI, k=True), "True"),
    "no level": (lambda: shoal.anonymize(PEOPLE_FRAME, quasi=QUASI, k=None), "k=5"),
    "a frame for a level": (lambda: shoal.anonymize(PEOPLE_FRAME, quasi=QUASI, k=PEOPLE_FRAME), "a DataFrame"),
    "t of no column": (lambda: shoal.anonymize(PEOPLE_FRAME, quasi=QUASI, k=3, t=0.5), "sensitive="),
    "t of one of two": (
        lambda: shoal.anonymize(PEOPLE_FRAME, quasi=QUASI, sensitive=["charge", "ill"], k=3, t=0.5), "t={'charge'",
    ),
    "l by column, of none": (lambda: shoal.anonymize(PEOPLE_FRAME, **ROLES, k=3, l={}), "names no column"),
    "a method that is none": (lambda: shoal.anonymize(PEOPLE_FRAME, "hilbret", quasi=QUASI, k=3), "'hilbert'?"),
    "no method": (lambda: shoal.anonymize(PEOPLE_FRAME, [], quasi=QUASI, k=3).to_pandas(), "does not hold"),
    "a model without its level": (lambda: shoal.anonymize(PEOPLE_FRAME, "hilbert", "k-anonymity", quasi=QUASI), "'k'"),
    "a slip of the pen": (lambda: shoal.anonymize(PEOPLE_FRAME, quais=QUASI, k=3), "Did you mean 'quasi'"),
    "a slip in a word of its own": (lambda: shoal.anonymize(PEOPLE_FRAME, quasi=QUASI, k=3, methd="x"), "'method'"),
    "roles of a table that was read": (
        lambda: shoal.anonymize(shoal.read(PEOPLE_FRAME, quasi=QUASI), quasi=QUASI, k=3), "comes too late",
    ),
    "no table": (lambda: shoal.anonymize(None, quasi=QUASI, k=3), "is not a table"),
    "a list": (lambda: shoal.anonymize([1, 2], quasi=QUASI, k=3), "is not a table"),
    "a series": (lambda: shoal.anonymize(pd.Series([1, 2]), quasi=QUASI, k=3), "Series"),
    "no file": (lambda: shoal.risk("nowhere.csv", quasi=QUASI), "no file"),
    "frames to score": (lambda: shoal.score(PEOPLE_FRAME), "shoal.read"),
    "nothing to score": (lambda: shoal.score(None), "shoal.read"),
    "nothing to compare": (lambda: shoal.compare(PEOPLE_FRAME), "after the original"),
    "frames without roles": (lambda: shoal.compare(PEOPLE_FRAME, PEOPLE_FRAME), "quasi="),
    "a frame with a certificate": (lambda: shoal.verify(PEOPLE_FRAME), "release.write"),
    "another engine": (lambda: shoal.verify("x.csv", "x.certificate.json", engine="locl"), "There are: local"),
    "no way to match": (lambda: shoal.risk(PEOPLE_FRAME, quasi=QUASI, matching="fitt"), "signature or fit"),
    "an empty set": (lambda: shoal.risk(PEOPLE_FRAME, quasi=QUASI, known=[["age"], []]), "names none"),
    "an unknown attribute": (lambda: shoal.risk(PEOPLE_FRAME, quasi=QUASI, known="agee"), "Did you mean 'age'"),
    "what is known as a number": (lambda: shoal.risk(PEOPLE_FRAME, quasi=QUASI, known=5), "is a text"),
    "errors of no column": (lambda: shoal.risk(PEOPLE_FRAME, quasi=QUASI, errors=0.3), "errors={'age': 0.3}"),
    "errors in a list": (lambda: shoal.risk(PEOPLE_FRAME, quasi=QUASI, errors=["age"]), "errors={'age': 0.3}"),
    "errors beyond any doubt": (lambda: shoal.risk(PEOPLE_FRAME, quasi=QUASI, errors={"age": 2}), "from 0 to 1"),
    "errors of an unknown attribute": (lambda: shoal.risk(PEOPLE_FRAME, quasi=QUASI, errors={"agee": 0.3}), "'age'?"),
    "a number for names": (lambda: shoal.anonymize(PEOPLE_FRAME, quasi=QUASI, k=3, allow_identifiers=5), "is a text"),
    "no names": (lambda: shoal.anonymize(PEOPLE_FRAME, quasi=None, k=3), "quasi="),
    "marks that are no texts": (lambda: shoal.inspect(PEOPLE_FRAME, missing=[99]), "is a text"),
    "kinds of no column": (lambda: shoal.inspect(PEOPLE_FRAME, kinds="integer"), "kinds={"),
    "an encoding that is no text": (lambda: shoal.inspect(PEOPLE_FRAME, encoding=8), "encoding='"),
    "no engine": (lambda: shoal.anonymize(PEOPLE_FRAME, quasi=QUASI, k=3, engine=5), "no engine"),
    "options twice": (lambda: shoal.inspect(PEOPLE_FRAME, options=ReadOptions(), quasi=QUASI), "in one of the two"),
    "options that are none": (lambda: shoal.inspect(PEOPLE_FRAME, options=5), "ReadOptions"),
    "no certificate": (lambda: shoal.verify("x.csv", 5), "its path"),
    "no private record": (lambda: shoal.compare(PEOPLE_FRAME, PEOPLE_FRAME, quasi=QUASI, private=5), "the path"),
    "no name to write to": (lambda: shoal.anonymize(PEOPLE_FRAME, quasi=QUASI, k=3).write(5), "Give a path"),
    "no name of a report": (lambda: shoal.anonymize(PEOPLE_FRAME, quasi=QUASI, k=3).report(None), "Give a path"),
    "a check of a frame": (lambda: shoal.models.check(PEOPLE_FRAME, [shoal.models.KAnonymity(2)]), "shoal.read"),
    "a study of no method": (lambda: shoal.Study.grid("hilbret"), "'hilbert'?"),
    "a risk of two": (lambda: shoal.risk(PEOPLE_FRAME, quasi=QUASI, measures="information-loss"), "compare"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_typed_wrong_is_refused_in_words(case):
    make, words = WRONG[case]
    with pytest.raises(shoal.ShoalError) as refused:
        make()
    assert words in str(refused.value)
    assert refused.value.remedy
    assert "asthma" not in str(refused.value)


def test_scores_are_found_by_name_and_by_place(table):
    scores = shoal.anonymize(table, k=3).scores
    assert scores["uniqueness"] is scores[0]
    assert [score.measure for score in scores] == list(shoal.measures.STANDARD)
    assert "uniqueness" in scores
    assert scores[1] in scores
    assert "sse" not in scores
    assert pickle.loads(pickle.dumps(scores)) == scores
    with pytest.raises(shoal.errors.ParameterError, match="Did you mean 'uniqueness'"):
        _ = scores["uniquenes"]
    twice = shoal.score(table, measures=[shoal.measures.Uniqueness(("age",)), shoal.measures.Uniqueness(("sex",))])
    with pytest.raises(shoal.errors.ParameterError, match="measured 2 times"):
        _ = twice["uniqueness"]


def test_the_original_comes_first_in_every_comparison(table):
    released = shoal.anonymize(table, k=3).table
    assert shoal.score(table, released)["information-loss"].value > 0
    assert shoal.score(table, released)["uniqueness"].value == 0
    assert "information-loss" not in shoal.score(table)
    assert shoal.score(table)["uniqueness"].value > 0
    assert shoal.compare(table, released, same_order=True)["original"]["unique"] > 0


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "duckdb"])
def test_tables_and_releases_become_frames_by_the_same_words(table, kind):
    release = shoal.anonymize(table, k=3)
    frames = [getattr(thing, f"to_{kind}")(cells="text") for thing in (table, release)]
    assert type(frames[0]) is type(frames[1])
    assert frames[0].shape == frames[1].shape == (ROWS, 3)


def test_only_the_holder_keeps_the_labels_of_rows():
    labels = pd.Index([f"person {i}" for i in range(ROWS)], name="who")
    people = pd.DataFrame(PEOPLE, index=labels)
    release = shoal.anonymize(people, quasi=QUASI, k=3)
    mine = release.to_pandas(row_order="input")
    assert mine.index.equals(labels)
    assert mine.index.name == "who"
    assert release.to_native(row_order="input").index.equals(labels)
    assert release.to_pandas().index.tolist() == list(range(ROWS))
    assert b"person 3" not in pickle.dumps(release)


def test_a_first_look_shows_columns_and_what_comes_next(file):
    found = shoal.inspect(file)
    assert [column["name"] for column in found["columns"]] == list(PEOPLE)
    assert json.loads(json.dumps(found))["records"] == ROWS
    assert "why" in repr(found).splitlines()[1]
    assert "<td>age</td>" in found._repr_html_()
    assert eval(found["next"])["records"] == ROWS
    frame = shoal.inspect(PEOPLE_FRAME)
    assert [column["role"] for column in frame["columns"]] == [column["role"] for column in found["columns"]]


def test_marks_of_missing_values_are_told_in_the_words_of_python():
    found = shoal.inspect(pl.DataFrame({"age": ["31", "n/a", *map(str, range(40, 60))]}))
    assert found["advice"] == ["Cells that may stand for a missing value: age: 1 × n/a. If so: missing=['n/a']"]


def test_a_risk_shows_what_an_attacker_claims_who_errs():
    stays = pl.DataFrame({"age": [34, 34, 51, 60, 60], "days": [2, 3, 2, 9, 9]})
    found = shoal.risk(stays, quasi=["age", "days"], known=[["age", "days"], ["age"]], errors={"days": np.float64(0.5)})
    with_days, without = found["known"]
    assert found["errors"] == with_days["errors"]
    assert "errors" not in without
    assert "wrong about days (50.00%) claims to have found 45.00% of all people, 30.00% rightly." in repr(found)
    assert "errors" not in shoal.risk(stays, quasi=["age", "days"], errors={})


def test_risk_is_measured_of_files_frames_tables_and_releases(file, table):
    found = [shoal.risk(each, **ROLES) for each in (file, PEOPLE_FRAME)] + [shoal.risk(table)]
    assert found[0] == found[1] | {"file": "people.csv"} == found[2] | {"file": "people.csv"}
    assert found[0]["homogeneity"] == 1  # all stand alone, and so nobody's charge is anybody else's
    assert "homogeneity" not in shoal.risk(file, quasi=QUASI)
    assert shoal.risk(shoal.anonymize(table, k=3))["unique"] == 0
    assert shoal.risk(PEOPLE_FRAME)["guessed"]
    known = shoal.risk(table, known=["age"], where="charge > 300", measures="class-sizes")
    assert known["known"] == shoal.risk(table, known=[["age"]], where="charge > 300")["known"]
    assert "attribute_disclosure" in known
    assert known["scores"][0]["measure"] == "class-sizes"
    assert "stand alone" in repr(known)
    assert "unique by age" in known._repr_html_()


def test_releases_of_every_form_are_compared_with_their_original(file, tmp_path):
    release = shoal.anonymize(file, **ROLES, k=3)
    release.write(tmp_path / "out.csv")
    found = shoal.compare(file, release, tmp_path / "out.csv", release.to_polars(row_order="input", cells="text"))
    one, other, third = found["releases"]
    assert (
        one["information_loss"] == pytest.approx(other["information_loss"]) == pytest.approx(third["information_loss"])
    )
    assert [Path(each["path"]).name for each in found["releases"]] == ["release 1", "out.csv", "release 3"]
    assert "information loss" in repr(found)
    with pytest.raises(shoal.errors.ParameterError, match="another original"):
        shoal.compare(PEOPLE_FRAME.head(20), release, **ROLES)
    with pytest.raises(shoal.errors.ParameterError, match="do not match"):
        shoal.compare(file, release.to_polars(cells="text"), **ROLES)


def test_a_release_writes_its_report_while_the_original_can_be_had(table, tmp_path):
    shoal.anonymize(PEOPLE_FRAME, **ROLES, k=3).report(tmp_path / "line.html")
    release = shoal.anonymize(table, k=3)
    release.report(tmp_path / "table.html", audience="external")
    assert (tmp_path / "line.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises(shoal.errors.ParameterError, match="there already"):
        release.report(tmp_path / "line.html")
    later = pickle.loads(pickle.dumps(shoal.anonymize(PEOPLE_FRAME, **ROLES, k=3)))
    with pytest.raises(shoal.errors.ParameterError, match="original="):
        later.report(tmp_path / "later.html")
    with pytest.raises(shoal.errors.ParameterError, match="not the table that was masked"):
        later.report(tmp_path / "later.html", original=PEOPLE_FRAME.head(20))
    later.report(tmp_path / "later.html", original=PEOPLE_FRAME)
    assert (tmp_path / "later.html").is_file()


def test_a_release_does_not_keep_its_original_in_memory():
    table = shoal.read(PEOPLE_FRAME, **ROLES)
    release = shoal.anonymize(table, k=3)
    assert release.original() is table
    del table
    assert release.original() is None


def test_a_release_is_checked_within_the_memory_that_it_may_use(file, tmp_path, monkeypatch):
    shoal.anonymize(file, **ROLES, k=3).write(tmp_path / "out.csv")
    used = []
    read = Disk.read
    monkeypatch.setattr(Disk, "read", lambda self, *given: used.append(self.name) or read(self, *given))
    assert shoal.verify(tmp_path / "out.csv").holds
    assert not used
    monkeypatch.setattr("shoal.engines.factory.estimate", lambda *given: Need(ROWS, 10**9))
    assert shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json", memory="200MB").holds
    assert used
    papers = {"private": tmp_path / "frame.private.json", "original": PEOPLE_FRAME}
    shoal.anonymize(PEOPLE_FRAME, **ROLES, k=3).write(tmp_path / "frame.csv")
    assert "The certificate commits to this original." in shoal.verify(tmp_path / "frame.csv", **papers).proved
    assert shoal.verify(str(tmp_path / "out.csv"), engine=Local()).promised == ("k-anonymity (3)",)


def test_without_a_model_nothing_holds(table, tmp_path):
    release = shoal.anonymize(table, "coarsen", no_promise=True)
    assert not release.holds
    assert "✓" not in repr(release)
    release.write(tmp_path / "out.csv")
    assert not shoal.verify(tmp_path / "out.csv").holds


def test_progress_in_a_notebook_is_one_line_that_changes_in_place(table, monkeypatch):
    """As a notebook has it: no terminal, and something that shows output by its identity."""
    shown = []
    line = SimpleNamespace(update=lambda content, raw: shown.append(content["text/plain"]))
    shell = SimpleNamespace(config={"IPKernelApp": {}})
    display = SimpleNamespace(display=lambda content, raw, display_id: shown.append(content["text/plain"]) or line)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr("shoal.progress.notebooks.Notebook.AFTER", 0.0)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    shoal.anonymize(PEOPLE_FRAME, **ROLES, k=3)
    assert any("hilbert" in text for text in shown)
    assert shown[-1] == ""
    assert sys.stderr.getvalue() == ""
