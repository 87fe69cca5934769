"""Safe harbor on a screen of its own: what is found, the recipe, and the roles and groups that follow from it."""

import re

import pytest

import shoal
from shoal.models.harbor_names import KINDS
from shoal.recipe import Recipe
from shoal.web import harbor_names

GERMAN = {"accept-language": "de"}
ZIPS = ("93711", "03601", "10025", "90210")
ROWS = "".join(
    f"someone{i}@example.org,{ZIPS[i % 4]},{20 + i * 7 % 78},{1 + i % 12}/{1 + i % 28}/2021,{'FM'[i % 2]},{i % 5}\n"
    for i in range(60)
)
TABLE = f"contact,zip,age,admitted,sex,score\n{ROWS}"


@pytest.fixture
def opened(visitor):
    visitor.client.put("/api/file?name=stays.csv&wait=30", content=TABLE.encode())
    return visitor


def test_identifiers_are_found_and_their_recipe_and_roles_are_taken(opened, tmp_path):
    assert 'href="/safe-harbor"' in opened.get("/roles").text
    assert opened.get("/api/safe-harbor").json() == {}
    assert opened.get("/api/safe-harbor/recipe").status_code == 404
    assert opened.client.put("/api/safe-harbor/roles").status_code == 422
    found = opened.post("/api/safe-harbor?wait=30", json={"year": 2026}).json()
    assert found["job"]["state"] == "done", found
    assert [(each["column"], each["kind"], each["by"], each["how"]) for each in found["columns"]] == [
        ("contact", "email", "value", ""),
        ("zip", "geography", "name", "safe-harbor zip"),
        ("age", "date", "name", "safe-harbor age"),
        ("admitted", "date", "value", "safe-harbor date"),
    ]
    assert (found["kept"], found["population"]["name"]) == (["sex", "score"], "census-2000")

    (tmp_path / "stays.csv").write_text(TABLE)
    answer = opened.get("/api/safe-harbor/recipe")
    assert "stays.harbor.toml" in answer.headers["content-disposition"]
    given, own = Recipe.from_toml(answer.text), shoal.safe_harbor(tmp_path / "stays.csv", year=2026).recipe
    assert (given.options, given.models, given.methods) == (own.options, own.models, own.methods)
    assert (given.source, given.target) == ("stays.csv", "stays.harbor.release.csv")

    text = opened.get("/safe-harbor").text
    for said in ("e-mail addresses", "its values", "cut to 3 digits", "census-2000", "shoal run stays.harbor.toml"):
        assert said in text
    assert "someone1@" not in text
    german = opened.get("/safe-harbor", headers=GERMAN).text
    assert "E-Mail-Adressen" in german
    assert "auf 3 Ziffern gekürzt" in german

    opened.client.put("/api/roles", json={"roles": {"score": "sensitive"}})
    stale = opened.state()["version"]
    roles = opened.client.put("/api/safe-harbor/roles").json()
    assert [roles[name] for name in ("contact", "zip", "age", "admitted", "score")] == [
        "identifier", "quasi", "quasi", "quasi", "sensitive",
    ]  # fmt: skip
    assert opened.post("/safe-harbor/roles", data={"version": stale}).status_code == 409
    form = re.search(r'action="/hierarchies/build">.*?name="numbers" value="zip"', opened.get("/safe-harbor").text)
    assert form is not None
    opened.post("/hierarchies/build", data={"column": "zip", "kind": "safe-harbor", "numbers": "zip"})
    opened.get(f"/api/jobs/{opened.state()['jobs'][-1]['id']}?wait=30")
    assert opened.get("/safe-harbor").text.count("(grouped so)") == 1


def test_what_was_found_is_of_this_file_and_of_how_it_is_read(opened):
    opened.post("/api/safe-harbor?wait=30", json={})
    opened.client.put("/api/file?name=other.csv&wait=30", content=b"a,b\n1,2\n3,4\n")
    assert opened.get("/api/safe-harbor/recipe").status_code == 404
    assert "Look for identifiers" in opened.get("/safe-harbor").text


def test_a_year_is_one_in_which_something_is_released(opened):
    assert opened.post("/api/safe-harbor", json={"year": 26}).status_code == 422
    assert opened.get("/safe-harbor").status_code == 200


def test_all_eighteen_kinds_have_words():
    assert {kind: str(words) for kind, words in harbor_names.KINDS.items()} == KINDS
