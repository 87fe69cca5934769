"""The workbench for programs: from a file to a release, described by its own schema, and equal to the command."""

import os
import re
import shlex

import pytest
from markupsafe import escape
from web.conftest import people, serving, until

from shoal.certification.verification import verify
from shoal.extras import how_to_install
from shoal.recipe import Recipe
from shoal.web import code_export
from shoal.web.cases.aims import Aim

IN_PROCESSES = True


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A release with a further promise, made through the API, and the folder with its files."""
    folder = tmp_path_factory.mktemp("api")
    with serving(folder) as (visitor, _):
        visitor.opened(people(150))
        wanted = {"method": "mondrian", "k": 4, "guard": "l-diversity", "level": 2, "column": "diagnosis"}
        job = visitor.post("/api/anonymize?wait=30", json=wanted).json()
        assert job["state"] == "done", job
        (told,) = visitor.get("/api/releases").json()
        for each in told["files"].values():
            (folder / each["name"]).write_bytes(visitor.get(f"/api/releases/{job['id']}/{each['name']}").content)
        (folder / "people.csv").write_bytes(people(150))
        decisions = visitor.session.case.decisions
        yield folder, told, decisions, visitor


def test_what_is_released_is_proved_from_the_file(released):
    folder, told, _, _ = released
    names = {kind: each["name"] for kind, each in told["files"].items()}
    private, original = folder / names["private"], folder / "people.csv"
    proof = verify(folder / names["table"], folder / names["certificate"], private=private, original=original)
    assert [verdict.holds for verdict in proof.verdicts] == [True, True]
    assert told["proved"] == list(proof.proved)
    assert b"patient_name" not in (folder / names["table"]).read_bytes()
    assert b"P7" not in (folder / names["table"]).read_bytes()


def test_the_command_that_is_shown_writes_the_same(released, monkeypatch):
    from shoal.cli import application

    folder, told, decisions, _ = released
    monkeypatch.chdir(folder)
    files = {"table": "again.csv", "recipe": "again.toml", "report": "again.html"}
    words = shlex.split(code_export.command("people.csv", decisions, files).replace("\\\n", " "))
    assert words[0] == "shoal"
    application()(words[1:], standalone_mode=False)
    assert (folder / "again.csv").read_bytes() == (folder / told["files"]["table"]["name"]).read_bytes()


def test_the_python_that_is_shown_writes_the_same(released, monkeypatch):
    folder, told, decisions, _ = released
    monkeypatch.chdir(folder)
    exec(code_export.python("people.csv", decisions, {"table": "python.csv", "recipe": "python.toml"}), {})
    assert (folder / "python.csv").read_bytes() == (folder / told["files"]["table"]["name"]).read_bytes()


def test_the_recipe_names_the_table_and_not_where_it_lay(released):
    folder, told, _, _ = released
    recipe = Recipe.load(folder / told["files"]["recipe"]["name"])
    assert recipe.source == str(folder / "people.csv")
    assert "/tmp" not in (folder / told["files"]["recipe"]["name"]).read_text(encoding="utf-8")


def test_the_schema_describes_every_way(released):
    visitor = released[3]
    schema = visitor.get("/api/openapi.json").json()
    assert schema["openapi"].startswith("3.")
    ways = {(way, path) for path, each in schema["paths"].items() for way in each}
    asked = "put /file, put /roles, get /risk, post /anonymize, get /jobs/{id}, delete /jobs/{id}, get /releases"
    assert {(each.split()[0], f"/api{each.split()[1]}") for each in asked.split(", ")} <= ways
    assert all(path.startswith("/api/") for _, path in ways)
    page = visitor.get("/api/docs").text
    for way, path in ways:
        assert re.search(rf"{way.upper()}</span> <code>{re.escape(path)}</code>", page)
        assert schema["paths"][path][way]["description"]


@pytest.mark.parametrize(
    ("way", "path", "body"),
    [
        ("put", "/api/roles", {"roles": {"age": "king"}}),
        ("put", "/api/roles", {"roles": {"nothing": "quasi"}}),
        ("put", "/api/roles", {"roles": 5}),
        ("put", "/api/roles", None),
        ("post", "/api/anonymize", {"k": 1}),
        ("post", "/api/anonymize", {"k": "many"}),
        ("post", "/api/anonymize", {"method": "magic"}),
        ("post", "/api/anonymize", {"guard": "t-closeness", "level": 0.2, "column": "age"}),
        ("post", "/api/anonymize", {"guard": "t-closeness", "level": 1.7, "column": "diagnosis"}),
        ("put", "/api/aim", {"k": 200_000}),
        ("put", "/api/aim", {"guard": "l-diversity", "level": 2.5, "column": "diagnosis"}),
        ("post", "/api/anonymize", {"audience": "everyone"}),
        ("post", "/api/file/open", {"path": "/etc/passwd"}),
        ("post", "/api/file/open", {}),
        ("put", "/api/file", None),
        ("get", "/api/risk?wait=999", None),
        ("get", "/api/risk?wait=nan", None),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_and_changes_nothing(released, way, path, body):
    visitor = released[3]
    before = visitor.state()
    answer = visitor.client.request(way, path, json=body)
    assert answer.status_code == 422
    assert answer.json()["error"]
    assert answer.json()["remedy"]
    assert {**visitor.state(), "jobs": []} == {**before, "jobs": []}


@pytest.mark.parametrize("way", ["get", "delete"])
@pytest.mark.parametrize("path", ["/api/jobs/nothing", "/api/releases/nothing", "/api/releases/nothing/x"])
def test_what_is_not_there_is_not_found(released, way, path):
    assert released[3].client.request(way, path).status_code in (404, 405)


def test_files_beside_a_release_cannot_be_had(released):
    visitor, told = released[3], released[1]
    for name in (".release.json", "..%2fpeople.csv", "%2e%2e/people.csv", "people.csv"):
        assert visitor.get(f"/api/releases/{told['id']}/{name}").status_code in (404, 422)


def test_a_table_can_be_released_as_parquet_for_everybody(visitor, tmp_path):
    visitor.opened(people(80))
    job = visitor.post("/api/anonymize?wait=30", json={"k": 3, "format": "parquet", "audience": "external"}).json()
    (told,) = visitor.get("/api/releases").json()
    names = {kind: each["name"] for kind, each in told["files"].items()}
    for name in names.values():
        (tmp_path / name).write_bytes(visitor.get(f"/api/releases/{job['id']}/{name}").content)
    assert verify(tmp_path / names["table"], tmp_path / names["certificate"]).proved
    assert "external version" in (tmp_path / names["report"]).read_text(encoding="utf-8")


def test_the_report_is_also_written_as_pdf_where_that_is_installed(tmp_path, monkeypatch):
    """A printer that stands in for WeasyPrint, which the tests of reports know."""
    with serving(tmp_path) as (visitor, _):
        visitor.opened()
        monkeypatch.setattr("shoal.report.pdf.find_spec", lambda _: None)
        assert escape(how_to_install("report")) in visitor.get("/release").text
        refused = visitor.post("/api/anonymize", json={"k": 3, "pdf": True})
        assert (refused.status_code, how_to_install("report") in refused.json()["remedy"]) == (422, True)
        monkeypatch.undo()
        (tmp_path / "weasyprint.py").write_text(
            "class HTML:\n"
            "    def __init__(self, string, url_fetcher): self.string = string\n"
            "    def write_pdf(self, **_): return b'%PDF-1.7 ' + self.string.encode()\n"
        )
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
        assert "The report also as PDF" in visitor.get("/release").text
        visitor.post("/release/write", data={"looked": "true", "others": "true", "pdf": "true"})
        (told,) = until(lambda: visitor.get("/api/releases").json())
        answer = visitor.get(f"/api/releases/{told['id']}/{told['files']['pdf']['name']}")
        assert answer.content.startswith(b"%PDF")
        assert "people_release.report.pdf" in visitor.get("/release").text


def test_any_number_can_be_asked_for(visitor):
    visitor.opened(people(120))
    wanted = {"k": 6, "guard": "t-closeness", "level": 0.27, "column": "diagnosis"}
    told = visitor.client.put("/api/aim?wait=30", json=wanted).json()
    assert told["key"] == "hilbert~6~t-closeness~0.27~diagnosis"
    assert told["candidate"]["smallest"] >= 6
    assert told["candidate"]["levels"][1] <= 0.27


def test_candidates_tell_what_the_release_then_has(visitor):
    visitor.opened(people(120))
    found = visitor.tried()[Aim(k=5).key]
    visitor.post("/api/anonymize?wait=30", json={"k": 5})
    (told,) = visitor.get("/api/releases").json()
    assert told["scores"]["information-loss"] == pytest.approx(found["loss"])
    assert told["scores"]["random-reidentification"] == pytest.approx(found["guess"])
