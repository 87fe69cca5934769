"""Files of SPSS and Stata: labels are what is read and published, in their order where the variable has one."""

import sys

import pandas as pd
import pytest
from engines.tiny import Tiny

import shoal
from shoal.errors import DataError, ParameterError
from shoal.extras import how_to_install

LABELS = {
    "mood": {1: "low", 2: "middle", 3: "high", 9: "refused"},
    "sex": {1: "woman", 2: "man"},
    "age": {99: "unknown"},
}


@pytest.fixture
def survey(tmp_path):
    made = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed: make install EXTRAS=stats")
    frame = pd.DataFrame(
        {
            "age": [30, 31, 50, 99],
            "mood": [3, 1, 2, 9],
            "sex": [1, 2, 1, 2],
            "share": [0.5, 1, 2, 3],
            "town": list("abcd"),
        }
    )
    measures = {"mood": "ordinal", "sex": "nominal", "age": "scale"}
    for name in ("in.sav", "in.zsav"):
        made.write_sav(
            frame, tmp_path / name, variable_value_labels=LABELS, variable_measure=measures,
            missing_ranges={"mood": [9]}, compress=name == "in.zsav",
        )  # fmt: skip
    made.write_dta(frame, tmp_path / "in.dta", variable_value_labels=LABELS)
    return tmp_path


@pytest.mark.parametrize("name", ["in.sav", "in.zsav", "in.dta"])
@pytest.mark.parametrize("engine", [lambda: None, Tiny], ids=["local", "parts"])
def test_labels_are_read_and_published(survey, name, engine):
    ordered = name != "in.dta"  # which does not say what is ordinal
    asked = {"quasi": ["mood", "age"], "sensitive": "sex", "plain": ["share", "town"]}
    table = shoal.read(survey / name, engine=engine(), **asked)
    assert table.schema["mood"].axis.kind == ("ordered" if ordered else "category")
    assert list(table.schema["mood"].axis.values) == (
        ["low", "middle", "high"] if ordered else ["high", "low", "middle", "refused"]
    )
    assert [table.schema[column].axis.kind for column in ("age", "sex", "share")] == ["integer", "category", "float"]
    assert table.origin.notes == ("labels of only some values of 'age' left out",)
    release = shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(2)])
    assert set(release.to_pandas()["sex"]) == {"woman", "man"}
    release.write(survey / "out.csv")
    asked = {"private": survey / "out.private.json", "original": survey / name}
    assert shoal.verify(survey / "out.csv", survey / "out.certificate.json", **asked).proved


def test_what_is_no_such_file_is_refused(survey):
    (survey / "text.sav").write_text("age,ill\n1,2\n")
    (survey / "cut.sav").write_bytes((survey / "in.sav").read_bytes()[:300])
    for name in ("text.sav", "cut.sav"):
        with pytest.raises(shoal.errors.DataError, match=r"not a file of SPSS"):
            shoal.read(survey / name, quasi="age")
    with pytest.raises(shoal.errors.DataError, match="There is no file"):
        shoal.read(survey / "none.dta", quasi="age")


def test_without_the_library_it_is_said_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    (tmp_path / "a.sav").write_bytes(b"$FL2\0")
    with pytest.raises(shoal.errors.ParameterError, match="needs pyreadstat") as refused:
        shoal.read(tmp_path / "a.sav", quasi="age")
    assert how_to_install("stats") in refused.value.remedy


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_text_in_another_encoding_than_a_file_says(tmp_path, ending):
    pyreadstat = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed: make install EXTRAS=stats")
    path, frame = tmp_path / f"in{ending}", pd.DataFrame({"age": [30, 31, 50, 51], "town": ["Aby", "b", "Aby", "c"]})
    if ending == ".sav":
        pyreadstat.write_sav(frame, path)
    else:
        pyreadstat.write_dta(frame, path, version=10)  # which does not say its encoding
    path.write_bytes(path.read_bytes().replace(b"Aby", "Åby".encode("windows-1252")))
    how = {"quasi": "age", "plain": "town"}
    for encoding, town in (("windows-1252", "Åby"), ("windows-1250", "Ĺby")):
        table = shoal.read(path, encoding=encoding, **how)
        release = shoal.anonymize(table, [], no_promise=True, allow_identifiers=["town"], measures=[])
        target = tmp_path / f"{encoding}{ending}"
        release.write(target)
        assert sorted(shoal.read(target, **how).to_arrow().column("town").to_pylist()) == sorted([town, "b", town, "c"])
    with pytest.raises(ParameterError, match="no encoding 'windows-12'"):
        shoal.read(path, encoding="windows-12", **how)
    if ending == ".sav":
        with pytest.raises(DataError, match="another encoding than it says") as refused:
            shoal.read(path, **how)
        assert "--encoding" in refused.value.remedy
