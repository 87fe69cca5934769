"""Pseudonyms and shifted dates on the command line: released, attested, checked, and never with the key."""

import hashlib
import json
import os
import stat

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


PROVEN = ("--private", "out.private.json", "--original", "in.csv", "--pseudonym-key", "people.key", "--json")


def test_with_the_key_and_the_original_nothing_is_taken_on_trust(keyed):
    anonymize(keyed, "--pseudonym-key", "people.key").fine()
    found = keyed.check(*PROVEN).json()
    assert found["attested"] == []
    assert sum("holds in every row what the key makes of the original." in line for line in found["proved"]) == 2


def test_a_date_that_was_made_coarser_is_proved_to_lie_within(keyed):
    roles = ("--quasi", "zip,born", "--sensitive", "ill", *GIVEN)
    anonymize(keyed, "--pseudonym-key", "people.key", roles=roles).fine()
    assert "[" in keyed.read("out.csv")
    assert keyed.check(*PROVEN).json()["attested"] == []


@pytest.mark.parametrize("column", [0, 1])
def test_names_and_dates_of_others_are_found_by_who_has_the_key(keyed, column):
    from shoal.certification.signatures import digest

    anonymize(keyed, "--pseudonym-key", "people.key", "--row-order", "input").fine()
    header, *rows = [line.split(",") for line in keyed.read("out.csv").splitlines()]
    held = {row[column] for row in rows}
    one, other = sorted(held)[:2]
    for row in rows:  # two people change their names, or their days
        row[column] = {one: other, other: one}.get(row[column], row[column])
    text = "\n".join(map(",".join, [header, *rows])) + "\n"
    keyed.put("out.csv", text)
    content = json.loads(keyed.read("out.certificate.json"))
    content["output"]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    del content["digest"]
    content["digest"] = digest(content)
    record = json.loads(keyed.read("out.private.json")) | {"certificate": content["digest"]}
    keyed.put("out.certificate.json", json.dumps(content))
    keyed.put("out.private.json", json.dumps(record))
    assert "does not hold what the key makes" in keyed.check(*PROVEN).err


def test_a_name_that_was_typed_in_two_ways_is_one_persons(keyed):
    keyed.put("in.csv", "patient,zip\nZo\u00eb,1\nZoe\u0308,1\nAda,1\nBob,2\nEve,2\n")
    roles = ("--quasi", "zip", "--subject", "patient", "--identifier", "patient=pseudonym:patient")
    keyed.run(
        "anonymize", "in.csv", "--out", "out.csv", "--k", "2", *roles, "--pseudonym-key", "people.key", "--header"
    ).fine()
    held = ("--private", "out.private.json", "--original", "in.csv", "--pseudonym-key", "people.key")
    assert "'patient' names as many as the original does" in keyed.check(*held).fine().out


def test_another_key_is_not_that_of_the_release(keyed):
    anonymize(keyed, "--pseudonym-key", "people.key").fine()
    keyed.put("other.key", "another key of sixteen\n")
    keyed.check(*PROVEN[:-3], "--pseudonym-key", "other.key").refused(1, "f052654f", "shoal key show")
    keyed.check("--pseudonym-key", "people.key").refused(2, "--original")


def revealed(desk, *more):
    return desk.run("key", "reveal", "people.key", "out.csv", "--out", "who.csv", "--original", "in.csv", *more)


def test_who_holds_the_key_and_a_list_of_people_knows_whose_a_pseudonym_is(keyed):
    anonymize(keyed, "--pseudonym-key", "people.key").fine()
    said = revealed(keyed).fine()
    rows = keyed.read("who.csv").splitlines()
    assert rows[0] == "released,original"
    assert "3cvvjlinbbyftled,380929" in rows
    assert len(rows) == 7
    assert "380929" not in said.out + said.err
    if os.name == "posix":
        assert stat.S_IMODE((keyed.folder / "who.csv").stat().st_mode) == 0o600
    revealed(keyed).refused(2, "is there already")


def test_people_who_are_not_on_the_list_stay_unknown(keyed):
    anonymize(keyed, "--pseudonym-key", "people.key").fine()
    keyed.put("few.csv", "patient\n380929\n999999\n")
    found = keyed.run("key", "reveal", "people.key", "out.csv", "--out", "who.csv", "--original", "few.csv", "--json")
    assert {key: found.json()[key] for key in ("names", "unknown")} == {"names": 1, "unknown": 5}


def test_codes_of_ff1_are_turned_back_by_the_key_alone(keyed):
    pytest.importorskip("cryptography")
    keyed.put("in.csv", "".join(line.replace("3809", "AB-0003809") for line in TABLE.splitlines(keepends=True)))
    roles = ("--quasi", "zip", "--sensitive", "ill", "--identifier", "patient=ff1:patient")
    anonymize(keyed, "--pseudonym-key", "people.key", roles=roles).fine()
    keyed.run("key", "reveal", "people.key", "out.csv", "--out", "who.csv").fine()
    released, true = zip(*(row.split(",") for row in keyed.read("who.csv").splitlines()[1:]), strict=True)
    assert set(true) == {f"AB-0003809{number}" for number in range(29, 35)}
    assert not set(released) & set(true)


def test_nothing_is_revealed_without_the_right_key_or_of_a_changed_file(keyed):
    anonymize(keyed, "--pseudonym-key", "people.key").fine()
    keyed.put("other.key", "another key of sixteen\n")
    keyed.run("key", "reveal", "other.key", "out.csv", "--out", "who.csv").refused(2, "f052654f", "shoal key show")
    keyed.run("key", "reveal", "people.key", "out.csv", "--out", "who.csv").refused(2, "--original")
    revealed(keyed, "--column", "zip").refused(2, "patient")
    keyed.put("out.csv", keyed.read("out.csv").replace(",a\n", ",b\n"))
    revealed(keyed).refused(1, "was changed")
    assert not (keyed.folder / "who.csv").exists()


def test_a_recipe_names_what_a_release_is_joined_with(keyed):
    anonymize(keyed, "--pseudonym-key", "people.key").fine()
    given = ("--quasi", "zip", "--identifier", "patient=pseudonym:patient", "--subject", "patient", "--k", "3")
    keyed.put("visits.csv", TABLE)
    joined = ("--pseudonym-key", "people.key", "--joined-with", "out.csv")
    (keyed.folder / "made").mkdir()
    made = ("anonymize", "visits.csv", "--out", "made/v.csv", *given, *joined, "--save-recipe", "made/r.toml")
    keyed.run(*made).fine()
    assert 'joined_with = ["../out.csv"]' in keyed.read("made/r.toml")
    paper = keyed.read("made/v.certificate.json")
    assert "out.csv" not in str(json.loads(paper)["recipe"])
    again = keyed.run("run", "made/r.toml", "--overwrite", "--pseudonym-key", "people.key").fine()
    assert "joins 6 people to 'out.csv'" in again.err or "joins 6 people to 'out.csv'" in again.out
    assert json.loads(keyed.read("made/v.certificate.json"))["joined_tables"] == json.loads(paper)["joined_tables"]
    over = ("anonymize", "visits.csv", "--out", "out.csv", "--overwrite", *given, *joined)
    keyed.run(*over).refused(2, "out.csv")
