"""Surveys: weights, households and strata, from the command line to the certificate and back."""

import json

import pytest

PEOPLE = "town,sex,hid,w,part\n" + "".join(
    f"{i % 4},{'mf'[i // 2 % 2]},h{i // 3:03},{10 + i % 5},{'NS'[i % 2]}\n" for i in range(60)
)
ROLES = ("--quasi", "town,sex", "--weight", "w", "--household", "hid", "--stratum", "part")


@pytest.fixture
def people(desk):
    desk.put("people.csv", PEOPLE)
    return desk


def test_weight_and_stratum_are_released_and_households_are_not(people):
    people.run("anonymize", "people.csv", "--out", "out.csv", *ROLES, "--k", "3", "--save-recipe", "r.toml").fine()
    assert (people.folder / "out.csv").read_text().splitlines()[0] == "town,sex,w,part"
    table = json.loads((people.folder / "out.certificate.json").read_text())["recipe"]["table"]
    assert (table["weight"], table["household"], table["stratum"]) == ("w", "hid", "part")
    people.run("check", "out.csv", "--private", "out.private.json", "--original", "people.csv").fine()
    first = (people.folder / "out.csv").read_bytes()
    people.run("run", "r.toml", "--overwrite").fine()
    assert (people.folder / "out.csv").read_bytes() == first


def test_numbers_of_households_are_known_by_their_name(people):
    columns = people.run("inspect", "people.csv", "--json").json()["columns"]
    assert {each["name"]: each["role"] for each in columns}["hid"] == "household"


def test_a_column_has_one_role(people):
    people.run("risk", "people.csv", "--quasi", "town,hid", "--household", "hid").refused(2, "'hid' is given two roles")


def test_releases_of_a_survey_are_compared_by_weights_and_estimates(people):
    people.run(
        "anonymize",
        "people.csv",
        "--out",
        "out.csv",
        *ROLES,
        "--kind",
        "town=integer",
        "--k",
        "20",
        "--report",
        "r.html",
    ).fine()
    asked = ["compare", "people.csv", "out.csv", "--quasi", "town,sex", "--weight", "w", "--kind", "town=integer"]
    found = people.run(*asked, "--json").json()
    assert found["weighted"]
    scores = {each["measure"]: each["detail"] for each in found["releases"][0]["scores"]}
    mean = sum((i % 4) * (10 + i % 5) for i in range(60)) / sum(10 + i % 5 for i in range(60))
    assert scores["estimate-shift"]["estimates"]["town"]["mean"][0] == pytest.approx(mean)
    assert found["original"]["weighted_unique"] == 0
    alone, home = (
        scores["estimate-shift"]["estimates"]["town"],
        people.run(*asked, "--household", "hid", "--json").json(),
    )
    together = {each["measure"]: each["detail"] for each in home["releases"][0]["scores"]}["estimate-shift"]
    assert together["estimates"]["town"]["mean_error"][0] != alone["mean_error"][0] > 0
    assert set(together["shares"]["sex"]) == {"f", "m"}
    told = people.run(*asked, "--report", "both.html").fine().out
    assert "Estimates before and after, with survey weights" in told
    for page in ("both.html", "r.html"):
        assert "Estimates before and after" in (people.folder / page).read_text(encoding="utf-8")


def test_people_that_records_alone_stand_for_are_counted(people):
    people.put("few.csv", "age,w\n1,10\n1,20\n2,30\n")
    asked = ["risk", "few.csv", "--quasi", "age", "--weight", "w"]
    found = people.run(*asked, "--json").json()
    assert (found["weighted_unique"], found["weighted_uniqueness"]) == (30, 0.5)
    assert "people that these stand for (weights)" in people.run(*asked).out


def test_methods_are_compared_by_weights_too(people):
    asked = ["--quasi", "town,sex", "--weight", "w", "--kind", "town=integer"]
    people.run("anonymize", "people.csv", "--out", "out.csv", *asked, "--k", "20").fine()
    release = people.run("compare", "people.csv", "out.csv", *asked, "--json").json()["releases"][0]
    rows = people.run("compare", "people.csv", "--methods", "hilbert", "--k", "20", *asked, "--json").json()["rows"]
    found = {row["measure"]: row["value"] for row in rows}
    for name in ("information-loss", "total-variation", "estimate-shift"):
        assert found[name] == pytest.approx(release[name.replace("-", "_")])


def test_estimates_are_those_of_drawing_without_replacement_if_that_is_asked(people):
    roles = [*ROLES, "--kind", "town=integer"]
    asked = ["--measure", "estimate-shift replacement=false"]
    people.run("anonymize", "people.csv", "--out", "out.csv", *roles, "--k", "20", *asked, "--report", "r.html").fine()
    assert "drawing without replacement" in (people.folder / "r.html").read_text(encoding="utf-8")
    people.run("check", "out.csv", "--private", "out.private.json", "--original", "people.csv").fine()
    told = people.run("compare", "people.csv", "out.csv", *roles, *asked)
    assert "drawing without replacement" in told.fine().out
    people.put("few.csv", "age,w\n1,0.5\n1,0.5\n2,0.5\n")
    people.run(
        "anonymize", "few.csv", "--quasi", "age", "--weight", "w", "--out", "few-out.csv", "--k", "2", *asked
    ).refused(3, "stand for fewer")
    assert not (people.folder / "few-out.csv").exists()
