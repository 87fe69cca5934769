"""Microaggregation against plain code that knows nothing of trees, and what is published for a class."""

import datetime
import math
import statistics
import tempfile
from collections import Counter, defaultdict
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property.independent import STAR, cell, columns_of, covers
from property.tables import Made, tables, with_k

import shoal
from shoal.kernels import microaggregation
from shoal.kernels.microaggregation import EITHER, RELAXED, STRICT, Points, optimal_cut, split_rows, v_mdav

METHODS = [
    shoal.methods.SortedClusters,
    shoal.methods.StratifiedClusters,
    shoal.methods.MDAV,
    shoal.methods.VMDAV,
    shoal.methods.Mondrian,
]
METHODS += [shoal.methods.MergeClusters, shoal.methods.KAnonymityFirst, shoal.methods.TClosenessFirst]
partitioners, publications = st.sampled_from(METHODS), st.sampled_from(["range", "mean", "median", "mode"])


@st.composite
def clouds(draw: st.DrawFn, least: int = 1, most: int = 90) -> Points:
    """Draw points with many ties: numbers on a coarse grid, and categories."""
    n, numbers, codes = draw(st.integers(least, most)), draw(st.integers(0, 3)), draw(st.integers(0, 2))
    numbers = numbers or 1 - min(codes, 1)
    grid = draw(st.sampled_from([(0.0, 1.0), (-1.5, 0.1, 0.2, 0.3), tuple(np.linspace(-2, 2, 41))]))
    columns = [draw(st.lists(st.sampled_from(grid), min_size=n, max_size=n)) for _ in range(numbers)]
    sizes = [draw(st.integers(1, 5)) for _ in range(codes)]
    columns += [draw(st.lists(st.integers(0, size - 1), min_size=n, max_size=n)) for size in sizes]
    weights = [0.0] * numbers + [draw(st.sampled_from([1.0, 2.0, 0.7])) for _ in sizes]
    cells = np.ascontiguousarray(np.array(columns, np.float64).T)
    return Points(cells, numbers, np.array(weights), np.array([0] * numbers + sizes, np.int64))


def distance(points: Points, a: np.ndarray, b: np.ndarray) -> float:
    total = 0.0
    for j in range(points.numbers):
        total += float((a[j] - b[j]) * (a[j] - b[j]))
    for j in range(points.numbers, len(a)):
        total += 0.0 if a[j] == b[j] else float(points.weights[j])
    return total


def middle(points: Points, rows: list[int]) -> np.ndarray:
    """Give the mean of numbers, summed in fixed point, and the most frequent category."""
    cells = points.cells[rows]
    whole = np.rint(np.ldexp(cells, 30))
    part = np.rint(np.ldexp(np.ldexp(cells, 30) - whole, 32))
    centre = np.ldexp(whole.sum(axis=0) + np.ldexp(part.sum(axis=0), -32), -30) / len(rows)
    for j in range(points.numbers, cells.shape[1]):
        counts = Counter(cells[:, j].tolist())
        centre[j] = min(code for code, count in counts.items() if count == max(counts.values()))
    return centre


def plain_mdav(points: Points, k: int) -> list[list[int]]:
    """Form classes as the definition says, looking at every record every time."""
    left, classes = list(range(len(points.cells))), []

    def farthest(query: np.ndarray) -> int:
        return max(left, key=lambda row: (distance(points, points.cells[row], query), -row))

    def take(row: int) -> None:
        left.remove(row)
        near = sorted(left, key=lambda r: (distance(points, points.cells[r], points.cells[row]), r))[: k - 1]
        for member in near:
            left.remove(member)
        classes.append(sorted([row, *near]))

    while len(left) >= 3 * k:
        first = farthest(middle(points, left))
        take(first)
        take(farthest(points.cells[first]))
    if len(left) >= 2 * k:
        take(farthest(middle(points, left)))
    return [*classes, left] if left else classes


def plain_v_mdav(points: Points, k: int, gamma: float) -> list[list[int]]:
    cells, left, classes = points.cells, list(range(len(points.cells))), []
    centre = middle(points, left)

    def gap(a: int, b: int) -> float:
        return distance(points, cells[a], cells[b])

    while len(left) >= k:
        seed = max(left, key=lambda row: (distance(points, cells[row], centre), -row))
        left.remove(seed)
        mine = [seed, *sorted(left, key=lambda r: (gap(r, seed), r))[: k - 1]]
        left = [row for row in left if row not in mine]
        while len(mine) < 2 * k - 1 and left:
            nearest, row = min((min(gap(row, member) for member in mine), row) for row in left)
            outside = min((gap(row, other) for other in left if other != row), default=math.inf)
            if math.isfinite(outside) and math.sqrt(nearest) >= gamma * math.sqrt(outside):
                break
            mine.append(row)
            left.remove(row)
        classes.append(mine)
    if not classes:
        return [left]
    joined = {row: min((gap(row, m), m, i) for i, c in enumerate(classes) for m in c)[2] for row in left}
    for row, i in joined.items():
        classes[i].append(row)
    return classes


def sets(labels: np.ndarray) -> set[frozenset[int]]:
    groups = defaultdict(set)
    for row, label in enumerate(labels.tolist()):
        groups[label].add(row)
    assert set(groups) == set(range(len(groups)))
    return {frozenset(group) for group in groups.values()}


def mdav(points: Points, k: int) -> np.ndarray:
    n = len(points.cells)
    return microaggregation.mdav(points, k, np.arange(n, dtype=np.int32), np.array([0, n], np.int64))[0]


@given(clouds(), st.integers(1, 6))
def test_mdav_is_the_plain_one_also_among_ties(points, k):
    assert sets(mdav(points, k)) == {frozenset(c) for c in plain_mdav(points, k)}


@given(clouds(most=60), st.integers(1, 5), st.sampled_from([0.0, 0.2, 1.1, 3.0]))
def test_v_mdav_is_the_plain_one_also_among_ties(points, k, gamma):
    assert sets(v_mdav(points, k, gamma)[0]) == {frozenset(c) for c in plain_v_mdav(points, k, gamma)}


def test_mdav_is_the_plain_one_on_a_tree_of_many_leaves():
    draw = np.random.default_rng(3)
    cells = np.ascontiguousarray(np.round(draw.normal(size=(700, 4)), 1))
    points = Points(cells, 3, np.array([0, 0, 0, 1.5]), np.array([0, 0, 0, 80], np.int64))
    cells[:, 3] = draw.integers(0, 80, 700)
    assert sets(mdav(points, 3)) == {frozenset(c) for c in plain_mdav(points, 3)}


@given(clouds(), st.integers(1, 5), st.sampled_from([STRICT, RELAXED, EITHER]), st.booleans(), st.integers(0, 40))
def test_cuts_leave_parts_of_k_and_respect_their_mode(points, k, mode, by_range, limit):
    n = len(points.cells)
    order, starts = split_rows(points, k, mode=mode, by_range=by_range, limit=limit)
    assert sorted(order.tolist()) == list(range(n))
    parts = [order[a:b] for a, b in pairwise(starts)]
    assert all(len(part) >= min(k, n) for part in parts)
    if mode != STRICT:
        assert all(len(part) <= max(limit, 2 * k - 1) for part in parts)
    else:  # records that are equal in everything stay together
        home = {row: i for i, part in enumerate(parts) for row in part.tolist()}
        same = defaultdict(set)
        for row, point in enumerate(points.cells.tolist()):
            same[tuple(point)].add(home[row])
        assert all(len(homes) == 1 for homes in same.values())


@cache
def splits(n: int, k: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Give all partitions of 0..n-1 into parts of at least k."""

    def grow(rest: tuple[int, ...]):
        if not rest:
            yield ()
        first, *others = rest or (0,)
        for mask in range(1 << len(others)) if rest else ():
            part = (first, *(o for i, o in enumerate(others) if mask >> i & 1))
            if len(part) >= k:
                for more in grow(tuple(o for i, o in enumerate(others) if not mask >> i & 1)):
                    yield (part, *more)

    return tuple(grow(tuple(range(n))))


def squared_error(cells: np.ndarray, classes: list[tuple[int, ...]]) -> float:
    return sum(float(((cells[list(c)] - cells[list(c)].mean(axis=0)) ** 2).sum()) for c in classes)


@given(st.integers(2, 3), st.lists(st.tuples(st.integers(-9, 9), st.integers(-3, 3)), min_size=3, max_size=8))
def test_no_method_beats_the_best_of_all_partitions_and_one_attribute_reaches_it(k, rows):
    cells = np.array(rows, np.float64)
    best = min(squared_error(cells, classes) for classes in splits(len(rows), k))
    points = Points(cells, 2, np.zeros(2), np.zeros(2, np.int64))
    order, starts = split_rows(points, k)
    cuts = [tuple(order[a:b].tolist()) for a, b in pairwise(starts)]
    for found in (sets(mdav(points, k)), sets(v_mdav(points, k, 0.5)[0]), cuts):
        assert squared_error(cells, [tuple(c) for c in found]) >= best - 1e-9
    ascending = np.sort(cells[:, 0])
    labels, groups = optimal_cut(ascending, k)
    one = ascending[:, None]
    assert squared_error(one, [tuple(c) for c in sets(labels)]) == pytest.approx(
        min(squared_error(one, classes) for classes in splits(len(rows), k)), abs=1e-9
    )
    assert groups == labels[-1] + 1
    assert min(Counter(labels.tolist()).values()) >= k


def released(made: Made, method: object, k: int, suffix: str = "csv") -> tuple[shoal.Release, dict[str, list[str]]]:
    """Release a table through a file, prove it from there, and give it as it stands in the file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made.write(folder / "original.csv")
        kinds = {column: c.kind for column, c in made.columns.items() if c.kind != "ordered"}
        table = shoal.read(folder / "original.csv", **(made.options | {"kinds": kinds}))
        measures = [
            shoal.measures.InformationLoss(),
            shoal.measures.SumOfSquares(),
            shoal.measures.IL1s(),
            shoal.measures.Discernibility(),
        ]
        release = shoal.anonymize(table, method, [shoal.models.KAnonymity(k)], measures=measures)
        release.write(folder / f"released.{suffix}", row_order="input")
        paper = folder / "released.certificate.json"
        private = folder / "released.private.json"
        shoal.verify(folder / f"released.{suffix}", paper, private=private, original=folder / "original.csv")
        return release, columns_of(folder / "released.csv") if suffix == "csv" else {}


def shown_for(values: list[object], kind: str, order: tuple[str, ...], publish: str) -> object:
    """Say what a class should show: None for ``*``, or a value."""
    if kind == "category" or publish == "mode":
        places = [order.index(v) for v in values] if kind == "ordered" else values
        counts = Counter(places)
        return min(place for place, count in counts.items() if count == max(counts.values()))
    if kind == "ordered":
        return sorted(order.index(v) for v in values)[(len(values) - 1) // 2]
    numbers = [as_number(value) for value in values]
    return statistics.mean(numbers) if publish == "mean" else statistics.median(numbers)


def as_number(value: object) -> float:
    if isinstance(value, datetime.datetime):
        return (value - datetime.datetime(1970, 1, 1)) / datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.date):
        return float((value - datetime.date(1970, 1, 1)).days)
    return float(value)


def assert_shown(made: Made, columns: dict[str, list[str]], labels: np.ndarray, publish: str) -> None:
    for name in made.quasi:
        column = made.columns[name]
        kind = "float" if column.kind == "integer" and publish in ("mean", "median") else column.kind
        for group in sets(labels):
            values = [column.values[row] for row in sorted(group)]
            (text,) = {columns[name][row] for row in group}
            if None in values:
                assert text == ("*" if any(v is not None for v in values) else "")
                continue
            expected = shown_for(values, column.kind, column.order, publish)
            found = cell(text, kind, column.order)
            assert found != STAR
            if column.kind == "category":
                assert found == {expected}
            elif column.kind == "ordered" or publish == "mode":
                assert found == (expected, expected)
            else:
                scale = max(abs(as_number(v)) for v in values)
                near = 1.0 if column.kind in ("date", "datetime") else 0.0
                # Rounding to a whole day or microsecond, and of 64-bit numbers to floats.
                assert as_number(found[0]) == pytest.approx(expected, rel=1e-9, abs=near + 1e-9 * scale)


@given(with_k(), partitioners, publications)
def test_every_publication_of_every_partition_shows_what_it_says(drawn, partitioner, publish):
    made, k = drawn
    release, columns = released(made, partitioner(publish), k)
    labels = release.table.data.index
    assert min(Counter(labels.tolist()).values()) >= k
    signatures = Counter(zip(*(columns[name] for name in made.quasi), strict=True))
    assert min(signatures.values()) >= k
    if publish == "range":
        for name in made.quasi:
            original = made.columns[name]
            for text, value in zip(columns[name], original.values, strict=True):
                assert covers(text, value, original.kind, original.order)
    else:
        assert_shown(made, columns, labels, publish)


@given(with_k(), partitioners, publications)
def test_every_publication_comes_back_from_parquet(drawn, partitioner, publish):
    made, k = drawn
    release, _ = released(made, partitioner(publish), k, "parquet")
    assert release.holds


@given(with_k(kinds=("integer", "float"), most=16), partitioners)
def test_loss_is_the_distance_between_originals_and_means(drawn, partitioner):
    made, k = drawn
    release, columns = released(made, partitioner("mean"), k)
    rows, total = made.rows, [0.0] * made.rows
    for name in made.quasi:
        values = made.columns[name].values
        there = [v for v in values if v is not None]
        if len(there) < 2 or "*" in columns[name] or len(set(there)) == 1:
            return
        spread = statistics.stdev(map(float, there))
        for row, (value, text) in enumerate(zip(values, columns[name], strict=True)):
            total[row] += 0 if value is None else ((value - float(text)) / spread) ** 2
    expected = sum(map(math.sqrt, total)) / (rows * len(made.quasi))
    assert release.scores[0].value == pytest.approx(expected, rel=1e-6, abs=1e-7)


@given(tables(least=4, most=20), st.integers(2, 4), publications)
def test_attributes_on_their_own_have_k_of_each_value(made, k, publish):
    table = shoal.read(made.frame("arrow"), **made.options)
    release = shoal.anonymize(table, shoal.methods.OptimalUnivariate(publish, k))
    frame = release.table.to_arrow(cells="text")
    for name in made.quasi:
        assert min(Counter(frame[name].to_pylist()).values()) >= k


@pytest.mark.parametrize("partitioner", [shoal.methods.MDAV, shoal.methods.VMDAV, shoal.methods.Mondrian])
@pytest.mark.parametrize("rows", [2, 3, 4, 5, 7])
def test_small_constant_and_equal_tables(partitioner, rows):
    draw = np.arange(rows)
    for columns in ({"a": draw}, {"a": draw * 0}, {"a": draw // 2, "b": draw * 0}, {"a": [f"{i % 2}" for i in draw]}):
        table = shoal.read(pa.table(columns), quasi=list(columns))
        for k in range(2, rows + 1):
            release = shoal.anonymize(table, partitioner(), [shoal.models.KAnonymity(k)])
            sizes = Counter(release.table.data.index.tolist())
            assert release.holds
            if rows < 2 * k and partitioner is not shoal.methods.Mondrian:
                assert len(sizes) == 1


@pytest.mark.parametrize(
    "method", [shoal.methods.Mondrian(), shoal.methods.MDAV(keep_exact=True), shoal.methods.VMDAV(keep_exact=True)]
)
def test_records_that_k_share_are_left_as_they_are(method):
    ages, towns = [30] * 3 + [40] * 2 + [50, 51, 52], ["a"] * 3 + ["b"] * 2 + ["a", "b", "a"]
    table = shoal.read(pa.table({"age": ages, "town": towns}), quasi=["age", "town"])
    frame = shoal.anonymize(table, method, [shoal.models.KAnonymity(3)]).to_pandas(row_order="input")
    assert frame["age"].tolist()[:3] == ["[30;30]"] * 3
    assert frame["town"].tolist()[:3] == ["a"] * 3
    assert "[30;30]" not in frame["age"].tolist()[3:]
    few = shoal.read(pa.table({"age": ages[:5], "town": towns[:5]}), quasi=["age", "town"])
    assert shoal.anonymize(few, method, [shoal.models.KAnonymity(3)]).holds


@pytest.mark.parametrize(
    "method", [shoal.methods.MDAV(), shoal.methods.VMDAV(), shoal.methods.Mondrian(), shoal.methods.MDAV(block=12)]
)
def test_other_promises_and_people_are_kept(method):
    draw = np.random.default_rng(5)
    rows = 200
    columns = {
        "who": [f"p{i // 2}" for i in range(rows)],
        "age": np.repeat(draw.integers(0, 90, rows // 2), 2),
        "town": np.repeat(draw.choice(list("abcde"), rows // 2), 2),
        "charge": draw.integers(0, 1000, rows),
        "ill": draw.choice(["flu", "cold", "none"], rows),
    }
    table = shoal.read(pa.table(columns), quasi=["age", "town"], sensitive=["charge", "ill"], subject="who")
    models = [
        shoal.models.KAnonymity(4),
        shoal.models.TCloseness(0.25, "charge"),
        shoal.models.LDiversity(2, "ill"),
        shoal.models.AlphaK(0.8, "ill"),
    ]
    release = shoal.anonymize(table, method, models)
    assert release.holds
    assert next(verdict.level for verdict in release.verdicts) >= 4


def test_blocks_hold_no_more_than_they_may_and_lose_little():
    draw = np.random.default_rng(1)
    table = shoal.read(pa.table({f"q{j}": draw.normal(size=3000) for j in range(3)}), quasi=["q0", "q1", "q2"])
    losses = []
    for block in (None, 1000, 100):
        release = shoal.anonymize(
            table,
            shoal.methods.MDAV("mean", block),
            [shoal.models.KAnonymity(5)],
            measures=[shoal.measures.SumOfSquares()],
        )
        assert release.holds
        losses.append(release.scores[0].value)
    assert losses[0] < losses[2] < 2 * losses[0]


def test_one_attribute_with_other_promises():
    table = shoal.read(
        pa.table({"age": list(range(12)), "ill": ["flu"] * 6 + ["cold", "flu"] * 3}), quasi="age", sensitive="ill"
    )
    release = shoal.anonymize(
        table, shoal.methods.OptimalUnivariate(), [shoal.models.KAnonymity(3), shoal.models.LDiversity(2)]
    )
    assert release.holds


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: shoal.methods.MDAV("best"), "one of range, mean"),
        (lambda: shoal.methods.MDAV(block=2.5), "whole number"),
        (lambda: shoal.methods.VMDAV(gamma=-1), "at least 0"),
        (lambda: shoal.methods.Mondrian(mode="loose"), "strict, relaxed"),
        (lambda: shoal.methods.Mondrian(split="depth"), "variance, range"),
        (lambda: shoal.methods.OptimalUnivariate(k=1), "at least 2"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(made, message):
    with pytest.raises(shoal.errors.ParameterError, match=message):
        made()


def test_a_block_without_room_for_two_classes_is_refused():
    table = shoal.read(pa.table({"a": range(40)}), quasi="a")
    with pytest.raises(shoal.errors.ParameterError, match="no room"):
        shoal.anonymize(table, shoal.methods.MDAV(block=8), [shoal.models.KAnonymity(5)])
