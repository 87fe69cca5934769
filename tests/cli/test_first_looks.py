"""A first look says what anonymize will say, and its next command runs as it is printed."""

import shlex

import polars as pl
import pytest

import shoal
from shoal.assessment.inspection import column_reports, suggested_role
from shoal.errors import DataError

ROWS = 220
HOSPITAL = {
    "encounter_id": [1000 + 7 * i for i in range(ROWS)],
    "patient_nbr": [i // 2 for i in range(ROWS)],
    "my age, y": [str(20 + i % 50) for i in range(ROWS)],
    "race": [("?", "a", "b")[i % 3] for i in range(ROWS)],
    "it's": [str(i % 7) if i % 5 else "NA" for i in range(ROWS)],
    "days": [999 if i % 40 == 0 else i % 14 for i in range(ROWS)],
    "diag_1": [f"V{i % 40}" if i % 9 == 0 else f"{250 + i % 30}.{i % 10}" for i in range(ROWS)],
    "slip": ["1O" if i == 3 else str(i % 10) for i in range(ROWS)],
}
ROLES = {
    "discharge_date": "quasi", "DISCHARGE": "quasi", "dischargeDisposition": "quasi", "body_weight": "sensitive",
    "weight_kg": "sensitive", "sampling_weight": "weight", "fnlwgt": "weight", "patient_nbr": "subject",
    "PatientID": "subject", "CustomerID": "subject", "mrn": "subject", "pnr": "subject",
    "Versichertennummer": "subject", "dob": "quasi", "geburtsdatum": "quasi", "sex": "quasi", "zip": "quasi",
    "plz": "quasi", "postcode": "quasi", "diagnosis": "sensitive", "icd10": "sensitive", "los": "quasi",
    "total_charges": "sensitive", "income": "sensitive", "age_at_diagnosis": "quasi", "hospital_name": "quasi",
    "dx01": "sensitive", "dx_adm": "sensitive", "DRG": "sensitive", "proc3": "sensitive", "payor_primary": "sensitive",
    "weighting": "weight", "wtint2yr": "weight", "body_weight_kg": "sensitive", "stratum": "quasi", "psu": "quasi",
    "care_days": "quasi", "provider_npi": "quasi", "county_fips": "quasi", "dc_month": "quasi", "hhid": "household",
    "household_size": "quasi", "household_income": "sensitive", "expend": "sensitive", "admit_year": "quasi",
    "first_name": "identifier", "E-Mail": "identifier", "Straße": "identifier", "phoneNumber": "identifier",
}  # fmt: skip


@pytest.mark.parametrize(("name", "role"), ROLES.items())
def test_roles_are_suggested_by_whole_words(name, role):
    number = any(part in name for part in ("weight", "wgt", "wt"))
    assert suggested_role(name, "float" if number else "category", 50, 100)[0] == role


@pytest.mark.parametrize(
    ("name", "why"),
    {
        "zip": "its name has the word 'zip': others may know it",
        "age_at_diagnosis": "its name has the word 'age': others may know it",
        "salary-class": "its name has the word 'salary': something confidential",
        "patient_nbr": "its name has 'patient nbr', as that of a column that tells people apart",
        "dx01": "its name has 'dx 01', as that of a diagnosis or procedure",
        "roof": "it varies and might be known to others: 1,080 values for 30,162 rows; decide",
    }.items(),
)
def test_the_reason_names_the_word_or_the_count(name, why):
    assert suggested_role(name, "category", 1080, 30_162)[1] == why


def test_a_bare_weight_may_be_that_of_a_body_and_is_left_to_decide():
    role, why = suggested_role("weight", "float", 50, 100)
    assert role == "weight"
    assert why.endswith("; decide")


def test_a_sample_of_discharges_comes_out_sensibly(public_file):
    found = shoal.inspect(public_file("hospital/nhds2010_sample20k.csv"))
    roles = {each["name"]: each["role"].value for each in found["columns"]}
    assert roles["weighting"] == "weight"
    codes = [name for name in roles if name.startswith(("dx", "pc")) or name == "DRG"]
    assert len(codes) == 25
    assert {roles[name] for name in codes} == {"sensitive"}
    assert sum(role == "quasi" for role in roles.values()) == 15
    assert not [each["name"] for each in found["columns"] if each["why_role"].endswith("; decide")]


def test_a_text_is_never_a_weight():
    assert suggested_role("sampling_weight", "category", 50, 100)[0] != "weight"


def look(desk, *more):
    desk.put("a b.csv", pl.DataFrame(HOSPITAL).write_csv())
    return desk.run("inspect", "a b.csv", *more).fine().out


def test_the_next_command_runs_as_it_is_printed(desk):
    """It is in one line, with names quoted, with what was given, and with what stands for missing values."""
    out = look(desk, "--kind", "days=integer", "--in-delimiter", ",")
    command = out.splitlines()[-1]
    parts = shlex.split(command)
    assert parts[:3] == ["shoal", "risk", "a b.csv"]
    told = desk.run(*parts[1:], "--json").json()
    assert told["quasi"] == ["my age, y", "race", "it's", "days", "slip"]
    assert told["guessed"] is False
    assert "--kind days=integer --in-delimiter ," in command
    assert desk.run("inspect", "a b.csv", "--json").json()["next"].startswith("shoal risk 'a b.csv' --quasi ")


def test_the_next_command_keeps_the_user_of_a_database_and_no_password():
    from shoal.assessment.inspection import next_command
    from shoal.engines.sources import Source

    table = shoal.read(pl.DataFrame({"age": [1, 2]}), plain=["age"])
    place = Source.parse("postgresql://keeper:secret@db.example/clinic?table=people").seen_from(None)
    command = next_command(place, column_reports(table), [])
    assert command == "shoal risk 'postgresql://keeper@db.example/clinic?table=people' --quasi age"


def test_what_may_be_missing_is_named_with_the_option_that_says_so(desk):
    """A column of which a third is a question mark must not be shown as complete without a word."""
    out = look(desk)
    marks = sum(each == "?" for each in HOSPITAL["race"])
    assert f"race: {marks} × ?" in out
    assert "it's: 44 × NA" in out
    assert "days: 6 × 999" in out
    assert "--missing '?,NA,999'" in out
    assert "× " not in look(desk, "--missing", "?,NA,999")


def test_ordinary_numbers_are_not_taken_for_codes():
    table = shoal.read(pl.DataFrame({"age": [18, 99, 98, 50], "t": [-9, -3, 5, 2]}), plain=["age", "t"])
    assert [dict(report.marks) for report in column_reports(table)] == [{}, {}]


def test_inspect_and_anonymize_take_a_column_for_the_same(desk):
    """Codes of which most look like numbers are codes to both; of slips both say what to do, of all columns at once."""
    out = look(desk)
    assert "slip (1)" in out
    assert "--kind slip=category" in out
    assert "diag_1 (" not in out
    kinds = {each["name"]: each["kind"] for each in desk.run("inspect", "a b.csv", "--json").json()["columns"]}
    assert kinds["diag_1"] == "category"
    asked = ("anonymize", "a b.csv", "--out", "o.csv", "--overwrite", "--k", 2)
    desk.run(*asked, "--quasi", "it's,slip,days").refused(
        3, "'it's' (44 cells,", "'slip' (1 cell,", "--missing 'NA'", "--kind slip=category"
    )
    desk.run(*asked, "--quasi", "days", "--sensitive", "diag_1", "--l", 2).fine()
    desk.run(*asked, "--quasi", "days", "--sensitive", "slip").fine()
    desk.run(*asked, "--quasi", "days", "--sensitive", "slip", "--l", 2).refused(3, "'slip' holds numbers", "line 5")


def test_only_slips_are_refused(tmp_path):
    (tmp_path / "t.csv").write_text("a\n" + "1\n" * 99 + "x\n")
    with pytest.raises(DataError, match=r"1 of its cells"):
        shoal.read(tmp_path / "t.csv", quasi=["a"])


def test_risk_says_which_columns_it_took(desk):
    desk.put("t.csv", "age,sex,salary\n30,m,1.5\n30,f,2.5\n31,f,3.5\n")
    done = desk.run("risk", "t.csv").fine()
    assert "Someone who knows age, sex could single them out." in done.out
    assert "No --quasi was given" in done.out
    told = desk.run("risk", "t.csv", "--json").json()
    assert (told["quasi"], told["guessed"]) == (["age", "sex"], True)


def test_what_inspect_calls_an_identifier_is_what_anonymize_refuses():
    """Amounts of which no two are equal are no identifiers to either; what else tells all apart is, to both."""
    columns = {
        "spent": [977 * i % 90001 for i in range(60)],
        "place": list(range(60)),
        "visit_id": [31 * i % 997 for i in range(60)],
    }
    table = shoal.read(pl.DataFrame(columns), plain=list(columns))
    assert [report.role.value for report in column_reports(table)] == ["sensitive", "identifier", "identifier"]
