"""People with several records: what each model counts with a subject column, worked by hand."""

import math

import polars as pl
import pytest

import shoal
from shoal.errors import DataError, GuaranteeError

# Two of three people have hiv, but only two of six records say so.
VISITS = [("ada", "hiv"), ("bob", "hiv"), ("ada", "flu"), ("cy", "flu"), ("cy", "flu"), ("cy", "cold")]
EACH_OWN = [("ada", "hiv"), ("bob", "hiv"), ("cy", "flu")]


def table_of(visits, ages=None, **roles):
    frame = pl.DataFrame(
        {"age": ages or [30] * len(visits), "who": [who for who, _ in visits], "ill": [ill for _, ill in visits]}
    )
    return shoal.read(frame, **({"quasi": "age", "sensitive": "ill", "subject": "who"} | roles))


def verdict(visits, model, **roles):
    return shoal.models.check(table_of(visits, **roles), [model])[0]


def entropy(*shares):
    return math.exp(-sum(share * math.log(share) for share in shares))


@pytest.mark.parametrize(
    ("visits", "model", "expected"),
    [
        # Hiv and flu: two of three people each. By records hiv has 2 of 6.
        (VISITS, shoal.models.AlphaK(0.5), 2 / 3),
        ([("ada", "flu")] * 100 + [("bob", "cold")], shoal.models.AlphaK(0.5), 1 / 2),
        # Bob has nothing in common with cy; ada has something in common with both.
        (VISITS, shoal.models.LDiversity(2), 2),
        # All people have flu, whatever else they have.
        ([("ada", "flu"), ("ada", "cold"), ("bob", "flu"), ("bob", "hiv")], shoal.models.LDiversity(2), 1),
        # There are four values but two people: who is not ill with c is not the second, and has a and b.
        ([("ada", "a"), ("ada", "b"), ("bob", "c"), ("bob", "d")], shoal.models.LDiversity(2), 2),
        # Hiv has 2 of 3 people; what is left, a third, goes to flu (2 people) and cold (1 person).
        (VISITS, shoal.models.LDiversity(2, kind="entropy"), entropy(2 / 3, 2 / 9, 1 / 9)),
        (VISITS, shoal.models.LDiversity(2, kind="recursive", c=3), 2),
        (VISITS, shoal.models.LDiversity(3, kind="recursive", c=9), 6),
        ([("ada", "flu"), ("ada", "cold"), ("bob", "flu")], shoal.models.LDiversity(2, kind="entropy"), 1),
        (
            [("ada", "flu"), ("ada", "cold"), ("bob", "flu")],
            shoal.models.LDiversity(2, kind="recursive", c=3),
            math.inf,
        ),
        # Who has a cell without a value may have hiv too: all three.
        ([*EACH_OWN[:2], ("cy", "flu"), ("cy", None)], shoal.models.AlphaK(0.7), 1),
        ([*EACH_OWN[:2], ("cy", "flu"), ("cy", None)], shoal.models.LDiversity(2), 1),
        ([*EACH_OWN[:2], ("bob", None), ("cy", "flu")], shoal.models.AlphaK(0.7), 2 / 3),
        ([*EACH_OWN[:2], ("bob", None), ("cy", "flu")], shoal.models.LDiversity(2), 2),
        ([("ada", None), ("bob", None)], shoal.models.LDiversity(2), 1),
    ],
)
def test_levels_by_people(visits, model, expected):
    assert verdict(visits, model).level == pytest.approx(expected)


@pytest.mark.parametrize(
    ("distance", "expected"),
    [
        # The table has the pairs (ada, 1), (ada, 3), (bob, 1), (cy, 2): shares 1/2, 1/4, 1/4. The class of age 30 has
        # only (ada, 1) and (bob, 1), though ada came three times.
        ("variation", 1 / 2),
        ("ordered-distinct", (1 / 2 + 1 / 4) / 2),
        # Pairs in the order of values, then of records: (ada, 1), (bob, 1), (cy, 2), (ada, 3).
        ("ordered-records", (1 / 4 + 1 / 2 + 1 / 4) / 3),
    ],
)
def test_closeness_compares_pairs_of_people_and_values(distance, expected):
    visits = [("ada", 1), ("ada", 1), ("ada", 1), ("bob", 1), ("cy", 2), ("ada", 3), ("ada", 1)]
    table = table_of(visits, ages=[30, 30, 30, 30, 40, 40, 40])
    found = shoal.models.check(table, [shoal.models.TCloseness(0.9, distance=distance)])[0]
    away = {"variation": 1 / 2 - 1 / 3, "ordered-distinct": (1 / 6 + 1 / 12) / 2, "ordered-records": 0}[distance]
    assert found.level == pytest.approx(max(expected, away))


def test_sentences_and_conventions_say_that_people_are_counted():
    models = [shoal.models.AlphaK(0.9), shoal.models.LDiversity(2), shoal.models.LDiversity(2, kind="entropy")]
    models += [shoal.models.LDiversity(2, kind="recursive", c=3), shoal.models.TCloseness(0.5)]
    counted = shoal.models.check(table_of(VISITS), models)
    for found, plain in zip(counted, shoal.models.check(table_of(VISITS, subject=None), models), strict=True):
        assert "people" in found.sentence or "person" in found.sentence
        assert "subject" in found.convention
        assert "subject" not in plain.convention
    assert counted[0].sentence == "No value of 'ill' is had by more than 0.6667 of the people of any class."
    assert counted[1].sentence == "Every class has at least 2 people no two of whom have a value of 'ill' in common."


@pytest.mark.parametrize("model", [shoal.models.AlphaK(0.9), shoal.models.LDiversity(2), shoal.models.TCloseness(0.5)])
def test_a_record_of_nobody_is_refused_by_every_model(model):
    with pytest.raises(DataError, match="whose it is"):
        verdict([*VISITS, (None, "flu")], model)


def test_what_so_few_people_cannot_keep_is_refused_before_any_work():
    for model in (shoal.models.AlphaK(0.3), shoal.models.LDiversity(4)):
        with pytest.raises(GuaranteeError, match="people"):
            shoal.anonymize(table_of(VISITS), shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2), model])


def test_classes_are_joined_until_half_of_the_people_at_most_share_a_value():
    # Of the four records of ages 1 to 3 half say hiv, but of the three people two have it: all ages are needed.
    visits = [("ada", "hiv"), ("bob", "hiv"), ("ada", "flu"), ("cy", "cold"), ("di", "flu"), ("eve", "cold")]
    table = table_of(visits, ages=[1, 2, 2, 3, 4, 5])
    models = [shoal.models.KAnonymity(2), shoal.models.AlphaK(0.5)]
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), models)
    assert release.holds
    assert release.to_pandas()["age"].tolist() == ["[1;5]"] * 6


def test_classes_that_show_the_same_are_one():
    # All ages are equal, so that both classes show the same: in each, people differ, and together they do not.
    visits = [("ada", "a"), ("bob", "b"), ("ada", "b"), ("bob", "a"), ("cy", "c"), ("di", "d")]
    table = table_of(visits, ages=[7, 7, 7, 7, 8, 8])
    release = shoal.anonymize(
        table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2), shoal.models.LDiversity(2)]
    )
    assert release.holds
    assert release.to_pandas()["age"].tolist() == ["[7;8]"] * 6
    with pytest.raises(GuaranteeError, match="reach only 1"):
        shoal.anonymize(
            table_of(visits[:4]),
            shoal.methods.SortedClusters(),
            [shoal.models.KAnonymity(2), shoal.models.LDiversity(2)],
        )
