"""Safe harbor from the command line: what is found, the recipe, the release that it makes, and its proof."""

import json
import tomllib

import pytest

ROWS = 30
PATIENTS = "name,zip,age,dob,email,ssn,amount,sex\n" + "".join(
    f"Secret Person{i},{('93711', '03601', '10001-1234')[i % 3]},{(34, 89, 95)[i % 3]},"
    f"{(1987, 1930, 1937)[i % 3]}-03-{10 + i % 9},secret{i}@example.org,{100 + i}-45-{1000 + i},"
    f"{100_000_000 + i % 7},{'FM'[i % 2]}\n"
    for i in range(ROWS)
)


@pytest.fixture
def patients(desk):
    desk.put("patients.csv", PATIENTS)
    return desk


def test_it_says_column_kind_by_what_and_share_and_never_a_value(patients):
    done = patients.run("safe-harbor", "patients.csv", "--year", 2026, "--json")
    found = done.json()
    assert [(each["column"], each["kind"], each["by"]) for each in found["columns"]] == [
        ("name", "name", "name"), ("zip", "geography", "name"), ("age", "date", "name"), ("dob", "date", "name"),
        ("email", "email", "name"), ("ssn", "ssn", "name"),
    ]  # fmt: skip
    assert all(each["share"] == 1 for each in found["columns"][1:])
    assert found["kept"] == ["amount", "sex"]
    assert found["population"]["name"] == "census-2000"
    assert len(found["population"]["sha256"]) == 64
    assert "actual knowledge" in found["not_checked"]
    shown = patients.run("safe-harbor", "patients.csv", "--year", 2026).fine()
    for outcome in (done, shown):
        assert "secret" not in outcome.out.casefold()
        assert "93711" not in outcome.out
        assert outcome.left == ()


def test_the_recipe_makes_a_release_that_is_proved_again_from_its_file(patients):
    patients.run("safe-harbor", "patients.csv", "--year", 2026, "--out", "harbor.toml").fine()
    recipe = tomllib.loads((patients.folder / "harbor.toml").read_text(encoding="utf-8"))
    assert recipe["table"]["hierarchies"] == {
        "zip": "safe-harbor zip", "age": "safe-harbor age", "dob": "safe-harbor birth 2026",
    }  # fmt: skip
    patients.run("run", "harbor.toml").fine()
    head, *rows = (patients.folder / "harbor.release.csv").read_text(encoding="utf-8").splitlines()
    assert head == "zip,age,dob,amount,sex"
    assert {tuple(row.split(",")[:3]) for row in rows} == {
        ("937", "34", "1987"), ("000", "89", "up to 1936"), ("100", "90+", "1937"),
    }  # fmt: skip
    proof = patients.run("check", "harbor.release.csv", "--json").json()
    assert any("eighteen kinds" in line for line in proof["proved"])
    paper = json.loads((patients.folder / "harbor.release.certificate.json").read_text(encoding="utf-8"))
    (model,) = paper["recipe"]["model"]
    assert (model["name"], model["population"], len(model["sha256"])) == ("safe-harbor", "census-2000", 64)
    again = patients.run(
        "check",
        "harbor.release.csv",
        "--private",
        "harbor.release.private.json",
        "--original",
        "patients.csv",
        "--json",
    )
    assert again.json()["verified"]


def test_a_certificate_does_not_carry_over_to_a_file_that_shows_more(patients):
    patients.run("safe-harbor", "patients.csv", "--year", 2026, "--out", "harbor.toml").fine()
    patients.run("run", "harbor.toml").fine()
    released = patients.folder / "harbor.release.csv"
    released.write_text(released.read_text(encoding="utf-8").replace("90+", "95"), encoding="utf-8")
    assert patients.run("check", "harbor.release.csv").code == 1


def test_what_cannot_be_written_is_refused_and_nothing_is_left(patients):
    patients.run("safe-harbor", "patients.csv", "--out", "patients.csv").refused(2, "TOML")
    patients.run("safe-harbor", "patients.csv", "--release", "r.csv").refused(2, "--out")
    patients.run("safe-harbor", "patients.csv", "--year", 12, "--out", "r.toml").refused(2, "year")
    patients.run("safe-harbor", "missing.csv", "--out", "r.toml").refused(3, "missing.csv")
    patients.put("r.toml", "mine")
    patients.run("safe-harbor", "patients.csv", "--out", "r.toml").refused(2, "already")
    assert (patients.folder / "r.toml").read_text(encoding="utf-8") == "mine"
    patients.run("safe-harbor", "patients.csv", "--out", "r.toml", "--overwrite").fine()


def test_how_a_file_is_read_stands_in_the_recipe(patients):
    patients.put("other.csv", PATIENTS.replace(",", ";"))
    patients.run("safe-harbor", "other.csv", "--in-delimiter", ";", "--year", 2026, "--out", "o.toml").fine()
    assert 'delimiter = ";"' in (patients.folder / "o.toml").read_text(encoding="utf-8")
    patients.run("run", "o.toml").fine()
