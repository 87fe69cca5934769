"""What two tables tell together: published numbers, brute force, releases that are joined, and those that cannot be."""

import json

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from engines.tiny import Tiny
from public_files import find

import shoal
from shoal.errors import ParameterError
from shoal.joined_tables import joined_tables
from shoal.secret_keys import SecretKey

KEY = SecretKey(b"shoal specification key 0001")


def drawn(seed):
    rng = np.random.default_rng(seed)
    people = pa.table(
        {"id": [f"p{i}" for i in range(40)], "sex": rng.integers(0, 2, 40), "zip": rng.integers(0, 5, 40)}
    )
    visits = pa.table({"who": [f"p{i}" for i in rng.integers(20, 60, 90)], "ward": rng.integers(0, 6, 90)})
    return people, visits


def by_hand(people, visits):
    shown = {each["id"]: (each["sex"], each["zip"]) for each in people.to_pylist()}
    wards = {}
    for each in visits.to_pylist():
        if each["who"] in shown:
            wards.setdefault(each["who"], set()).add(each["ward"])
    known = {who: shown[who] for who in wards}
    alone = [list(known.values()).count(each) == 1 for each in known.values()]

    def share(fits):
        return np.mean(
            [np.mean([sum(fits(who, ward, other) for other in wards) == 1 for ward in wards[who]]) for who in wards]
        )

    one = share(lambda who, ward, other: ward in wards[other])
    both = share(lambda who, ward, other: ward in wards[other] and known[who] == known[other])
    return len(wards), np.mean(alone), one, both


@pytest.mark.parametrize("seed", range(3))
def test_shares_are_those_of_brute_force_on_every_engine(seed):
    people, visits = drawn(seed)
    expected = by_hand(people, visits)
    for engine in (None, Tiny(rows_per_part=11)):
        one = shoal.read(people, engine=engine, subject="id", quasi=["sex", "zip"])
        other = shoal.read(visits, engine=engine, subject="who", quasi=["ward"])
        found = joined_tables(other, "who", one, "id")
        assert (found.people, found.by_other, found.rows[1], found.both[1]) == pytest.approx(expected)


@pytest.mark.golden
def test_households_and_their_stores(tmp_path):
    place = find("transactions/completejourney_demographics.csv", tmp_path)
    rows = find("transactions/completejourney_transactions.csv.gz", tmp_path)
    households = pl.read_csv(place, infer_schema_length=0)
    named = [name for name in households.columns if name != "household_id"]
    one = shoal.read(households, subject="household_id", quasi=named)
    other = shoal.read(rows, subject="household_id", quasi=["store_id"])
    found = joined_tables(other, "household_id", one, "household_id")
    assert found.people == 801
    assert found.by_other == pytest.approx(0.360799, abs=5e-7)
    assert found.rows[1] == pytest.approx(0.020235, abs=5e-7)
    assert found.both[1] > 0.9


def released(folder, table, name, column, domain="patient", key=KEY, joined_with=(), **roles):
    release = shoal.anonymize(
        shoal.read(table, identifier={column: f"pseudonym:{domain}"}, subject=column, **roles),
        k=2, pseudonym_key=key, joined_with=joined_with,
    )  # fmt: skip
    release.write(folder / name)
    return release


def test_releases_are_joined_certified_and_said(tmp_path):
    people, visits = drawn(1)
    released(tmp_path, people, "people.csv", "id", quasi=["sex", "zip"])
    release = released(tmp_path, visits, "visits.csv", "who", quasi=["ward"], joined_with=tmp_path / "people.csv")
    assert any("joins" in each and "'people.csv'" in each for each in release.warnings)
    (said,) = json.loads((tmp_path / "visits.certificate.json").read_text())["joined_tables"]
    assert said["people"] == by_hand(people, visits)[0]
    assert said["both"]["1"] >= said["rows"]["1"]
    proof = shoal.verify(tmp_path / "visits.csv")
    assert any(each.endswith("(needs the other release)") for each in proof.not_proved)


@pytest.mark.parametrize("other", [{"domain": "hospital"}, {"key": SecretKey(b"another key of this test")}])
def test_other_domains_and_other_keys_join_nothing(tmp_path, other):
    people, visits = drawn(1)
    released(tmp_path, people, "people.csv", "id", quasi=["sex", "zip"], **other)
    with pytest.raises(ParameterError, match="nothing joins the two"):
        released(tmp_path, visits, "visits.csv", "who", quasi=["ward"], joined_with=[tmp_path / "people.csv"])


def test_what_cannot_be_joined_is_refused_before_any_work(tmp_path):
    _, visits = drawn(1)
    with pytest.raises(ParameterError, match="this one has none"):
        shoal.anonymize(visits, quasi=["ward"], k=2, joined_with="people.csv")
    (tmp_path / "people.csv").write_text("id,sex\np1,1\n")
    with pytest.raises(ParameterError, match="no certificate"):
        released(tmp_path, visits, "visits.csv", "who", quasi=["ward"], joined_with=tmp_path / "people.csv")
