"""What pseudonyms join: counted by hand and by brute force, alike on every engine, certified, and proved."""

import datetime
import json
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from engines.tiny import Tiny

import shoal
from shoal.joined_rows import joined_rows
from shoal.secret_keys import SecretKey

KEY = SecretKey(b"shoal specification key 0001")
DAY = datetime.timedelta(days=1)
START = datetime.date(2020, 1, 1)
IDENTIFIER = {"who": "pseudonym:patient", "day": "shift:100"}


def released(table, engine=None, **given):
    roles = {"quasi": ["a", "b"], "identifier": IDENTIFIER} | given
    source = shoal.read(table, engine=engine, **roles)
    return shoal.anonymize(source, [], pseudonym_key=KEY, no_promise=True)


def drawn(seed, rows=60, people=15):
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "who": [f"p{i}" for i in rng.integers(0, people, rows)],
            "a": rng.integers(0, 3, rows),
            "b": rng.integers(0, 3, rows),
            "day": [START + int(i) * DAY for i in rng.integers(0, 6, rows)],
        }
    )


def by_hand(table):
    """Count over all people and all sets of their points, and over all sequences of days."""
    points, days = {}, {}
    for who, a, b, day in zip(*(table[name].to_pylist() for name in ("who", "a", "b", "day")), strict=True):
        points.setdefault(who, set()).add((a, b))
        days.setdefault(who, []).append(day)
    rows = {}
    for known in (1, 2, 3, 4):
        shares = []
        for mine in points.values():
            sets = [set(some) for some in combinations(sorted(mine), known)]
            if sets:
                alone = [sum(some <= other for other in points.values()) == 1 for some in sets]
                shares.append(sum(alone) / len(alone))
        if shares:
            rows[known] = sum(shares) / len(shares)
    intervals = [sorted((day - min(some)).days for day in some) for some in days.values() if len(some) > 1]
    return rows, sum(intervals.count(each) == 1 for each in intervals) / len(intervals)


@pytest.mark.parametrize("seed", range(4))
def test_shares_are_those_of_brute_force_on_every_engine(seed):
    table = drawn(seed)
    rows, days = by_hand(table)
    for engine in (None, Tiny(rows_per_part=7)):
        (found,) = released(table, engine).joined
        assert found.records == 60
        assert found.rows == pytest.approx(rows)
        assert found.intervals == pytest.approx({"day": days})


def test_rows_of_people_who_have_one_each_are_not_joined():
    table = pa.table({"who": ["p", "q"], "a": [1, 2], "b": [1, 1], "day": [START, START]})
    assert released(table).joined == ()


def test_rows_of_nobody_are_not_joined():
    table = drawn(1).set_column(0, "who", pa.array([None, None, *drawn(1)["who"].to_pylist()[2:]]))
    for engine in (None, Tiny(rows_per_part=7)):
        (found,) = released(table, engine).joined
        assert found.records == 58
        assert found.rows == pytest.approx(by_hand(table.slice(2))[0])
        assert found.intervals == pytest.approx({"day": by_hand(table.slice(2))[1]})


def test_people_that_are_counted_are_joined_too():
    (found,) = released(drawn(2), subject="who").joined
    assert found.rows == pytest.approx(by_hand(drawn(2))[0])


def test_a_generalized_date_is_a_point_and_no_interval():
    (found,) = released(drawn(2), quasi=["a", "day"]).joined
    assert found.intervals == {}


def test_nothing_is_joined_without_pseudonyms():
    source = shoal.read(drawn(2), subject="who", quasi=["a", "b"], identifier={"day": "shift:100"})
    assert joined_rows(shoal.anonymize(source, [], pseudonym_key=KEY, no_promise=True).table) == ()


def test_what_is_joined_is_said_certified_and_proved(tmp_path):
    release = released(drawn(3))
    assert any("joins 60 records" in warning for warning in release.warnings)
    release.write(tmp_path / "out.csv")
    content = json.loads((tmp_path / "out.certificate.json").read_text())
    (said,) = content["joined"]
    assert said["people"] == 15
    assert said["rows"]["2"] == pytest.approx(by_hand(drawn(3))[0][2], rel=0.01)
    proof = shoal.verify(tmp_path / "out.csv")
    assert set(said["sentences"]) <= set(proof.proved)
