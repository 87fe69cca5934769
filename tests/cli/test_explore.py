"""Levels from the command line: what is explored, and what a release says of its search."""

import json

import pytest

TOWNS = "".join(f"{code};{code[:4]}*;*\n" for code in ("02138", "02139", "02141", "02142"))
PEOPLE = "zip,sex\n02138,M\n02139,M\n02141,F\n02142,F\n02138,F\n02139,F\n"
ASKED = ("--quasi", "zip,sex", "--hierarchy", "zip=zip.csv", "--k", 2)


@pytest.fixture
def towns(desk):
    desk.put("zip.csv", TOWNS)
    desk.put("people.csv", PEOPLE)
    return desk


def test_every_node_is_given_where_it_is_asked_for(towns):
    done = towns.run(
        "explore",
        "people.csv",
        *ASKED,
        "--param",
        "limit=0",
        "--param",
        "aggregate=arithmetic",
        "--json",
        "--every-node",
    )
    found = json.loads(done.out)
    assert (found["nodes"], found["feasible"]) == (6, 4)
    assert found["best"]["levels"] == {"zip": 1, "sex": 0}
    assert found["best"]["loss"] == pytest.approx(1 / 6)
    assert found["best"]["proven"] is True
    assert (found["best"]["outliers"], found["best"]["classes"]) == (0, 3)
    at = {tuple(node["levels"].values()): node for node in found["every_node"]}
    assert at[0, 1]["outliers"] == 2
    assert at[0, 1]["loss"] == pytest.approx((1 / 3 + 1) / 2)
    assert not at[0, 1]["feasible"]


def test_people_see_the_best_levels_and_may_have_a_page(towns):
    done = towns.run("explore", "people.csv", *ASKED, "--report", "levels.html")
    assert done.code == 0
    assert "6 combinations of levels" in done.out
    assert "levels.html" in done.left
    assert towns.run("explore", "people.csv", *ASKED, "--report", "levels.html").code == 2
    assert towns.run("explore", "people.csv", "--quasi", "zip,sex").code == 2
    assert towns.run("explore", "people.csv", *ASKED, "--every-node").code == 2


def test_a_release_says_what_was_found_and_proven(towns):
    done = towns.run(
        "anonymize", "people.csv", "--out", "out.csv", *ASKED, "--method", "full-domain", "--param", "limit=1",
        "--param", "utility=loss", "--param", "aggregate=geometric", "--param", "max_level.sex=0", "--json",
    )  # fmt: skip
    said = json.loads(done.out)
    assert set(said["recoding"]) == {"levels", "proven", "loss", "outliers", "classes", "evaluated", "nodes"}
    assert said["recoding"]["levels"] == {"zip": 1, "sex": 0}
    assert said["recoding"]["nodes"] == 3
    assert "it is proven that no other" in said["steps"][0]
    assert towns.run("check", "out.csv").code == 0
    refused = towns.run(
        "anonymize", "people.csv", "--out", "x.csv", *ASKED, "--method", "full-domain", "--param", "limit=2"
    )
    assert (refused.code, refused.left) == (2, ())
    none = towns.run(
        "anonymize", "people.csv", "--out", "x.csv", *ASKED, "--method", "full-domain", "--param", "levels=0,0",
        "--param", "limit=0",
    )  # fmt: skip
    assert (none.code, none.left) == (1, ())
