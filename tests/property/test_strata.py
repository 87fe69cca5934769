"""t-closeness along the curve: one record from each stratum, matched in all quasi-identifiers; and hierarchies."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property.independent import ordered_distance

import shoal
from shoal.domains.hierarchy import Hierarchy
from shoal.kernels.strata_matching import match_strata

rows = st.lists(
    st.tuples(st.integers(0, 20), st.one_of(st.none(), st.integers(0, 5)), st.sampled_from("abc"), st.integers(0, 9)),
    min_size=6,
    max_size=60,
)


@given(rows, st.integers(2, 4), st.sampled_from([0.15, 0.3, 0.6]))
def test_classes_are_crowds_and_close_by_the_definition(rows, k, t):
    frame = pl.DataFrame(rows, schema=["x", "y", "z", "charge"], orient="row")
    table = shoal.read(frame, quasi=["x", "y", "z"], sensitive=["charge"], kinds={"y": "integer"})
    release = shoal.anonymize(
        table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(k), shoal.models.TCloseness(t, "charge")]
    )
    shown = release.to_pandas(row_order="input")
    bins = {value: i for i, value in enumerate(sorted({row[3] for row in rows}))}
    whole = [bins[row[3]] for row in rows]
    for _, group in shown.groupby(["x", "y", "z"], dropna=False):
        assert len(group) >= k
        assert ordered_distance([bins[value] for value in group["charge"]], whole) <= t + 1e-12


@given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 3))
def test_every_record_of_every_stratum_gets_a_place(groups, strata, seed):
    draw = np.random.Generator(np.random.PCG64(seed))
    rows = draw.integers(0, 4, (groups * strata, 4)).astype(np.float32)
    seats = draw.permutation(groups * strata).astype(np.int32).reshape(strata, groups)
    found = match_strata(rows, 3, seats)
    for before, after in zip(seats, found, strict=True):
        assert sorted(before.tolist()) == sorted(after.tolist())


def test_matching_loses_far_less_than_algorithm_s4():
    draw = np.random.Generator(np.random.PCG64(3))
    points = draw.integers(0, 30, (6000, 5))
    charge = draw.integers(0, 1000, 6000) + 20 * points[:, 0]
    table = shoal.read(
        pl.DataFrame(points, schema=list("abcde")).with_columns(charge=charge), quasi=list("abcde"), sensitive="charge"
    )
    models = [shoal.models.KAnonymity(5), shoal.models.TCloseness(0.1, "charge")]
    losses = [
        shoal.anonymize(table, method, models).scores[3].value
        for method in (shoal.methods.Hilbert(), shoal.methods.StratifiedClusters())
    ]
    assert losses[0] < 0.6 * losses[1]


TREE = [(str(i), f"{i // 2 * 2}-", f"{i // 6 * 6}--", "*") for i in range(18)]


@given(st.lists(st.tuples(st.integers(0, 17), st.integers(0, 3)), min_size=4, max_size=50), st.integers(2, 4))
def test_nodes_of_a_hierarchy_cover_and_crowd(tmp_path_factory, people, k):
    folder = tmp_path_factory.getbasetemp()
    (folder / "tree.csv").write_text("\n".join(";".join(row) for row in TREE), encoding="utf-8")
    frame = pl.DataFrame({"v": [str(a) for a, _ in people], "w": [b for _, b in people]})
    if len(people) < k:
        return
    table = shoal.read(frame, quasi=["v", "w"], hierarchies={"v": str(folder / "tree.csv")})
    shown = shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(k)]).to_pandas(row_order="input")
    tree = Hierarchy.of(TREE, "v")
    for (value, _), node in zip(people, shown["v"], strict=True):
        low, high = tree.spans[node]
        assert low <= tree.leaves.index(str(value)) <= high
    assert min(Counter(zip(shown["v"], shown["w"], strict=True)).values()) >= k


def test_hilbert_loses_less_of_a_hierarchy_than_the_paper_s_algorithm(tmp_path):
    (tmp_path / "tree.csv").write_text("\n".join(";".join(row) for row in TREE), encoding="utf-8")
    draw = np.random.Generator(np.random.PCG64(1))
    frame = pl.DataFrame({"v": [str(i) for i in draw.integers(0, 18, 900)], "w": draw.integers(0, 50, 900)})
    table = shoal.read(frame, quasi=["v", "w"], hierarchies={"v": str(tmp_path / "tree.csv")})

    def shown(method):
        released = method.apply(table, [shoal.models.KAnonymity(5)], 0)
        lo, hi = released.data.unfolded()
        return np.where(hi[:, 0] == 2**31 - 1, 17, hi[:, 0].astype(np.int64) - lo[:, 0]).mean()

    assert shown(shoal.methods.Hilbert()) < 0.5 * shown(shoal.methods.SortedClusters())
    assert shown(shoal.methods.Hilbert()) == pytest.approx(shown(shoal.methods.Hilbert()))
