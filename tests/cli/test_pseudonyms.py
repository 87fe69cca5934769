"""Pseudonyms and shifted dates on the command line: released, attested, checked, and never with the key."""

import json

import pytest

KEY = "shoal specification key 0001"
TABLE = "patient,born,zip,ill\n" + "".join(
    f"{380929 + i // 2},19{40 + i}-03-14,{93700 + i % 2},{'ab'[i % 3 == 0]}\n" for i in range(12)
)
GIVEN = ("--identifier", "patient=pseudonym:patient", "--identifier", "born=shift:182:7", "--subject", "patient")
ROLES = ("--quasi", "zip", "--sensitive", "ill", *GIVEN)


@pytest.fixture
def keyed(desk, monkeypatch):
    monkeypatch.delenv("SHOAL_KEY", raising=False)
    desk.put("in.csv", TABLE)
    desk.put("people.key", KEY + "\n")
    return desk


def anonymize(desk, *more, roles=ROLES):
    return desk.run("anonymize", "in.csv", "--out", "out.csv", "--k", "3", *roles, *more)


def test_a_release_has_pseudonyms_and_the_certificate_attests_them(keyed):
    said = anonymize(keyed, "--pseudonym-key", "people.key", "--save-recipe", "r.toml", "--report", "r.html").fine()
    rows = [line.split(",") for line in keyed.read("out.csv").splitlines()]
    assert rows[0] == ["patient", "born", "zip", "ill"]
    assert "3cvvjlinbbyftled" in {row[0] for row in rows[1:]}
    assert "pseudonymized, which is not anonymous" in said.out
    found = keyed.paper()["identifiers"]
    assert [(each["column"], each["kind"], each["key"]) for each in found] == [
        ("patient", "attested", "f052654f"), ("born", "attested", "f052654f")
    ]  # fmt: skip
    for name in ("out.csv", "out.certificate.json", "out.private.json", "r.toml", "r.html"):
        assert KEY not in keyed.read(name), name
        assert "people.key" not in keyed.read(name), name
    assert "380929" not in keyed.read("out.csv") + keyed.read("out.certificate.json")


def test_check_shows_what_is_attested(keyed):
    anonymize(keyed, "--pseudonym-key", "people.key").fine()
    shown = keyed.check().fine().out
    assert "attested: 'patient' holds pseudonyms of the domain 'patient' under the key f052654f" in shown
    found = keyed.check("--private", "out.private.json", "--original", "in.csv", "--json").json()
    assert len(found["attested"]) == 2
    assert any("names as many as the original" in line for line in found["proved"])
    assert any("different people" in line for line in found["proved"])


@pytest.mark.parametrize(
    "change",
    [
        lambda each: each.update(key="00000000"),
        lambda each: each.update(treatment="pseudonym:hospital"),
        lambda each: each.update(kind="proved"),
        lambda each: each.update(sentence="'patient' is anonymous."),
        lambda each: each.update(column="zip"),
    ],
)
def test_a_claim_that_was_changed_is_found(keyed, change):
    from shoal.certification.signatures import digest

    anonymize(keyed, "--pseudonym-key", "people.key").fine()
    content = json.loads(keyed.read("out.certificate.json"))
    change(content["identifiers"][0])
    content["digest"] = digest({key: value for key, value in content.items() if key != "digest"})
    keyed.put("out.certificate.json", json.dumps(content))
    outcome = keyed.check()
    assert outcome.code == 1


def test_a_recipe_names_what_becomes_of_identifiers_and_runs_with_the_key(keyed):
    anonymize(keyed, "--pseudonym-key", "people.key", "--save-recipe", "r.toml").fine()
    before = keyed.read("out.csv")
    assert 'identifier = ["patient=pseudonym:patient", "born=shift:182:7"]' in keyed.read("r.toml")
    keyed.run("run", "r.toml", "--overwrite").refused(2, "SHOAL_KEY", "shoal key new")
    keyed.run("run", "r.toml", "--overwrite", "--pseudonym-key", "people.key").fine()
    assert keyed.read("out.csv") == before


def test_without_a_key_nothing_is_released(keyed):
    anonymize(keyed).refused(2, "shoal key new", "--pseudonym-key")


def test_the_key_is_not_written_over(keyed):
    outcome = keyed.run(
        "anonymize", "in.csv", "--out", "people.key", "--overwrite", "--k", "3", *ROLES,
        "--pseudonym-key", "people.key", "--certificate", "c.json", "--private", "p.json",
    )  # fmt: skip
    outcome.refused(2, "people.key")


def test_hashes_without_a_key_are_refused(keyed):
    roles = ("--quasi", "zip", "--identifier", "patient=sha256")
    anonymize(keyed, roles=roles).refused(2, "without a key", "pseudonym:DOMAIN")


def test_exact_numbers_are_for_the_holder(keyed):
    found = anonymize(keyed, "--pseudonym-key", "people.key", "--json").json()
    assert [each["people"] for each in found["identifiers"]] == [6, 6]
    assert "people" not in keyed.paper()["identifiers"][0]


@pytest.mark.parametrize("name", ["out.parquet", "out/", "duckdb:///out.db?table=t"])
def test_every_place_takes_pseudonyms(keyed, name):
    papers = ("--certificate", "c.json", "--private", "p.json")
    keyed.run("anonymize", "in.csv", "--out", name, "--k", "3", *ROLES, "--pseudonym-key", "people.key", *papers).fine()
    more = ("--private", "p.json", "--original", "in.csv", "--json")
    assert keyed.run("check", name, "--certificate", "c.json", *more).json()["verified"]


def test_linked_releases_number_people_anew(keyed):
    keyed.run(
        "anonymize", "in.csv", "--out", "out.csv", "--linked", "--k", "2", "--m", "1", "--quasi", "zip", *GIVEN
    ).refused(2, "numbers people anew")
