"""What a release promises, looked at from its text alone by other code than shoal's."""

import copy
import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from property.independent import cell, classes, columns_of, covers, farthest, lengths, sizes
from property.tables import MAKES, Column, Made, tables, text, with_k

import shoal

METHODS = {"sorted": shoal.methods.SortedClusters(), "stratified": shoal.methods.StratifiedClusters()}
makes = st.sampled_from(MAKES)
methods = st.sampled_from(list(METHODS.values()))


def published(made: Made, make: str, method: object, models: list, **options: object) -> dict[str, list[str]]:
    """Send a table down the whole road and give the columns of the written file, as text."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = shoal.read(made.source(make, folder), **(made.options | options))
        release = shoal.anonymize(table, method, models, no_promise=not models)
        release.write(folder / "released.csv", row_order="input")
        shoal.verify(folder / "released.csv", folder / "released.certificate.json")
        return columns_of(folder / "released.csv")


def assert_covered(made: Made, columns: dict[str, list[str]]) -> None:
    for name in made.quasi:
        original = made.columns[name]
        for released, value in zip(columns[name], original.values, strict=True):
            assert covers(released, value, original.kind, original.order), (name, original.kind)


@given(with_k(), makes, methods)
def test_every_cell_covers_its_original_in_a_crowd_of_k(drawn, make, method):
    made, k = drawn
    columns = published(made, make, method, [shoal.models.KAnonymity(k)])
    assert list(columns) == list(made.columns)
    assert_covered(made, columns)
    assert min(sizes(columns, made.quasi).values()) >= k
    assert sum(sizes(columns, made.quasi).values()) == made.rows


@given(tables(), makes, st.integers(1, 9), st.sampled_from(["distinct", "width"]))
def test_coarsened_cells_cover_their_originals_and_are_at_most_so_many(made, make, resolution, by):
    columns = published(made, make, shoal.methods.Coarsen(resolution, by), [])
    assert_covered(made, columns)
    for name in made.quasi:
        distinct = {value for value in made.columns[name].values if value is not None}
        if len(distinct) > resolution:
            assert len(set(columns[name]) - {""}) <= resolution
        else:
            assert columns[name] == published_exactly(made.columns[name])


def published_exactly(column: Column) -> list[str]:
    """Give the texts of a column that stays as it is; a category that looks like a range is marked."""
    mark = column.kind == "category"
    return ["\\" + v if mark and v is not None and looks_like_a_range(v) else text(v) for v in column.values]


def looks_like_a_range(value: str) -> bool:
    parts, signs = [""], iter(value[1:-1])
    for sign in signs:
        if sign == ";":
            parts.append("")
        else:
            parts[-1] += sign + (next(signs, "") if sign == "\\" else "")
    return value[0] == "[" and value[-1] == "]" and len(parts) == 2 and all(part.strip() for part in parts)


@given(with_k(), makes, methods)
def test_rows_stay_in_their_order_and_the_confidential_column_as_it_was(drawn, make, method):
    made, k = drawn
    columns = published(made, make, method, [shoal.models.KAnonymity(k)])
    assert columns["s"] == [text(value) for value in made.columns["s"].values]


@given(with_k(), methods)
def test_a_range_is_no_wider_than_the_records_of_its_class_ask_for(drawn, method):
    made, k = drawn
    columns = published(made, "polars", method, [shoal.models.KAnonymity(k)])
    for signature, rows in classes(columns, made.quasi).items():
        for name, released in zip(made.quasi, signature, strict=True):
            column = made.columns[name]
            values = [column.values[row] for row in rows]
            found = cell(released, column.kind, column.order)
            if None in values:
                assert released == ("*" if any(value is not None for value in values) else "")
            elif column.kind == "category":
                assert found == frozenset(values)
            else:
                places = [column.order.index(v) for v in values] if column.kind == "ordered" else values
                assert found == (min(places), max(places))


@given(with_k(), st.sampled_from([0.05, 0.1, 0.2, 0.35, 0.5, 1.0]), makes, st.data())
def test_t_holds_by_brute_force_under_every_convention(drawn, t, make, data):
    made, k = drawn
    column = made.columns["s"]
    nominal = column.kind == "category" or set(column.values) == {None}  # an empty column need not be known as ordered
    offered = ["variation"] if nominal else ["ordered-distinct", "ordered-records", "variation"]
    distance = data.draw(st.sampled_from(offered))
    event(f"{column.kind}, {distance}")
    columns = published(
        made,
        make,
        shoal.methods.StratifiedClusters(),
        [shoal.models.KAnonymity(k), shoal.models.TCloseness(t, "s", distance)],
    )
    assert_covered(made, columns)
    groups = classes(columns, made.quasi)
    assert min(map(len, groups.values())) >= k
    values = [v if v is None or column.kind != "ordered" else column.order.index(v) for v in column.values]
    assert float(farthest(values, groups, distance)) <= t + 1e-12


@given(with_k(), st.sampled_from([0.1, 0.25, 0.6]), methods)
def test_the_level_in_the_certificate_is_the_distance_by_brute_force(drawn, t, method):
    made, k = drawn
    column = made.columns["s"]
    distance = "variation" if column.kind == "category" else "ordered-distinct"
    table = shoal.read(made.frame("arrow"), **made.options)
    release = shoal.anonymize(table, method, [shoal.models.KAnonymity(k), shoal.models.TCloseness(t)])
    crowd, close = release.verdicts
    shown = release.table.to_pandas()
    texts = {name: ["" if pd.isna(v) else str(v) for v in shown[name]] for name in made.quasi}
    groups = classes(texts, made.quasi)
    values = [v if v is None or column.kind != "ordered" else column.order.index(v) for v in column.values]
    assert crowd.level == min(map(len, groups.values()))
    assert crowd.classes == close.classes == len(groups)
    assert close.level == pytest.approx(float(farthest(values, groups, distance)), abs=1e-12)
    assert close.holds == (close.level <= t)


@given(with_k(), st.randoms(use_true_random=False), methods, st.sampled_from([0.2, 0.5]))
def test_the_order_of_the_rows_does_not_change_what_is_guaranteed(drawn, random, method, t):
    made, k = drawn
    rows = list(range(made.rows))
    random.shuffle(rows)
    models = [shoal.models.KAnonymity(k)]
    if method is METHODS["stratified"]:
        models.append(shoal.models.TCloseness(t))
    shuffled = made.taken(rows)
    columns = published(shuffled, "polars", method, models)
    assert_covered(shuffled, columns)
    assert min(sizes(columns, made.quasi).values()) >= k


@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=4, max_size=20, unique=True), st.data()
)
def test_without_ties_every_record_is_published_alike_in_any_order(rows, data):
    made = Made({
        "q0": Column("integer", tuple(a for a, _ in rows)),
        "q1": Column("integer", tuple(b for _, b in rows)),
        "s": Column("integer", tuple(range(len(rows)))),
    })  # fmt: skip
    order = data.draw(st.permutations(range(len(rows))))
    keys = sorted(lengths([(float(a), float(b)) for a, b in rows]))
    assume(all(b - a > 1e-9 for a, b in pairwise(keys)))
    one = published(made, "polars", METHODS["sorted"], [shoal.models.KAnonymity(2)])
    other = published(made.taken(order), "polars", METHODS["sorted"], [shoal.models.KAnonymity(2)])
    by_person = [{s: (a, b) for a, b, s in zip(*columns.values(), strict=True)} for columns in (one, other)]
    assert by_person[0] == by_person[1]


@given(with_k(), st.sampled_from(["polars", "pandas", "arrow"]), methods)
def test_the_input_is_never_modified(drawn, make, method):
    made, k = drawn
    frame = made.frame(make)
    before = copy.deepcopy(frame) if make == "pandas" else made.frame(make)
    shoal.anonymize(
        shoal.read(frame, **made.options), method, [shoal.models.KAnonymity(k), shoal.models.TCloseness(1.0)]
    ).to_native()
    if make == "pandas":
        pd.testing.assert_frame_equal(frame, before)
    else:
        assert frame.equals(before)


@given(with_k())
def test_a_file_is_not_touched_by_reading_it(drawn):
    made, k = drawn
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "original.csv"
        made.write(path)
        before = path.read_bytes()
        release = shoal.anonymize(shoal.read(path, **made.options), METHODS["sorted"], [shoal.models.KAnonymity(k)])
        release.write(Path(name) / "released.csv", row_order="input")
        assert path.read_bytes() == before


@given(with_k(), st.sampled_from(["polars", "pandas", "arrow"]), methods)
def test_frames_come_back_as_the_same_kind_with_the_same_shape(drawn, make, method):
    made, k = drawn
    frame = made.frame(make)
    released = shoal.anonymize(shoal.read(frame, **made.options), method, [shoal.models.KAnonymity(k)]).to_native()
    assert type(released) is type(frame)
    assert released.shape == frame.shape
    assert list(released.column_names if make == "arrow" else released.columns) == list(made.columns)


@st.composite
def with_people(draw):
    made = draw(tables(least=2))
    people = draw(st.lists(st.integers(1, 8), min_size=made.rows, max_size=made.rows))
    return made, people


@given(with_people(), st.sampled_from(["polars", "csv"]), methods, st.integers(2, 4), st.booleans())
def test_with_a_subject_people_are_counted_and_never_released(drawn, make, method, k, close):
    made, people = drawn
    models = [
        shoal.models.KAnonymity(k),
        *([shoal.models.TCloseness(0.5)] if close and method is METHODS["stratified"] else []),
    ]
    whole = Made({**made.columns, "person": Column("integer", tuple(people))})
    options = whole.options | {"subject": "person"}
    if len(set(people)) < k:
        with pytest.raises(shoal.errors.ParameterError, match="different subject"):
            published(whole, make, method, models, **options)
        return
    columns = published(whole, make, method, models, **options)
    assert list(columns) == list(made.columns)
    for rows in classes(columns, made.quasi).values():
        assert len({people[row] for row in rows}) >= k
    assert_covered(made, columns)


@given(tables(most=4), st.integers(2, 9), makes, methods)
def test_too_few_rows_are_refused_and_nothing_is_written(made, k, make, method):
    if made.rows >= k:
        assert min(sizes(published(made, make, method, [shoal.models.KAnonymity(k)]), made.quasi).values()) >= k
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = shoal.read(made.source(make, folder), **made.options)
        before = Counter(folder.iterdir())
        with pytest.raises(shoal.errors.ParameterError, match="cannot be reached"):
            shoal.anonymize(table, method, [shoal.models.KAnonymity(k)]).write(
                folder / "released.csv", row_order="input"
            )
        assert Counter(folder.iterdir()) == before


@given(with_k(), methods)
def test_the_same_input_gives_the_same_output(drawn, method):
    made, k = drawn
    assert published(made, "polars", method, [shoal.models.KAnonymity(k)]) == published(
        made, "csv", method, [shoal.models.KAnonymity(k)]
    )
