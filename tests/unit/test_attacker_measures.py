"""Attackers and population uniqueness as measures, by hand."""

import pyarrow as pa
import pytest

import shoal
from shoal.errors import ParameterError
from shoal.measures import AttackerRisk, PopulationUniqueness


@pytest.fixture
def table():
    return shoal.read(pa.table({"x": [1, 1, 1, 2, 2, 3, 4]}), quasi=["x"])


@pytest.mark.parametrize(
    ("attacker", "value", "highest", "at_risk"),
    [("prosecutor", 4 / 7, 1.0, 2 / 7), ("journalist", 1 / 7, 0.25, 0.0), ("marketer", 1 / 7, None, None)],
)
def test_attackers_find_what_they_find(table, attacker, value, highest, at_risk):
    (found,) = shoal.score(table, measures=[AttackerRisk(attacker=attacker, threshold=0.5, fraction=0.25)])
    assert found.value == pytest.approx(value)
    assert (found.detail.get("highest"), found.detail.get("at_risk")) == (highest, at_risk)
    assert AttackerRisk.sentence(found.detail).endswith(".")


def test_each_estimator_gives_its_own_number(table):
    names = ("zayatz", "pitman", "snb", "dankar")
    found = {
        name: shoal.score(table, measures=[PopulationUniqueness(fraction=0.5, estimator=name)])[0] for name in names
    }
    detail = found["dankar"].detail
    for name in names:
        value = detail[name]
        assert found[name].value == (0.0 if value is None else value)
        assert ("nothing_to_measure" in found[name].detail) is (value is None)
        assert PopulationUniqueness.sentence(found[name].detail).endswith(".")
    assert detail["people"] == 14


def test_everybody_alone_cannot_be_estimated_by_a_model():
    alone = shoal.read(pa.table({"x": [1, 2, 3]}), quasi=["x"])
    (found,) = shoal.score(alone, measures=[PopulationUniqueness(estimator="pitman")])
    assert "every record is alone" in found.detail["nothing_to_measure"]


@pytest.mark.parametrize(
    "given", [{"attacker": "nobody"}, {"threshold": 2.0}, {"fraction": 0.0}, {"fraction": True}, {"threshold": "x"}]
)
def test_attackers_that_make_no_sense_are_refused(given):
    with pytest.raises(ParameterError):
        AttackerRisk(**given)


@pytest.mark.parametrize("given", [{"fraction": 2.0}, {"estimator": "guess"}])
def test_estimates_that_make_no_sense_are_refused(given):
    with pytest.raises(ParameterError):
        PopulationUniqueness(**given)
