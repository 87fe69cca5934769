"""PRAM on tables: counts kept exactly and on average, strata, what is published and what is estimated by it."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from public_files import find

import shoal
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.methods import Pram
from shoal.methods.perturbation.published_matrices import estimated_counts
from shoal.methods.perturbation.transition_matrices import even, invariant, milder

KEYS = ["urbrur", "roof", "walls", "water", "sex"]


def release(frame, method, seed=1, **roles):
    roles = roles or {"quasi": frame.columns}
    return shoal.anonymize(shoal.read(frame, **roles), method, no_promise=True, measures=[], seed=seed)


def values(made):
    return made.to_polars(row_order="input")


def counts(frame, *names):
    return {row[:-1]: row[-1] for row in frame.group_by(names).len().rows()}


@pytest.fixture(scope="module")
def households(tmp_path_factory):
    path = find("census/testdata.csv", tmp_path_factory.mktemp("data"))
    return pl.read_csv(path, columns=KEYS).cast(pl.String)


def test_exact_pram_keeps_every_count_of_every_stratum(households):
    for strata in (None, ["urbrur"], ["urbrur", "sex"]):
        named = ["roof", "walls"]
        made = release(households, Pram(named, "exact", strata=strata))
        after = values(made)
        for name in named:
            by = (*(strata or ()), name)
            assert counts(after, *by) == counts(households, *by)
            assert (after[name] != households[name]).mean() > 0.02
        assert after.select("urbrur", "water", "sex").equals(households.select("urbrur", "water", "sex"))


def test_invariant_pram_keeps_counts_on_average_and_plain_pram_does_not(households):
    true = households["roof"].value_counts().sort("roof")["count"].to_numpy()
    matrix = invariant(true, even(5, 0.8))
    runs = 40
    for kind, expected, draws in (("invariant", true, matrix), ("plain", true @ even(5, 0.8), even(5, 0.8))):
        table = shoal.read(households, quasi=households.columns)
        found = np.zeros((runs, 5))
        for seed in range(runs):
            after = Pram(["roof"], kind).apply(table, (), seed)
            found[seed] = after.counts("roof")[1]
        spread = np.sqrt((true[:, None] * draws * (1 - draws)).sum(axis=0) / runs)
        assert (np.abs(found.mean(axis=0) - expected) < 5 * spread).all()


def test_a_value_stays_at_least_as_often_as_asked_for(households):
    after = values(release(households, Pram(["roof"], keep=0.9)))
    true = households["roof"].value_counts().sort("roof")
    matrix = milder(invariant(true["count"].to_numpy(), even(5, 0.8)), 0.9)
    for i, (value, n) in enumerate(true.rows()):
        stayed = (after.filter(households["roof"] == value)["roof"] == value).sum()
        share = matrix[i, i]
        assert abs(stayed - n * share) < 5 * np.sqrt(n * share * (1 - share)) + 1e-9


def test_plain_pram_publishes_what_original_counts_are_estimated_by(households, tmp_path):
    made = release(households, Pram(["roof", "walls"], "plain", stay=0.9))
    made.write(tmp_path / "out.csv")
    paper = json.loads((tmp_path / "out.certificate.json").read_text(encoding="utf-8"))
    (remark,) = paper["remarks"]
    assert remark["said"] == "Original counts of roof, walls can be estimated by the matrices in the certificate."
    ((entry,), _) = remark["matrices"]["roof"], remark["matrices"]["walls"]
    assert entry["matrix"][0] == [0.9, 0.025, 0.025, 0.025, 0.025]
    released = dict(pl.read_csv(tmp_path / "out.csv", infer_schema=False)["roof"].value_counts().rows())
    true = dict(households["roof"].value_counts().rows())
    for value, (count, error) in estimated_counts(entry, released).items():
        assert abs(count - true[value]) < 5 * error
    assert paper["preserved"] == [{"method": "pram", "changes": ["roof", "walls"], "exactly": [], "in_expectation": []}]


def test_strata_have_matrices_of_their_own(tmp_path):
    frame = pl.DataFrame({"place": ["a"] * 6 + ["b"] * 4, "kind": ["x", "x", "x", "y", "y", "y", "x", "x", "z", "z"]})
    made = release(frame, Pram(["kind"], "plain", strata="place"), seed=3)
    ((public, _),) = made.table.remarks
    entries = public["matrices"]["kind"]
    assert [(e["stratum"], e["values"]) for e in entries] == [(["a"], ["x", "y"]), (["b"], ["x", "z"])]
    after = values(made)
    assert set(after.filter(pl.col("place") == "b")["kind"]) <= {"x", "z"}


def test_a_matrix_that_hides_too_much_offers_no_estimate():
    frame = pl.DataFrame({"kind": ["x", "y"] * 10})
    matrix = {"kind": {"x": {"x": 0.5, "y": 0.5}, "y": {"x": 0.5, "y": 0.5}}}
    ((public, _),) = release(frame, Pram(kind="plain", matrix=matrix)).table.remarks
    assert not public["matrices"]["kind"][0]["estimable"]
    assert public["said"] == "Those of kind cannot be estimated: the matrix is singular or nearly so."
    with pytest.raises(DataError, match="singular"):
        estimated_counts(public["matrices"]["kind"][0], {"x": 12, "y": 8})


def test_a_matrix_of_ones_own_is_used():
    frame = pl.DataFrame({"kind": ["x", "y", "z"] * 10})
    rows = {"x": {"y": 1.0}, "y": {"z": 1.0}, "z": {"x": 1.0}, "never": {"never": 1.0}}
    after = values(release(frame, Pram(["kind"], "plain", matrix={"kind": rows})))
    assert after["kind"].to_list() == ["y", "z", "x"] * 10


def test_codes_are_exchanged_where_they_are_named_and_other_cells_stay():
    frame = pl.DataFrame({"code": [1, 2, None] * 40, "size": [0.5, 1.5, 2.5] * 40})
    after = values(release(frame, Pram(["code"], stay=0.5)))
    assert after["code"].is_null().to_list() == frame["code"].is_null().to_list()
    assert after["code"].drop_nulls().unique().sort().to_list() == [1, 2]
    assert after["size"].equals(frame["size"])
    assert (after["code"] != frame["code"]).sum() > 10


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["x", "y", "z", None])), min_size=1, max_size=40),
    st.integers(0, 2**40),
    st.floats(0.05, 1),
)
def test_exact_pram_keeps_counts_of_any_table(rows, seed, stay):
    frame = pl.DataFrame(rows, schema={"place": pl.String, "kind": pl.String}, orient="row")
    table = shoal.read(frame, quasi=["kind", "place"], kinds={"kind": "category", "place": "category"})
    after = Pram(["kind"], "exact", stay=stay, strata=("place",)).apply(table, (), seed)
    assert counts(after.to_polars(), "place", "kind") == counts(table.to_polars(), "place", "kind")


def test_what_cannot_be_meant_is_refused():
    with pytest.raises(ParameterError, match="above 0"):
        Pram(stay=80)
    with pytest.raises(ParameterError, match="no PRAM of kind"):
        Pram(kind="other")
    with pytest.raises(ParameterError, match="sum to 1"):
        Pram(matrix={"kind": {"x": {"x": 0.5}}})
    with pytest.raises(ParameterError, match="each column and value"):
        Pram(matrix={"kind": [0.5, 0.5]})
    frame = pl.DataFrame({"n": [1.5, 2.5], "kind": ["x", "y"]})
    with pytest.raises(SchemaError, match="no column of categories"):
        release(frame, Pram(), quasi=["n"])
    with pytest.raises(ParameterError, match="both exchanged and a stratum"):
        release(frame, Pram(["kind"], strata=["kind"]))
    with pytest.raises(ParameterError, match="no row for 1 of the 2 values"):
        release(frame, Pram(["kind"], matrix={"kind": {"x": {"x": 1}}}))
    with pytest.raises(ParameterError, match="is not changed"):
        release(frame, Pram(["kind"], matrix={"n": {}}))
    many = pl.DataFrame({"n": list(range(2000))})
    with pytest.raises(SchemaError, match="too many"):
        release(many, Pram(["n"]))
    with pytest.raises(DataError, match="2 of the counted values"):
        estimated_counts({"values": ["x"], "matrix": [[1.0]]}, {"a": 1, "b": 2})
