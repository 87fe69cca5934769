"""Sections of the risk on its screen: a population beside the table, attackers in it, single rows, and columns."""

import json
import re
import stat
import sys

import pytest
from web.conftest import people, serving

from shoal.assessment.risk_section import RiskSection
from shoal.cli import main

GERMAN = {"accept-language": "de"}
POPULATION = people(400)
TABLE = people(60)  # the first of the same people
ALL = {"suda": True, "screen": True, "why": True}
QUASI = ["--quasi", "age,sex,zip,shoe", "--sensitive", "diagnosis"]


def opened(visitor, population=POPULATION):
    visitor.opened(TABLE)
    if population:
        visitor.client.put("/api/population?name=all.csv&wait=30", content=population)
    return visitor


def asked(visitor, **questions):
    answer = visitor.client.put("/api/risk/questions?wait=30", json=questions)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
def command(tmp_path, monkeypatch, capfd):
    """Run a command beside the same files, and give what it says as JSON."""
    (tmp_path / "people.csv").write_bytes(TABLE)
    (tmp_path / "all.csv").write_bytes(POPULATION)
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["shoal", *arguments])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capfd.readouterr()
        assert not ended.value.code, said.err
        return json.loads(said.out)

    return run


def test_a_population_is_kept_and_every_number_is_that_of_the_command(visitor, command):
    holder = opened(visitor)
    found = asked(holder, threshold=0.1, **ALL)
    more = ("--population", "all.csv", "--threshold", "0.1", "--suda", "--screen", "--why")
    assert found["risk"] == command("risk", "people.csv", *QUASI, *more, "--json")
    assert [each["title"] for each in found["sections"]] == [
        "Three attackers",
        "Alone in the population",
        "Screening of columns",
        "Special uniques (SUDA)",
        "Why records are at risk",
    ]
    assert found["asked"]["population"]["people"] == 400
    page = holder.get("/risk").text
    for said in ("all.csv", "Three attackers", "it is the table all.csv, with 400 people", "shoal risk people.csv"):
        assert said in page
    case = holder.session.case
    assert not re.search(r"P\d+\b", page.replace(case.id, ""))  # nobody's name
    (place,) = case.folder.rglob("all.csv")
    assert place.read_bytes() == POPULATION
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    holder.post("/data/close")
    assert not list(case.folder.rglob("all.csv"))


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"population_size": 30_000}, ["--population-size", "30000"]),
        ({"sampling_fraction": 0.3}, ["--sampling-fraction", "0.3"]),
    ],
)
def test_a_size_or_a_share_of_the_population_will_do(visitor, command, given, option):
    found = asked(opened(visitor, None), **given)
    assert found["risk"] == command("risk", "people.csv", *QUASI, *option, "--threshold", "trusted", "--json")


def test_the_form_takes_numbers_as_people_write_them(visitor):
    holder = opened(visitor, None)
    holder.post("/risk/questions", data={"population_size": "30,000", "own_threshold": "0,1", "screen": "1"})
    now = holder.session.case.decisions.asked
    assert (now.population_size, now.threshold, now.screen, now.suda) == (30_000, "0.1", True, False)
    holder.post("/risk/questions", data={"sampling_fraction": "20 %", "threshold": "public"})
    now = holder.session.case.decisions.asked
    assert (now.population_size, now.sampling_fraction, now.threshold) == (None, 0.2, "public")
    for wrong in ({"population_size": "many"}, {"sampling_fraction": "7"}, {"own_threshold": "7"},
                  {"population_size": "900", "sampling_fraction": "0.1"}):  # fmt: skip
        assert holder.post("/risk/questions", data=wrong).status_code == 422
    assert holder.session.case.decisions.asked == now
    smaller = asked(holder, population_size=3, sampling_fraction=None)
    assert "smaller than the table" in smaller["job"]["error"]


def test_columns_may_have_other_names_there(visitor):
    holder = opened(visitor, POPULATION.replace(b",zip,", b",postcode,"))
    assert "There is no column 'zip'" in asked(holder)["job"]["error"]
    page = holder.get("/risk").text
    assert "What zip is called there" in page
    holder.post("/risk/questions", data={"called zip": "postcode"})
    found = holder.get("/api/risk/sections?wait=30").json()
    assert found["risk"]["attackers"]["journalist"]["highest"] > 0
    assert "--population-columns zip=postcode" in holder.get("/risk").text


def test_weights_and_households_are_roles(visitor):
    rows = "".join(f"{20 + i % 7},{'fm'[i % 2]},{10 + i % 3},h{i // 2}\n" for i in range(80))
    visitor.client.put("/api/file?name=survey.csv&wait=30", content=f"age,sex,weight,household\n{rows}".encode())
    roles = {"age": "quasi", "sex": "quasi", "weight": "weight", "household": "household"}
    visitor.client.put("/api/roles", json={"roles": roles})
    found = asked(visitor)
    assert {"individual_risk", "log_linear_risk", "attackers", "population_uniqueness"} <= set(found["risk"])
    assert "Individual risk in the survey" in visitor.get("/risk").text


def test_a_population_is_a_decision_that_can_be_taken_back_and_is_kept_with_its_case(tmp_path):
    with serving(tmp_path) as (holder, _):
        opened(holder)
        stale = holder.state()["version"]
        assert holder.client.put("/api/population?name=b.csv&wait=30", content=people(9)).json()["state"] == "done"
        assert holder.session.case.decisions.asked.population.name == "b.csv"
        for action in ("/risk/questions", "/risk/population/remove", "/risk/population/open"):
            assert holder.post(action, data={"version": stale, "path": "/x.csv"}).status_code == 409
        assert "Table of the population: b.csv" in holder.get("/cases").text
        holder.post("/undo")
        found = asked(holder)  # its file is still there
        assert found["asked"]["population"]["name"] == "all.csv"
        assert found["job"]["state"] == "done"
        passed = holder.get(f"/api/cases/{holder.state()['case']}.json").text
        assert found["asked"]["population"]["sha256"] in passed
        assert "P399" not in passed
        case = holder.state()["case"]
        holder.client.delete("/api/file?keep=true")
        holder.client.post(f"/api/cases/{case}/open")
        assert holder.session.case.known_sections["risk"] == found["risk"]
        assert asked(holder, threshold="public")["job"]["state"] == "done"
        holder.client.delete("/api/population")
        assert asked(holder)["risk"]["attackers"]["journalist"] is None
        holder.client.delete(f"/api/cases/{case}")
        assert not list(tmp_path.rglob("all.csv"))


def test_what_cannot_be_read_as_a_population_changes_nothing(visitor):
    holder = opened(visitor, None)
    before = holder.state()["version"]
    job = holder.client.put("/api/population?name=odd.csv&wait=30", content=b'a,b\n"1,2\n').json()
    assert job["state"] == "failed"
    assert holder.state()["version"] == before
    assert not list(holder.session.case.folder.rglob("odd.csv"))
    assert job["error"] in holder.get("/risk").text.replace("&#39;", "'")


def test_a_population_of_this_computer_must_be_as_it_was(tmp_path):
    place = tmp_path / "data" / "all.csv"
    place.parent.mkdir()
    place.write_bytes(POPULATION)
    with serving(tmp_path, folders=(place.parent,)) as (holder, _):
        opened(holder, None)
        holder.post("/risk/population/open", data={"path": str(place)})
        holder.get(f"/api/jobs/{holder.state()['jobs'][-1]['id']}?wait=30")
        assert asked(holder)["job"]["state"] == "done"
        place.write_bytes(POPULATION + b"P,20,f,90000,36,flu\n")
        assert "has changed" in asked(holder, threshold="public")["job"]["error"]
        passed = holder.get(f"/api/cases/{holder.state()['case']}.json").text
        assert str(place.parent) not in passed


def test_a_new_section_of_the_library_is_on_the_page_without_code_of_the_page(visitor, monkeypatch):
    from shoal.assessment import disclosure_risk

    shown = RiskSection("Moons", {"moons": 3}, ["There are 3 moons."])
    monkeypatch.setattr(disclosure_risk, "SECTIONS", (lambda table, questions: shown,))
    assert asked(opened(visitor, None))["risk"]["moons"] == 3
    assert "There are 3 moons." in visitor.get("/risk").text


def test_sections_are_read_in_german(visitor):
    holder = opened(visitor)
    found = asked(holder, **ALL)
    text = holder.get("/risk", headers=GERMAN).text
    assert "Drei Angreifer" in text
    for section in found["sections"]:
        assert section["title"] not in text
        for sentence in section["sentences"]:
            assert sentence.partition(" (")[0] not in text


def test_the_reasons_look_one_step_up_the_hierarchies_of_the_case(visitor, command):
    holder = opened(visitor, None)
    finer = asked(holder, why=True)["risk"]["why"]
    holder.post("/api/hierarchy/build?wait=30", json={"column": "age", "how": "bands 5,20"})
    found = asked(holder, why=True)
    assert found["risk"]["why"] != finer
    said = command(
        "risk", "people.csv", *QUASI, "--why", "--threshold", "trusted", "--hierarchy", "age=bands 5,20", "--json"
    )
    assert found["risk"] == said
    assert "--hierarchy &#39;age=bands 5,20&#39;" in holder.get("/risk").text
    assert "one step coarser" in holder.get("/risk").text
    german = holder.get("/risk", headers=GERMAN).text
    assert "eine Stufe gröber" in german
    assert not any(each in german for each in found["sections"][-1]["sentences"])
    asked(holder, why=False)
    assert "--hierarchy" not in holder.get("/risk").text
