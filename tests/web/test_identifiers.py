"""What becomes of identifiers, decided on the page: seen, undone, exported, and released under the server's key."""

import pytest
from web.conftest import people, until

from shoal.web import code_export
from shoal.web.cases.decisions import Decisions

KEY = "shoal specification key 0001"
FORM = {"column": "patient_name", "treatment of patient_name": "pseudonym", "how of patient_name": "patient"}


@pytest.fixture
def keyed(visitor, monkeypatch):
    monkeypatch.setenv("SHOAL_KEY", KEY)
    return visitor.opened(people(60))


def releases(visitor):
    visitor.tried()
    visitor.post("/release/write", data={"looked": "true", "others": "true"})
    return until(lambda: visitor.get("/api/releases").json())


def test_a_pseudonym_is_chosen_shown_and_taken_back(keyed):
    assert "a pseudonym under a secret key" in keyed.get("/roles").text
    answer = keyed.post("/roles/identifier", data=FORM)
    assert "a pseudonym under a secret key (patient)" in answer.text
    assert "need a secret key" not in answer.text
    assert "Under other names or with other dates" in keyed.get("/release").text
    assert "patient_name=pseudonym:patient" in keyed.get("/release").text
    keyed.post("/undo")
    assert "secret key (patient)" not in keyed.get("/roles").text


def test_what_makes_no_sense_is_refused_on_the_page(keyed):
    for change in ({"how of patient_name": ""}, {"treatment of patient_name": "shift", "how of patient_name": "-3"}):
        answer = keyed.post("/roles/identifier", data=FORM | change)
        assert answer.status_code == 422
        assert "nothing that can become of an identifier" in answer.text
    answer = keyed.post(
        "/roles/identifier", data=FORM | {"column": "age", "treatment of age": "pseudonym", "how of age": "x"}
    )
    assert "two roles" in answer.text


def test_a_server_without_a_key_says_what_to_do(visitor, monkeypatch):
    monkeypatch.delenv("SHOAL_KEY", raising=False)
    visitor.opened(people(60))
    assert "need a secret key" in visitor.post("/roles/identifier", data=FORM).text


def test_the_release_of_the_page_has_pseudonyms(keyed):
    answer = keyed.client.put(
        "/api/roles/identifier", json={"column": "patient_name", "treatment": "pseudonym:patient"},
    )  # fmt: skip
    assert answer.json() == {"patient_name": "pseudonym:patient"}
    (found,) = releases(keyed)
    files = {
        kind: keyed.get(f"/api/releases/{found['id']}/{each['name']}").text for kind, each in found["files"].items()
    }
    head, *rows = files["table"].splitlines()
    place = head.split(",").index("patient_name")
    assert all(len(row.split(",")[place]) == 16 for row in rows)
    assert '"key": "f052654f"' in files["certificate"]
    assert "patient_name=pseudonym:patient" in files["recipe"]
    assert all(KEY not in content for content in files.values())


def test_another_role_and_another_file_forget_what_becomes_of_a_column(keyed):
    keyed.post("/roles/identifier", data=FORM)
    keyed.post("/roles", data={"role of patient_name": "plain"})
    assert "secret key (patient)" not in keyed.get("/roles").text


def test_code_that_is_exported_names_a_file_and_no_key():
    decisions = Decisions({"id": "identifier", "age": "quasi"}, treatments={"id": "pseudonym:patient"})
    files = {"table": "o.csv", "recipe": "r.toml", "report": "r.html"}
    assert "--identifier id=pseudonym:patient" in code_export.command("t.csv", decisions, files)
    assert "pseudonym_key='people.key'" in code_export.python("t.csv", decisions, files)
    assert decisions.identifiers == ("id=pseudonym:patient",)
