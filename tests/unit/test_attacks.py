"""Attacks on releases: brute force on small random tables, and what they say and lack."""

import polars as pl
import pytest

import shoal
from shoal.attacks.residual import Rate, residual


def test_an_interval_is_that_of_wilson_and_its_error_goes_into_the_residual():
    rate, control = Rate(0.23, 100), Rate(0.1, 400)
    assert (rate.middle, rate.half) == pytest.approx((0.23998824451588613, 0.08155558571285167), abs=1e-15)
    left, low, high = residual(rate, control)
    error = ((rate.half / 0.9) ** 2 + (control.half * (0.23 - 1) / 0.81) ** 2) ** 0.5
    assert (left, low, high) == pytest.approx((0.13 / 0.9, 0.13 / 0.9 - error, 0.13 / 0.9 + error))
    assert residual(rate, None) == residual(rate, Rate(1.0)) == (None, None, None)


def test_what_an_attack_lacks_is_said_and_not_guessed():
    people = pl.DataFrame({"age": [34, 35, 61, 62]})
    found = shoal.attack(people, shoal.anonymize(people, quasi="age", k=2))
    lacking = [
        "linkability",
        "inference",
        "membership",
        "closest-rows",
        "shared-secrets",
        "several-rows",
        "intersection",
    ]
    assert [each["name"] for each in found["not_tried"]] == lacking
    single, *_ = found["attacks"]
    assert single["name"] == "singling out"
    assert single["control"] is single["residual"] is single["low"] is None
