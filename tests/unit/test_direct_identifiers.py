"""Identifiers of tables: a person has one name everywhere, dates keep intervals, and what is empty stays empty."""

import datetime
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from engines.tiny import Tiny

import shoal
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.secret_keys import SecretKey

KEY = SecretKey(b"shoal specification key 0001")
DAY = datetime.timedelta(days=1)
START = datetime.date(2009, 3, 14)
PEOPLE = ["p1", "p2", "p3", "p1", "p2", None, "p1", "p3"]
DAYS = [START + i * DAY for i in (0, 0, 0, 10, 400, 3, 11, 2)]
AGES = [30, 30, 31, 31, 30, 31, 30, 31]
VISITS = pa.table({"who": PEOPLE, "day": DAYS, "age": AGES})
BOTH = {"who": "pseudonym:patient", "day": "shift:182"}


def released(table, key=KEY, engine=None, no_promise=True, **roles):
    given = {"quasi": ["age"], "identifier": BOTH} | roles
    source = shoal.read(table, engine=engine, **given)
    release = shoal.anonymize(source, [], pseudonym_key=key, no_promise=no_promise)
    return release.to_arrow(cells="text", row_order="input")


def test_dates_are_shifted_by_the_known_number_of_days_for_each_person():
    found = released(VISITS)
    moved = {"p1": 171, "p2": -102, "p3": -24}
    expected = [None if who is None else day + moved[who] * DAY for who, day in zip(PEOPLE, DAYS, strict=True)]
    assert found["day"].to_pylist() == expected
    assert found["day"].type == pa.date32()


@pytest.mark.parametrize("engine", [lambda: None, Tiny], ids=["local", "parts"])
@pytest.mark.parametrize("ids", [[380929, 380930, None, 380929], [-3, None, -3, -7], [None] * 4])
def test_dates_of_people_with_numbers_are_shifted_where_some_have_none(ids, engine):
    days = [START + i * DAY for i in range(4)]
    table = pa.table({"who": pa.array(ids, pa.int64()), "day": days, "age": AGES[:4]})
    found = released(table, engine=engine())["day"].to_pylist()
    moves = {who: (after - day).days for who, day, after in zip(ids, days, found, strict=True) if after is not None}
    expected = [None if who is None else day + moves[who] * DAY for who, day in zip(ids, days, strict=True)]
    assert found == expected
    assert 0 not in moves.values()


def test_weekdays_are_kept_in_steps_of_seven():
    found = released(VISITS, identifier={"who": "pseudonym:patient", "day": "shift:182:7"})
    pairs = [(a, b) for a, b in zip(DAYS, found["day"].to_pylist(), strict=True) if b is not None]
    assert all(a.weekday() == b.weekday() and a != b for a, b in pairs)


def test_intervals_within_a_person_are_kept():
    found = released(VISITS)
    for person in ("p1", "p2", "p3"):
        rows = [i for i, who in enumerate(PEOPLE) if who == person]
        after = found["day"].to_pylist()
        assert [DAYS[b] - DAYS[a] for a, b in pairwise(rows)] == [after[b] - after[a] for a, b in pairwise(rows)]


def test_a_person_has_one_pseudonym_and_who_is_missing_stays_missing():
    found = released(VISITS)["who"].to_pylist()
    assert found[5] is None
    names = dict(zip(PEOPLE, found, strict=True))
    assert [names[who] for who in PEOPLE] == found
    assert len(set(names.values())) == len(names)


@pytest.mark.parametrize(
    "ids",
    [
        ["380929", "380930"],
        np.array([380929, 380930], np.int64),
        np.array([380929.0, 380930.0]),
        pa.array(["380929", "380930"]).dictionary_encode(),
        pa.array([380929, 380930], pa.int32()),
    ],
)
def test_a_person_is_the_same_whatever_type_an_id_has(ids):
    found = released(pa.table({"id": ids, "age": [1, 2]}), identifier=["id=pseudonym:patient"])
    assert found["id"].to_pylist()[0] == "3cvvjlinbbyftled"
    assert released(pa.table({"id": ids, "age": [1, 2]}), identifier=["id=pseudonym:hospital"])["id"].to_pylist()[
        0
    ] == ("gwl2b5dvidanvrdb")


def test_a_frame_in_which_ids_are_missing_has_the_same_people():
    frame = pd.DataFrame({"id": [380929, None, 380930], "age": [1, 2, 3]})
    assert frame["id"].dtype == np.float64
    found = released(frame, identifier=["id=pseudonym:patient"])["id"].to_pylist()
    assert found[:2] == ["3cvvjlinbbyftled", None]


def test_other_domains_and_other_keys_give_other_names():
    one = released(VISITS)
    other = released(VISITS, identifier={**BOTH, "who": "pseudonym:hospital"})
    third = released(VISITS, SecretKey(b"shoal specification key 0002"))
    for found in (other, third):
        assert set(one["who"].to_pylist()) & set(found["who"].to_pylist()) == {None}
    assert other["day"].equals(one["day"])  # of whom a date is does not depend on the domain
    assert not third["day"].equals(one["day"])


@pytest.mark.parametrize("roles", [{}, {"subject": "who"}, {"subject": "who", "quasi": ["age", "day"]}])
def test_every_engine_gives_the_same_bytes(roles):
    there = released(VISITS, engine=Tiny(rows_per_part=3), **roles)
    assert there.equals(released(VISITS, **roles))
    assert released(pl.from_arrow(VISITS), **roles).equals(there)


def test_moments_keep_their_time_of_day():
    moments = [datetime.datetime(2009, 3, 14, 23, 59, 1, 5), datetime.datetime(2009, 3, 15, 0, 0)]
    table = pa.table({"who": ["p1", "p2"], "at": moments, "age": [1, 2]})
    for engine in (None, Tiny(rows_per_part=1)):
        found = released(table, engine=engine, identifier=["who=pseudonym:patient", "at=shift:182"])["at"].to_pylist()
        assert found == [moments[0] + 171 * DAY, moments[1] - 102 * DAY]


def test_dates_of_people_that_are_counted_but_not_released():
    found = released(VISITS, subject="who", identifier={"day": "shift:182"})
    assert found.column_names == ["day", "age"]
    assert found["day"].to_pylist()[0] == START + 171 * DAY


def test_a_shifted_date_can_be_generalized():
    source = shoal.read(VISITS.slice(0, 5), subject="who", quasi=["day"], identifier=BOTH)
    release = shoal.anonymize(source, "sorted-clusters", k=2, pseudonym_key=KEY)
    assert release.holds
    assert "2009-03-14" not in "".join(release.to_arrow(cells="text")["day"].to_pylist())


def test_codes_keep_their_form():
    pytest.importorskip("cryptography")
    ids = [f"AB-{number:07d}" for number in range(40)]
    found = released(pa.table({"id": ids, "age": [1] * 40}), identifier=["id=ff1:patient"])["id"].to_pylist()
    assert all(code.startswith("AB-") and code[3:].isdigit() and len(code) == 10 for code in found)
    assert len(set(found)) == 40
    assert not set(found) & set(ids)


def test_people_are_counted_by_a_pseudonym_that_is_released():
    source = shoal.read(VISITS.slice(0, 5), subject="who", quasi=["age"], identifier=BOTH)
    release = shoal.anonymize(source, k=2, pseudonym_key=KEY)
    assert "different people" in release.verdicts[0].sentence
    assert "who" in release.to_arrow().column_names


@pytest.mark.parametrize(
    ("roles", "error", "words"),
    [
        ({"identifier": {"day": "shift:182"}}, ParameterError, "whose dates"),
        (
            {"identifier": {"who": "pseudonym:a", "age": "pseudonym:b", "day": "shift:9"}, "quasi": ["x"]},
            ParameterError,
            "whose",
        ),
        ({"identifier": {"who": "pseudonym:patient", "x": "shift:182"}, "quasi": ["age"]}, SchemaError, "no dates"),
        ({"identifier": {"age": "pseudonym:patient"}}, ParameterError, "two roles"),
        ({"identifier": {"gone": "pseudonym:patient"}}, SchemaError, "gone"),
        ({"identifier": {"who": "sha256"}}, ParameterError, "without a key"),
        ({"identifier": {"who": "pseudonym:patient"}, "key": None}, ParameterError, "shoal key new"),
    ],
)
def test_what_makes_no_sense_is_refused(monkeypatch, roles, error, words):
    monkeypatch.delenv("SHOAL_KEY", raising=False)
    table = VISITS.append_column("x", pa.array(range(8)))
    with pytest.raises(error, match=words):
        released(table, **roles)


def test_dates_that_would_leave_the_calendar_are_refused():
    table = pa.table({"who": ["p1", "p2"], "day": [datetime.date(9999, 12, 31)] * 2, "age": [1, 2]})
    with pytest.raises(DataError, match="year 9999"):
        released(table)


def test_a_key_may_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("SHOAL_KEY", KEY.secret.decode())
    assert released(VISITS, None).equals(released(VISITS))


def test_records_in_which_nobody_is_named_lose_their_date_and_that_is_said():
    source = shoal.read(VISITS, quasi=["age"], identifier=BOTH)
    release = shoal.anonymize(source, [], pseudonym_key=KEY, no_promise=True)
    assert [each.blank for each in release.identifiers] == [0, 1]
    assert "1 records" not in release.identifiers[1].sentence
    assert "attested" in repr(release)
