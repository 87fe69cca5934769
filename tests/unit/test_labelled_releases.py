"""Files of SPSS, Stata and SAS that were released: labels, codes, missing values, formats and types are kept."""

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from engines.tiny import Tiny

import shoal
from shoal.domains.codebook import CodedVariable
from shoal.errors import CertificateError, DataError, ParameterError
from shoal.secret_keys import SecretKey

pyreadstat = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed: make install EXTRAS=stats")

LABELS = {"mood": {1: "low", 2: "middle", 3: "high", 9: "refused"}, "sex": {1: "woman", 2: "man", 3: "other"}}
TITLES = {"age": "Age in years", "mood": "How are you?", "born": "Day of birth"}
ASKED = {"quasi": ["age", "sex"], "sensitive": "mood", "plain": ["born", "seen", "share", "answer", "town"]}
READERS = {".sav": "read_sav", ".zsav": "read_sav", ".dta": "read_dta", ".xpt": "read_xport"}


def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [30, 31, 50, 52, 70, 71],
            "sex": [1, 1, 2, 2, 1, 2],
            "mood": [3, 1, 2, 9, 2, 1],
            "born": [dt.date(1899, 1, 2), dt.date(1920, 2, 29), None, dt.date(2000, 1, 1), None, dt.date(1582, 10, 15)],
            "seen": pd.to_datetime(["2020-01-01 10:00:00", None, *["1999-12-31 23:59:59"] * 4]),
            "share": [0.5, 1, 2.25, None, 3, 4],
            "answer": [1, 2, 98, 99, 1, 98],
            "town": ["Åby", "b", "", "dd", "e", "f"],
        }
    )


def written(folder, ending):
    path, frame = folder / f"in{ending}", people()
    if ending == ".xpt":
        pyreadstat.write_xport(frame, path, column_labels=TITLES)
    elif ending == ".dta":
        pyreadstat.write_dta(frame, path, column_labels=TITLES, variable_value_labels=LABELS)
    else:
        pyreadstat.write_sav(
            frame, path, column_labels=TITLES, variable_value_labels={**LABELS, "answer": {98: "unknown", 99: "none"}},
            missing_ranges={"mood": [9], "answer": [{"lo": 98, "hi": 99}]}, compress=ending == ".zsav",
            variable_measure={"mood": "ordinal", "age": "scale"}, variable_format={"age": "F3.0", "born": "EDATE10"},
            file_label="of a clinic", note="made by hand",
        )  # fmt: skip
    return path


def released(path, target, engine=None, **asked):
    table = shoal.read(path, engine=engine, **(ASKED | asked))
    release = shoal.anonymize(table, shoal.methods.Mondrian(), k=2)
    release.write(target)
    return release


@pytest.mark.parametrize("engine", [lambda: None, Tiny], ids=["local", "parts"])
@pytest.mark.parametrize("ending", [".sav", ".zsav", ".dta", ".xpt"])
def test_a_release_keeps_what_the_file_says(tmp_path, ending, engine):
    path, target = written(tmp_path, ending), tmp_path / f"out{ending}"
    release = released(path, target, engine())
    assert shoal.verify(target).proved
    assert shoal.verify(target, private=tmp_path / "out.private.json", original=path).proved
    read = getattr(pyreadstat, READERS[ending])
    known = {} if ending == ".xpt" else {"user_missing": True}
    found, said = read(target, **known)
    before, said_before = read(path, **known)
    assert {name: said.column_names_to_labels[name] for name in TITLES} == TITLES
    assert not said.file_label
    assert not said.notes
    assert said.original_variable_types["born"] == said_before.original_variable_types["born"]
    assert [type(day) for day in found["born"].dropna()] == [dt.date] * 4
    for name in ("born", "seen", "share", "answer"):  # which stand in the same rows, if in another order
        assert sorted(map(str, found[name])) == sorted(map(str, before[name]))
        assert said.readstat_variable_types[name] == said_before.readstat_variable_types[name]
    assert set(found["age"]) == set(release.to_pandas()["age"])
    if ending in (".sav", ".zsav"):
        assert said.variable_value_labels["mood"] == LABELS["mood"]  # 9 is of no row, but was declared
        assert said.variable_value_labels["answer"] == {98: "unknown", 99: "none"}
        assert said.missing_ranges["answer"] == [{"lo": 98, "hi": 99}]
        assert said.variable_measure["mood"] == "ordinal"
    if ending != ".xpt":
        assert {said.variable_value_labels["sex"][code] for code in found["sex"]} == set(release.to_pandas()["sex"])
        assert "other" not in said.variable_value_labels["sex"].values()  # whom nobody released


def test_sets_of_labels_have_codes_and_labels_of_their_own(tmp_path):
    path, target = written(tmp_path, ".sav"), tmp_path / "out.sav"
    table = shoal.read(path, quasi=["sex", "mood"], plain="answer")
    release = shoal.anonymize(table, shoal.methods.Mondrian(), k=3)
    release.write(target)
    found, said = pyreadstat.read_sav(target, apply_value_formats=True, formats_as_category=False)
    shown = release.to_pandas()
    for name in ("sex", "mood"):
        assert list(found[name].fillna("")) == list(shown[name].fillna(""))
    codes = pyreadstat.read_sav(target)[0]
    for name in ("sex", "mood"):  # codes that were there before stand for what they stood for
        for code, text in said.variable_value_labels[name].items():
            assert LABELS[name].get(int(code), text) == text
            assert code != 9 or text == "refused"
        assert not set(codes[name].dropna()) - set(said.variable_value_labels[name])
    assert shoal.verify(target).proved


def test_types_of_stata_stay(tmp_path):
    frame = pd.DataFrame(
        {
            "age": np.array([30, 30, 50, 50], np.int8),
            "b": np.array([1, 100, -127, 5], np.int8),
            "i": np.array([1, 32740, -5, 7], np.int16),
            "l": np.array([1, 2**31 - 28, 3, 9], np.int32),
            "f": np.array([0.1, 2.5, np.nan, 7], np.float32),
            "d": [1e300, 0.1, 3, np.nan],
            "s": ["é" * 3, "", "long text", "x"],
        }
    )
    frame.to_stata(tmp_path / "in.dta", write_index=False, version=118, variable_labels={"i": "Größe"})
    release = shoal.anonymize(
        tmp_path / "in.dta", "hilbert", k=2, quasi="age", plain=["b", "i", "l", "f", "d", "s"]
    )  # fmt: skip
    release.write(tmp_path / "out.dta")
    with pd.io.stata.StataReader(tmp_path / "out.dta") as reader:
        found, titles = reader.read(), reader.variable_labels()
    frame = frame.drop(columns="age")
    assert {name: found.dtypes[name] for name in "bilfd"} == {name: frame.dtypes[name] for name in "bilfd"}
    assert titles["i"] == "Größe"
    ordered = found.drop(columns="age").sort_values("l").reset_index(drop=True)
    pd.testing.assert_frame_equal(ordered, frame.sort_values("l").reset_index(drop=True), check_dtype=False)


def test_missing_values_with_letters_stay_in_columns_that_are_passed_on(tmp_path):
    frame = pd.DataFrame({"age": [30, 30, 50, 50], "q": [1, "a", 2, "b"]})
    pyreadstat.write_dta(
        frame, tmp_path / "in.dta", variable_value_labels={"q": {1: "yes", 2: "no", "a": "refused", "b": "not asked"}},
        missing_user_values={"q": ["a", "b"]},
    )  # fmt: skip
    for role, texts in (("plain", ["no", "not asked", "refused", "yes"]), ("sensitive", ["no", "yes"])):
        release = shoal.anonymize(tmp_path / "in.dta", "hilbert", k=2, quasi="age", **{role: "q"})
        target = tmp_path / f"{role}.dta"
        release.write(target)
        found, said = pyreadstat.read_dta(target, user_missing=True)
        labels = said.variable_value_labels["q"]
        assert sorted(labels[code] for code in found["q"].dropna()) == texts
        assert labels == {1: "yes", 2: "no", "a": "refused", "b": "not asked"}
        assert shoal.verify(target).proved


def test_codes_are_those_of_the_certificate_or_nothing(tmp_path):
    path = written(tmp_path, ".sav")
    released(path, tmp_path / "out.sav")
    found, _ = pyreadstat.read_sav(tmp_path / "out.sav", user_missing=True)
    pyreadstat.write_sav(found, tmp_path / "out.sav", note="Mr X is in row 1")
    with pytest.raises(CertificateError, match="not the file this certificate was issued for"):
        shoal.verify(tmp_path / "out.sav")


def test_what_cannot_be_written_is_refused(tmp_path):
    frame = pd.DataFrame({"age": [30, 30], "large": [2**53 + 1, 5], "a b": [1, 2]})
    cases = [
        ("out.sav", ["large"], "integers beyond 2\\^53"),
        ("out.dta", ["large"], "integers beyond 2\\^53"),
        ("out.xpt", ["a b"], "not the name of a variable in SAS"),
        ("out.dta", ["a b"], "not the name of a variable in Stata"),
    ]
    for name, plain, said in cases:
        release = shoal.anonymize(frame, "hilbert", k=2, quasi="age", plain=plain)
        with pytest.raises(DataError, match=said):
            release.write(tmp_path / name)
    release = shoal.anonymize(frame, "hilbert", k=2, quasi="age")
    with pytest.raises(ParameterError, match="sas7bdat") as refused:
        release.write(tmp_path / "out.sas7bdat")
    assert ".xpt" in refused.value.remedy
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("engine", [lambda: None, Tiny], ids=["local", "parts"])
def test_labels_are_a_first_hierarchy(tmp_path, engine):
    """Codes with the same label are one group, and a code without one is by itself."""
    frame = pd.DataFrame({"job": [11, 12, 21, 22, 11, 12, 21, 99], "ill": list("abcdabcd")})
    labels = {"job": {11: "health", 12: "health", 21: "law", 22: "law"}}
    pyreadstat.write_sav(frame, tmp_path / "in.sav", variable_value_labels=labels)
    asked = {"quasi": "job", "sensitive": "ill", "hierarchies": {"job": "labels"}}
    table = shoal.read(tmp_path / "in.sav", engine=engine(), **asked)
    tree = table.schema["job"].axis.tree
    assert sorted(tree.leaves) == ["11", "12", "21", "22", "99"]
    release = shoal.anonymize(table, "first-level", no_promise=True)
    assert sorted(set(release.to_pandas()["job"])) == ["99", "health", "law"]
    release = shoal.anonymize(table, "mondrian", k=2)
    target = tmp_path / "out.sav"
    release.write(target, recipe=tmp_path / "r.toml")
    assert shoal.verify(
        target, private=tmp_path / "out.private.json", original=tmp_path / "in.sav", engine=engine()
    ).by_original
    assert shoal.Recipe.load(tmp_path / "r.toml").options.hierarchies == {"job": "labels"}
    with pytest.raises(ParameterError, match="'ill' have no labels"):
        shoal.read(tmp_path / "in.sav", quasi="ill", hierarchies={"ill": "labels"})


@pytest.mark.parametrize("ending", READERS)
def test_texts_that_are_missing_are_so_when_a_release_is_checked(tmp_path, ending):
    """These programs have no missing texts, only empty ones: a release with some is no other one for that."""
    rows = {"age": [30, 30, None, None, 31, 31], "town": ["a", "a", None, None, "b", "b"]}
    frame = pd.DataFrame({**rows, "ill": [None, "x", "y", None, "x", "x"], "note": ["", None, "q", "r", "", None]})
    release = shoal.anonymize(frame, "mondrian", k=2, quasi=["age", "town"], sensitive="ill", plain="note")
    release.write(tmp_path / f"out{ending}")
    assert shoal.verify(tmp_path / f"out{ending}").proved
    table = shoal.read(tmp_path / f"out{ending}", quasi=["town"], sensitive="ill")
    assert table.to_arrow(cells="text")["ill"].null_count == 2


@pytest.mark.parametrize("engine", [lambda: None, Tiny], ids=["local", "parts"])
def test_long_texts_stand_behind_the_rows_of_stata(tmp_path, engine):
    """Texts of more than 2,045 bytes are kept once, row by row as they first stand."""
    texts = {
        "short": ["a" * 2045] * 6,
        "long": ["é" * 1100, "b", "", "c" * 5000, None, "c" * 5000],
        "too": ["d" * 2046] * 6,
    }
    table = pa.table({"age": range(6), **texts})
    read = shoal.read(table, engine=engine(), quasi="age", plain=list(texts))
    shoal.anonymize(read, "hilbert", k=2, allow_identifiers=["long"]).write(tmp_path / "out.dta")
    content = (tmp_path / "out.dta").read_bytes()
    assert content.count(b"GSO") == 4  # one of each text
    assert content.count(b"c" * 5000) == 1
    found, said = pyreadstat.read_dta(tmp_path / "out.dta")
    frame = pd.read_stata(tmp_path / "out.dta")
    for name, cells in texts.items():
        assert sorted(found[name]) == sorted(frame[name]) == sorted(cell or "" for cell in cells)
    assert [said.original_variable_types[name] for name in texts] == ["%-2045s", "%9s", "%9s"]
    again = shoal.read(tmp_path / "out.dta", quasi="age", plain=list(texts)).to_arrow()
    assert sorted(again["long"].drop_null().to_pylist()) == sorted(cell for cell in texts["long"] if cell)
    proof = shoal.verify(tmp_path / "out.dta", tmp_path / "out.certificate.json", engine=engine())
    assert not [line for line in proof.not_proved if "beside the rows" in line]
    (tmp_path / "out.dta").write_bytes(content.replace(b"GSO", b"GSP", 1))
    with pytest.raises(shoal.errors.DataError):
        shoal.read(tmp_path / "out.dta", quasi="age", plain=list(texts))


def passed_through(folder, frame, quasi, plain=(), publish="range", cells=None, **said):
    """Give what SPSS sees of a release of two classes, and what it is told, once it was proved with the original."""
    pyreadstat.write_sav(pd.DataFrame(frame), folder / "in.sav", **said)
    table = shoal.read(folder / "in.sav", quasi=quasi, plain=plain)
    shown = {} if cells is None else {"cells": cells}
    release = shoal.anonymize(
        table, shoal.methods.Mondrian(publish=publish), k=2, row_order="input", allow_identifiers=plain, **shown
    )
    release.write(folder / "out.sav", row_order="input")
    asked = {"private": folder / "out.private.json", "original": folder / "in.sav"}
    assert shoal.verify(folder / "out.sav", **asked).by_original
    found, told = pyreadstat.read_sav(folder / "out.sav", user_missing=True)
    return found, told


def test_labels_that_look_like_the_code_behind_another_stay_apart(tmp_path):
    """Two values called ``other`` are told apart by their codes, and a third is called what one of them becomes."""
    labels = {"job": {1: "other", 2: "other", 3: "other (2)"}}
    frame = {"age": [1, 1, 2, 2], "job": [1, 2, 3, 2]}
    found, told = passed_through(tmp_path, frame, ["age"], ["job"], variable_value_labels=labels)
    assert found["job"].tolist() == frame["job"]
    assert told.variable_value_labels["job"] == labels["job"]
    texts = CodedVariable(values={1.0: "a", 2.0: "a", 3.0: "a (2)", 4.0: "a (2) (2)"}).texts()
    assert len(set(texts.values())) == 4


@pytest.mark.parametrize("codes", [[-8, 1, 3, 1], ["X", "a", "b", "a"]], ids=["numbers", "texts"])
def test_a_cell_that_may_be_anything_has_no_code_of_what_is_missing(tmp_path, codes):
    """Somebody called the refusal ``*``: that is not the * of a release, which stands for any value."""
    missing, low, high, _ = codes
    labels = {"mood": {low: "low", high: "high", missing: "*"}}
    found, told = passed_through(
        tmp_path, {"mood": codes}, ["mood"], variable_value_labels=labels, missing_ranges={"mood": [missing]}
    )
    hidden = found["mood"].map(lambda code: told.variable_value_labels.get("mood", {}).get(code, code)) == "*"
    assert hidden.tolist() == [True, False, True, False]
    assert missing not in found["mood"].tolist()


@pytest.mark.parametrize("cells", ["text", "bounds", "middle"])
def test_the_middle_of_a_range_is_not_taken_for_missing(tmp_path, cells):
    found, told = passed_through(
        tmp_path, {"age": [7, 11, 27, 31]}, ["age"], cells=cells,
        variable_value_labels={"age": {9: "refused", 99: "unknown"}}, missing_ranges={"age": [9, 99]},
    )  # fmt: skip
    if cells == "middle":
        assert found["age"].tolist() == [9, 9, 29, 29]
        assert told.missing_ranges == {"age": [{"lo": 99.0, "hi": 99.0}]}
        assert told.variable_value_labels == {"age": {99: "unknown"}}
    if cells == "text":  # ranges of numbers are text, whatever labels some of the numbers have
        assert found["age"].tolist() == ["[7;11]", "[7;11]", "[27;31]", "[27;31]"]


def test_a_variable_without_labels_may_have_missing_codes(tmp_path):
    frame = {"age": [30, 31, 50, 99], "answer": ["X", "a", "b", "X"], "sex": ["X", "f", "m", "f"]}
    found, told = passed_through(
        tmp_path, frame, ["age"], ["answer", "sex"], missing_ranges={"age": [99], "answer": ["X"], "sex": ["X"]},
        variable_value_labels={"sex": {"X": "refused"}},
    )  # fmt: skip
    assert found["answer"].tolist() == frame["answer"]
    assert told.missing_ranges == {name: [{"lo": "X", "hi": "X"}] for name in ("answer", "sex")}
    assert told.variable_value_labels == {"sex": {"X": "refused"}}


@pytest.mark.parametrize("measure", ["nominal", "ordinal"])
def test_sets_of_long_labels_are_text_where_a_program_would_cut_them_off(tmp_path, measure):
    labels = {"job": {1: "a" * 119, 2: "ä" * 59, 3: "c" * 119, 4: "d"}}
    frame = {"job": [1, 2, 3, 4]}
    found, told = passed_through(
        tmp_path, frame, ["job"], variable_value_labels=labels, variable_measure={"job": measure}
    )
    assert found["job"].str.len().min() > 120
    assert not told.variable_value_labels


def test_pseudonyms_are_text_and_people_without_a_number_have_none(tmp_path):
    """In another file the same person would have another code."""
    frame = pd.DataFrame({"id": [99, 100, 101, 100], "day": [dt.date(2001, 1, i) for i in range(1, 5)], "age": [1] * 4})
    labels = {"id": {99: "unknown", 100: "the first"}}
    pyreadstat.write_sav(frame, tmp_path / "in.sav", variable_value_labels=labels, missing_ranges={"id": [99]})
    key, target = SecretKey(b"shoal specification key 0001"), tmp_path / "out.sav"
    table = shoal.read(
        tmp_path / "in.sav", quasi="age", identifier={"id": "pseudonym:patient", "day": "shift:30"}, plain="id"
    )
    shoal.anonymize(table, "mondrian", k=2, pseudonym_key=key, row_order="input").write(target, row_order="input")
    found, told = pyreadstat.read_sav(target)
    assert found["id"].str.len().tolist() == [0, 16, 16, 16]
    assert found["id"][1] == found["id"][3]
    assert not told.variable_value_labels
    asked = {"private": tmp_path / "out.private.json", "original": tmp_path / "in.sav", "pseudonym_key": key}
    assert any("what the key makes" in line for line in shoal.verify(target, **asked).proved)
