"""An attacker whose knowledge errs claims what enumerating everything he may believe gives."""

import datetime
from collections import Counter
from itertools import product

import numpy as np
import polars as pl
import pytest
from engines.tiny import Tiny
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.measures.reidentification.erring_attacker import ErringAttacker

KINDS = {"days": "integer", "race": "category", "size": "ordered", "dose": "float", "born": "date"}
SIZES = ("small", "medium", "large")
VALUES = {
    "days": st.integers(1, 6),
    "race": st.sampled_from("abcd"),
    "size": st.sampled_from(SIZES),
    "dose": st.sampled_from([0.5, 1.0, 7.25]),
    "born": st.dates(datetime.date(2000, 1, 1), datetime.date(2000, 1, 5)),
}
TYPES = {"days": pl.Int64, "race": pl.String, "size": pl.String, "dose": pl.Float64, "born": pl.Date}


@st.composite
def tables(draw):
    """Give some columns of a few records, with missing cells."""
    names = draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=3, unique=True))
    records = draw(st.integers(1, 9))
    return {n: draw(st.lists(st.none() | VALUES[n], min_size=records, max_size=records)) for n in names}


def read(columns, engine=None):
    frame = pl.DataFrame(columns, schema={name: TYPES[name] for name in columns})
    kinds = {name: KINDS[name] for name in columns if KINDS[name] != "ordered"}
    orders = {"size": SIZES} if "size" in columns else {}
    return shoal.read(frame, quasi=list(columns), kinds=kinds, orders=orders, engine=engine)


def slips(name, column):
    """Give, for each value that occurs, what it is taken for and how likely."""
    often = Counter(value for value in column if value is not None)
    if len(often) < 2:
        return {}
    if name == "race":
        total = sum(often.values())
        return {a: {b: n / (total - often[a]) for b, n in often.items() if b != a} for a in often}
    low, high = (pick(often, key=SIZES.index if name == "size" else None) for pick in (min, max))
    if name == "days":
        line = list(range(low, high + 1))
    elif name == "born":
        line = [low + datetime.timedelta(days=i) for i in range((high - low).days + 1)]
    elif name == "size":
        line = [size for size in SIZES if size in often]
    else:
        line = sorted(often)
    found = {}
    for value in often:
        at = line.index(value)
        beside = [line[i] for i in (at - 1, at + 1) if 0 <= i < len(line)]
        found[value] = {other: 1 / len(beside) for other in beside}
    return found


def enumerated(columns, errors):
    """Give the shares of right and wrong claims from every belief about everybody."""
    records = list(zip(*columns.values(), strict=True))
    often = Counter(records)
    wrong_values = {name: slips(name, columns[name]) for name in errors}
    right = wrong = 0.0
    for record in records:
        choices = []
        for name, value in zip(columns, record, strict=True):
            others = wrong_values.get(name, {}).get(value)
            rate = errors.get(name, 0.0) if others else 0.0
            choices.append([(value, 1 - rate), *((other, rate * share) for other, share in (others or {}).items())])
        for belief in product(*choices):
            values, chance = tuple(v for v, _ in belief), float(np.prod([c for _, c in belief]))
            if often[values] == 1:
                right += chance * (values == record)
                wrong += chance * (values != record)
    return right / len(records), wrong / len(records)


@given(tables(), st.floats(0, 1))
def test_with_one_attribute_that_errs_claims_are_exact(columns, rate):
    for name in columns:
        found = ErringAttacker(read(columns)).matches({name: rate})
        assert (found.right, found.wrong) == pytest.approx(enumerated(columns, {name: rate}), abs=1e-12)
        assert found.standard_error == 0


@settings(max_examples=12)
@given(tables(), st.floats(0, 1), st.booleans())
def test_with_several_that_err_claims_lie_within_the_standard_error(columns, rate, halved):
    errors = {name: rate / (2 if halved and i else 1) for i, name in enumerate(columns)}
    found = ErringAttacker(read(columns)).matches(errors)
    right, wrong = enumerated(columns, errors)
    assert found.right == pytest.approx(right, abs=1e-12)
    assert abs(found.wrong - wrong) <= 4.5 * found.standard_error + 1e-12


def test_numbers_that_are_codes_are_taken_for_any_other():
    columns = {"days": [1, 1, 5, 9], "race": ["a", "a", "b", "b"]}
    found = ErringAttacker(read(columns), codes=["days"]).matches({"days": 1.0})
    # Those with 1 take the code for 5 or 9, which no one of their race has; each of the others for the other's 1 in 3.
    assert (found.right, found.wrong) == (0.0, pytest.approx(2 / 3 / 4))


def test_whatever_holds_the_table_the_claims_are_the_same(tmp_path):
    generator = np.random.default_rng(3)
    columns = {
        "days": generator.integers(1, 9, 60).tolist(),
        "race": generator.choice(list("abc"), 60).tolist(),
        "dose": [None, *generator.choice([0.5, 1.0, 2.0], 59).tolist()],
    }
    for errors in ({"days": 0.3}, {"race": 0.3}, {"days": 0.3, "race": 0.1, "dose": 0.2}):
        here = ErringAttacker(read(columns)).matches(errors)
        there = ErringAttacker(read(columns, Tiny())).matches(errors)
        assert (there.right, there.wrong) == pytest.approx((here.right, here.wrong), abs=1e-12)


def test_nobody_is_wrong_about_what_is_masked():
    masked = shoal.read(pl.DataFrame({"age": ["34", "[50;59]"]}), quasi=["age"], kinds={"age": "integer"}, masked=True)
    codes = shoal.read(pl.DataFrame({"zip": ["93701", "937**"]}), quasi=["zip"], masked=True, kinds={"zip": "category"})
    for table, name in ((masked, "age"), (codes, "zip")):
        with pytest.raises(shoal.errors.DataError, match=f"Column '{name}' has cells that stand for several values"):
            ErringAttacker(table).matches({name: 0.1})
