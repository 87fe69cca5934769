"""Further views of a risk, asked for on the command line."""

import pytest

SEVEN = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")


def test_the_risk_of_a_file_tells_who_is_special(desk, public_file):
    path = public_file("census/testdata.csv")
    asked = ["risk", str(path), "--quasi", ",".join(SEVEN), "--suda"]
    found = desk.run(*asked, "--json").json()["suda"]
    assert (found["records"], found["total"], found["largest"]) == (157, 4890, 720)
    assert found["contributions"]["relat"] == pytest.approx(92.597, abs=5e-4)
    told = desk.run(*asked, "--report", "risk.html").fine().out
    assert "157 records stand alone by some attributes; 'relat' has a part in 92.6 %" in told
    assert "Special uniques (SUDA)" in (desk.folder / "risk.html").read_text(encoding="utf-8")


def test_the_risk_of_a_survey_counts_by_weights_and_households(desk, public_file):
    path = public_file("census/testdata.csv")
    asked = ["risk", str(path), "--quasi", ",".join(SEVEN), "--weight", "sampling_weight", "--household", "ori_hid"]
    found = desk.run(*asked, "--json").json()
    numbers = [found["individual_risk"][name] for name in ("expected", "highest", "household_expected")]
    assert numbers == pytest.approx([10.775525, 0.046517, 51.799591], abs=5.1e-7)
    assert found["log_linear_risk"]["used"] == "two-way interactions"
    told = desk.run(*asked).fine().out
    assert "stand for 458,000 people" in told
    assert "51.8 records are expected" in " ".join(told.split())


def test_records_at_risk_are_listed_only_on_request_and_never_in_a_report(desk):
    desk.put("few.csv", "town,age\nAyr,771\nAyr,772\nBo,771\n")
    asked = ["risk", "few.csv", "--quasi", "town,age", "--why", "--report", "risk.html"]
    told = desk.run(*asked).fine().out
    assert "3 of 3 records are at risk: they stand alone." in told
    page = (desk.folder / "risk.html").read_text(encoding="utf-8")
    assert "Why records are at risk" in page
    assert not (desk.folder / "risky.csv").exists()
    found = desk.run(*asked, "--records", "risky.csv", "--overwrite", "--json").json()
    assert found["records_at_risk"] == {"file": "risky.csv", "records": 3}
    town = {"name": "town", "touched": 2, "freed": 2, "coarser": None, "step": None}
    assert found["why"]["attributes"][0] == town
    assert (desk.folder / "risky.csv").stat().st_mode & 0o077 == 0
    desk.run(*asked[:4], "--records", "few.csv", "--overwrite").refused(2)
    desk.run(*asked[:4], "--records", "risky.txt").refused(2, "ends in .csv")


def test_columns_are_screened_for_those_that_single_people_out_or_name_them(desk):
    rows = "".join(f"{i % 3},{i % 2},user{i}@mail.org\n" for i in range(30))
    desk.put("people.csv", f"age,sex,contact\n{rows}")
    asked = ["risk", "people.csv", "--quasi", "age,sex,contact", "--screen"]
    found = desk.run(*asked, "--json").json()["screening"]
    assert [each["columns"] for each in found["minimal"]] == [["contact"]]
    assert [(each["column"], each["kind"]) for each in found["identifiers"]][-1] == ("contact", "email")
    told = desk.run(*asked, "--report", "page.html").fine().out
    assert "look like direct identifiers" in told
    assert "user7" not in told + (desk.folder / "page.html").read_text(encoding="utf-8")


def test_a_hundred_columns_are_screened_as_far_as_can_be_and_it_is_said(desk):
    names = [f"c{j}" for j in range(100)]
    rows = "".join(",".join("01"[(i * (j + 3) // (j + 1)) % 2] for j in range(100)) + "\n" for i in range(12))
    desk.put("wide.csv", ",".join(names) + "\n" + rows)
    asked = ["risk", "wide.csv", "--quasi", ",".join(names), "--measure", "column-screening size=1"]
    assert desk.run(*asked, "--json").json()["scores"][0]["detail"]["largest"] == 1
