"""People set aside before a release is made again: who they are, and that they are a control."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.assessment.set_aside import set_aside
from shoal.errors import ParameterError

ROLES = {"quasi": ["age", "zip"], "sensitive": ["ill"]}


def people(n=300):
    draw = np.random.default_rng(2)
    columns = {"age": draw.integers(0, 90, n), "zip": draw.integers(0, 50, n), "ill": draw.integers(0, 4, n)}
    return pl.DataFrame(columns | {"who": draw.integers(0, n // 3, n)}).with_columns(pl.col("ill", "who").cast(str))


def test_all_rows_of_a_person_are_on_one_side_and_no_row_is_lost():
    frame = people()
    table = shoal.read(frame, subject="who", **ROLES)
    kept, others = set_aside(table, 0.3, 7)
    sides = []
    for side in (kept, others):
        positions = side.cells(["who"], np.arange(side.rows))[0][:, 0]
        sides.append(set(side.schema["who"].axis.texts(positions)))
        assert side.schema.subject == "who"
        assert side.schema.quasi == ("age", "zip")
    assert not sides[0] & sides[1]
    assert sides[0] | sides[1] == set(frame["who"])
    rows = pl.concat([side.to_polars(cells="text") for side in (kept, others)])
    assert sorted(rows.iter_rows()) == sorted(frame.select("age", "zip", "ill").iter_rows())
    assert 0.2 < others.rows / 300 < 0.4


def test_an_attack_without_others_says_how_to_get_a_control():
    release = shoal.anonymize(people(), k=3, **ROLES)
    found = shoal.attack(people(), release, attacks="inference")
    assert found["control"] is None
    assert "--set-aside" in found["no_control"]
    assert found["no_control"] in list(found.remarks())


def test_those_who_are_set_aside_are_the_control_of_what_is_made_without_them():
    table = shoal.read(people(), **ROLES)
    release = shoal.anonymize(table, k=3)
    mine = shoal.attack(table, release, set_aside=0.25, seed=4)
    kept, others = set_aside(table, 0.25, 4)
    by_hand = shoal.attack(kept, shoal.anonymize(kept, k=3), holdout=others, seed=4)
    assert mine["attacks"] == by_hand["attacks"]
    assert mine["records"] == kept.rows
    assert mine["control"] == {"records": others.rows, "set_aside": 0.25}
    assert all(each["control"] is not None for each in mine["attacks"])
    assert {"membership", "dcr"} <= {each["name"] for each in mine["attacks"]}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"set_aside": 1.0}, "between 0 and 1"),
        ({"set_aside": True}, "between 0 and 1"),
        ({"set_aside": 0.2, "holdout": people()}, "Leave one out"),
        ({"set_aside": 0.2}, "how is not known"),
        ({"set_aside": 1e-9, "recipe": "recipe"}, "nobody on one side"),
        ({}, "No release is named"),
    ],
)
def test_what_makes_no_control_is_refused(asked, words):
    if "recipe" in asked:
        asked = asked | {"recipe": shoal.anonymize(people(), k=3, **ROLES).recipe}
    with pytest.raises(ParameterError, match=words):
        shoal.attack(people(), **asked, **ROLES)


def test_a_private_release_is_made_again_and_attacked_for_one_of_its_columns():
    """All columns of it are quasi-identifiers: the secret is not known, and noise has no seed."""
    table = shoal.read(people(), quasi=["age", "zip", "ill"])
    tree = shoal.methods.PrivateTree({"age": "0..90", "zip": "0..50", "ill": "0,1,2,3"}, rho=0.5)
    tried = {"attacks": ["inference", "membership"], "secret": "ill"}
    found = shoal.attack(table, shoal.anonymize(table, tree), set_aside=0.2, **tried)
    assert found["known"] == ["age", "zip"]
    assert [each["name"] for each in found["attacks"]] == ["inference draw", "inference mode", "membership"]
    assert all(0 < each["rate"] < 0.8 and 0 < each["control"] < 0.8 for each in found["attacks"])
    with pytest.raises(ParameterError, match="cannot be known"):
        shoal.attack(table, table, known=["age", "ill"], **tried)
