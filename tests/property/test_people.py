"""With a subject column every model counts people: levels, and what methods release, against plain Python."""

from collections import defaultdict

import numpy as np
import pyarrow as pa
import pytest
from engines.pools import Memory
from engines.tiny import Tiny
from hypothesis import event, given, settings
from hypothesis import strategies as st
from property.people import is_sure_without, keeps, level, strangers

import shoal
from shoal.domains.hierarchy import Hierarchy
from shoal.engines.disk.pool import DiskPool
from shoal.engines.local import Local
from shoal.engines.parts.engine import PartsEngine

TREE = Hierarchy.of((("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")), "ill")
DIVERSITY = (
    shoal.models.AlphaK(0.6, "ill"), shoal.models.LDiversity(2, "ill"), shoal.models.LDiversity(3, "ill"),
    shoal.models.LDiversity(1.7, "ill", "entropy"), shoal.models.LDiversity(2, "ill", "recursive", 2.5),
    shoal.models.LDiversity(3, "ill", "recursive", 4.0),
)  # fmt: skip
KINDS = {
    shoal.models.TCloseness(0.3, "charge", "ordered-distinct"): "ordered-distinct",
    shoal.models.TCloseness(0.3, "charge", "ordered-records"): "ordered-records",
    shoal.models.TCloseness(0.4, "ill", "variation"): "variation",
    shoal.models.TCloseness(0.3, "ill", "hierarchical"): "hierarchical",
}
MODELS = (*DIVERSITY, *KINDS)
WAYS = (
    shoal.methods.SortedClusters(), shoal.methods.StratifiedClusters(), shoal.methods.Hilbert(),
    shoal.methods.Hilbert(quality=3, keep_exact=False),
    shoal.methods.Mondrian(), shoal.methods.MDAV(), shoal.methods.MDAV(keep_exact=True), shoal.methods.VMDAV(),
    shoal.methods.OptimalUnivariate(),
    shoal.methods.MergeClusters(), shoal.methods.KAnonymityFirst(), shoal.methods.TClosenessFirst(),
)  # fmt: skip


@st.composite
def visits(draw, *, least=2, most=30, gaps=True):
    """Draw records of few people, with a numeric and a categorical secret that may be missing."""
    n = draw(st.integers(least, most))
    people = draw(st.integers(1, 12))
    missing = gaps and draw(st.booleans())

    def column(one):
        return draw(st.lists(st.none() | one if missing else one, min_size=n, max_size=n))

    return {
        "who": [f"p{i:02}" for i in draw(st.lists(st.integers(1, people), min_size=n, max_size=n))],
        "age": draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)),
        "charge": column(st.integers(0, 4)),
        "ill": column(st.sampled_from("abcd")),
    }


def read(columns, engine=None, **roles):
    kinds = {"who": pa.string(), "age": pa.int64(), "charge": pa.int64(), "ill": pa.string()}
    table = pa.table({name: pa.array(column, kinds[name]) for name, column in columns.items()})
    roles = {
        "quasi": ["age"],
        "sensitive": ["ill"],
        "plain": ["charge"],
        "subject": "who",
        "hierarchies": {"ill": TREE},
    } | roles
    return shoal.read(table, engine=engine, **roles)


def asked(columns, models):
    """Give those models that can be asked of a table: a column without any value has neither order nor hierarchy."""
    return [model for model in models if any(value is not None for value in columns[model.column])]


def rows_of(columns, model, rows):
    name = getattr(model, "column", None) or "ill"
    return [(columns["who"][row], columns[name][row]) for row in rows]


def levels_of(columns, model, groups):
    everyone = rows_of(columns, model, range(len(columns["who"])))
    return [level(model, rows_of(columns, model, rows), everyone, KINDS.get(model, ""), TREE) for rows in groups]


def by_cells(columns):
    found = defaultdict(list)
    for row, cell in enumerate(columns):
        found[cell].append(row)
    return list(found.values())


@given(visits(), st.integers(1, 6))
def test_levels_are_those_of_plain_python(columns, wide):
    columns["age"] = [age // wide for age in columns["age"]]
    table = read(columns)
    for verdict in shoal.models.check(table, [shoal.models.KAnonymity(2), *asked(columns, MODELS)]):
        found = levels_of(columns, verdict.model, by_cells(columns["age"]))
        assert verdict.level == pytest.approx(verdict.model.worst(np.array(found)), abs=1e-12)
        assert verdict.failing == sum(not keeps(verdict.model, one) for one in found)


@given(visits(most=9))
def test_nobody_is_sure_of_a_value_who_rules_out_fewer_than_the_level(columns):
    rows = [(person, value) for person, value in zip(columns["who"], columns["ill"], strict=True)]
    for ruled_out in range(strangers(rows) - 1):
        assert not is_sure_without(rows, ruled_out)


@given(visits(least=4), st.sampled_from(WAYS), st.lists(st.sampled_from(MODELS), min_size=1, max_size=3), st.data())
@settings(max_examples=150)
def test_what_is_released_keeps_every_promise_by_people_or_is_refused(columns, method, models, data):
    k = data.draw(st.integers(2, 3))
    models = [shoal.models.KAnonymity(k), *asked(columns, dict.fromkeys(models))]
    whole = [range(len(columns["who"]))]
    try:
        release = shoal.anonymize(read(columns), method, models)
    except (shoal.errors.GuaranteeError, shoal.errors.ParameterError):
        event("refused")
        assert not all(keeps(model, levels_of(columns, model, whole)[0]) for model in models)
        return
    event(f"released by {method.name}")
    groups = by_cells(map(str, release.table.to_arrow(cells="text")["age"].to_pylist()))
    for verdict in release.verdicts:
        found = levels_of(columns, verdict.model, groups)
        assert all(keeps(verdict.model, one) for one in found), verdict.model
        assert verdict.holds
        assert verdict.level == pytest.approx(verdict.model.worst(np.array(found)), abs=1e-12)


@given(
    columns=visits(least=4, most=40),
    method=st.sampled_from(WAYS),
    models=st.lists(st.sampled_from(MODELS), min_size=1, max_size=2),
)
@settings(max_examples=15)
def test_people_are_counted_alike_wherever_a_table_is_held(columns, method, models, tmp_path_factory):
    models = [shoal.models.KAnonymity(2), *asked(columns, dict.fromkeys(models))]
    engines = (Local(), Tiny(DiskPool(tmp_path_factory.mktemp("parts")), 5), PartsEngine(Memory(), 7))
    found = []
    for engine in engines:
        try:
            release = shoal.anonymize(read(columns, engine), method, models)
            found.append((release.table.to_arrow(cells="text").to_pydict(), release.verdicts))
        except shoal.ShoalError as error:
            found.append(str(error))
    assert found[0] == found[1] == found[2]


@given(visits())
def test_the_risk_of_people_is_the_same_wherever_a_table_is_held(tmp_path_factory, columns):
    engines = (Local(), Tiny(DiskPool(tmp_path_factory.mktemp("parts")), 5), PartsEngine(Memory(), 7))
    found = [shoal.risk(read(columns, engine), threshold=0.2, population_size=1000) for engine in engines]
    assert found[0] == found[1] == found[2]
    assert found[0]["of_one_person"] >= found[0]["unique"]
    assert found[0]["fewest_people"] <= found[0]["smallest_class"]


@given(visits(least=4), st.sampled_from(WAYS), st.lists(st.sampled_from(MODELS), min_size=1, max_size=3))
@settings(max_examples=80)
def test_one_record_each_is_released_as_without_people(columns, method, models):
    columns["who"] = [f"p{i:02}" for i in range(len(columns["who"]))]
    models = [shoal.models.KAnonymity(2), *asked(columns, dict.fromkeys(models))]
    found = []
    for roles in ({}, {"subject": None, "identifier": ["who"]}):
        try:
            release = shoal.anonymize(read(columns, **roles), method, models)
            # Of records that are equal but for who they are any may stand for another, and by ordered records the level
            # goes by which of them does.
            levels = [
                (verdict.failing, verdict.classes, None if "ordered-records" in repr(verdict.model) else verdict.level)
                for verdict in release.verdicts
            ]
            rows = release.table.to_arrow(cells="text").to_pylist()
            found.append((sorted(map(str, rows)), levels))
        except shoal.ShoalError as error:
            found.append(type(error))
    assert found[0] == found[1]
