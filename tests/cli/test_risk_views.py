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
