"""Conditions on confidential values, on a table of four records."""

import datetime

import polars as pl
import pytest

import shoal
from shoal.conditions import Condition

PEOPLE = pl.DataFrame({
    "q": [1, 1, 1, 1],
    "charge": [100_000, 100_001, None, 250_000],
    "share": [0.5, 0.25, 0.75, None],
    "day": [datetime.date(2020, 1, 1), datetime.date(2020, 6, 1), None, datetime.date(2021, 1, 1)],
    "hour": [datetime.datetime(2020, 1, 1, 8), datetime.datetime(2020, 1, 1, 12), None, datetime.datetime(2021, 1, 1)],
    "ill": ["flu", "none", None, "flu"],
    "stage": ["early", "late", None, "late"],
    "big": [2**53, 2**53 + 1, None, 2**53 + 2],
})  # fmt: skip


@pytest.fixture(scope="module")
def table():
    return shoal.read(PEOPLE, quasi=["q"], plain=PEOPLE.columns[1:], orders={"stage": ["early", "late"]})


def holds(table, text):
    (classes,) = table.classes(lambda classes: classes, carry=Condition.parse(text).columns)
    return Condition.parse(text).holds(table.schema, classes.columns).tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("charge > 100000", [False, True, False, True]),
        ("charge >= 100000", [True, True, False, True]),
        ("charge < 100001", [True, False, False, False]),
        ("charge <= 100000.5", [True, False, False, False]),
        ("charge = 250000", [False, False, False, True]),
        ("charge == 250000", [False, False, False, True]),
        ("charge != 250000", [True, True, False, False]),
        ("charge>100000 and share<=0.25", [False, True, False, False]),
        ("share > .3", [True, False, True, False]),
        ("day >= 2020-06-01", [False, True, False, True]),
        ("hour < 2020-01-01 12:00", [True, False, False, False]),
        ("hour >= 2020-01-02", [False, False, False, True]),
        ("stage > early", [False, True, False, True]),
        ("stage = late", [False, True, False, True]),
        ("big > 9007199254740992", [False, True, False, True]),
        ("big = 9007199254740993", [False, True, False, False]),
    ],
)
def test_comparisons(table, text, expected):
    assert holds(table, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ill = flu", [True, False, False, True]),
        ("ill = 'flu'", [True, False, False, True]),
        ("ill != flu", [False, True, False, False]),
        ("ill = measles", [False, False, False, False]),
    ],
)
def test_a_missing_category_satisfies_nothing(table, text, expected):
    assert holds(table, text) == expected


def test_names_and_values_with_blanks_are_quoted():
    found = Condition.parse("\"blood group\" = 'A and B'")
    assert found.columns == ("blood group",)
    assert found.parts[0].value == "A and B"


def test_a_column_is_named_once_however_often_it_is_spoken_of():
    assert Condition.parse("charge > 5 and charge < 9").columns == ("charge",)


@pytest.mark.parametrize("text", ["", "charge", "charge >", "> 5", "charge ~ 5"])
def test_what_is_no_condition_is_refused(text):
    with pytest.raises(shoal.errors.ParameterError, match="is not a condition"):
        Condition.parse(text)


@pytest.mark.parametrize(
    "text", ["ill > flu", "charge > many", "day < 5", "stage > final", "charge > *", "charge = [1;2]"]
)
def test_values_that_say_nothing_of_the_column_are_refused(table, text):
    with pytest.raises(shoal.errors.ParameterError):
        holds(table, text)


def test_a_column_that_is_not_there_is_refused_with_a_suggestion(table):
    with pytest.raises(shoal.errors.SchemaError, match="charge"):
        shoal.score(table, measures=[shoal.measures.AttributeDisclosure("charg > 5")])
