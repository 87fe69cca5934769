"""The forms of files that the page writes a release in: all that the command writes, and each as the command does."""

import io
import re
import shlex
import zipfile
from html import unescape
from itertools import cycle

import pytest
from markupsafe import escape
from web.conftest import people, until

from shoal.cli import application
from shoal.engines.io.written_forms import written_forms
from shoal.extras import how_to_install

SEEN = {}  # one of each form, and one of each way to pack text
for each in written_forms():
    SEEN.setdefault((each.form.form, each.form.format, each.ending.rpartition(".")[2]), each.ending)
NEEDS = {"stats": "pyreadstat", "excel": "xlsxwriter"}
CASES = [(form, cells) for form, cells in zip(SEEN.values(), cycle([None, "bounds", "middle", "text"]), strict=False)
         if not form.startswith((".psv.", ".tsv.", ".jsonl."))]  # fmt: skip


def run(words):
    application()(words, standalone_mode=False)


@pytest.fixture(scope="module")
def steward(house):
    return house[1]().opened(people(40))


@pytest.mark.parametrize(("ending", "cells"), CASES)
def test_each_form_is_written_proved_and_packed_as_the_command_does(
    steward, tmp_path, monkeypatch, capsys, ending, cells
):
    extra = next(each.extra for each in written_forms() if each.ending == ending)
    pytest.importorskip(NEEDS.get(extra, "pyarrow"), reason="pyreadstat is not installed: make install EXTRAS=stats")
    asked = {"k": 3, "format": ending[1:], "cells": cells}
    job = steward.post("/api/anonymize?wait=30", json={key: value for key, value in asked.items() if value}).json()
    assert job["state"] == "done", job
    packed = zipfile.ZipFile(io.BytesIO(steward.get(f"/api/releases/{job['id']}.zip").content))
    table = packed.read(f"publish/people_release{ending}")
    here, there = tmp_path / "here", tmp_path / "there"
    for name in packed.namelist():
        here.mkdir(exist_ok=True)
        (here / name.partition("/")[2]).write_bytes(packed.read(name))
    run(["check", str(here / f"people_release{ending}")])
    there.mkdir()
    (there / "people.csv").write_bytes(people(40))
    monkeypatch.chdir(there)
    shown = unescape(re.search(r'<pre id="command".*?<code>(.*?)</code>', steward.get("/same").text, re.DOTALL)[1])
    assert ("--cells" in shown) is (cells is not None)
    run(shlex.split(shown.replace("\\\n", " "))[1:])
    assert (there / f"people_release{ending}").read_bytes() == table


def test_the_form_offers_them_all(steward):
    text = steward.get("/release").text
    offered = re.search(r'<select id="format".*?</select>', text, re.DOTALL)[0]
    assert re.findall(r'value="(.*?)"', offered) == [each.ending[1:] for each in written_forms() if each.installed]
    assert re.findall(r'value="(.*?)"', re.search(r'<select id="cells".*?</select>', text, re.DOTALL)[0]) == [
        "", "text", "bounds", "middle"
    ]  # fmt: skip
    before = {each["id"] for each in steward.get("/api/releases").json()}
    form = {"looked": "true", "others": "true", "format": "tsv.zip", "cells": "middle"}
    assert steward.post("/release/write", data=form).status_code == 200
    told = until(lambda: [each for each in steward.get("/api/releases").json() if each["id"] not in before])
    assert told[0]["files"]["table"]["name"] == "people_release.tsv.zip"
    archive = steward.get(f"/api/releases/{told[0]['id']}.zip")
    assert 'filename="people_release.zip"' in archive.headers["content-disposition"]


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        ("xls", ".xlsx"), ("sas7bdat", ".xpt"), ("json", ".jsonl"), ("parquett", ".parquet"), ("../../x", ".csv"),
        ("", ".csv"),
    ],
)  # fmt: skip
def test_other_forms_are_refused_with_what_can_be_written(steward, ending, said):
    before = steward.state()["jobs"]
    answer = steward.post("/api/anonymize", json={"k": 3, "format": ending})
    assert answer.status_code == 422
    assert said in answer.json()["remedy"]
    assert steward.state()["jobs"] == before


def test_what_needs_libraries_is_offered_where_they_are(steward, monkeypatch):
    monkeypatch.setattr("shoal.engines.io.written_forms.find_spec", lambda name: None)
    text = steward.get("/release").text
    assert 'value="sav"' not in text
    assert 'value="parquet"' in text
    for extra in ("stats", "excel"):
        assert str(escape(how_to_install(extra).removeprefix("Run: "))) in text
    refused = steward.post("/api/anonymize", json={"k": 3, "format": "xlsx"})
    assert (refused.status_code, how_to_install("excel") in refused.json()["remedy"]) == (422, True)


def test_a_form_that_cannot_hold_the_release_says_so_and_leaves_nothing(house):
    pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed: make install EXTRAS=excel")
    lines = ["age,sex,diagnosis,large"]
    lines += [f"{20 + row % 5},{'fm'[row % 2]},{['flu', 'cold'][row % 2]},{2**53 + 1}" for row in range(40)]
    visitor = house[1]().opened("\n".join(lines).encode())
    visitor.client.put("/api/roles", json={"roles": {"large": "plain"}})
    job = visitor.post("/api/anonymize?wait=30", json={"k": 3, "format": "xlsx"}).json()
    assert job["state"] == "failed"
    assert "2^53" in job["error"]
    assert visitor.get("/api/releases").json() == []
    assert str(2**53 + 1) not in visitor.get("/release").text
