"""`shoal risk --error`: what an attacker claims whose knowledge errs."""

import pytest

# Two of one age, who differ by a day, one whose day somebody is wrong about leads nowhere, and two who are alike.
STAYS = "age,days,sex,charge\n34,2,m,10\n34,3,m,20\n51,2,f,30\n60,9,f,40\n60,9,f,50\n"
ASKED = ("risk", "t.csv", "--quasi", "age,days,sex")


def test_json_tells_claims_that_are_right_and_wrong(desk):
    desk.put("t.csv", STAYS)
    [found] = desk.run(*ASKED, "--error", "days=0.5", "--json").json()["errors"]
    assert found == {
        "columns": {"days": 0.5},
        "claimed": pytest.approx(0.3 + 0.15),
        "right": pytest.approx(3 * 0.5 / 5),
        "wrong": pytest.approx(1.5 * 0.5 / 5),
        "right_of_claimed": pytest.approx(2 / 3),
        "standard_error": 0.0,
    }


def test_several_columns_are_told_each_alone_and_then_all_at_once(desk):
    desk.put("t.csv", STAYS)
    found = desk.run(*ASKED, "--error", "days=0.5", "--error", "age=0.25", "--json").json()["errors"]
    assert [each["columns"] for each in found] == [{"days": 0.5}, {"age": 0.25}, {"days": 0.5, "age": 0.25}]
    assert found[2]["right"] == pytest.approx(3 * 0.5 * 0.75 / 5)
    assert found[2]["standard_error"] > 0


def test_sets_of_what_is_known_err_where_they_hold_the_column(desk):
    desk.put("t.csv", STAYS)
    asked = ("--known", "age,days", "--known", "age,sex", "--error", "days=0.5")
    with_days, without = desk.run(*ASKED, *asked, "--json").json()["known"]
    assert with_days["errors"][0]["right"] == pytest.approx(0.3)
    assert "errors" not in without
    said = desk.run(*ASKED, *asked).fine().out
    assert "If age, days are known, and the attacker errs:" in said


def test_people_are_told_in_a_table_and_in_the_report(desk):
    desk.put("t.csv", STAYS)
    said = desk.run(*ASKED, "--error", "days=0.5", "--report", "r.html").fine().out
    assert "If the attacker errs:" in said
    assert "days=0.5" in said
    assert "45.00%   30.00%   15.00%                66.67%" in said
    assert "What an attacker claims who errs" in desk.read("r.html")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("days=1.5", ("'days'", "from 0 to 1")),
        ("days=-0.1", ("'days'", "from 0 to 1")),
        ("days=nan", ("'days'", "from 0 to 1")),
        ("days=often", ("'days'", "from 0 to 1")),
        ("days", ("COLUMN=PROBABILITY", "age=0.3")),
        ("dayz=0.3", ("no column 'dayz'", "Did you mean 'days'?")),
        ("charge=0.3", ("'charge' is no quasi-identifier", "--quasi", "age, days, sex")),
    ],
)
def test_what_makes_no_sense_is_refused(desk, asked, words):
    desk.put("t.csv", STAYS)
    desk.run(*ASKED, "--error", asked).refused(2, *words)


def test_a_masked_column_is_refused(desk):
    desk.put("t.csv", "age,sex\n[30;39],m\n34,f\n")
    refused = desk.run("risk", "t.csv", "--quasi", "age,sex", "--masked", "--kind", "age=integer", "--error", "age=0.1")
    refused.refused(3, "'age'", "stand for several values", "before it was masked")
