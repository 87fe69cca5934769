"""Certificates of risk: what they say, that they are signed, and that everything is measured again."""

import json
import re

import polars as pl
import pytest

import shoal
from shoal.assessment.risk_certificate import RiskCertificate, verify_risk
from shoal.assessment.risk_conventions import CONVENTIONS, numbers_of
from shoal.certification.signatures import Seals, digest
from shoal.errors import CertificateError, ParameterError

ROWS = "town,age,w\n" + "".join(f"{'ABC'[i % 3]},{770 + i % 7},{20 + i % 4}\n" for i in range(40))
ASKED = ("--quasi", "town,age", "--weight", "w", "--suda", "--why", "--screen")


@pytest.fixture
def certified(desk):
    desk.put("people.csv", ROWS)
    desk.run("key", "new", "k", "--sign").fine()
    desk.run("risk", "people.csv", *ASKED, "--certificate", "c.html", "--sign", "k").fine()
    return desk


def test_it_states_attackers_thresholds_numbers_and_assumptions(certified):
    content = json.loads((certified.folder / "c.json").read_text(encoding="utf-8"))
    assert content["threshold"]["name"] == "trusted"
    assert [each["attacker"] for each in content["attackers"]] == ["prosecutor", "journalist", "marketer"]
    found = certified.run("risk", "people.csv", *ASKED, "--threshold", "trusted", "--json").json()
    stated = {each["about"]: each["value"] for each in content["numbers"]}
    assert stated["attackers.prosecutor.highest"] == found["attackers"]["prosecutor"]["highest"]
    assert stated["individual_risk.expected"] == found["individual_risk"]["expected"]
    assert stated["suda.dis_sum"] == found["suda"]["dis_sum"]
    assert stated["why.records"] == found["why"]["records"]
    assert all(each["convention"] for each in content["numbers"])
    assert any("survey weights" in line for line in content["assumed"])
    page = (certified.folder / "c.html").read_text(encoding="utf-8")
    assert "What was assumed" in page
    assert "K. El Emam" in page
    assert content["digest"] in page
    said = re.sub(r"[0-9a-f]{16,}", "", page)  # without digests and keys, which may have any digits
    assert not any(str(age) in said for age in range(770, 777))


def test_it_is_checked_by_measuring_again(certified):
    asked = ["check", "people.csv", "--certificate", "c.json", "--public-key", "k.pub"]
    told = certified.run(*asked).fine().out
    assert "signed with the key" in told
    assert "measured again and are as stated" in told
    assert certified.run(*asked, "--json").json()["verified"]
    certified.put("people.csv", ROWS.replace("A,", "B,", 1))
    certified.run(*asked).refused(1, "another file")


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("numbers", 0, "value"), 0.125, "another uniqueness"),
        (("numbers", 0, "convention"), "something else", "another uniqueness"),
        (("attackers", 0, "within"), True, "attackers find"),
        (("attackers", 1, "value"), 0.5, "attackers find"),
        (("threshold", "threshold"), 0.9, "attackers find"),
        (("asked",), {"threshold": 0.9}, "another"),
        (("numbers",), [{}], "makes no sense"),
    ],
)
def test_what_is_not_so_is_refused_even_with_a_digest_of_its_own(certified, place, value, said):
    path = certified.folder / "c.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    at = content
    for name in place[:-1]:
        at = at[name]
    at[place[-1]] = value
    path.write_text(json.dumps(content | {"digest": digest(content)}), encoding="utf-8")
    certified.run("check", "people.csv", "--certificate", "c.json").refused(1, said)
    certified.run("check", "people.csv", "--certificate", "c.json", "--public-key", "k.pub").refused(
        1, "not signed with"
    )


def test_numbers_that_rest_on_a_population_need_it_again(tmp_path):
    people, sample = tmp_path / "people.csv", tmp_path / "sample.csv"
    everybody = pl.DataFrame({"age": [i % 9 for i in range(90)], "sex": ["fm"[i % 2] for i in range(90)]})
    everybody.write_csv(people)
    everybody[::5].write_csv(sample)
    report = shoal.risk(sample, quasi=["age", "sex"], population=people, threshold="trusted")
    made = RiskCertificate.issue(report, Seals(key=b"a shared key of some length"))
    shown, left = verify_risk(sample, made)
    assert any("attackers.journalist.highest" in line for line in left)
    shown, left = verify_risk(sample, made, population=people, key=b"a shared key of some length")
    assert not left
    assert "(MAC)" in shown[0]
    assert len(list(numbers_of(report))) <= len(CONVENTIONS)
    with pytest.raises(CertificateError):
        verify_risk(sample, made, key=b"another key of some length")


def test_what_cannot_be_certified_is_refused_before_any_work(certified):
    certified.run("risk", "people.csv", *ASKED, "--certificate", "c.html").refused(2)  # it is there already
    certified.run("risk", "people.csv", *ASKED, "--certificate", "c.txt").refused(2, "ends in .json or .html")
    certified.run("check", "people.csv", "--certificate", "c.json", "--original", "people.csv").refused(2)
    with pytest.raises(ParameterError, match="needs a threshold"):
        RiskCertificate.issue(shoal.risk(pl.DataFrame({"a": [1, 2]}), quasi="a"))
