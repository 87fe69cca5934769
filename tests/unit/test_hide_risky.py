"""Cells hidden in records at risk: by the definition, column by column, on engines, and what is said of it."""

import numpy as np
import polars as pl
import pytest
from engines.pools import Memory
from engines.tiny import Tiny

import shoal
from shoal.engines.parts.engine import PartsEngine
from shoal.errors import ParameterError, SchemaError
from shoal.methods import HideRisky

NAMES = ["a", "b", "c"]


def people(seed, rows=40):
    draw = np.random.default_rng(seed)
    return pl.DataFrame({"a": draw.choice(list("pq"), rows), "b": draw.choice(list("rstu"), rows),
                         "c": draw.choice(list("vwxyz"), rows), "weight": draw.integers(1, 9, rows)})  # fmt: skip


def risk_of(frequency, people):
    """Give E[1/F] by summing what is left of a negative binomial; the sum ends where hardly anything is left."""
    p = frequency / people
    if p >= 1:
        return 1 / frequency
    total, chance, more = 0.0, p**frequency, 0
    while more < 5000:
        total += chance / (frequency + more)
        chance *= (1 - p) * (frequency + more) / (more + 1)
        more += 1
    return total


def agree(one, other):
    return all(a == b or "*" in (a, b) for a, b in zip(one, other, strict=True))


def by_definition(frame, threshold, order):
    rows, weights = [list(row) for row in frame.select(NAMES).iter_rows()], frame["weight"].to_list()
    for name in order:
        j = NAMES.index(name)
        alike = [[i for i, other in enumerate(rows) if agree(row, other)] for row in rows]
        risks = [risk_of(len(some), sum(weights[i] for i in some)) for some in alike]
        at_risk = [risk >= threshold for risk in risks]
        if not any(at_risk):
            break
        for row, risky in zip(rows, at_risk, strict=True):
            row[j] = "*" if risky else row[j]
    return [tuple(row) for row in rows]


@pytest.mark.parametrize("seed", range(6))
def test_records_at_risk_hide_one_column_after_the_other(seed):
    frame, threshold = people(seed), (0.08, 0.15, 0.3)[seed % 3]
    shown = []
    for engine in (None, Tiny(), PartsEngine(Memory(), 7)):
        table = shoal.read(frame, quasi=NAMES, weight="weight", engine=engine)
        release = shoal.anonymize(table, HideRisky(threshold), [], no_promise=True)
        shown.append(release.table.to_polars(cells="text").select(NAMES).rows())
    assert shown[0] == by_definition(frame, threshold, ["c", "b", "a"]) == shown[1] == shown[2]
    hidden = release.table.hidden
    assert hidden["records_touched"] == sum("*" in row for row in shown[0])
    (score,) = shoal.score(release.table, measures=[shoal.measures.IndividualRisk()])
    assert (score.detail["highest"] >= threshold) == (hidden["still_at_risk"] > 0)


def test_importance_says_what_is_given_up_first():
    frame = people(1)
    table = shoal.read(frame, quasi=NAMES, weight="weight")
    way = HideRisky(0.15, columns=("a", "b"), importance={"a": 9})
    release = shoal.anonymize(table, way, [], no_promise=True)
    assert release.table.to_polars(cells="text").select(NAMES).rows() == by_definition(frame, 0.15, ["a", "b"])
    assert "(a, b)" in release.steps[0]


@pytest.mark.parametrize("wrong", [{"threshold": 0}, {"threshold": 1.5}, {"importance": 3}, {"importance": {"a": "x"}}])
def test_what_is_no_risk_is_refused(wrong):
    with pytest.raises(ParameterError):
        HideRisky(**wrong)


def test_columns_that_are_not_there_are_refused():
    with pytest.raises(SchemaError):
        shoal.anonymize(people(1), HideRisky(columns="z"), [], no_promise=True, quasi=NAMES)
