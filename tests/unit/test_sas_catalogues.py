"""Labels of values of SAS lie in a catalogue beside the file."""

import datetime as dt
import gzip
import hashlib
from pathlib import Path

import pytest
from engines.tiny import Tiny

import shoal
from shoal.errors import DataError, ShoalError

pyreadstat = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed: make install EXTRAS=stats")

DATA = Path(__file__).parents[1] / "data" / "sas"
SHA256 = {
    "people.sas7bdat": "fcce695d6cad2e6b049c0b4f48e92f8090afcba4c7cf1bdb52df7a8737b206d1",
    "formats.sas7bcat": "5775396d1193fdef75feeba63fa94a9c117050023f9aceccb8f45dc94aa2252f",
}
ASKED = {"quasi": "age", "sensitive": "sex", "plain": ["job", "born", "pay"]}
JOBS = [None, "judge", "judge", "nurse", "nurse", "refused", "teacher", "teacher"]


def content(name):
    found = gzip.decompress((DATA / f"{name}.gz").read_bytes())
    assert hashlib.sha256(found).hexdigest() == SHA256[name]
    return found


@pytest.fixture
def path(tmp_path):
    (tmp_path / "people.sas7bdat").write_bytes(content("people.sas7bdat"))
    return tmp_path / "people.sas7bdat"


def put(path, name):
    (path.parent / name).write_bytes(content("formats.sas7bcat"))


def cells(table, name):
    return sorted(table.to_arrow()[name].to_pylist(), key=str)


@pytest.mark.parametrize("engine", [lambda: None, Tiny], ids=["local", "parts"])
@pytest.mark.parametrize("catalogue", ["people.sas7bcat", "formats.sas7bcat", "FORMATS.SAS7BCAT"])
def test_labels_come_from_the_catalogue_beside_the_file(path, catalogue, engine):
    put(path, catalogue)
    table = shoal.read(path, engine=engine(), **ASKED)
    assert f"labels of values from '{catalogue}'" in table.origin.notes
    assert cells(table, "sex") == ["female"] * 4 + ["male"] * 4
    assert cells(table, "job") == sorted(JOBS, key=str)
    assert cells(table, "born")[0] == dt.date(1960, 1, 1)
    assert table.to_arrow()["pay"].null_count == 1


def test_without_a_catalogue_codes_are_read(path):
    (path.parent / "others.sas7bcat").write_bytes(content("formats.sas7bcat"))
    table = shoal.read(path, **ASKED)
    assert table.origin.notes == ()
    assert cells(table, "sex") == ["f"] * 4 + ["m"] * 4
    assert cells(table, "job") == [1, 1, 2, 2, 3, 3, None, None]


def test_the_catalogue_of_the_file_goes_before_that_of_its_folder(path):
    put(path, "people.sas7bcat")
    (path.parent / "formats.sas7bcat").write_bytes(b"nothing")
    assert cells(shoal.read(path, **ASKED), "sex") == ["female"] * 4 + ["male"] * 4


def test_inspection_shows_labels_and_codes_of_missing_values(path):
    put(path, "formats.sas7bcat")
    seen = {each["name"]: each for each in shoal.inspect(path)["columns"]}
    assert [seen[name]["label"] for name in ("age", "job")] == ["Age in years", "What people do"]
    assert seen["job"]["missing"] == 2
    assert "A" in str(seen["job"])


@pytest.mark.parametrize("damage", [b"", b"nothing", content("formats.sas7bcat")[:9000]])
def test_a_damaged_catalogue_is_named(path, damage):
    (path.parent / "formats.sas7bcat").write_bytes(damage)
    with pytest.raises(DataError, match=r"formats\.sas7bcat' is not a catalogue of SAS"):
        shoal.read(path, **ASKED)


def test_a_release_is_never_written_over_the_catalogue(path):
    put(path, "formats.sas7bcat")
    table = shoal.read(path, **ASKED)
    release = shoal.anonymize(table, [], no_promise=True, allow_identifiers=["born", "pay"])
    with pytest.raises(ShoalError):
        release.write(path.parent / "formats.sas7bcat", certificate=path.parent / "c.json", overwrite=True)
    assert (path.parent / "formats.sas7bcat").read_bytes() == content("formats.sas7bcat")


@pytest.mark.parametrize("suffix", [".dta", ".sav", ".xpt", ".csv"])
def test_labels_go_to_the_files_of_other_programs(path, suffix):
    """A missing value of a letter is one of Stata, too; elsewhere its label is a code, or text, like others."""
    put(path, "formats.sas7bcat")
    table = shoal.read(path, **ASKED)
    out = path.parent / f"out{suffix}"
    shoal.anonymize(table, [], no_promise=True, allow_identifiers=["born", "pay"]).write(out)
    assert shoal.verify(out, private=path.parent / "out.private.json", original=path).proved
    again = shoal.read(out, quasi="age", sensitive="sex", plain=["job", "born", "pay"])
    assert cells(again, "job") == sorted(JOBS, key=str)
    assert cells(again, "sex") == ["female"] * 4 + ["male"] * 4
    if suffix == ".dta":
        labels = pyreadstat.read_dta(out, user_missing=True)[1].variable_value_labels["job"]
        assert labels == {1: "nurse", 2: "teacher", 3: "judge", "a": "refused"}
        assert again.origin.codebook.of("job").label == "What people do"
