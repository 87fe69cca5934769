"""Safe harbor on a screen of its own: what is found, the recipe, and the roles and groups that follow from it."""

import html
import re
import shlex

import pytest

import shoal
from shoal.cli import main
from shoal.models.harbor_names import KINDS
from shoal.recipe import Recipe
from shoal.web.words import names

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
    assert names("identifiers") == KINDS


def test_people_of_zip_codes_and_other_countries_are_taken_as_by_the_command(opened, tmp_path):
    census = b"zip,population\n93711,30000\n10025,500\n"
    more = {"year": "2026", "countries": ["de", "gb"]}  # as a form says it
    answer = opened.client.post(
        f"/safe-harbor?version={opened.state()['version']}",
        data=more, files={"file": ("census.csv", census)}, follow_redirects=False,
    )  # fmt: skip
    assert (answer.status_code, answer.headers["location"]) == (303, "/safe-harbor")
    found = opened.get("/api/safe-harbor?wait=30").json()
    assert (found["population"]["name"], found["countries"]) == ("census.csv", ["de", "gb"])
    (tmp_path / "stays.csv").write_text(TABLE)
    (tmp_path / "census.csv").write_bytes(census)
    own = shoal.safe_harbor(
        tmp_path / "stays.csv", year=2026, population=tmp_path / "census.csv", countries=["de", "gb"]
    )
    given = Recipe.from_toml(opened.get("/api/safe-harbor/recipe").text)
    assert (given.options, given.models) == (own.recipe.options, own.recipe.models)
    assert found["population"]["sha256"] == own["population"]["sha256"]
    page = opened.get("/safe-harbor").text
    assert "--population census.csv" in page
    assert "--country de,gb" in page
    wrong = opened.post("/api/safe-harbor?wait=30", json={"people": "a,b\n1,2\n", "people_file": "odd.csv"}).json()
    assert "name no column of ZIP codes" in wrong["job"]["error"]
    assert opened.post("/api/safe-harbor?wait=30", json={"countries": ["xx"]}).json()["job"]["state"] == "failed"


def sheltered(opened, year=2026, **asked):
    """Take the roles of the rule, and group what stays as it groups it."""
    opened.post("/api/safe-harbor?wait=30", json={"year": year, **asked})
    opened.client.put("/api/roles", json={"roles": {"sex": "plain", "score": "plain"}})
    opened.client.put("/api/safe-harbor/roles")
    for column in ("zip", "age", "admitted"):
        how = next(each["how"] for each in opened.get("/api/safe-harbor").json()["columns"] if each["column"] == column)
        job = opened.post("/api/hierarchy/build?wait=30", json={"column": column, "how": how}).json()
        assert job["state"] == "done", job["error"]
    return opened


def written(opened, asked):
    found = opened.client.put("/api/aim?wait=30", json=asked).json()["candidate"]
    job = opened.post("/api/anonymize?wait=30", json=asked).json()
    assert job["state"] == "done", job["error"]
    (release,) = [each for each in opened.get("/api/releases").json() if each["id"] == job["id"]]
    files = {
        kind: opened.get(f"/api/releases/{job['id']}/{each['name']}").content for kind, each in release["files"].items()
    }
    return found, release, files


@pytest.mark.parametrize(
    "asked",
    [{}, {"countries": ["de"], "people": "zip,population\n93711,30000\n10025,500\n", "people_file": "census.csv"}],
)
def test_the_first_level_of_the_groups_is_what_the_recipe_releases_and_proves(opened, tmp_path, monkeypatch, asked):
    found, release, files = written(sheltered(opened, **asked), {"method": "first-level", "k": 0})
    assert found["rule"] is True
    assert any("eighteen kinds" in each for each in found["sentences"])
    assert [each["holds"] for each in release["verdicts"]] == [True]
    assert any("eighteen kinds" in each for each in release["proved"])
    (tmp_path / "stays.csv").write_text(TABLE)
    (tmp_path / "stays.harbor.toml").write_text(opened.get("/api/safe-harbor/recipe").text)
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["shoal", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code

    run("run", "stays.harbor.toml")
    assert files["table"] == (tmp_path / "stays.harbor.release.csv").read_bytes()
    page = html.unescape(opened.get("/release").text)
    assert "promises nothing" not in page
    shown = html.unescape(opened.get("/same").text)
    line = re.search(r"shoal anonymize .*?</code>", shown, re.DOTALL)[0].removesuffix("</code>").replace("\\\n", " ")
    assert "--no-promise" not in line
    run(*shlex.split(line)[1:])
    assert files["table"] == (tmp_path / "stays_release.csv").read_bytes()
    own, given = (
        Recipe.from_toml(text)
        for text in ((tmp_path / "stays_release.recipe.toml").read_text(), files["recipe"].decode())
    )
    assert own.models == given.models == Recipe.from_toml(opened.get("/api/safe-harbor/recipe").text).models
    assert "models=[shoal.models.SafeHarbor(year=2026" in shown


def test_the_rule_is_promised_beside_k_where_it_is_kept_and_the_checklist_says_where_not(opened):
    sheltered(opened)
    levels = {"min_level": {"zip": 1, "age": 1, "admitted": 1}}
    found, release, _ = written(opened, {"method": "full-domain", "k": 2, "settings": levels})
    assert (found["rule"], len(release["verdicts"])) == (True, 2)
    same = html.unescape(opened.get("/same").text)
    assert "--k 2" in same
    assert "--model 'safe-harbor year=2026'" in same
    assert "models=[shoal.models.SafeHarbor(year=2026)]" in same
    found, release, files = written(opened, {"method": "hilbert", "k": 2, "first": {"name": "first-level"}})
    assert (found["rule"], len(release["verdicts"])) == (True, 2)
    assert 'name = "safe-harbor"' in files["recipe"].decode()
    found, release, _ = written(opened, {"method": "suppress", "k": 2})  # which says more of its promise
    assert (found["rule"], len(release["verdicts"])) == (False, 1)
    found, release, _ = written(opened, {"method": "hilbert", "k": 2})
    assert found, str(opened.state()["jobs"]) + str(opened.state())
    assert found["rule"] is False
    assert len(release["verdicts"]) == 1
    page = opened.get("/release").text
    assert "does not keep the rule of safe harbor" in page
    assert "--model" not in opened.get("/same").text
    assert "Safe harbor for 2026 is promised" in opened.get("/safe-harbor").text
    opened.post("/safe-harbor/no-promise")
    assert "does not keep the rule" not in opened.get("/release").text
    opened.post("/undo")
    assert opened.session.case.decisions.rule["year"] == 2026


def test_the_checklist_names_the_columns_because_of_which_the_rule_is_not_kept(opened):
    opened.client.put("/api/file?name=stays.csv&wait=30", content=TABLE.replace("score", "city", 1).encode())
    opened.post("/api/safe-harbor?wait=30", json={"year": 2026})
    opened.client.put("/api/safe-harbor/roles")
    opened.client.put("/api/roles", json={"roles": {"city": "plain", "sex": "plain"}})
    for column, form in (("zip", "zip"), ("age", "age"), ("admitted", "date")):
        opened.post("/api/hierarchy/build?wait=30", json={"column": column, "how": f"safe-harbor {form}"})
    found = opened.client.put("/api/aim?wait=30", json={"method": "hilbert", "k": 2}).json()["candidate"]
    assert found["rule"] is False
    assert found["forbidden"] == {"zip": "zip", "city": ""}
    page = html.unescape(opened.get("/release").text)
    said = dict(re.findall(r'<li><code dir="auto">(\w+)</code>: ([^<]+)</li>', page))
    assert list(said) == list(found["forbidden"])
    assert said["zip"] == "cut to 3 digits; 000 where few people live"
    assert said["city"] == "removed"
    german = html.unescape(opened.get("/release", headers=GERMAN).text)
    assert "auf 3 Ziffern gekürzt" in german
    first = {"method": "first-level", "k": 0}
    opened.client.put("/api/roles", json={"roles": {"zip": "plain", "city": "identifier"}})
    found = opened.client.put("/api/aim?wait=30", json=first).json()["candidate"]
    assert (found["rule"], found["forbidden"]) == (False, {"zip": "zip"})
    opened.client.put("/api/roles", json={"roles": {"zip": "identifier"}})
    found = opened.client.put("/api/aim?wait=30", json=first).json()["candidate"]
    assert (found["rule"], found["forbidden"]) == (True, {})
    assert "What would have to become" not in opened.get("/release").text
