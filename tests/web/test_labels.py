"""What files of statistical programs say of values: shown with the columns, and taken for a hierarchy."""

import re
import shlex
from html import unescape

import pytest

import shoal
from shoal.cli import application
from shoal.web.cases.hierarchies import ColumnHierarchy

pyreadstat = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed: make install EXTRAS=stats")
import pandas as pd  # noqa: E402 - which comes with it

CODES = {11: "health", 12: "health", 21: "law", 22: "trade"}
GERMAN = {"accept-language": "de"}


@pytest.fixture(params=["all", "some"])
def content(request, tmp_path):
    """Give a file in which all values of a column have labels, but for one that is missing; or only some have."""
    jobs = [11, 12, 21, 22] * 12 + [99 if request.param == "all" else 33] * 2
    frame = pd.DataFrame({"job": jobs, "age": [20 + row % 5 for row in range(50)], "ill": ["x", "y"] * 25})
    pyreadstat.write_sav(
        frame, tmp_path / "in.sav", variable_value_labels={"job": CODES}, column_labels=["Kind of work", "", ""],
        missing_ranges={"job": [99]},
    )  # fmt: skip
    return request.param, (tmp_path / "in.sav").read_bytes()


@pytest.fixture
def holder(visitor, content):
    visitor.client.put("/api/file?name=in.sav&wait=30", content=content[1])
    visitor.client.put("/api/roles", json={"roles": {"job": "quasi", "age": "quasi", "ill": "sensitive"}})
    return visitor


def run(words):
    application()(words, standalone_mode=False)


def same_as_the_command(visitor, folder, monkeypatch, content):
    """Write a release on the page and with the command that it shows, and give the command."""
    job = visitor.post("/api/anonymize?wait=30", json={"k": 3}).json()
    assert job["state"] == "done", job
    here, there = folder / "here", folder / "there"
    for place in (here, there):
        place.mkdir()
        (place / "in.sav").write_bytes(content)
    release = visitor.session.case.released(job["id"])
    for path in release.folder.iterdir():
        (here / path.name).write_bytes(path.read_bytes())
        if path.name.endswith(".hierarchy.csv"):
            (there / path.name).write_bytes(path.read_bytes())
    shown = unescape(re.search(r'<pre id="command".*?<code>(.*?)</code>', visitor.get("/same").text, re.DOTALL)[1])
    monkeypatch.chdir(there)
    run(shlex.split(shown.replace("\\\n", " "))[1:])
    assert (there / "in_release.csv").read_bytes() == (here / "in_release.csv").read_bytes()
    run(["check", str(here / "in_release.csv"), "--original", "in.sav",
         "--private", str(here / "in_release.private.json")])  # fmt: skip
    return shown


def test_labels_and_missing_codes_are_shown_as_the_command_shows_them(holder, content, tmp_path):
    found = shoal.inspect(tmp_path / "in.sav")["columns"][0]
    (column,) = (each for each in holder.get("/api/roles").json() if each["name"] == "job")
    assert column["label"] == found["label"] == "Kind of work"
    assert column["value_labels"] == found["value_labels"] == {str(code): text for code, text in CODES.items()}
    assert column["missing_codes"] == list(found["missing_codes"]) == ["99"]
    page = holder.get("/roles").text
    for said in ("Kind of work", "4 labels of values", ">health<", "Missing: 99"):
        assert said in page
    german = holder.get("/roles", headers=GERMAN).text
    assert "4 Beschriftungen von Werten" in german
    assert "Fehlend: 99" in german
    holder.post("/api/hierarchy/build?wait=30", json={"column": "job", "how": "labels"})
    passed = holder.get(f"/api/cases/{holder.state()['case']}.json").text
    assert "health" not in passed  # labels may be those of people who were left out


def test_labels_are_a_hierarchy_of_the_page(holder, content, tmp_path, monkeypatch, capsys):
    page = holder.get("/hierarchies?of=job").text
    assert re.search(r'<option value="labels"[^>]* selected', page)
    assert 'value="labels"' not in holder.get("/hierarchies?of=age").text
    assert "mit derselben" in holder.get("/hierarchies?of=job", headers=GERMAN).text
    seen = holder.post("/hierarchies/preview", data={"column": "job", "kind": "labels"}).text
    assert "health" in seen
    holder.post("/hierarchies/build", data={"column": "job", "kind": "labels", "numbers": ""})
    holder.session.case.jobs.wait("tree", 20)
    levels = {row[0]: row[1] for row in holder.get("/api/hierarchy?column=job").json()["levels"]}
    rest = {} if content[0] == "all" else {"33": "*"}
    assert levels == {"11": "health", "12": "health", "21": "law", "22": "trade"} | rest
    shown = same_as_the_command(holder, tmp_path, monkeypatch, content[1])
    assert "--hierarchy job=labels" in shown


def test_groups_of_labels_are_changed_by_hand(holder, content, tmp_path, monkeypatch, capsys):
    """Then they are a file over the values as they are read: their labels, or codes where some have none."""
    holder.post("/api/hierarchy/build?wait=30", json={"column": "job", "how": "labels"})
    given = {"column": "job", "action": "move", "level": 0, "groups": ["21"], "name": "trade"}
    changed = holder.post("/api/hierarchy/edit", json=given).json()
    named = "law" if content[0] == "all" else "21"
    assert {row[0]: row[1] for row in changed["levels"]}[named] == ("trade (group)" if content[0] == "all" else "trade")
    assert {"health (11)", "health (12)"} <= {row[0] for row in changed["levels"]} or content[0] == "some"
    shown = same_as_the_command(holder, tmp_path, monkeypatch, content[1])
    assert "--hierarchy job=job.hierarchy.csv" in shown
    holder.post("/api/hierarchy/build?wait=30", json={"column": "job", "how": "labels"})
    merged = holder.post("/api/hierarchy/merge", json={"column": "job", "least": 13}).json()
    assert len({row[1] for row in merged["levels"]}) < 4


def test_a_tree_of_codes_is_written_as_one_of_their_labels():
    tree = ColumnHierarchy("labels", (("1", "a", "*"), ("2", "a", "*")), (3, 4), ("a (1)", "a (2)"))
    assert tree.csv() == "a (1);a;*\na (2);a;*\n"
    assert tree.editable == ColumnHierarchy("", (("a (1)", "a", "*"), ("a (2)", "a", "*")), (3, 4))
    twice = ColumnHierarchy("labels", (("1", "a", "*"), ("2", "b", "*")), (3, 4), ("a", "b"))
    assert twice.edited("merge", 1, ["a", "b"], "both").rows == (("a", "both", "*"), ("b", "both", "*"))


def test_a_column_without_labels_cannot_be_built_by_them(holder):
    job = holder.post("/api/hierarchy/build?wait=30", json={"column": "age", "how": "labels"}).json()
    assert (job["state"], "have no labels" in job["error"]) == ("failed", True)
