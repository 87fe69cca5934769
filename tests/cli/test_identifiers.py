"""Columns that tell who people are go out only when someone says that this is known."""

import uuid

import polars as pl
import pytest
from engines.tiny import Tiny

import shoal
from shoal.engines.disk.pool import DiskPool
from shoal.errors import ParameterError
from shoal.pitfalls.identifiers import identifying, looks_like, search_for_people

ROWS = 30
CARDS = [4000000000000000 + 10 * i for i in range(ROWS)]


def _card(number):
    digits = [int(sign) for sign in reversed(str(number))]
    rest = (sum(digits[::2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])) % 10
    return number + (10 - rest) % 10


COLUMNS = {
    "name": [f"Ann {i % 9}" for i in range(ROWS)],
    "reach": [f"a{i}@x.org" for i in range(ROWS)],
    "line": [f"+49 30 1234{i:04}" for i in range(ROWS)],
    "sec": [f"123-45-{i:04}" for i in range(ROWS)],
    "card": [_card(number) for number in CARDS],
    "iban": [f"DE{98 - int(f'370400440532{i:06}131400') % 97:02}370400440532{i:06}" for i in range(ROWS)],
    "token": [str(uuid.UUID(int=i)) for i in range(ROWS)],
    "patient_nbr": [i // 2 for i in range(ROWS)],
    "encounter_id": [7919 * i % 10007 for i in range(ROWS)],
    "row": list(range(100, 100 + ROWS)),
    "remark": [f"{chr(97 + i % 26)}{i} came" for i in range(ROWS)],
}
HARMLESS = {
    "charge": [100 + 977 * i % 90001 for i in range(ROWS)],
    "income": [0.5 + i for i in range(ROWS)],
    "diagnosis": ["abc"[i % 3] for i in range(ROWS)],
    "email_opt_in": ["yes", "no"] * (ROWS // 2),
    "phone_calls": [i % 7 for i in range(ROWS)],
    "hospital_name": [f"H{i % 4}" for i in range(ROWS)],
    "code": ["250.01", "V57.2", "414.9"] * (ROWS // 3),
    "seen": ["03/09/2024", "04/10/2024", "11/12/2023"] * (ROWS // 3),
    "drug": ["00093-0058-01", "00093-0058-02", "00093-0059-01"] * (ROWS // 3),
}
AGE = {"age": [20 + i % 6 for i in range(ROWS)]}


@pytest.mark.parametrize("role", ["plain", "sensitive"])
@pytest.mark.parametrize("name", COLUMNS)
def test_what_tells_people_apart_is_not_released_in_clear(name, role):
    """A name, an address or a key beside generalized ages makes the ages worth nothing."""
    table = shoal.read(pl.DataFrame(AGE | {name: COLUMNS[name]}), quasi=["age"], **{role: [name]})
    with pytest.raises(ParameterError, match=f"'{name}'") as refused:
        shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(5)])
    assert "allow_identifiers" in refused.value.remedy
    assert not any(str(value) in str(refused.value) for value in COLUMNS[name] if len(str(value)) > 3)
    known = shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(5)], allow_identifiers=[name])
    assert known.to_polars().columns == ["age", name]


def test_measured_numbers_codes_and_flags_are_not_taken_for_identifiers():
    table = shoal.read(pl.DataFrame(AGE | HARMLESS), quasi=["age"], plain=list(HARMLESS))
    assert identifying(table) == ()


def test_what_a_model_is_about_is_meant_to_be_released():
    table = shoal.read(pl.DataFrame(AGE | {"place": list(range(ROWS))}), quasi=["age"], sensitive=["place"])
    with pytest.raises(ParameterError, match="a value of its own"):
        shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(5)])
    models = [shoal.models.KAnonymity(5), shoal.models.TCloseness(0.9, "place")]
    assert shoal.anonymize(table, shoal.methods.StratifiedClusters(), models).holds
    mail = shoal.read(pl.DataFrame(AGE | {"reach": COLUMNS["reach"]}), quasi=["age"], sensitive=["reach"])
    with pytest.raises(ParameterError, match="e-mail"):
        shoal.anonymize(
            mail, shoal.methods.Hilbert(), [shoal.models.KAnonymity(5), shoal.models.LDiversity(2, "reach")]
        )


def test_few_records_may_differ_by_chance():
    few = pl.DataFrame({"age": [1, 1, 2, 2], "ill": ["a", "b", "c", "d"], "n": [1, 2, 3, 4]})
    assert identifying(shoal.read(few, quasi=["age"], sensitive=["ill"], plain=["n"])) == ()


def test_a_key_with_holes_is_a_key_and_one_repeated_value_is_not_all_different():
    holes = [None if i % 3 else f"key {i}" for i in range(90)]
    twice = [*[f"key {i}" for i in range(89)], "key 5"]
    table = shoal.read(pl.DataFrame({"age": [1] * 90, "a": holes, "b": twice}), quasi=["age"], plain=["a", "b"])
    assert [found.column for found in identifying(table)] == ["a"]


def test_a_quasi_identifier_that_tells_all_apart_is_refused_where_nothing_hides_it():
    table = shoal.read(pl.DataFrame({"key": COLUMNS["encounter_id"], "age": AGE["age"]}), quasi=["key", "age"])
    shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(5)])
    with pytest.raises(ParameterError, match="'key'"):
        shoal.anonymize(table, shoal.methods.Coarsen({"age": 2}), no_promise=True)
    assert shoal.anonymize(table, shoal.methods.Coarsen(2), no_promise=True).to_native() is not None


def test_the_same_columns_are_found_wherever_the_table_is_held(tmp_path):
    names = [name for name in COLUMNS if name != "iban"]
    path = tmp_path / "t.csv"
    pl.DataFrame(AGE | COLUMNS | HARMLESS).write_csv(path)
    options = {"quasi": ["age"], "plain": [*names, *HARMLESS]}
    found = [identifying(shoal.read(path, engine=engine, **options)) for engine in (None, Tiny(DiskPool(tmp_path)))]
    assert found[0] == found[1]
    assert [each.column for each in found[0]] == names


def test_numbers_need_their_check_digits():
    def look(values):
        return looks_like(shoal.read(pl.DataFrame({"x": values}), plain=["x"]).schema["x"].axis)

    assert look([str(_card(number)) for number in CARDS]) == "its cells look like numbers of cards"
    assert look([str(number) for number in CARDS]) is None
    assert look(COLUMNS["iban"]) == "its cells look like numbers of bank accounts"
    assert look([text[:-1] + "x" for text in COLUMNS["iban"]]) is None


def test_on_the_command_line_and_in_recipes(desk):
    desk.put("t.csv", pl.DataFrame(AGE | {n: COLUMNS[n] for n in ("name", "reach", "row")}).write_csv())
    asked = (
        "anonymize", "t.csv", "--out", "o.csv", "--overwrite",
        "--quasi", "age", "--sensitive", "name", "--plain", "reach,row",
    )  # fmt: skip
    desk.run(*asked, "--k", 5).refused(
        2, "'name'", "'reach'", "'row'", "--allow-identifier name,reach,row", "--subject"
    )
    desk.run(*asked, "--k", 5, "--allow-identifier", "name").refused(2, "'reach'")
    desk.run(*asked, "--k", 5, "--allow-identifier", "nam").refused(2, "'nam'", "Did you mean 'name'?")
    known = ("--allow-identifier", "name,reach", "--allow-identifier", "row", "--save-recipe", "r.toml")
    desk.run(*asked, "--k", 5, *known).fine()
    first = desk.read("o.csv")
    (desk.folder / "o.csv").unlink()
    desk.run("run", "r.toml", "--overwrite").fine()
    assert desk.read("o.csv") == first
    done = desk.run("check", "o.csv", "--certificate", "o.certificate.json").fine()
    assert "'reach'" in done.out
    desk.put("r.toml", desk.read("r.toml").replace('"name", ', ""))
    desk.run("run", "r.toml", "--overwrite").refused(2, "'name'")


def test_columns_of_any_role_are_searched_for_people():
    frame = pl.DataFrame(
        {
            "seen_at": [f"https://example.org/{i}" for i in range(30)],
            "host": [f"10.0.0.{i}" for i in range(30)],
            "mobile": [f"+49 170 55500{i:02}" for i in range(30)],
            "age": list(range(30)),
        }
    )
    table = shoal.read(frame, quasi=["age", "mobile"], plain=["seen_at", "host"])
    found = {each.column: each.why for each in search_for_people(table)}
    assert found == {
        "seen_at": "its cells look like addresses of pages",
        "host": "its cells look like addresses of computers",
        "mobile": "its cells look like phone numbers",
    }
    assert search_for_people(shoal.read(frame, quasi="age")) == ()
