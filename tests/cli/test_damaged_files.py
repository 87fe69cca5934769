"""A file of any form that is empty, cut off or something else is refused with exit code 3, and nothing is written."""

import pyarrow as pa
import pytest

import shoal
from shoal.engines.io.written_forms import written_forms

PEOPLE = pa.table({"age": [30, 31, 50, 51] * 40, "ill": [f"canary{row % 7}" for row in range(160)]})
FORMS = {form.ending: form for form in written_forms()}
TEXTS = {".csv", ".tsv", ".tab", ".psv"}
ASKED = ("--quasi", "age", "--sensitive", "ill", "--k", 2)


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    """Give what is in a file of each form that can be written here."""
    folder = tmp_path_factory.mktemp("whole")
    asked = {"quasi": "age", "sensitive": "ill", "no_promise": True, "allow_identifiers": ["age", "ill"]}
    release = shoal.anonymize(PEOPLE, [], measures=[], **asked)
    found = {}
    for number, form in enumerate(each for each in FORMS.values() if each.installed):
        path = folder / f"{number}{form.ending}"
        release.write(path)
        found[form.ending] = path.read_bytes()
    return found


@pytest.mark.parametrize("ending", FORMS)
def test_what_is_no_such_file_is_refused_and_nothing_is_written(desk, contents, ending):
    if ending not in contents:
        pytest.skip("make install EXTRAS=excel,stats")
    whole = contents[ending]
    other = contents[".orc" if ending == ".parquet" else ".parquet"]
    odd = {"empty": b"", "cut": whole[: len(whole) // 2], "noise": b"\0\xff\x13" * 300, "other": other}
    if ending in (".jsonl", ".xpt"):
        odd["cut"] = whole[:-5]  # which say nowhere how many rows there are
    if ending in TEXTS:
        odd["cut"] = whole[: whole.index(b"\n")]  # half a text is a text; its head alone is none
    for name, content in odd.items():
        desk.put(f"{name}{ending}", content)
        for command in (("inspect",), ("anonymize", *ASKED, "--out", "out.csv")):
            done = desk.run(command[0], f"{name}{ending}", *command[1:])
            assert (done.code, done.left) == (3, ()), (name, done.err)
            assert "canary" not in done.out + done.err
            assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "line", ['{"age": 1, "town": "canary\xeb"}', '{"age": 1, "canary\xeb": 2}', '{"age": 1, "x": ["\xeb"]}']
)
def test_json_in_another_encoding_is_refused(desk, line):
    desk.put("in.jsonl", (f"{line}\n" * 4).encode("latin-1"))
    for command in (("inspect",), ("anonymize", "--quasi", "age", "--k", "2", "--out", "out.jsonl")):
        done = desk.run(command[0], "in.jsonl", *command[1:])
        assert (done.code, done.left) == (3, ()), done.err
        assert "canary" not in done.out + done.err
        assert "UTF-8" in done.err or "UnicodeDecodeError" in done.err


@pytest.mark.parametrize("line", ['["canary", 1]', '"canary"', "7"])
def test_json_that_is_no_object_is_refused(desk, line):
    desk.put("in.jsonl", f"{line}\n" * 4)
    done = desk.run("inspect", "in.jsonl")
    assert done.code == 3
    assert "is no object" in done.err
    assert "canary" not in done.err
