"""Private averages: sensitivities against brute force, the published numbers, and what must be refused."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from public_files import CODED, find

import shoal
from shoal.errors import ParameterError, SchemaError
from shoal.methods.private.class_noise import ClassNoise
from shoal.methods.private.declared_columns import UnitsOf
from shoal.methods.private.declared_domains import Listed, Steps, domain_of
from shoal.methods.private_averages import PrivateAverages, _key, _sums
from shoal.private.mechanisms import NoiseMechanism

pytest.importorskip("opendp")


def sums_of(rows, method):
    """Give the exact sums of all classes, before any noise."""
    frame = pl.DataFrame({name: [row[j] for row in rows] for j, name in enumerate("ab"[: len(rows[0])])})
    table = shoal.read(frame, quasi=frame.columns)
    plan = method._plan(table.schema, table.rows, method.k)
    units = UnitsOf.of(plan.domains, table.schema)
    return _sums(table, plan, units, table.rank([_key(table, plan, units)], every=plan.size)), plan


values = st.integers(-2, 12)  # two beyond each end of what is declared


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(st.tuples(values, values), min_size=4, max_size=14), new=st.tuples(values, values), data=st.data())
def test_one_replacement_changes_sums_no_more_than_is_said_and_each_class_by_one_record(rows, new, data):
    method = PrivateAverages({"a": "0..10", "b": "0..10"}, k=2, rho=0.5)
    at = data.draw(st.integers(0, len(rows) - 1))
    before, plan = sums_of(rows, method)
    after, _ = sums_of([*rows[:at], new, *rows[at + 1 :]], method)
    changes = np.abs(after - before)
    for j, name in enumerate("ab"):
        noise = plan.noise(name)
        assert changes[:, j].max() <= 10
        assert changes[:, j].sum() <= noise.l1 == (len(rows) // 2) * 10
        assert (changes[:, j] ** 2).sum() <= noise.l2_squared == (len(rows) // 2) * 100


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(values, min_size=4, max_size=17), new=values, k=st.integers(2, 4), data=st.data())
def test_sums_of_a_column_by_itself_change_by_its_range_at_most(rows, new, k, data):
    method = PrivateAverages(
        {"a": "0..10"}, k=k, rho=0.5, ranking=data.draw(st.sampled_from(["hilbert", "individual"]))
    )
    at = data.draw(st.integers(0, len(rows) - 1))
    before, plan = sums_of([(value,) for value in rows], method)
    after, _ = sums_of([(value,) for value in [*rows[:at], new, *rows[at + 1 :]]], method)
    assert np.abs(after - before).sum() <= plan.noise("a").l1 == 10
    assert plan.noise("a").l2_squared == 100


def test_both_sensitivities_are_attained():
    """The last of a row of classes is replaced by what comes first: every class passes one record on."""
    one = PrivateAverages({"a": "0..10"}, k=2, rho=1)
    rows = [(0,), (0,), (0,), (10,), (10,), (10,)]
    before, plan = sums_of(rows, one)
    after, _ = sums_of([(0,), (0,), (0,), (10,), (10,), (0,)], one)
    assert np.abs(after - before).sum() == plan.noise("a").l1 == 10
    # Along the curve each class can swap a record for its opposite: (0, 0) .. (10, 0) in one column, ends of the other.
    assert ClassNoise(10, 3, 2, False, "gaussian", Fraction(1)).l2_squared == 300


def test_published_sensitivities_come_out():
    """n = 30,162 and k = 500: g = 60, L1 = 0.12 Δ, L2 = 0.0154919 Δ."""
    noise = ClassNoise(1000, 30162 // 500, 500, False, "gaussian", Fraction(1, 6))
    terms = noise.terms(Fraction(1))["averages"]
    assert noise.classes == 60
    assert terms["l1"] / 1000 == pytest.approx(0.12)
    assert terms["l2"] / 1000 == pytest.approx(0.0154919, abs=5e-8)
    assert terms["scale"] / 1000 == pytest.approx(math.sqrt(60) / (500 * math.sqrt(2 * 0.5 / 3)))


@given(st.integers(1, 10**9), st.integers(1, 10**4), st.fractions(Fraction(1, 10**6), 50), st.booleans())
def test_the_scale_is_the_smallest_that_costs_no_more_than_the_loss(steps, classes, loss, pure):
    noise = ClassNoise(steps, classes, 5, False, "laplace" if pure else "gaussian", loss)

    def cost(scale):
        if pure:
            return Fraction(noise.l1) / Fraction(scale)
        return Fraction(noise.l2_squared) / (2 * Fraction(scale) ** 2)

    assert cost(noise.scale) <= loss
    smaller = noise.scale * (1 - 1e-15)
    assert cost(smaller) > loss * (1 - Fraction(1, 10**12))


def test_adult_comes_out_as_published(tmp_path):
    """ρ = ½, k = 500: mean squared error 0.113 in units of the variance, of which 0.0965 within classes (±10 %)."""
    names = ["age", "education", "occupation"]
    frame = pl.read_csv(find(CODED, tmp_path), separator=";").select(names)
    domains = {name: f"{frame[name].min()}..{frame[name].max()} step 0.01" for name in names}
    table = shoal.read(frame, quasi=names)
    method = PrivateAverages(domains, k=500, rho=0.5)
    plan = method._plan(table.schema, table.rows, 500)
    units = UnitsOf.of(plan.domains, table.schema)
    labels = table.rank([_key(table, plan, units)], every=500)
    sums, sizes = _sums(table, plan, units, labels), plan.sizes()
    assert sums.shape == (60, 3)
    errors, inside = [], []
    for j, name in enumerate(names):
        domain, values = plan.domains[name], frame[name].to_numpy()
        exact = float(domain.lowest) + sums[:, j] / sizes * float(domain.step)
        rounds = []
        for _ in range(30):
            noisy = np.array(plan.noise(name).noise.added(sums[:, j].tolist())) / sizes
            shown = float(domain.lowest) + np.clip(np.rint(noisy), 0, domain.last) * float(domain.step)
            rounds.append(((shown - exact) ** 2 * sizes).sum())
        total = (values.astype(float) ** 2).sum() - (exact**2 * sizes).sum()
        inside.append(total / values.size / values.var())
        errors.append((total + np.mean(rounds)) / values.size / values.var())
    assert np.mean(inside) == pytest.approx(0.0965, rel=0.01)
    assert np.mean(errors) == pytest.approx(0.113, rel=0.1)


def test_classes_are_released_as_often_as_they_have_records(monkeypatch):
    monkeypatch.setattr(NoiseMechanism, "added", lambda self, numbers: list(numbers))
    table = shoal.read(pl.DataFrame({"a": [0, 0, 4, 4, 8, 9, 10], "b": [0, 2, 4, 4, 8, 8, 8]}), quasi=["a", "b"])
    release = shoal.anonymize(table, PrivateAverages({"a": "0..10", "b": "0..8"}, k=3, rho=1))
    counted = release.to_polars().group_by("a", "b").len().sort("len")["len"].to_list()
    assert counted == [3, 4]
    assert release.to_polars().sort("a").rows() == [(1, 2)] * 3 + [(8, 7)] * 4


def test_k_anonymity_asks_for_the_size_of_classes_and_is_proved(tmp_path):
    table = shoal.read(pl.DataFrame({"a": range(40)}), quasi=["a"])
    release = shoal.anonymize(table, PrivateAverages({"a": "0..40 step 0.1"}, epsilon=2), k=10)
    release.write(tmp_path / "out.csv")
    proof = shoal.verify(tmp_path / "out.csv")
    assert proof.promised == ("k-anonymity (10)", "differential-privacy")
    assert "ε = 2" in proof.stated[0]


def test_individual_ranking_of_several_columns_is_refused_with_the_reason():
    """Four records, k = 2: which classes of a and b share records changes for certain when (2, 2) becomes (2, 9)."""
    frame = pl.DataFrame({"a": [1, 2, 8, 9], "b": [1, 2, 8, 9]})

    def shared(rows):
        places = [np.argsort(np.argsort(rows[name].to_numpy(), kind="stable")) // 2 for name in "ab"]
        return np.bincount(places[0] * 2 + places[1], minlength=4).tolist()

    assert shared(frame) == [2, 0, 0, 2]
    assert shared(pl.DataFrame({"a": [1, 2, 8, 9], "b": [1, 9, 8, 9]})) == [1, 1, 1, 1]
    method = PrivateAverages({"a": "0..10", "b": "0..10"}, k=2, rho=1, ranking="individual")
    with pytest.raises(ParameterError, match="not differentially private: which classes of one column share records"):
        shoal.anonymize(frame, method, quasi=["a", "b"])
    assert shoal.anonymize(frame, PrivateAverages({"a": "0..10"}, k=2, rho=1, ranking="individual"), quasi=["a"]).holds


def test_what_is_no_average_or_no_class_is_refused():
    frame = pl.DataFrame({"a": [1, 2, 3], "c": ["x", "y", "x"]})
    with pytest.raises(SchemaError, match="categories have no average"):
        shoal.anonymize(frame, PrivateAverages({"c": "x,y"}, k=2, rho=1), quasi=["c"])
    with pytest.raises(ParameterError, match="fewer than the 5"):
        shoal.anonymize(frame, PrivateAverages({"a": "0..4"}, k=5, rho=1), quasi=["a"])
    with pytest.raises(ParameterError, match="how large classes"):
        shoal.anonymize(frame, PrivateAverages({"a": "0..4"}, rho=1), quasi=["a"])
    with pytest.raises(SchemaError, match="There is no column 'z'"):
        shoal.anonymize(frame, PrivateAverages({"a": "0..4", "z": "0..1"}, k=2, rho=1), quasi=["a"])
    with pytest.raises(SchemaError, match="declared as numbers, but is category"):
        shoal.anonymize(frame, PrivateAverages({"c": "0..4"}, k=2, rho=1), quasi=["c"])
    for wrong in ({"k": 1}, {"k": True}, {"rho": 1, "epsilon": 1}, {"rho": 1, "delta": 1}, {"ranking": "mdav"}):
        with pytest.raises(ParameterError):
            PrivateAverages({"a": "0..4"}, **wrong)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("17..90", Steps(Fraction(17), Fraction(1), 73)),
        ("-1.5..1.5 step 0.5", Steps(Fraction(-3, 2), Fraction(1, 2), 6)),
        ("2009-01-01..2009-01-31 step 10", Steps(Fraction(14245), Fraction(10), 3, days=True)),
        ('female, male,"x, y"', Listed(("female", "male", "x, y"))),
    ],
)
def test_domains_are_read(text, expected):
    assert domain_of("c", text) == expected


@pytest.mark.parametrize(
    "text", ["", "5..5", "9..3", "0..1 step 0", "0..1 step 0.3", "a..b", "0..1 step x", "a,,b", "a,a", "0..9999999999",
             "2009-02-30..2009-03-01", 7, "2009-01-01..2009-01-02 step 0.5"],
)  # fmt: skip
def test_domains_that_are_none_are_refused(text):
    with pytest.raises(ParameterError):
        domain_of("c", text)


def test_values_of_steps_are_written_as_they_are_declared():
    steps = domain_of("c", "0..1 step 0.1")
    assert [repr(value) for value in steps.values(np.arange(11)).tolist()] == [
        *(f"0.{tenth}" for tenth in range(10)), "1.0",
    ]  # fmt: skip
    assert all(a < b for a, b in pairwise(steps.values(np.arange(11))))
