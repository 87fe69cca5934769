"""A released file read back is the released table, cell for cell, in every format."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from property.independent import cell, columns_of
from property.tables import Column, Made, tables, text, with_k, words

import shoal
from shoal.domains.axis import Axis
from shoal.domains.cell_parser import Reading, parse
from shoal.kernels import MISSING, TOP

METHODS = st.sampled_from(
    [shoal.methods.SortedClusters(), shoal.methods.StratifiedClusters(), shoal.methods.Coarsen(3)]
)


def cells(table: shoal.Table) -> dict[str, list[str]]:
    """Give the released columns as texts."""
    frame = table.to_arrow(cells="text")
    return {name: [text(value) for value in frame.column(name).to_pylist()] for name in frame.column_names}


def meaning(made: Made, columns: dict[str, list[str]]) -> dict[str, list[object]]:
    """Read the quasi-identifiers by other code than shoal's."""
    kinds = {name: made.columns[name] for name in made.quasi}
    return {name: [cell(found, column.kind, column.order) for found in columns[name]] for name, column in kinds.items()}


def models(method: object, k: int) -> list:
    return [] if isinstance(method, shoal.methods.Coarsen) else [shoal.models.KAnonymity(k)]


@given(with_k(), METHODS, st.sampled_from([",", ";", "\t", "|"]))
def test_text_read_back_is_the_released_table(drawn, method, delimiter):
    made, k = drawn
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "released.csv"
        table = shoal.read(made.source("csv", Path(name), delimiter), delimiter=delimiter, **made.options)
        release = shoal.anonymize(table, method, models(method, k), no_promise=True)
        release.write(path, delimiter=delimiter)
        kinds = {name: column.kind for name, column in made.columns.items() if column.kind != "ordered"}
        again = shoal.read(path, **(made.options | {"kinds": kinds, "delimiter": delimiter}))
        assert cells(again) == cells(release.table.in_released_order()[0])
        assert meaning(made, columns_of(path, delimiter)) == meaning(made, cells(release.table.in_released_order()[0]))
        shoal.verify(path, path.with_suffix(".certificate.json"))


@given(with_k(), METHODS)
def test_parquet_read_back_is_the_released_table(drawn, method):
    made, k = drawn
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "released.parquet"
        table = shoal.read(made.frame("polars"), **made.options)
        release = shoal.anonymize(table, method, models(method, k), no_promise=True)
        release.write(path)
        again = shoal.read(path, **made.options)
        assert cells(again) == cells(release.table.in_released_order()[0])
        shoal.verify(path, path.with_suffix(".certificate.json"))


@given(with_k(), st.sampled_from(["polars", "pandas", "arrow"]), st.sampled_from(["struct", "text"]))
def test_a_released_frame_read_back_is_the_released_table(drawn, make, form):
    made, k = drawn
    release = shoal.anonymize(
        shoal.read(made.frame(make), **made.options), shoal.methods.SortedClusters(), [shoal.models.KAnonymity(k)]
    )
    if make == "pandas":
        form = "text"
    kinds = {name: column.kind for name, column in made.columns.items() if column.kind != "ordered"}
    frame = release.to_native(cells=form)
    again = cells(shoal.read(frame, **(made.options | {"kinds": kinds})))
    expected = cells(release.table.in_released_order()[0])
    for name in made.quasi if make == "pandas" else made.columns:
        assert again[name] == expected[name]


@given(tables(), st.integers(2, 5))
def test_a_release_of_a_release_keeps_every_promise(made, k):
    assume(made.rows >= k)
    options = made.options
    first = shoal.anonymize(
        shoal.read(made.frame("arrow"), **options), shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)]
    )
    second = shoal.anonymize(
        shoal.read(first.to_native(), **options), shoal.methods.SortedClusters(), [shoal.models.KAnonymity(k)]
    )
    assert second.verdicts[0].level >= k
    assert second.table.rows == made.rows


@given(st.lists(words() | st.just("\\x") | st.just("{a;b}") | st.just("ab*"), min_size=1, max_size=6))
def test_category_cells_survive_writing_and_reading(texts):
    found = parse(texts, Reading(kind="category"))
    rendered = [found.axis.render((int(p), int(p))) for p in found.lo]
    again = parse(rendered, Reading(kind="category"))
    assert [again.axis.render((int(p), int(p))) for p in again.lo] == rendered
    assert list(again.axis.values) == list(found.axis.values)


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5), min_size=2, max_size=5, unique=True
    )
)
def test_any_set_of_categories_survives_writing_and_reading(values):
    values = sorted(values)
    axis, places = Axis("category", np.array(values, dtype=object)).with_groups([tuple(range(len(values)))])
    rendered = axis.render((places[tuple(range(len(values)))],) * 2)
    again = parse([rendered], Reading(kind="category"))
    assert list(again.axis.values) == values
    assert again.axis.members(int(again.lo[0])) == tuple(range(len(values)))


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8).map(str.strip).filter(bool))
def test_any_single_category_survives_writing_and_reading(value):
    axis = Axis("category", np.array([value], dtype=object))
    again = parse([axis.render((0, 0))], Reading(kind="category"))
    assert list(again.axis.values) == [value]
    assert again.lo[0] == again.hi[0] == 0


NUMBERS = {
    "integer": st.integers(-(2**63) + 1, 2**63 - 1),
    "float": st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0),
    "date": st.dates(),
    "datetime": st.datetimes(),
}


@given(st.sampled_from(list(NUMBERS)), st.data())
def test_numbers_and_dates_survive_writing_and_reading(kind, data):
    values = sorted(data.draw(st.lists(NUMBERS[kind], min_size=1, max_size=4)))
    spans = [text(values[0]), f"[{text(values[0])};{text(values[-1])}]", "*", ""]
    found = parse(spans, Reading(kind=kind))
    pairs = list(zip(found.lo.tolist(), found.hi.tolist(), strict=True))
    assert [found.axis.render(pair) for pair in pairs] == (
        spans if len(set(values)) > 1 else [spans[0], spans[0], "*", ""]
    )
    assert [found.axis.value(end) for end in pairs[1]] == [values[0], values[-1]]
    assert pairs[2:] == [(MISSING, TOP), (MISSING, MISSING)]


@given(
    st.lists(
        st.text('low; mid,{}[]*\\"', min_size=1, max_size=5).map(str.strip).filter(lambda name: name.strip("*")),
        min_size=2,
        max_size=4,
        unique=True,
    )
)
def test_ordered_categories_with_odd_signs_survive_the_road(order):
    made = Made({
        "q0": Column("ordered", tuple(order), tuple(order)),
        "s": Column("integer", tuple(range(len(order)))),
    })  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "released.csv"
        table = shoal.read(made.frame("arrow"), **made.options)
        release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
        release.write(path)
        shoal.verify(path, path.with_suffix(".certificate.json"))
        assert cells(shoal.read(path, **made.options)) == cells(release.table.in_released_order()[0])


@pytest.mark.parametrize("sign", ["\n", "\r", "\r\n"])
def test_a_category_with_an_end_of_line_stays_one_cell(sign, tmp_path):
    made = Made({
        "q0": Column("category", (f"a{sign}b", "c", "d", "e")),
        "s": Column("category", (f"x{sign}y", "z", "z", "z")),
    })  # fmt: skip
    path = tmp_path / "released.csv"
    release = shoal.anonymize(
        shoal.read(made.frame("arrow"), **made.options), shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)]
    )
    release.write(path)
    assert columns_of(path) == cells(release.table.in_released_order()[0])
    assert columns_of(path)["s"][0] == f"x{sign}y"
    shoal.verify(path, path.with_suffix(".certificate.json"))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["{a;b}", "[1;2]", "x*", "*", "\\a"])
def test_a_category_that_looks_like_a_group_is_read_back_as_a_category(suffix, name, tmp_path):
    made = Made({"q0": Column("category", ("\\" + name, "\\" + name, "c", "c")), "s": Column("integer", (1, 2, 3, 4))})
    path = tmp_path / f"released.{suffix}"
    release = shoal.anonymize(
        shoal.read(made.frame("arrow"), **made.options), shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)]
    )
    release.write(path)
    axis = shoal.read(path, **made.options).schema["q0"].axis
    assert list(axis.values) == sorted([name, "c"])
    assert axis.groups == ()


LABELS = ("[0-10)", "[10-20)", "{x", "*a", "b}", "<5;9>")


@pytest.mark.parametrize("kind", ["category", "ordered"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_labels_that_only_resemble_a_range_or_a_set_are_published_as_they_are(suffix, kind, tmp_path):
    """A release can be joined with the labels of its original, as those of age bands in other tools."""
    doubled = tuple(label for label in LABELS for _ in range(2))
    made = Made({"q0": Column(kind, doubled, LABELS), "s": Column("integer", tuple(range(len(doubled))))})
    path = tmp_path / f"released.{suffix}"
    release = shoal.anonymize(
        shoal.read(made.frame("arrow"), **made.options), shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)]
    )
    release.write(path)
    marked = [label.replace(";", "\\;") for label in LABELS]
    shown = {f"[{label};{label}]" for label in marked} if kind == "ordered" else set(LABELS)
    assert set(cells(release.table)["q0"]) == shown
    assert cells(shoal.read(path, **made.options)) == cells(release.table.in_released_order()[0])
    shoal.verify(path, tmp_path / "released.certificate.json")


@pytest.mark.parametrize("kind", ["category", "ordered"])
def test_a_release_in_which_more_labels_were_marked_is_still_proved(kind, tmp_path):
    """Releases that were written before labels came out as they are keep their certificates."""
    doubled = tuple(label for label in LABELS for _ in range(2))
    made = Made({"q0": Column(kind, doubled, LABELS), "s": Column("integer", tuple(range(len(doubled))))})
    release = shoal.anonymize(
        shoal.read(made.frame("arrow"), **made.options), shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)]
    )
    axis = replace(release.table.schema["q0"].axis, cautious=True)
    table = replace(release.table, schema=release.table.schema.with_axes({"q0": axis}))
    replace(release, table=table).write(tmp_path / "released.csv")
    assert "\\[0-10)" in (tmp_path / "released.csv").read_text(encoding="utf-8")
    shoal.verify(tmp_path / "released.csv", tmp_path / "released.certificate.json")


@pytest.mark.parametrize("name", ["a,b", 'say "x"', "two\nlines", " blank", "blank ", "", "é", "a;b", "[1;2]", "*"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_any_column_name_survives_the_road(name, suffix, tmp_path):
    frame = pl.DataFrame({name: [1, 2, 3, 4], "s": [1, 2, 3, 4]})
    release = shoal.anonymize(
        shoal.read(frame, quasi=[name], sensitive=["s"]), shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)]
    )
    release.write(tmp_path / f"out.{suffix}")
    shoal.verify(tmp_path / f"out.{suffix}", tmp_path / "out.certificate.json")


def test_a_text_with_a_null_sign_is_refused_or_read_back(tmp_path):
    frame = pl.DataFrame({"c": ["a\0b", "c", "d", "e"]})
    table = shoal.read(frame, quasi=["c"])
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
    try:
        release.write(tmp_path / "out.csv")
    except shoal.ShoalError:
        assert list(tmp_path.iterdir()) == []
    else:
        shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json")
        assert cells(shoal.read(tmp_path / "out.csv", quasi=["c"])) == cells(release.table.in_released_order()[0])
