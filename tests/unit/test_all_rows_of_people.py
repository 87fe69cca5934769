"""Promises about all rows of a person, against brute force, and what intersecting the classes of visits discloses."""

import math
from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from engines.tiny import Tiny

import shoal
from shoal.errors import GuaranteeError, ParameterError
from shoal.models import KAnonymity, PersonCloseness, PersonDiversity, check

# Ann has been there twice, and only flu is in both her classes; of Bob, who came once, three values are possible.
BY_HAND = pl.DataFrame(
    {
        "q": [1, 1, 1, 1, 2, 2, 2],
        "who": ["ann", "bob", "cid", "dot", "ann", "eve", "fay"],
        "ill": ["flu", "cold", "cold", "gout", "flu", "hay", "hay"],
    }
)
ROLES = {"quasi": ["q"], "sensitive": ["ill"], "subject": "who"}


def test_by_hand():
    table = shoal.read(BY_HAND, **ROLES)
    diverse, close = check(table, [PersonDiversity(2), PersonCloseness(0.5)])
    assert (diverse.level, diverse.holds, diverse.failing, diverse.classes) == (1, False, 2, 2)
    # Of five pairs of a person and a value one is flu, so it is certain where it had 1/6.
    assert close.level == pytest.approx(1 - 1 / 6)


def brute(rows, model):
    """Give the level of each person: rows are (class, person, value)."""
    members, had = defaultdict(lambda: defaultdict(set)), defaultdict(set)
    for room, person, value in rows:
        had[person].add(value)
        members[room][person].add(value)
    total = Counter(value for values in had.values() for value in values if value is not None)
    levels = {}
    for person in had:
        rooms = [room for room in members if person in members[room]]
        weights = {}
        for value in total:
            shares = []
            for room in rooms:
                # Who has a cell without a value in a class has only that there.
                sure = [values for values in members[room].values() if None not in values]
                shares.append(sum(value in values for values in sure) / len(members[room]))
            prior = total[value] / sum(total.values())
            if all(shares):
                weights[value] = math.prod(shares) / prior ** (len(rooms) - 1)
        if isinstance(model, PersonDiversity):
            levels[person] = len(weights)
        else:
            whole = sum(weights.values())
            gaps = [max(weights[v] / whole - total[v] / sum(total.values()), 0) for v in weights]
            levels[person] = sum(gaps) if weights else 1.0
    return levels


@pytest.mark.parametrize("engine", [None, Tiny])
@pytest.mark.parametrize("model", [PersonDiversity(2), PersonCloseness(0.6)])
def test_like_brute_force(model, engine):
    generator = np.random.default_rng(5)
    for _ in range(12 if engine is None else 2):
        n = int(generator.integers(5, 40))
        rows = [
            (int(generator.integers(4)), f"p{generator.integers(9)}", f"v{generator.integers(5)}") for _ in range(n)
        ]
        frame = pl.DataFrame(rows, schema=["q", "who", "ill"], orient="row")
        table = shoal.read(frame, **ROLES, **({} if engine is None else {"engine": engine()}))
        levels = brute(rows, model)
        (verdict,) = check(table, [model])
        worst = min if isinstance(model, PersonDiversity) else max
        assert verdict.level == pytest.approx(worst(levels.values()))
        broken = {p for p, level in levels.items() if not model.met(np.array([level]))[0]}
        assert verdict.failing == len({room for room, person, _ in rows if person in broken})


def visits(people=600, seed=2):
    """Give three visits of each person, with one diagnosis that stays."""
    generator = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), 3)
    ill = generator.integers(0, 9, people)[who]
    age, zipcode = generator.integers(0, 90, people)[who], generator.integers(0, 500, who.size)
    day = generator.integers(0, 365, who.size)
    return pl.DataFrame({"who": who.astype(str), "age": age, "zip": zipcode, "day": day, "ill": ill.astype(str)})


def disclosed(frame, release):
    """Give the share of people of whom all classes together leave one value."""
    shown = release.table.to_polars(cells="text").select("age", "zip", "day")
    rooms = shown.with_columns(frame["who"], frame["ill"])
    values = {key: set(part["ill"]) for key, part in rooms.group_by("age", "zip", "day")}
    left = {}
    for age, zipcode, day, who, _ in rooms.iter_rows():
        left.setdefault(who, []).append(values[age, zipcode, day])
    return sum(len(set.intersection(*sets)) == 1 for sets in left.values()) / len(left)


@pytest.mark.parametrize("method", ["hilbert", "mondrian"])
def test_intersecting_the_classes_of_all_visits_discloses_nobody(method):
    frame = visits()
    table = shoal.read(frame, quasi=["age", "zip", "day"], sensitive=["ill"], subject="who")
    plain = shoal.anonymize(table, method, k=5, row_order="input")
    assert disclosed(frame, plain) > 0.2
    safe = shoal.anonymize(table, method, PersonDiversity(2), k=5, row_order="input")
    assert safe.holds
    assert disclosed(frame, safe) == 0
    assert safe.scores["information-loss"].value < 6 * plain.scores["information-loss"].value


def test_it_is_attested_and_checked(tmp_path):
    table = shoal.read(visits(60), quasi=["age", "zip", "day"], sensitive=["ill"], subject="who")
    models = [KAnonymity(3), PersonDiversity(2), PersonCloseness(0.8)]
    shoal.anonymize(table, models=models).write(tmp_path / "r.csv")
    proof = shoal.verify(tmp_path / "r.csv")
    assert any("values of 'ill' are in all classes" in sentence for sentence in proof.not_proved)


def test_what_cannot_be_is_refused():
    table = shoal.read(visits(30), quasi=["age"], sensitive=["ill"], plain=["day"])
    with pytest.raises(GuaranteeError, match="whose they are"):
        shoal.anonymize(table, models=[PersonDiversity(2)], k=3)
    table = shoal.read(BY_HAND, **ROLES)
    with pytest.raises(GuaranteeError, match="person-diversity cannot be kept"):
        shoal.anonymize(table, models=[PersonDiversity(5)], k=2)
    for wrong in (1, 2.5, True):
        with pytest.raises(ParameterError):
            PersonDiversity(wrong)
    for wrong in (0, 1.5, True):
        with pytest.raises(ParameterError):
            PersonCloseness(wrong)
