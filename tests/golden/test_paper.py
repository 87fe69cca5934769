"""The tables of the supplement of doi:10.1126/science.aad9295, and its algorithms against a second implementation."""

import math
import random
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from property.independent import lengths, published, sorted_clusters, stratified_clusters

import shoal

RESOLUTION_4 = ["[0;20]", "[21;42]", "[43;63]", "[64;85]"]
TABLE_S7 = [
    "[0;4]", "[5;9]", "[10;15]", "[16;20]", "[21;25]", "[26;31]", "[32;36]", "[37;42]", "[43;47]", "[48;52]", "[53;58]",
    "[59;63]", "[64;68]", "[69;74]", "[75;79]", "[80;85]",
]  # fmt: skip
TABLE_S8 = ["[0;9]", "[10;20]", "[21;31]", "[32;42]", "[43;52]", "[53;63]", "[64;74]", "[75;85]"]


def texts(table: shoal.Table, *names: str) -> list[list[str]]:
    """Give the released cells row by row."""
    frame = table.to_pandas()
    return [list(row) for row in zip(*(frame[name].tolist() for name in names), strict=True)]


@pytest.mark.parametrize("by", ["distinct", "width"])
@pytest.mark.parametrize("intervals", [RESOLUTION_4, TABLE_S7, TABLE_S8], ids=["resolution 4", "Table S7", "Table S8"])
def test_ages_are_coarsened_as_printed(intervals, by):
    ages = [age for age in range(86) for _ in range(2)]
    random.Random(1).shuffle(ages)
    table = shoal.read(pl.DataFrame({"age": ages}), quasi=["age"])
    release = shoal.anonymize(table, shoal.methods.Coarsen(len(intervals), by))
    by_age = {age: text for age, (text,) in zip(ages, texts(release.table, "age"), strict=True)}
    assert list(dict.fromkeys(by_age[age] for age in range(86))) == intervals
    for age, text in by_age.items():
        low, high = map(int, text[1:-1].split(";"))
        assert low <= age <= high


@pytest.mark.parametrize(("k", "t"), [(2, 0.25), (3, 0.1667), (5, 0.10), (10, 0.05)])
def test_table_s9_follows_from_eq_6(k, t):
    assert shoal.models.closeness_bound(3_985_166, k) == pytest.approx(t, abs=5e-5)
    assert f"{shoal.models.closeness_bound(3_985_166, k):.2f}" == f"{t:.2f}"


def distinct_intervals(values: list[int], resolution: int) -> dict[int, str]:
    """Cut the distinct values as the authors' program does: a running position, ends rounded down."""
    ordered = sorted(set(values))
    if resolution >= len(ordered):
        return {value: str(value) for value in ordered}
    step, position, start, found = len(ordered) / resolution, 0.0, 0, {}
    for interval in range(resolution):
        position += step
        stop = len(ordered) - 1 if interval == resolution - 1 else math.floor(position - 1)
        for value in ordered[start : stop + 1]:
            found[value] = f"[{ordered[start]};{ordered[stop]}]"
        start = stop + 1
    return found


@given(st.lists(st.integers(-1000, 10**10), min_size=1, max_size=40), st.integers(1, 12))
def test_coarsening_by_distinct_values_agrees_with_a_second_implementation(values, resolution):
    table = shoal.read(pl.DataFrame({"a": values}), quasi=["a"])
    release = shoal.anonymize(table, shoal.methods.Coarsen(resolution))
    expected = distinct_intervals(values, resolution)
    assert [str(text) for (text,) in texts(release.table, "a")] == [expected[value] for value in values]


@given(st.lists(st.integers(-200, 200), min_size=1, max_size=40), st.integers(1, 12))
def test_coarsening_by_width_cuts_the_range_into_stretches_of_nearly_equal_length(values, resolution):
    table = shoal.read(pl.DataFrame({"a": values}), quasi=["a"])
    release = shoal.anonymize(table, shoal.methods.Coarsen(resolution, "width"))
    found = [str(text) for (text,) in texts(release.table, "a")]
    if resolution >= len(set(values)):
        assert found == [str(value) for value in values]
        return
    whole = max(values) - min(values) + 1
    intervals = sorted({tuple(int(end) for end in text[1:-1].split(";")) for text in found})
    assert intervals[0][0] == min(values)
    assert intervals[-1][1] == max(values)
    for low, high in intervals:
        assert math.floor(whole / resolution) <= high - low + 1 <= math.ceil(whole / resolution)
    for (_, high), (low, _) in pairwise(intervals):
        assert high < low
    for value, text in zip(values, found, strict=True):
        low, high = map(int, text[1:-1].split(";"))
        assert low <= value <= high


@st.composite
def records(draw: st.DrawFn, least: int = 4) -> list[tuple[int, ...]]:
    """Draw records whose distances from the all-zero record are well apart."""
    width = draw(st.integers(1, 3))
    attribute = st.integers(-300, 100_000)
    rows = draw(st.lists(st.tuples(*[attribute] * width), min_size=least, max_size=30, unique=True))
    keys = sorted(lengths(rows))
    assume(all(b - a > 1e-9 * (1 + b) for a, b in pairwise(keys)))
    return rows


def frame(rows: list[tuple[int, ...]], confidential: list[int]) -> tuple[pl.DataFrame, list[str]]:
    names = [f"q{j}" for j in range(len(rows[0]))]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(s=pl.Series(confidential)), names


@given(records(), st.integers(2, 7))
def test_sorted_clusters_agree_with_a_second_implementation(rows, k):
    assume(len(rows) >= k)
    data, names = frame(rows, list(range(len(rows))))
    table = shoal.read(data, quasi=names, sensitive=["s"])
    models = [shoal.models.KAnonymity(k)]
    # Which record is which is told by a number, as a column that names people would.
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), models, allow_identifiers=["s"])
    assert texts(release.table, *names) == published(rows, sorted_clusters(rows, k))


@given(records(), st.integers(2, 7), st.randoms(use_true_random=False))
def test_stratified_clusters_agree_with_a_second_implementation_where_t_asks_for_nothing(rows, k, shuffler):
    assume(len(rows) >= k)
    confidential = [3 * i for i in range(len(rows))]
    shuffler.shuffle(confidential)
    data, names = frame(rows, confidential)
    table = shoal.read(data, quasi=names, sensitive=["s"])
    release = shoal.anonymize(
        table, shoal.methods.StratifiedClusters(), [shoal.models.KAnonymity(k), shoal.models.TCloseness(1.0)]
    )
    assert texts(release.table, *names) == published(rows, stratified_clusters(rows, confidential, k, 1.0))


@given(records(least=12), st.integers(2, 4), st.randoms(use_true_random=False))
def test_stratified_clusters_keep_the_bound_of_eq_6_without_repair_where_k_divides_n(rows, k, shuffler):
    rows = rows[: len(rows) // k * k]
    keys = sorted(lengths(rows))
    assume(all(b - a > 1e-9 * (1 + b) for a, b in pairwise(keys)))
    confidential = [7 * i for i in range(len(rows))]
    shuffler.shuffle(confidential)
    # A hair above the bound, so that Eq. 7 asks for exactly k.
    t = shoal.models.closeness_bound(len(rows), k) * (1 + 1e-9)
    data, names = frame(rows, confidential)
    table = shoal.read(data, quasi=names, sensitive=["s"])
    models = [shoal.models.KAnonymity(2), shoal.models.TCloseness(t, "s", "ordered-records")]
    release = shoal.anonymize(table, shoal.methods.StratifiedClusters(), models)
    assert texts(release.table, *names) == published(rows, stratified_clusters(rows, confidential, 2, t))
    assert release.verdicts[1].level <= shoal.models.closeness_bound(len(rows), k) + 1e-12


@pytest.mark.parametrize(("t", "size"), [(0.01, 49), (0.05, 10), (0.09, 6), (0.13, 4), (0.17, 3), (0.21, 3), (0.25, 2)])
def test_the_class_size_that_t_forces_on_1080_records(t, size):
    table = shoal.read(pl.DataFrame({"a": range(1080), "s": range(1080)}), quasi=["a"], sensitive=["s"])
    step = shoal.methods.StratifiedClusters().explain(table, [shoal.models.KAnonymity(2), shoal.models.TCloseness(t)])
    assert f"1,080 records into {size} strata" in step
