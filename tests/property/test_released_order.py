"""The order of a release tells nothing but what is released: it is the same whatever the order of the input was."""

import csv
import datetime
import tempfile
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines.pools import Memory
from engines.tiny import Tiny
from hypothesis import given, settings
from hypothesis import strategies as st
from property.independent import rows_of
from property.sorting import Kind, in_released_order
from property.tables import tables

import shoal
from shoal.domains.hierarchy import Hierarchy
from shoal.engines.disk.pool import DiskPool
from shoal.engines.parts.engine import PartsEngine
from shoal.engines.sources import Source
from shoal.engines.values import Layout

LEVELS = ("low", "mid;dle", "[high", "*top")
TREE = [("a1", "a**", "*"), ("a2", "a**", "*"), ("b1", "{b", "*"), ("b2", "{b", "*"), ("c", "c", "*")]
NUMBERS = st.integers(-3, 3) | st.integers(-(2**40), 2**40)
DAYS = st.dates(datetime.date(1960, 1, 1), datetime.date(1962, 1, 1))
TIMES = st.datetimes(datetime.datetime(1960, 1, 1), datetime.datetime(1962, 1, 1))


def ranges(values, write=str):
    """Give values and ranges of them, as texts."""
    pairs = st.tuples(values, values).map(sorted).map(lambda ends: f"[{write(ends[0])};{write(ends[1])}]")
    return values.map(write) | pairs


def marked(level):
    return "".join(f"\\{sign}" if sign in "\\;[]{}*" else sign for sign in level)


def levels(ends):
    low, high = sorted(ends, key=LEVELS.index)
    return f"[{marked(low)};{marked(high)}]"


QUASI = {
    "integer": ranges(NUMBERS) | st.sampled_from(["*", ""]),
    "float": ranges(st.floats(-1e9, 1e9), repr) | st.sampled_from(["*", ""]),
    "date": ranges(DAYS) | st.sampled_from(["*", ""]),
    "datetime": ranges(TIMES) | st.sampled_from(["*", ""]),
    "category": st.sampled_from(["é", "z", "Z", "!", "{a;b}", "{b;c}", "{a;b;c}", "937**", "93***", "\\*", "*", ""]),
    "ordered": st.sampled_from(LEVELS).map(marked)
    | st.tuples(st.sampled_from(LEVELS), st.sampled_from(LEVELS)).map(levels)
    | st.sampled_from(["*", ""]),
    "hierarchy": st.sampled_from(["a1", "a2", "a**", "b1", "b2", "{b", "c", "*", ""]).map(
        lambda text: "\\{b" if text == "{b" else text
    ),
}
OTHERS = {
    "integer": st.sampled_from(["5", "05", "-1", "+7", "[2;9]", "[2;3]", "*", "", "NA"]) | NUMBERS.map(str),
    "float": st.sampled_from(["1.5", "1.50", "-0.0", "0", "1e3", "1000.0", "", "NA"]),
    "date": DAYS.map(str) | st.sampled_from(["", "NA"]),
    "datetime": st.sampled_from(["1961-01-01", "1961-01-01 00:00", "1961-01-01T00:00:00", "1960-05-05 05:05", ""]),
    "category": st.sampled_from(["é", "zoë", "a", "a ", "B", "", "NA", '"', "x,y", "*"]),
    "ordered": st.sampled_from(["low", "\\*top", ""]),
    "hierarchy": st.sampled_from(["a1", "b1", "c", "a2", ""]),
}


@st.composite
def texts(draw):
    """Draw a table of cells of every kind, as text: quasi-identifiers q0, q1, … among other columns o0, o1, …"""
    rows = draw(st.integers(1, 24))
    chosen = [("q", draw(st.sampled_from(list(QUASI)))) for _ in range(draw(st.integers(1, 3)))]
    chosen += [("o", draw(st.sampled_from(list(OTHERS)))) for _ in range(draw(st.integers(0, 3)))]
    columns = {}
    for i, (role, kind) in enumerate(draw(st.permutations(chosen))):
        one = (QUASI if role == "q" else OTHERS)[kind]
        few = st.sampled_from(draw(st.lists(one, min_size=1, max_size=3)))
        columns[f"{role}{i}"] = kind, draw(st.lists(draw(st.sampled_from([one, few])), min_size=rows, max_size=rows))
    return columns


def options(columns):
    kinds = {name: kind for name, (kind, _) in columns.items()}
    return {
        "quasi": [name for name in columns if name[0] == "q"],
        "sensitive": [name for name in columns if name[0] == "o"],
        "kinds": {name: kind for name, kind in kinds.items() if kind not in ("ordered", "hierarchy")},
        "orders": {name: LEVELS for name, kind in kinds.items() if kind == "ordered"},
        "hierarchies": {name: Hierarchy.of(TREE, name) for name, kind in kinds.items() if kind == "hierarchy"},
        "missing": ("NA",),
        "masked": True,
        "delimiter": ",",
    }


def put(columns, path, order=None):
    """Write a table as text, its rows in some order."""
    rows = list(zip(*(cells for _, cells in columns.values()), strict=True))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(columns)
        writer.writerows(rows if order is None else [rows[i] for i in order])
    return path


def written(table, path):
    path.unlink(missing_ok=True)
    with table.write(Source.parse(path), Layout()):
        return path.read_bytes()


def kinds_of(columns, names):
    found = {name: kind for name, (kind, _) in columns.items()}
    return [Kind(found[name], name[0] == "q", LEVELS if found[name] == "ordered" else (), ("", "NA")) for name in names]


@given(texts(), st.randoms(use_true_random=False))
@settings(max_examples=80)
def test_rows_are_sorted_by_what_is_released(columns, random):
    """Compared with a plain sort of the released texts; and whatever the order of the input, the bytes are the same."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = shoal.read(put(columns, folder / "in.csv"), **options(columns))
        written(table, folder / "plain.csv")
        arranged, order = table.in_released_order()
        content = written(arranged, folder / "out.csv")
        header, plain = rows_of(folder / "plain.csv")
        assert rows_of(folder / "out.csv") == (header, in_released_order(plain, kinds_of(columns, header)))
        numbers = np.concatenate(list(order()))
        assert [plain[i] for i in numbers] == rows_of(folder / "out.csv")[1]
        assert np.array_equal(np.concatenate(list(order())), numbers)
        assert written(arranged.rearranged(order), folder / "back.csv") == (folder / "plain.csv").read_bytes()
        assert arranged.in_released_order()[0].data is arranged.data
        turned = random.sample(range(table.rows), table.rows)
        other = shoal.read(put(columns, folder / "in.csv", turned), **options(columns))
        assert written(other.in_released_order()[0], folder / "other.csv") == content


def engines(folder):
    return [Tiny(DiskPool(folder)), PartsEngine(Memory(), 5), PartsEngine(Memory(), 1)]


@given(texts())
@settings(max_examples=25)
def test_every_engine_has_the_same_order(columns):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = put(columns, folder / "in.csv")
        table = shoal.read(source, **options(columns))
        arranged, order = table.in_released_order()
        plain, content = written(table, folder / "plain.csv"), written(arranged, folder / "out.csv")
        for engine in engines(folder):
            there = shoal.read(source, engine=engine, **options(columns))
            found, rows = there.in_released_order()
            assert written(found, folder / "there.csv") == content
            assert np.array_equal(np.concatenate(list(rows())), np.concatenate(list(order())))
            assert written(found.rearranged(rows), folder / "there.csv") == plain
            assert found.in_released_order()[0].data is found.data


@given(texts())
def test_a_release_that_is_read_again_stands_in_its_order(columns):
    """What a reader sees, with the kinds that a certificate tells, gives the same order: as text and as Parquet."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arranged = shoal.read(put(columns, folder / "in.csv"), **options(columns)).in_released_order()[0]
        seen = options(columns)
        trees = [name for name in seen["hierarchies"] if name[0] == "q"]  # whose nodes a reader takes for categories
        seen["hierarchies"] = {name: tree for name, tree in seen["hierarchies"].items() if name not in trees}
        seen["kinds"] |= dict.fromkeys(trees, "category")
        for column in arranged.schema.attributes:
            seen["kinds"].setdefault(column.name, column.axis.kind) if column.axis.kind != "ordered" else None
        written(arranged, folder / "out.csv")
        again = shoal.read(folder / "out.csv", **seen)
        assert again.in_released_order()[0].data is again.data
        written(arranged, folder / "out.parquet")
        seen.pop("delimiter")
        again = shoal.read(folder / "out.parquet", **seen)
        assert again.in_released_order()[0].data is again.data


METHODS = st.sampled_from(
    [shoal.methods.SortedClusters(), shoal.methods.Hilbert(), shoal.methods.Mondrian(), shoal.methods.MDAV("mean")]
)


@settings(max_examples=25)
@given(tables(least=2), METHODS, st.sampled_from(["polars", "pandas", "arrow", "csv"]))
def test_releases_of_frames_are_sorted_alike_on_every_engine(made, method, make):
    """Typed columns follow their rows; classes that publish the same cells are one class."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = made.source(make, folder)
        models = [shoal.models.KAnonymity(2)]
        masked = shoal.anonymize(shoal.read(source, **made.options), method, models, measures=[]).table
        written(masked, folder / "plain.csv")
        arranged, order = masked.in_released_order()
        content, frame = written(arranged, folder / "out.csv"), arranged.to_arrow()
        header, plain = rows_of(folder / "plain.csv")
        kinds = {a.name: a.axis.kind for a in masked.schema.attributes}
        kinds = [Kind(kinds[name], name != "s", made.columns[name].order) for name in header]
        assert rows_of(folder / "out.csv")[1] == in_released_order(plain, kinds)
        numbers = np.concatenate(list(order()))
        assert frame.equals(masked.to_arrow().take(pa.array(numbers)))
        assert arranged.rearranged(order).to_arrow().equals(masked.to_arrow())
        for engine in engines(folder):
            there = shoal.read(source, engine=engine, **made.options)
            found, rows = shoal.anonymize(there, method, models, measures=[]).table.in_released_order()
            assert written(found, folder / "there.csv") == content
            assert found.to_arrow().equals(frame)
            assert np.array_equal(np.concatenate(list(rows())), numbers)


def test_values_that_are_written_alike_have_an_order_too(tmp_path):
    """No value and NaN, zeros of both signs, an empty text and none: nothing of it tells the order of the input."""
    stamps = pa.array([1, 0, 1, 0, None, 5, 0, 1], pa.timestamp("us"))
    floats = pa.array([float("nan"), None, 0.0, -0.0, None, float("nan"), -0.0, 0.0])
    wide = pa.array([Decimal(i % 3) for i in range(8)], pa.decimal128(30))
    words = pa.array(["", None, "b", "a", "", None, "a", "b"]).dictionary_encode()
    table = pa.table({"q": pa.array([1] * 8), "t": stamps, "f": floats, "d": wide, "w": words, "n": pa.array(range(8))})
    roles = {"quasi": ["q"], "plain": ["t", "f", "d", "w"], "subject": "n"}
    plain = table.drop_columns(["n"])

    def bits(frame):
        """Give rows that tell apart what only looks equal."""
        columns = [frame["f"].combine_chunks().view("int64"), frame["t"].cast("int64"), frame["d"], frame["w"]]
        return list(zip(*(column.to_pylist() for column in columns), strict=True))

    found = shoal.read(table, **roles).in_released_order()[0].to_arrow()
    assert sorted(map(repr, bits(found))) == sorted(map(repr, bits(plain)))
    pq.write_table(found, tmp_path / "out.parquet")
    again = shoal.read(tmp_path / "out.parquet", quasi=["q"], plain=["t", "f", "d", "w"])
    assert again.in_released_order()[0].data is again.data
    for seed in range(6):
        turned = table.take(pa.array(np.random.default_rng(seed).permutation(8)))
        for engine in [None, *engines(tmp_path)]:
            other = shoal.read(turned, engine=engine, **roles).in_released_order()[0].to_arrow()
            assert bits(other) == bits(found)


def test_a_class_larger_than_a_part_is_sorted_across_parts(tmp_path):
    """All classes publish the same cells, and are one class of 40 records in parts of five."""
    table = pa.table({"q": pa.array([7] * 40), "s": pa.array([(i * 17) % 40 for i in range(40)])})
    for engine in engines(tmp_path):
        there = shoal.read(table, engine=engine, quasi="q", sensitive="s")
        release = shoal.anonymize(
            there, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)], allow_identifiers="s"
        )
        found, order = release.table.in_released_order()
        assert found.to_arrow()["s"].to_pylist() == list(range(40))
        assert [(int(i) * 17) % 40 for stretch in order() for i in stretch] == list(range(40))
        assert max(found.data.sizes) < 40


@pytest.mark.parametrize("numbers", [[0, 1], [0, 1, 1], [0, 1, 3], [0, -1, 2], [0, 1, 2, 2]])
def test_an_order_of_another_table_is_refused(tmp_path, numbers):
    table = pa.table({"q": pa.array([3, 1, 2])})
    for engine in [None, *engines(tmp_path)]:
        arranged = shoal.read(table, engine=engine, quasi="q").in_released_order()[0]
        with pytest.raises(shoal.errors.DataError, match="not one of this table"):
            arranged.rearranged(lambda: iter([np.array(numbers)]))


def test_a_release_goes_into_a_database_in_its_order(tmp_path):
    table = pa.table({"age": [5, 3, 9, 1, 7, 2], "ill": ["b", "a", "é", "c", "z", "a"]})
    release = shoal.anonymize(
        shoal.read(table, quasi="age", sensitive="ill"), shoal.methods.Hilbert(), [shoal.models.KAnonymity(2)]
    )
    target = f"duckdb:///{tmp_path}/out.db?table=t"
    release.write(target, certificate=tmp_path / "out.json")
    again = shoal.read(target, quasi="age", sensitive="ill")
    assert again.rows == 6
    assert again.in_released_order()[0].data is again.data


def alone_in(shown, targets):
    """Count whom an attacker finds alone, and is right: one who takes the release for sorted by its first column.

    Ends of ranges before and after a record bound it; a target that fits one bounded record is found if it is theirs.
    """
    lows = np.maximum.accumulate(shown["lo"][:, 0])
    highs = np.minimum.accumulate(shown["hi"][::-1, 0])[::-1]
    lo, hi = shown["lo"].copy(), shown["hi"].copy()
    lo[:, 0], hi[:, 0] = np.maximum(lo[:, 0], lows), np.minimum(hi[:, 0], highs)
    found = 0
    for target, cells in enumerate(targets):
        fits = np.flatnonzero(((lo <= cells) & (cells <= hi)).all(axis=1))
        found += fits.size == 1 and shown["of"][fits[0]] == target
    return found


def test_a_sorted_input_does_not_tell_who_is_behind_a_range():
    """In the order of the input, ranges around a record narrow its own; in the released order nothing is told."""
    draw = np.random.default_rng(5)
    people = np.stack([np.sort(draw.integers(90_000, 96_000, 2000)), draw.integers(0, 90, 2000)], axis=1)
    table = shoal.read(pa.table({"zip": people[:, 0], "age": people[:, 1]}), quasi=["zip", "age"])
    release = shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(5)])

    def shown(masked, of):
        frame = masked.to_arrow()
        columns = [frame[name].combine_chunks() for name in ("zip", "age")]
        return {side: np.stack([c.field(side).to_numpy() for c in columns], axis=1) for side in ("lo", "hi")} | {
            "of": of
        }

    arranged, order = release.table.in_released_order()
    assert alone_in(shown(release.table, np.arange(2000)), people) > 1000
    assert alone_in(shown(arranged, np.concatenate(list(order()))), people) == 0
