"""Assumptions of the stand-in: each in its range, and drawn anew the same everywhere."""

from dataclasses import asdict, fields

import pytest

from shoal.errors import ParameterError
from shoal_paper.datasets.assumptions import Assumptions


def test_every_assumption_has_a_range_and_a_meaning():
    for field in fields(Assumptions):
        assert f"\n    {field.name}\n" in Assumptions.__doc__
        if field.name != "resample":
            assert field.metadata["low"] < field.default < field.metadata["high"]


def test_draws_differ_stay_in_range_and_are_the_same_everywhere():
    first, second = Assumptions.drawn(1), Assumptions.drawn(2)
    assert Assumptions.drawn(1) == first
    assert first.resample == 1
    assert all(asdict(first)[name] != value for name, value in asdict(second).items())
    assert (first.reach, first.returns) == (8.038612825507922, 0.1336383124551515)


def test_what_is_outside_its_range_is_refused():
    with pytest.raises(ParameterError, match="'scatter'"):
        Assumptions(scatter=2)
    with pytest.raises(ParameterError, match="'reach'"):
        Assumptions(reach=float("nan"))
    for number in (0, -1, 1 << 63):
        with pytest.raises(ParameterError, match="numbered from 1"):
            Assumptions.drawn(number)
