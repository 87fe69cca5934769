"""Masking and regeneration against plain Python over random tables."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError, ParameterError, SchemaError

ORDER = ("age -> bands 0,4", "race -> *", "age -> *", "zip -> prefix 1", "zip -> *")
BAND = {age: (0, 3) if age < 4 else (4, 9) for age in range(10)}

people = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc"), st.integers(100, 399)), min_size=1, max_size=30)


def table_of(rows):
    frame = pl.DataFrame(rows, schema={"age": pl.Int64, "race": pl.String, "zip": pl.Int64}, orient="row")
    return shoal.read(frame, quasi=["age", "race", "zip"])


def cascade(rows, key, highest):
    """Mask by the definition: recount after each step, change only those that are alone."""
    shown = [list(row) for row in rows]
    levels = [
        (0, lambda v: f"[{BAND[v][0]};{min(BAND[v][1], max(highest, 4)) if BAND[v][0] else 3}]"),
        (1, lambda _: "*"),
        (0, lambda _: "*"),
        (2, lambda v: f"[{v // 100 * 100};{v // 100 * 100 + 99}]"),
        (2, lambda _: "*"),
    ]
    for column, level in levels:
        counts = Counter(tuple(str(row[i]) for i in key) for row in shown)
        alone = [i for i, row in enumerate(shown) if counts[tuple(str(row[i]) for i in key)] == 1]
        for i in alone:
            if shown[i][column] != "*":
                text = level(rows[i][column])
                low, _, high = text.strip("[]").partition(";")
                shown[i][column] = low if low == high else text
    return [[str(value) for value in row] for row in shown]


@given(people, st.sampled_from([(0, 1, 2), (0, 1), (1, 2)]))
def test_masking_is_the_cascade_by_its_definition(rows, key):
    method = shoal.methods.MaskUniques(ORDER, tuple(("age", "race", "zip")[i] for i in key))
    masked = method.apply(table_of(rows), [], 0)
    frame = masked.to_polars(cells="text").select(pl.all().cast(pl.String))
    assert [list(row) for row in frame.iter_rows()] == cascade(rows, key, max(row[0] for row in rows))


@given(people)
def test_masking_keeps_count_of_what_it_hides(rows):
    original = table_of(rows)
    masked = shoal.methods.MaskUniques(ORDER).apply(original, [], 0)
    before = original.to_polars().rows()
    after = masked.to_polars(cells="text").select(pl.all().cast(pl.String)).rows()
    for j, name in enumerate(("age", "race", "zip")):
        axis = original.schema[name].axis
        positions, counts = masked.masked[name]
        found = {str(axis.value(position)): count for position, count in zip(positions, counts, strict=True)}
        assert found == Counter(str(b[j]) for b, a in zip(before, after, strict=True) if str(b[j]) != a[j])


@given(people, st.booleans(), st.integers(0, 5))
def test_regeneration_keeps_every_marginal_and_every_cell_that_was_shown(rows, joint, seed):
    original = table_of(rows)
    masked = shoal.methods.MaskUniques(ORDER).apply(original, [], 0)
    made = shoal.methods.Regenerate(joint=joint).apply(masked, [], seed)
    before, shown, after = (
        t.to_polars(cells="text").select(pl.all().cast(pl.String)).rows() for t in (original, masked, made)
    )
    for j in range(3):
        assert Counter(row[j] for row in before) == Counter(row[j] for row in after)
        for b, s, a in zip(before, shown, after, strict=True):
            assert a[j] == b[j] or s[j] != b[j]
            if joint and s[j].startswith("["):
                low, high = s[j][1:-1].split(";")
                assert int(low) <= int(a[j]) <= int(high)


def test_regeneration_joins_what_belongs_together():
    rows = [(age, "ab"[age > 4], 100 + i) for i in range(400) for age in range(10)]
    table = table_of(rows)
    hidden = pl.DataFrame(rows, schema=["age", "race", "zip"], orient="row").with_columns(
        race=pl.when(pl.int_range(len(rows)) % 3 == 0).then(pl.lit("*")).otherwise(pl.col("race"))
    )
    masked = shoal.read(hidden, quasi=["age", "race", "zip"], masked=True)
    counts = {"race": Counter(race for i, (_, race, _) in enumerate(rows) if i % 3 == 0)}
    loose, joint = (
        shoal.score(
            table,
            shoal.methods.Regenerate(counts, joint=joint).apply(masked, [], 1),
            measures=[shoal.measures.CorrelationShift()],
        )[0]
        for joint in (False, True)
    )
    assert loose.detail["before"]["age ~ race"] == pytest.approx(loose.detail["before"]["age ~ race"])
    assert loose.detail["after"]["age ~ race"] < 0.75 * loose.detail["before"]["age ~ race"]
    assert joint.detail["after"]["age ~ race"] == pytest.approx(joint.detail["before"]["age ~ race"], abs=0.02)


def test_counts_that_do_not_add_up_are_refused():
    masked = shoal.read(pl.DataFrame({"age": ["*", "3", "4"]}), quasi=["age"], kinds={"age": "integer"}, masked=True)
    with pytest.raises(DataError, match="'age' has 1 masked cells, but counts for 2"):
        shoal.methods.Regenerate({"age": {"3": 2}}).apply(masked, [], 0)
    with pytest.raises(DataError, match="counts for 0"):
        shoal.methods.Regenerate().apply(masked, [], 0)
    with pytest.raises(ParameterError, match="no integer"):
        shoal.methods.Regenerate({"age": {"x": 1}}).apply(masked, [], 0)
    with pytest.raises(ParameterError, match="negative"):
        shoal.methods.Regenerate({"age": {"3": -1, "4": 2}}).apply(masked, [], 0)
    with pytest.raises(SchemaError, match="no column 'agee'"):
        shoal.methods.Regenerate({"agee": {"3": 1}}).apply(masked, [], 0)


def test_counts_come_from_a_file(tmp_path):
    masked = shoal.read(
        pl.DataFrame({"age": ["*", "3", "4", "*"]}), quasi=["age"], kinds={"age": "integer"}, masked=True
    )
    (tmp_path / "counts.csv").write_text("column,value,count\nage,3,1\nage,7,1\n", encoding="utf-8")
    made = shoal.methods.Regenerate(str(tmp_path / "counts.csv")).apply(masked, [], 0)
    assert sorted(made.to_polars()["age"].to_list()) == [3, 3, 4, 7]
    (tmp_path / "broken.csv").write_text("column,value,count\nage,3,many\n", encoding="utf-8")
    for name in ("broken.csv", "nowhere.csv"):
        with pytest.raises(DataError, match=name):
            shoal.methods.Regenerate(str(tmp_path / name)).apply(masked, [], 0)


def test_an_order_that_names_a_column_that_is_not_there_is_refused():
    with pytest.raises(SchemaError, match="no column 'agee'"):
        shoal.methods.MaskUniques(("agee -> *",)).apply(table_of([(1, "a", 100)]), [], 0)
    with pytest.raises(SchemaError, match="no column 'sex'"):
        shoal.methods.MaskUniques(("age -> *",), ("sex",)).apply(table_of([(1, "a", 100)]), [], 0)
    with pytest.raises(ParameterError, match="list of steps"):
        shoal.methods.MaskUniques("age -> *")


def test_a_wildcard_chooses_after_every_range():
    """A range may be as wide as all values that occur: it must still be served first."""
    rows = [(0, "a", 202), (1, "b", 300), (2, "c", 301), (3, "a", 301)]
    masked = shoal.methods.MaskUniques(ORDER).apply(table_of(rows), [], 0)
    for seed in range(20):
        made = shoal.methods.Regenerate(joint=True).apply(masked, [], seed)
        shown, given = (t.to_polars(cells="text").select(pl.all().cast(pl.String)).rows() for t in (masked, made))
        for s, a in zip(shown, given, strict=True):
            if s[2].startswith("["):
                low, high = s[2][1:-1].split(";")
                assert int(low) <= int(a[2]) <= int(high)
