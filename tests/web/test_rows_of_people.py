"""Promises about all rows of a person: offered where people have several, and written as command and code show."""

import random
import shlex

import pytest

from shoal.web import code_export
from shoal.web.cases.aims import OF_PEOPLE, Aim

ROLES = {"person": "subject", "age": "quasi", "town": "quasi", "ill": "sensitive"}
LEVELS = {"person-diversity": 2, "person-closeness": 0.9}


def visits(people=60, rows=2):
    draw = random.Random(11)
    lines = [f"{number},{20 + draw.randrange(30)},t{draw.randrange(4)},{draw.choice(['flu', 'cold', 'burn'])}"
             for number in range(people) for _ in range(rows)]  # fmt: skip
    return "\n".join(["person,age,town,ill", *lines, ""]).encode()


@pytest.fixture
def visited(visitor):
    visitor.client.put("/api/file?name=visits.csv&wait=30", content=visits())
    visitor.client.put("/api/roles", json={"roles": ROLES})
    return visitor


def test_a_crowd_of_rows_of_one_person_is_no_crowd(visitor, visited):
    visitor.client.put("/api/file?name=visits.csv&wait=30", content=b"person,age,town,ill\n" + b"".join(
        b"%d,%d,t1,flu\n" % (person, age) for person, age in [(1, 30), (1, 30), (2, 40), (3, 40), (4, 50)]
    ))  # fmt: skip
    visitor.client.put("/api/roles", json={"roles": ROLES})
    found = visitor.get("/api/risk?wait=30").json()
    assert (found["unique"], found["of_one_person"], found["fewest_people"], found["guess"]) == (1, 3, 1, 0.75)
    text = visitor.get("/risk").text
    assert "3 of 5 rows look only like rows of the same person" in text
    assert "for a person in a group of 1 person" in text
    assert "60% of rows stand alone, or with rows of the same person only" in text
    assert "of a row here can find whose it is: so it is for 3 of 5 rows." in text
    assert "share of rows that stand alone" in text
    assert "rows in the same group" in text
    assert "share of people who" not in text
    assert "people in the same group" not in text
    visitor.client.put("/api/roles", json={"roles": {"person": "identifier"}})
    assert visitor.get("/api/risk?wait=30").json()["of_one_person"] is None
    assert "In a group of one person" not in visitor.get("/risk").text


def test_risks_before_and_after_are_those_of_people(visited):
    def opened(*ages):
        lines = [f"{number},{age},t1,flu" for number, age in enumerate(ages) for _ in range(2)]  # two visits of each
        content = "\n".join(["person,age,town,ill", *lines, ""]).encode()
        visited.client.put("/api/file?name=visits.csv&wait=30", content=content)
        visited.client.put("/api/roles", json={"roles": ROLES})
        return visited.get("/api/risk?wait=30").json()

    before = opened(*range(20, 60))
    assert (before["smallest"], before["fewest_people"], before["guess"]) == (2, 1, 1.0)
    after = visited.client.put("/api/aim?wait=30", json={"method": "hilbert", "k": 3}).json()["candidate"]
    assert 3 <= after["fewest_people"] < after["smallest"]
    assert after["groups"] / 80 < after["guess"] <= 1 / 3  # of 80 rows it would be the former
    assert "With k up to 4 there is nothing to do" not in visited.get("/risk").text
    assert opened(30, 30, 30, 30)["fewest_people"] == 4
    assert "at least 4 people who fit equally well. With k up to 4 there is nothing to do" in visited.get("/risk").text


@pytest.mark.parametrize("guard", sorted(OF_PEOPLE))
def test_command_and_code_write_what_was_chosen(visited, guard, tmp_path, monkeypatch):
    from shoal.cli import application

    assert f'<option value="{guard}"' in visited.get("/protect").text
    aim = Aim("hilbert", 3, guard, LEVELS[guard], "ill")
    choice = {"method": "hilbert", "k": 3, "guard": guard, "level": LEVELS[guard], "column": "ill"}
    visited.post("/protect/choose", data=choice)  # at the usual level of the promise, which is moved then
    found = visited.tried(**choice)[aim.key]
    assert "smallest" in found, found
    job = visited.post("/api/anonymize?wait=30", json=choice)
    assert job.json()["state"] == "done", job.text
    (told,) = visited.get("/api/releases").json()
    released = visited.get(f"/api/releases/{job.json()['id']}/{told['files']['table']['name']}").content
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visits.csv").write_bytes(visits())
    decisions = visited.session.case.decisions
    names = [{"table": f"{way}.csv", "recipe": f"{way}.toml", "report": f"{way}.html"} for way in ("command", "code")]
    command = code_export.command("visits.csv", decisions, names[0]).replace("\\\n", " ")
    application()(shlex.split(command)[1:], standalone_mode=False)
    exec(code_export.python("visits.csv", decisions, names[1]), {})
    assert (tmp_path / "command.csv").read_bytes() == (tmp_path / "code.csv").read_bytes() == released
