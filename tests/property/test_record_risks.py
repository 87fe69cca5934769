"""Individual, household and log-linear risk: known answers, definitions, and the same on all engines."""

from decimal import Decimal, getcontext
from math import log10

import numpy as np
import polars as pl
import pytest
from engines.tiny import Tiny
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.kernels.individual_risk import individual_risks
from shoal.measures import LogLinearRisk
from shoal.measures.log_linear_risk import population_risks
from shoal.measures.statistics.log_linear import main_effects, two_way
from shoal.models.record_risks import RecordRisks

SEVEN = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
FIVE = tuple(name for name in SEVEN if name not in ("electcon", "relat"))
EIGHT = {
    "a": [2, 3, 2, 2, 3, 3, 1, 2],
    "b": [3, 3, 3, 3, 3, 3, 4, 3],
    "c": [1, 3, 1, 2, 1, 1, 1, 1],
    "w": [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51.0],
}
TEN = [(2, 2, 5), (3, 1, 4), (2, 2, 4), (3, 2, 5), (3, 1, 4), (1, 2, 4), (2, 1, 3), (3, 1, 3), (2, 1, 2), (2, 2, 2)]


def exactly(records, people):
    """Follow the recursion from its start with as many digits as it loses."""
    p = records / people
    getcontext().prec = int(50 + records * max(0, log10(p / (1 - p))))
    people = Decimal(people)
    odds = records / (people - records)
    risk = odds * (people / records).ln()
    for f in range(2, records + 1):
        risk = odds * (Decimal(1) / (f - 1) - risk)
    return float(risk)


def test_the_risk_of_a_class_is_exact_for_many_and_few_and_whatever_the_fraction():
    for records in (1, 2, 5, 20, 100, 700):
        for p in (1e-6, 0.01, 0.3, 0.499, 0.5, 0.503, 0.6, 0.9, 0.99):
            found = individual_risks(np.array([float(records)]), np.array([records / p]))[0]
            assert found == pytest.approx(exactly(records, records / p), rel=1e-10), (records, p)
    assert individual_risks(np.array([4.0, 4.0]), np.array([4.0, 1.5])).tolist() == [0.25, 0.25]


def test_eight_records_have_the_published_risks():
    frame = pl.DataFrame(EIGHT)
    known = [0.01355297, 0.08579129, 0.01355297, 0.17707583, 0.01877883, 0.01877883, 0.03931625, 0.01355297]
    table = shoal.read(frame, quasi=["a", "b", "c"], weight="w")
    assert RecordRisks.of(table, "abc").of_records == pytest.approx(known, abs=5e-9)
    gone = frame.with_columns(pl.Series("a", [*EIGHT["a"][:7], None]), pl.Series("c", [1, 3, None, 2, 1, 1, None, 1]))
    known = [0.013552968, 0.085791288, 0.010504889, 0.032466112, 0.009756889, 0.009756889, 0.039316254, 0.005962551]
    table = shoal.read(gone, quasi=["a", "b", "c"], weight="w")
    assert RecordRisks.of(table, "abc").of_records == pytest.approx(known, abs=5e-10)


def test_households_of_the_census_are_at_the_known_risk(public_file):
    path = public_file("census/testdata.csv")
    for names, expected, household in ((FIVE, 1.526397, 7.172458), (SEVEN, 10.775525, 51.799591)):
        found = shoal.risk(path, quasi=names, weight="sampling_weight", household="ori_hid")["individual_risk"]
        assert (found["expected"], found["household_expected"]) == pytest.approx((expected, household), abs=5.1e-7)
        assert found["highest"] == pytest.approx(0.046517, abs=5e-7)


def test_ten_records_are_hardly_alone_in_the_population():
    """A widely used tool forgets to divide by the sampling fraction, and finds five of them."""
    table = shoal.read(pl.DataFrame(TEN, orient="row", schema=["a", "b", "c"]).with_columns(w=pl.lit(100.0)),
                       quasi=["a", "b", "c"], weight="w")  # fmt: skip
    found = shoal.score(table, measures=[LogLinearRisk(model="main effects")])[0].detail
    assert found["alone"] == 8
    assert found["alone_in_population"] == pytest.approx(2.5e-9, rel=0.01)
    observed, counts = np.unique(np.array(TEN), axis=0, return_counts=True)
    codes = np.stack([np.unique(column, return_inverse=True)[1] for column in observed.T], axis=1).astype(np.int32)
    forgotten = main_effects(codes, counts).expected[counts == 1]
    assert np.exp(-0.99 * forgotten).sum() / len(counts) == pytest.approx(0.552916, abs=5e-7)


def test_the_model_finds_how_many_are_alone_in_a_population_it_describes():
    draw = np.random.default_rng(11)
    shape, found, true = (12, 10, 9, 8, 6), [], []
    for _ in range(6):
        people = np.stack([draw.choice(k, 100_000, p=draw.dirichlet(np.full(k, 0.7))) for k in shape], axis=1)
        keys = np.ravel_multi_index(people.T, shape)
        sample = draw.choice(100_000, 1000, replace=False)
        in_sample = np.bincount(keys[sample], minlength=np.prod(shape))
        true.append(int(((in_sample == 1) & (np.bincount(keys, minlength=np.prod(shape)) == 1)).sum()))
        table = shoal.read(pl.DataFrame(people[sample], schema=list("abcde"), orient="row"), quasi=list("abcde"))
        found.append(shoal.score(table, measures=[LogLinearRisk(fraction=0.01)])[0].detail["alone_in_population"])
    assert sum(found) == pytest.approx(sum(true), rel=0.3)


def test_two_way_margins_are_met_and_too_many_cells_are_not_tried():
    draw = np.random.default_rng(3)
    observed, counts = np.unique(draw.integers(0, 3, (200, 4)), axis=0, return_counts=True)
    found = two_way(observed.astype(np.int32), counts)
    assert found.converged
    assert found.parameters == 1 + 4 * 2 + 6 * 4
    assert found.deviance <= main_effects(observed.astype(np.int32), counts).deviance
    assert two_way(observed.astype(np.int32), counts, most=20) is None
    both = np.array([[0, 0], [0, 1], [1, 1]], np.int32)  # of two columns, the model says what there is
    assert two_way(both, np.array([3, 1, 2])).expected == pytest.approx([3, 1, 2])


@st.composite
def surveys(draw):
    rows = draw(st.integers(1, 12))
    cells = st.lists(st.one_of(st.integers(0, 2), st.none()), min_size=rows, max_size=rows)
    weights = st.lists(st.sampled_from([0.5, 1.0, 3.25, 80.0]), min_size=rows, max_size=rows)
    return {"a": draw(cells), "b": draw(cells), "h": draw(cells), "w": draw(weights)}


@given(surveys())
def test_every_record_agrees_with_those_that_may_be_like_it(made):
    frame = pl.DataFrame(made, dict.fromkeys("abh", pl.Int64) | {"w": pl.Float64})
    roles = {"quasi": ["a", "b"], "weight": "w", "household": "h", "kinds": {"a": "integer", "b": "integer"}}
    table = shoal.read(frame, **roles)
    rows = range(len(made["w"]))

    def like(i, j):
        return all(None in (made[name][i], made[name][j]) or made[name][i] == made[name][j] for name in "ab")

    alike = [[j for j in rows if like(i, j)] for i in rows]
    risks = [
        individual_risks(np.array([float(len(them))]), np.array([sum(made["w"][j] for j in them)]))[0] for them in alike
    ]
    found = RecordRisks.of(table, ["a", "b"])
    assert found.of_records == pytest.approx(risks)
    members = [[j for j in rows if j == i or (made["h"][i] is not None and made["h"][j] == made["h"][i])] for i in rows]
    households = [1 - np.prod([1 - risks[j] for j in them]) for them in members]
    assert found.of_households(table, "h") == pytest.approx(households)
    elsewhere = shoal.read(frame, engine=Tiny(), **roles)
    again = RecordRisks.of(elsewhere, ["a", "b"])
    assert again.of_records.tolist() == found.of_records.tolist()
    assert again.expected == found.expected
    assert again.of_households(elsewhere, "h").tolist() == found.of_households(table, "h").tolist()
    sides = [shoal.score(each, measures=["log-linear-risk", "individual-risk"]) for each in (table, elsewhere)]
    assert sides[0] == sides[1]


def test_weights_that_are_none_are_refused_without_showing_them():
    frame = pl.DataFrame({"a": [1, 2, 3], "w": [10.0, None, 30.0], "n": [1.0, -770.0, 2.0], "t": ["x", "y", "z"]})
    with pytest.raises(DataError, match="without a weight in column 'w': 1"):
        shoal.risk(frame, quasi="a", weight="w")
    with pytest.raises(DataError, match="neither 0 nor from") as caught:
        shoal.risk(frame, quasi="a", weight="n")
    assert "770" not in str(caught.value)
    with pytest.raises(SchemaError, match="not hold numbers"):
        shoal.risk(frame, quasi="a", weight="t")
    for wrong in ({"fraction": 0}, {"model": "three-way"}):
        with pytest.raises(ParameterError):
            LogLinearRisk(**wrong)


def test_weights_scaled_to_a_mean_of_one_are_noticed():
    found = shoal.risk(pl.DataFrame({"a": [1, 1, 2], "w": [0.9, 0.6, 1.1]}), quasi="a", weight="w")
    assert any("scaled to a mean of one" in line for line in found.remarks())
    assert found["individual_risk"]["household_expected"] is None


def test_nobody_else_in_the_population_means_a_match_is_right():
    alone, right = population_risks(np.array([2.0, 2.0]), np.array([1.0, 0.5]))
    assert (alone[0], right[0]) == (1, 1)
    assert right[1] == pytest.approx((1 - np.exp(-2)) / 2)
