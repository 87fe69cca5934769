"""Hashes without a key: found by their looks, undone by trying, never shown, and not released as they are."""

import hashlib
import json

import pyarrow as pa
import pytest

import shoal
from shoal.errors import ParameterError
from shoal.pitfalls.hashes import hashed_columns

NAMES = [f"Person {i}" for i in range(30)]


def hashed(algorithm, values):
    return [hashlib.new(algorithm, str(value).encode()).hexdigest() for value in values]


def looked_at(column, **others):
    table = shoal.read(pa.table({"id": column, **others}), plain=["id", *others])
    return hashed_columns(table)


@pytest.mark.parametrize(
    ("algorithm", "name"),
    [
        ("sha3_256", "SHA3-256"),  # as long as the others of 256 bits, which are tried first
        *(
            pytest.param(*each, marks=pytest.mark.large)
            for each in (("md5", "MD5"), ("sha1", "SHA-1"), ("sha256", "SHA-256"), ("sha512", "SHA-512"))
        ),
    ],
)
def test_hashes_of_numbers_of_patients_are_undone(algorithm, name):
    (found,) = looked_at(hashed(algorithm, range(380929, 380959)))
    assert (found.column, found.algorithm, found.values, found.undone) == ("id", name, 30, 30)


def test_hashes_of_other_columns_and_of_days_and_in_capitals_are_undone():
    (found,) = looked_at([text.upper() for text in hashed("sha1", NAMES)], name=NAMES)
    assert found.undone == 30
    (found,) = looked_at(hashed("md5", [f"1960-01-{day:02}" for day in range(1, 29)] + ["00042", "0000007"]))
    assert found.undone == 30


def test_hashes_under_a_key_are_not_undone_and_what_that_means_is_said():
    import hmac

    (found,) = looked_at([hmac.digest(b"a secret key of this test", name.encode(), "sha256").hex() for name in NAMES])
    assert found.undone == 0
    assert "If no secret key" in found.sentence


def test_other_columns_are_no_hashes():
    assert looked_at(NAMES, number=list(range(30)), short=[f"{i:08x}" for i in range(30)]) == ()


def test_a_first_look_warns_of_hashes_and_shows_none():
    values = hashed("sha256", range(30))
    found = shoal.inspect(pa.table({"id": values, "age": list(range(30))}))
    assert found["columns"][0]["role"] == "identifier"
    assert any("30 of 30" in line and "pseudonym:DOMAIN" in line for line in found["advice"])
    assert not any(value in json.dumps(found) for value in values)


def test_hashes_are_not_released_as_they_are():
    table = pa.table({"id": hashed("sha256", range(30)) * 2, "age": list(range(60))})
    with pytest.raises(ParameterError, match="look like hashes"):
        shoal.anonymize(table, quasi=["age"], plain=["id"], k=2)
