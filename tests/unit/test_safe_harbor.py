"""Safe harbor: the eighteen kinds by name and by value, near misses, what is left of cells, and what is proved."""

import hashlib

import polars as pl
import pytest
from engines.pools import Memory

import shoal
from shoal.domains.harbor_groups import RESTRICTED, harbor_group, within_harbor
from shoal.engines.parts.engine import PartsEngine
from shoal.errors import DataError, GuaranteeError, ParameterError
from shoal.models.harbor_names import KINDS, form_by_name

ROWS = 40
VINS = ("1M8GDM9AXKP042788", "11111111111111111", "5GZCZ43D13S812715")
CARDS = ("4111111111111111", "5500005555555559", "4012888888881881")


def spread(values):
    return [values[i % len(values)] for i in range(ROWS)]


def found_in(name, values):
    """Give what is found of a column that stands beside a harmless one."""
    frame = pl.DataFrame({name: values, "sex": spread(["F", "M"])})
    return {each["column"]: each for each in shoal.safe_harbor(frame, year=2026)["columns"]}.get(name)


BY_NAME = {
    "surname": "name", "county": "geography", "zip_code": "geography", "birthDate": "date", "age": "date",
    "telephone": "phone",
    "fax": "fax", "e-mail": "email", "ssn": "ssn", "medical_record_number": "record", "health_plan_id": "plan",
    "account_no": "account", "drivers_license": "licence", "license_plate": "vehicle", "device_serial": "device",
    "url": "url", "ip_address": "ip", "fingerprint": "biometric", "photo": "photograph", "patient_id": "other",
}  # fmt: skip


@pytest.mark.parametrize(("name", "kind"), BY_NAME.items())
def test_each_of_the_eighteen_kinds_is_found_by_its_name(name, kind):
    found = found_in(name, [f"thing {i % 9}" for i in range(ROWS)] if name != "age" else [i % 90 for i in range(ROWS)])
    assert (found["kind"], found["by"]) == (kind, "name")


def test_the_kinds_are_eighteen_and_each_has_a_name():
    assert len(KINDS) == 18
    assert set(BY_NAME.values()) == set(KINDS)


BY_VALUE = {
    "email": [f"someone{i}@example.org" for i in range(ROWS)],
    "url": [f"https://example.org/{i}" for i in range(ROWS)],
    "ip": [f"10.0.3.{i}" for i in range(ROWS)],
    "ssn": [f"{100 + i}-45-{1000 + i}" for i in range(ROWS)],
    "vehicle": spread(VINS),
    "account": spread(CARDS),
    "device": [f"00:1B:44:11:3A:{i:02}" for i in range(ROWS)],
    "phone": [f"(555) 123-{1000 + i}" for i in range(ROWS)],
    "date": [f"2024-03-{1 + i % 28:02}" for i in range(ROWS)],
    "geography": [f"{i + 1} Long Meadow Street" for i in range(ROWS)],
    "record": [f"AB-{7000 + i}-{i}" for i in range(ROWS)],
    "other": [f"word {chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(ROWS)],
}


@pytest.mark.parametrize("kind", BY_VALUE)
def test_kinds_with_a_look_of_their_own_are_found_by_their_values(kind):
    found = found_in("x", BY_VALUE[kind])
    assert (found["kind"], found["by"]) == (kind, "value")
    assert found["share"] >= 0.8
    if kind in ("vehicle", "account"):
        assert found["sure"]


def test_a_share_below_four_fifths_is_none_and_from_there_on_is_one():
    mails = [f"a{i % 5}@example.org" for i in range(ROWS)]
    for many, is_one in ((31, False), (32, True)):
        found = found_in("x", mails[:many] + ["none"] * (ROWS - many))
        assert (found is not None) == is_one
    assert found["share"] == 0.8


def test_check_digits_that_are_wrong_make_no_vehicle_and_no_card():
    wrong = [f"{vin[:8]}{'0' if vin[8] != '0' else '1'}{vin[9:]}" for vin in VINS]
    assert found_in("x", spread(wrong)) is None
    assert found_in("x", spread([f"{card[:-1]}{(int(card[-1]) + 1) % 10}" for card in CARDS])) is None


NEAR = {
    "amount": [100_000_000 + 7_919 * i for i in range(ROWS)],  # nine digits are no SSN
    "count": spread([1, 2, 3]), "country": spread(["US", "FR", "DE"]), "drug_name": spread(["a", "b", "c"]),
    "birth_weight": [2_500 + i % 7 for i in range(ROWS)], "phone": spread(["yes", "no"]),
    "stage": spread(["I", "II", "III"]),
    "wages": spread([10_000, 20_000, 30_000]), "state": spread(["CA", "NY"]), "year": spread([2020, 2021]),
    "income": spread([93711, 10001]),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR)
def test_near_misses_are_left_alone(name):
    assert found_in(name, NEAR[name]) is None


def test_a_month_is_a_part_of_a_date_and_no_date_of_birth():
    found = found_in("month", [1 + i % 12 for i in range(ROWS)])
    assert (found["kind"], found["action"]) == ("date", "remove")
    assert form_by_name("month") == ("date", "part")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("adress", "geography"),
        ("telephne", "phone"),
        ("emial", None),
        ("ssm", None),
        ("surnamee", "name"),
        ("fx", None),
    ],
)
def test_one_edit_is_allowed_in_words_of_five_letters_and_more(name, found):
    assert (form_by_name(name) or (None,))[0] == found


def test_the_list_of_restricted_zip_codes_is_that_of_the_census_of_2000():
    said = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split()  # noqa: SIM905 - as it is printed
    assert list(RESTRICTED["census-2000"]) == said
    digest = hashlib.sha256("".join(f"{code}\n" for code in said).encode()).hexdigest()
    assert shoal.models.SafeHarbor(2026).sha256 == digest


@pytest.mark.parametrize("form", ["zip", "age", "date", "birth"])
def test_what_safe_harbor_leaves_it_leaves_again(form):
    for text in (
        "93711",
        "03601",
        "89",
        "90",
        "34.7",
        "85-94",
        "1987-03-14",
        "1936-01-01",
        "3/4/1990",
        "x",
        "90+",
        "-1",
    ):
        left = harbor_group(form, text, 2026)
        assert within_harbor(form, left, 2026)
    assert not within_harbor("age", "90", 2026)
    assert not within_harbor("zip", "036", 2026)
    assert not within_harbor("date", "2024-01", 2026)
    assert not within_harbor("birth", "1936", 2026)


def released(frame, engine="local"):
    recipe = shoal.safe_harbor(frame, year=2026, engine=engine).recipe
    return shoal.anonymize(
        shoal.read(frame, options=recipe.options, engine=engine), recipe.methods, recipe.models, measures=[]
    )


def test_cells_become_what_the_rule_leaves_also_where_one_stands_alone():
    frame = pl.DataFrame({
        "zip": ["93711", "03601", "10001-1234", "02138"], "age": ["34", "34.5", "93", "89"],
        "dob": ["1987-03-14", "1930-01-01", "1936-12-31", "1937-01-01"],
        "admitted": ["2024-01-02"] * 4, "sex": ["F", "M"] * 2,
    })  # fmt: skip
    release = released(frame)
    assert release.holds
    cells = release.to_arrow(cells="text").to_pydict()
    rows = set(zip(cells["zip"], cells["age"], cells["dob"], cells["admitted"], strict=True))
    assert rows == {
        ("937", "34 (all)", "1987", "2024"), ("000", "34 (all)", "up to 1936", "2024"),
        ("100", "90+", "up to 1936", "2024"), ("021", "89", "1937", "2024"),
    }  # fmt: skip


def test_every_engine_writes_the_same_bytes(tmp_path):
    frame = pl.DataFrame({
        "zip": spread(["93711", "03601", "2138"]), "age": spread([34, 95, 7, 61]), "admitted": BY_VALUE["date"],
        "email": BY_VALUE["email"], "charge": [100 + i % 9 for i in range(ROWS)],
    })  # fmt: skip
    for name, engine in (("local", "local"), ("parts", PartsEngine(Memory(), 7))):
        released(frame, engine).write(tmp_path / f"{name}.csv")
        shoal.verify(tmp_path / f"{name}.csv", engine=engine)
    assert (tmp_path / "local.csv").read_bytes() == (tmp_path / "parts.csv").read_bytes()
    assert b"90+" in (tmp_path / "parts.csv").read_bytes()


def test_zip_codes_that_were_numbers_get_their_zeros_back():
    release = released(pl.DataFrame({"zip": [2138, 93711, 3601, 611], "sex": ["F", "M", "F", "M"]}))
    assert sorted(release.to_arrow(cells="text").to_pydict()["zip"]) == ["000", "006", "021", "937"]


def test_a_table_that_is_fine_is_released_as_it_is():
    frame = pl.DataFrame(
        {"sex": spread(["F", "M"]), "state": spread(["CA", "NY", "TX"]), "charge": [1.5 * i for i in range(ROWS)]}
    )
    found = shoal.safe_harbor(frame, year=2026)
    assert found["columns"] == []
    assert found["kept"] == ["sex", "state", "charge"]
    release = released(frame)
    assert release.holds
    cells = release.to_arrow(cells="text").to_pydict()
    assert {name: sorted(map(str, column)) for name, column in cells.items()} == {
        name: sorted(map(str, frame[name].to_list())) for name in ("state", "sex", "charge")
    }


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("zip", ["93711", "937"]), ("zip", ["036", "937"]), ("age", ["34", "91"]), ("dob", ["1987", "1930"]),
        ("visit", ["2024-01-02", "2024-01-03"]), ("mail", ["a@b.org", "c@d.org"]), ("month", ["1", "2"]),
    ],
)  # fmt: skip
def test_a_table_that_shows_more_breaks_the_promise(name, values):
    table = shoal.read(pl.DataFrame({name: values * 2, "sex": ["F", "M"] * 2}), quasi=["sex"], plain=[name])
    (verdict,) = shoal.models.check(table, [shoal.models.SafeHarbor(2026)])
    assert (verdict.holds, verdict.level) == (False, 1.0)
    release = shoal.anonymize(
        table, "first-level", [shoal.models.SafeHarbor(2026)], measures=[], allow_identifiers=[name]
    )
    with pytest.raises(GuaranteeError):
        release.to_arrow()


def test_nothing_but_identifiers_is_refused_and_so_is_another_list():
    with pytest.raises(DataError, match="nothing is left"):
        shoal.safe_harbor(pl.DataFrame({"email": ["a@b.org", "b@c.org", "d@e.org"]}), year=2026)
    with pytest.raises(ParameterError, match="SHA-256"):
        shoal.models.SafeHarbor(2026, sha256="0" * 64)
    with pytest.raises(ParameterError, match="called"):
        shoal.models.SafeHarbor(2026, population="census-1990")
    with pytest.raises(ParameterError, match="whole number"):
        shoal.models.SafeHarbor(26)


def test_no_more_than_ten_thousand_cells_are_looked_at_evenly():
    from shoal.models.harbor_kinds import SAMPLE, harbor_columns

    texts = [f"a{i}@example.org" for i in range(16_400)] + [f"word {i % 3}" for i in range(4_100)]
    table = shoal.read(pl.DataFrame({"x": texts, "sex": ["F"] * len(texts)}), quasi=["sex"], plain=["x"])
    (found,) = harbor_columns(table)
    assert found.kind == "email"
    assert found.share == pytest.approx(0.8, abs=1 / SAMPLE)


GIVEN = ["Anna", "JOHN", "Maria", "Wei", "Ute", "Ahmed", "Olga", "Linda", "Aoife", "Tomas", "Bjorn", "Grace"]


@pytest.mark.parametrize(
    ("values", "is_one"),
    [
        (GIVEN, True),
        ([f"{name} {family}" for name, family in zip(GIVEN, ["Smith", "Xq", "Okoye", "Lopez"] * 3, strict=True)], True),
        (
            ["Schmidt, Ute", "Lee, J.", "García", "Nowak", "O'Brien", "Kim", "Patel", "Zzyzx", "Miller-Jones", "Wu"],
            True,
        ),
        (["Green", "Brown", "Black", "White"], False),  # too few that differ: colours
        ([f"Drug{chr(97 + i)}ol" for i in range(20)], False),
        (
            ["Sales", "Marketing", "Legal", "Finance", "Support", "Research", "Care", "Press", "Purchase", "Board"],
            False,
        ),
        ([name.lower() for name in GIVEN], False),  # words
    ],
)
def test_names_of_people_are_found_by_frequent_ones(values, is_one):
    found = found_in("x", spread(values))
    assert (found is not None) == is_one
    if found:
        assert (found["kind"], found["by"], found["sure"]) == ("name", "value", False)


NATIONAL = {
    "ca": ("ssn", ["046 454 286", "130692544"]), "de": ("ssn", ["86 095 742 719", "36574261809"]),
    "es": ("ssn", ["12345678Z", "X1234567L"]), "fr": ("ssn", ["2 55 08 14 168 025 38"]),
    "gb": ("record", ["943 476 5919"]), "it": ("ssn", ["RSSMRA85T10A562S"]), "nl": ("ssn", ["111222333", "123456782"]),
}  # fmt: skip


@pytest.mark.parametrize("country", NATIONAL)
def test_numbers_of_other_countries_are_found_where_they_are_asked_for(country):
    kind, values = NATIONAL[country]
    frame = pl.DataFrame({"x": spread(values), "sex": spread(["F", "M"])})
    assert kind not in {each["kind"] for each in shoal.safe_harbor(frame, year=2026)["columns"]}
    (found,) = shoal.safe_harbor(frame, year=2026, countries=[country])["columns"]
    assert (found["column"], found["kind"], found["sure"]) == ("x", kind, True)
    wrong = pl.DataFrame({"x": spread([value[:-1] + "5" for value in values]), "sex": spread(["F", "M"])})
    assert kind not in {each["kind"] for each in shoal.safe_harbor(wrong, year=2026, countries=[country])["columns"]}


def test_post_codes_of_other_countries_are_geography():
    for country, codes in (("gb", ["SW1A 1AA", "M1 1AE"]), ("ca", ["K1A 0B1"]), ("nl", ["1012 AB"])):
        frame = pl.DataFrame({"x": spread(codes), "sex": spread(["F", "M"])})
        (found,) = shoal.safe_harbor(frame, year=2026, countries=country)["columns"]
        assert found["kind"] == "geography"


def test_populations_of_ones_own_say_which_areas_are_shown(tmp_path):
    (tmp_path / "people.csv").write_text(
        "zip;county;population\n90001;A;15000\n90002;A;5001\n3601;B;20000\n937;C;30000\n"
    )
    frame = pl.DataFrame({"zip": spread(["90001", "90077", "03601", "93711", "10001"]), "ill": spread(["a", "b", "c"])})
    found = shoal.safe_harbor(frame, year=2026, population=tmp_path / "people.csv")
    (model,) = found.recipe.models
    assert (model.population, model.populous) == ("people.csv", ("900", "937"))
    assert model.sha256 == hashlib.sha256(b"900\n937\n").hexdigest()
    assert found["population"] == {"name": "people.csv", "sha256": model.sha256, "populous": 2}
    release = shoal.anonymize(frame, found.recipe.methods, [model], options=found.recipe.options)
    assert release.holds
    assert set(release.to_polars(cells="text")["zip"]) == {"900", "937", "000"}
    assert "people.csv" in model.convention(release.table.schema)
    usual = shoal.models.SafeHarbor(2026)
    assert not shoal.models.check(shoal.read(frame, quasi="zip", plain="ill"), [usual])[0].holds
    other = shoal.models.SafeHarbor(2026, "people.csv", populous="937")
    assert not shoal.models.check(release.table, [other])[0].holds


@pytest.mark.parametrize(
    "content", ["", "zip,people\n", "code,people\n90001,5\n", "zip,people\n90001,many\n", "zip,people\n90001,20000\n"]
)
def test_populations_that_say_nothing_are_refused(tmp_path, content):
    (tmp_path / "p.csv").write_text(content)
    with pytest.raises(DataError):
        shoal.safe_harbor(pl.DataFrame({"zip": ["90001"]}), year=2026, population=tmp_path / "p.csv")


@pytest.mark.parametrize(
    "wrong",
    [{"countries": "us"}, {"populous": "900"}, {"population": "own"}, {"population": "own", "populous": "9000"}],
)
def test_rules_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ParameterError):
        shoal.models.SafeHarbor(2026, **wrong)


def test_the_recipe_reads_a_table_as_it_was_looked_at(tmp_path):
    """Cells that end in asterisks are texts of the table's own if it was said that none is masked."""
    path = tmp_path / "t.csv"
    rows = "".join(f"{'a*' if i % 4 else 'x'},{i % 7}\n" for i in range(ROWS))
    path.write_text("mark,steps\n" + rows, encoding="utf-8")
    recipe = shoal.safe_harbor(path, year=2026, masked=False).recipe
    assert recipe.options.masked is False
