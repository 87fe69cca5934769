"""A red team on small tables: a release by each method against each attack, within the band that is to be expected."""

from functools import cache

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.catalogue import entries
from shoal.models import KAnonymity, LDiversity

QUASI, GRID = ["age", "zip", "sex"], {"age": 10, "zip": 200}


def people(n, seed):
    """Make people whose illness goes along with their age."""
    draw = np.random.default_rng(seed)
    age = draw.integers(0, 90, n)
    ill = np.where(draw.random(n) < 0.5, age // 20, draw.integers(0, 6, n))
    return pl.DataFrame(
        {"age": age, "zip": draw.integers(0, 2000, n), "sex": draw.choice(["f", "m"], n), "ill": ill}
    ).with_columns(pl.col("ill").cast(str))


TABLE = shoal.read(people(400, 1), quasi=QUASI, sensitive=["ill"])
OTHERS = people(150, 2)
# What classes of neighbours tell, and what wide ranges, levels and hidden cells do: low and high of the residual risk.
NEAR = {"inference draw": (0.05, 0.3), "membership": (0.3, 0.7), "dcr": (0.1, 0.5), "singling out": (0.3, 0.6)}
WIDE = {"inference draw": (-0.03, 0.04), "membership": (-0.15, 0.1), "dcr": (-0.05, 0.05), "singling out": (-0.1, 0.35)}
BANDS = {
    **dict.fromkeys(("hilbert", "mondrian", "mdav", "v-mdav", "secret-blind"), NEAR),
    **dict.fromkeys(("merge-clusters", "k-anonymity-first", "t-closeness-first"), NEAR),
    **dict.fromkeys(("sorted-clusters", "stratified-clusters", "suppress", "full-domain", "layers"), WIDE),
}
OTHER_VALUES = {
    "noise": {"inference draw": (0.0, 0.2), "membership": (-0.1, 0.1), "singling out": (0.0, 0.05)},
    "rank-swap": {"inference draw": (-0.05, 0.15), "membership": (-0.1, 0.2), "singling out": (0.0, 0.05)},
    "synthesize": {"inference draw": (-0.1, 0.1), "membership": (-0.1, 0.1), "singling out": (0.0, 0.05)},
}
WITHOUT_RANGES = ("suppress", "full-domain", "layers")  # they show values, nodes and *


@cache
def attacked(name, level=None, *, rounded=False):
    """Give what attacks find in a release by a method."""
    models = [KAnonymity(5), *([] if level is None else [LDiversity(level)])]
    beside = shoal.anonymize(TABLE, "mondrian", k=7, measures=[])
    release = shoal.anonymize(TABLE, name, models, ends=GRID if rounded else None, measures=[])
    tried = [each for each in entries("attacks") if each not in ("minimality", "several-rows")]
    found = shoal.attack(TABLE, release, holdout=OTHERS, beside=beside, attacks=tried)
    return {each["name"]: each for each in found["attacks"]}


def within(found, bands):
    wrong = {name: found[name]["residual"] for name, (a, b) in bands.items() if not a <= found[name]["residual"] <= b}
    assert not wrong


def test_every_method_that_forms_classes_is_attacked():
    assert {n for n, m in entries("methods").items() if {"k-anonymity", "l-diversity"} <= set(m.enforces)} == {
        *BANDS,
        "same-classes",  # which follows an earlier release: its own tests attack it
    }


@pytest.mark.parametrize("name", BANDS)
def test_k_anonymous_releases(name):
    found = attacked(name)
    within(found, BANDS[name])
    assert found["row order"]["rate"] == 0
    assert found["nearest record"]["rate"] <= 1 / 5 + 1e-9  # a class of five that all fit
    assert found["singling out"]["detail"]["without_secret"]["isolating"] == 0
    assert -0.02 <= found["intersection guess"]["residual"] <= 0.2  # Bayes may be wrong where classes are not by chance
    if name in WITHOUT_RANGES:
        assert "range ends" not in found
    else:
        assert found["range ends"]["rate"] > 0.8


@pytest.mark.parametrize("name", BANDS)
def test_diverse_releases(name):
    found = attacked(name, 3)
    assert found["homogeneity"]["rate"] == found["background"]["rate"] == 0


@pytest.mark.parametrize("name", ["hilbert", "mondrian", "mdav"])
def test_rounded_ends(name):
    found = attacked(name, rounded=True)
    assert found["range ends"]["rate"] < 0.4


@pytest.mark.parametrize("name", OTHER_VALUES)
def test_other_values(name):
    method = entries("methods")[name](**({"percent": 10} if name == "rank-swap" else {}))
    release = shoal.anonymize(TABLE, method, no_promise=True, seed=3, measures=[], allow_identifiers=TABLE.schema.names)
    tried = ["inference", "singling-out", "membership"]
    found = shoal.attack(TABLE, release, holdout=OTHERS, attacks=tried)
    within({each["name"]: each for each in found["attacks"]}, OTHER_VALUES[name])
