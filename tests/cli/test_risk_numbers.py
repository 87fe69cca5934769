"""The numbers of `shoal risk --json` are those of the library, which are held against their definitions elsewhere."""

import json

import pytest

import shoal

TABLE = "a,b,w,h\n1,x,3,1\n1,x,2,1\n2,y,5,2\n3,x,1.5,2\n3,y,4,3\n,y,4,3\n"
POPULATION = "a,b\n1,x\n1,x\n1,x\n2,y\n3,x\n3,y\n,y\n3,y\n9,z\n"


def test_the_command_line_tells_what_the_library_finds(desk):
    table = desk.put("t.csv", TABLE)
    population = desk.put("p.csv", POPULATION)
    said = desk.run(
        "risk", "t.csv", "--quasi", "a,b", "--population", "p.csv", "--threshold", "0.5", "--weight", "w",
        "--household", "h", "--suda", "--screen", "--why", "--json",
    ).json()  # fmt: skip
    found = shoal.risk(
        table, quasi=["a", "b"], population=population, threshold=0.5, weight="w", household="h",
        suda=True, screen=True, why=True,
    )  # fmt: skip
    for what in ("attackers", "population_uniqueness", "individual_risk", "log_linear_risk", "suda", "screening"):
        assert said[what] == json.loads(json.dumps(found[what])), what
    right = (2 / 3 + 1 + 1 + 1 / 2 + 1) / 6
    assert said["attackers"]["journalist"] == pytest.approx({"highest": 1.0, "at_risk": 0.5, "success": right})
