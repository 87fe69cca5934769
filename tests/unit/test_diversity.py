"""l-diversity and (α, k)-anonymity: the definitions, worked examples, and enforcement."""

import math
from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import GuaranteeError, ParameterError, SchemaError


def level(values, model):
    table = shoal.read(pl.DataFrame({"x": [1] * len(values), "ill": values}), quasi=["x"], sensitive=["ill"])
    return shoal.models.check(table, [model])[0]


@pytest.mark.parametrize(
    ("values", "model", "expected", "holds"),
    [
        (list("aabc"), shoal.models.LDiversity(3), 3, True),
        (list("aabc"), shoal.models.LDiversity(4), 3, False),
        (list("aabc"), shoal.models.LDiversity(2.8, kind="entropy"), 2 * 2**0.5, True),
        (list("aabc"), shoal.models.LDiversity(2.9, kind="entropy"), 2 * 2**0.5, False),
        (list("aaab"), shoal.models.LDiversity(1.7, kind="entropy"), 1.7547654, True),
        (list("abcd"), shoal.models.LDiversity(4, kind="entropy"), 4, True),
        (list("aabc"), shoal.models.LDiversity(2, kind="recursive", c=1), 1, False),
        (list("aabc"), shoal.models.LDiversity(2, kind="recursive", c=1.01), 1, True),
        (list("aabc"), shoal.models.LDiversity(3, kind="recursive", c=2), 2, False),
        (list("aaab"), shoal.models.AlphaK(0.75), 0.75, True),
        (list("aaab"), shoal.models.AlphaK(0.7), 0.75, False),
        (["a", "b", None, None], shoal.models.AlphaK(0.7), 0.75, False),  # what is missing may be the same value
        (["a", "b", None, None], shoal.models.LDiversity(2), 2, True),
        ([None, None], shoal.models.LDiversity(2), 1, False),
    ],
)
def test_levels_are_those_of_the_definitions(values, model, expected, holds):
    found = level(values, model)
    assert found.level == pytest.approx(expected)
    assert found.holds is holds


WAYS = [
    shoal.methods.SortedClusters,
    shoal.methods.StratifiedClusters,
    shoal.methods.Hilbert,
    shoal.methods.Mondrian,
    shoal.methods.MDAV,
    shoal.methods.VMDAV,
]
WAYS += [shoal.methods.MergeClusters, shoal.methods.KAnonymityFirst, shoal.methods.TClosenessFirst]
rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9), st.sampled_from("abcd")), min_size=8, max_size=40)


@given(rows, st.sampled_from(["distinct", "entropy", "recursive"]), st.sampled_from(WAYS))
def test_classes_are_diverse_by_the_definition_or_the_request_is_refused(rows, kind, way):
    frame = pl.DataFrame(rows, schema={"x": pl.Int64, "y": pl.Int64, "ill": pl.String}, orient="row")
    table = shoal.read(frame, quasi=["x", "y"], sensitive=["ill"])
    method = way()
    models = [shoal.models.KAnonymity(2), shoal.models.LDiversity(2, kind=kind, c=2.5), shoal.models.AlphaK(0.8)]
    whole = Counter(row[2] for row in rows)
    try:
        release = shoal.anonymize(table, method, models)
    except GuaranteeError:
        assert not _diverse(whole, kind) or max(whole.values()) / len(rows) > 0.8
        return
    released = release.to_pandas(row_order="input")
    for _, group in released.groupby(["x", "y"]):
        counts = Counter(group["ill"])
        assert len(group) >= 2
        assert _diverse(counts, kind)
        assert max(counts.values()) / len(group) <= 0.8


def _diverse(counts, kind):
    ordered = sorted(counts.values(), reverse=True)
    n = sum(ordered)
    if kind == "distinct":
        return len(ordered) >= 2
    if kind == "entropy":
        return math.exp(-sum(c / n * math.log(c / n) for c in ordered)) >= 2 * (1 - 1e-9)
    return ordered[0] < 2.5 * sum(ordered[1:])


def test_what_cannot_be_kept_is_refused_with_what_could_be():
    frame = pl.DataFrame({"x": range(12), "ill": ["a"] * 9 + ["b"] * 3})
    table = shoal.read(frame, quasi=["x"], sensitive=["ill"])
    for model, said in (
        (shoal.models.LDiversity(3), "l of at most 2"),
        (shoal.models.AlphaK(0.5), "alpha of at least 0.75"),
    ):
        with pytest.raises(GuaranteeError, match=said):
            shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2), model])


@pytest.mark.parametrize("l", [1, 0, 2.5, True, "3", float("inf")])
def test_an_l_that_means_nothing_is_refused(l):  # noqa: E741
    with pytest.raises(ParameterError):
        shoal.models.LDiversity(l)


def test_other_parameters_that_mean_nothing_are_refused():
    for make in (
        lambda: shoal.models.LDiversity(2, kind="some"), lambda: shoal.models.LDiversity(2, kind="recursive", c=0),
        lambda: shoal.models.AlphaK(0), lambda: shoal.models.AlphaK(1.5),
        lambda: shoal.models.LDiversity(1, kind="entropy"),
    ):  # fmt: skip
        with pytest.raises(ParameterError):
            make()


def test_the_column_must_be_confidential():
    table = shoal.read(pl.DataFrame({"x": [1, 2], "y": [1, 2]}), quasi=["x", "y"])
    for model in (shoal.models.LDiversity(2), shoal.models.LDiversity(2, "x"), shoal.models.AlphaK(0.5, "x")):
        with pytest.raises(SchemaError):
            shoal.models.check(table, [model])
