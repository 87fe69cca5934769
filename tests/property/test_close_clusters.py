"""t-closeness by microaggregation against plain code, and that every class is within t by the definition."""

from collections import defaultdict
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property.independent import ordered_distance, variation
from property.test_microaggregation import clouds, distance, middle

import shoal
from shoal.kernels.close_clusters import FEW, k_anonymity_first, t_closeness_first
from shoal.kernels.swapping import Spread
from shoal.methods.t_closeness_first import strata_sizes

METHODS = [shoal.methods.MergeClusters, shoal.methods.KAnonymityFirst, shoal.methods.TClosenessFirst]


def plain_k_first(points, values, k, t):
    """Form classes as the definition says, looking at every record every time."""
    left, classes = list(range(len(values))), []

    def far(rows):
        return ordered_distance([values[row] for row in rows], values)

    def take(seed):
        near = sorted(left, key=lambda row: (distance(points, points.cells[row], points.cells[seed]), row))
        mine = sorted(near[:k], key=lambda row: values[row])
        for row in near[k:]:
            if far(mine) <= t:
                break
            trials = [sorted([*mine[:i], *mine[i + 1 :], row], key=lambda r: values[r]) for i in range(k)]
            best = min(trials, key=far)
            if far(best) < far(mine):
                mine = best
        for row in mine:
            left.remove(row)
        classes.append(mine)

    while len(left) >= 2 * k:
        two = len(left) >= 3 * k
        centre = middle(points, left)
        first = max(left, key=lambda row: (distance(points, points.cells[row], centre), -row))
        take(first)
        if two:
            take(max(left, key=lambda row: (distance(points, points.cells[row], points.cells[first]), -row)))
    return [*classes, left] if left else classes


def plain_t_first(points, sizes, groups):
    starts = np.append(0, np.cumsum(sizes))
    strata = [list(range(a, b)) for a, b in pairwise(starts)]
    classes = []

    def take(seed):
        mine, more = [], True
        for stratum in strata:
            number = 2 if more and len(stratum) > groups - len(classes) else 1
            more = more and number == 1
            near = sorted(stratum, key=lambda row: (distance(points, points.cells[row], points.cells[seed]), row))
            for row in near[:number]:
                stratum.remove(row)
                mine.append(row)
        classes.append(mine)

    while len(classes) < groups:
        left = [row for stratum in strata for row in stratum]
        centre = middle(points, left)
        first = max(left, key=lambda row: (distance(points, points.cells[row], centre), -row))
        take(first)
        left = [row for stratum in strata for row in stratum]
        if len(classes) < groups:
            take(max(left, key=lambda row: (distance(points, points.cells[row], points.cells[first]), -row)))
    return classes


def grouped(labels):
    found = defaultdict(list)
    for row, label in enumerate(labels.tolist()):
        found[label].append(row)
    return sorted(sorted(rows) for rows in found.values())


@given(clouds(least=4, most=40), st.integers(2, 4), st.sampled_from([0.05, 0.15, 0.3]), st.integers(0, 5))
def test_k_anonymity_first_is_what_the_definition_says(points, k, t, seed):
    n = len(points.cells)
    values = np.random.Generator(np.random.PCG64(seed)).permutation(n).astype(np.int32)
    labels, classes = k_anonymity_first(points, Spread(values, np.ones(n, np.int64), t), k)
    expected = plain_k_first(points, values.tolist(), k, t)
    assert classes == len(expected)
    assert grouped(labels) == sorted(sorted(rows) for rows in expected)


def test_k_anonymity_first_looks_beyond_the_nearest():
    n = 3 * FEW
    draw = np.random.Generator(np.random.PCG64(4))
    x = np.sort(draw.normal(size=n))
    table = shoal.read(pl.DataFrame({"x": x, "charge": range(n)}), quasi="x", sensitive="charge")
    models = [shoal.models.KAnonymity(4), shoal.models.TCloseness(0.2)]
    release = shoal.anonymize(table, shoal.methods.KAnonymityFirst(), models)
    assert release.holds  # the nearest tell the charge, so that members come from far away
    assert release.verdicts[0].classes > n // 12


@given(clouds(least=4, most=60), st.integers(1, 7))
def test_t_closeness_first_is_what_the_definition_says(points, strata):
    n = len(points.cells)
    strata = min(strata, n)
    strata += (n % strata) // (n // strata)
    sizes = strata_sizes(n, strata)
    groups = n // strata
    assert sizes.sum() == n
    assert sizes.min() == groups
    labels = t_closeness_first(points, sizes, groups)
    assert grouped(labels) == sorted(sorted(rows) for rows in plain_t_first(points, sizes, groups))


rows = st.lists(
    st.tuples(st.integers(0, 9), st.one_of(st.none(), st.integers(0, 3)), st.integers(0, 6), st.sampled_from("abc")),
    min_size=4,
    max_size=40,
)


@given(rows, st.sampled_from([*METHODS, shoal.methods.Hilbert]), st.integers(2, 4), st.sampled_from([0.1, 0.3, 0.6]))
@pytest.mark.parametrize("kind", ["ordered-distinct", "ordered-records"])
def test_two_confidential_attributes_are_within_t_by_the_definition(kind, rows, method, k, t):
    frame = pl.DataFrame(
        rows, schema={"x": pl.Int64, "y": pl.Int64, "charge": pl.Int64, "ill": pl.String}, orient="row"
    )
    table = shoal.read(frame, quasi=["x", "y"], sensitive=["charge", "ill"], kinds={"y": "integer"})
    models = [
        shoal.models.KAnonymity(k),
        shoal.models.TCloseness(t, "charge", kind),
        shoal.models.TCloseness(0.5, "ill"),
    ]
    release = shoal.anonymize(table, method(), models)
    shown = release.to_pandas(row_order="input")
    charges, ills = [row[2] for row in rows], [row[3] for row in rows]
    places = {row: place for place, row in enumerate(np.argsort(charges, kind="stable").tolist())}
    ranks = {value: i for i, value in enumerate(sorted(set(charges)))}
    names = {value: i for i, value in enumerate(sorted(set(ills)))}
    for _, group in shown.groupby(["x", "y"], dropna=False):
        assert len(group) >= k
        bins = [places[i] for i in group.index] if kind == "ordered-records" else [ranks[v] for v in group["charge"]]
        whole = list(places.values()) if kind == "ordered-records" else [ranks[v] for v in charges]
        assert ordered_distance(bins, whole) <= t + 1e-12
        assert variation([names[v] for v in group["ill"]], [names[v] for v in ills]) <= 0.5 + 1e-12


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("publish", ["mean", "median", "mode"])
def test_what_is_published_can_be_chosen(method, publish):
    draw = np.random.Generator(np.random.PCG64(2))
    frame = pl.DataFrame({"x": draw.integers(0, 50, 90), "charge": draw.integers(0, 20, 90)})
    table = shoal.read(frame, quasi="x", sensitive="charge")
    release = shoal.anonymize(table, method(publish), [shoal.models.KAnonymity(3), shoal.models.TCloseness(0.2)])
    assert release.holds
    assert "[" not in str(release.to_pandas(row_order="input")["x"][0])
