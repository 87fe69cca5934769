"""A value that cannot be kept as it is is refused: what is published for it would not hold it."""

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines.tiny import Tiny
from property.independent import columns_of

import shoal
from shoal.engines.local import Local

DAY = datetime.date(1969, 12, 23)  # nine days before the first
ENGINES = [Local, Tiny]


def read(column, folder, engine=Local, **options):
    """Read a column as a quasi-identifier, from a file."""
    pq.write_table(pa.table({"a": column}), folder / "in.parquet")
    return shoal.read(folder / "in.parquet", engine=engine(), quasi=["a"], **options)


TYPED = {
    "dates": (pa.array([DAY, DAY, None]), ["-9", "0", "-776"], "1969-12-23"),
    "moments": (pa.array([0, 0, 9_000_000], pa.timestamp("us")), ["0", "0.0", "9000000"], "1970-01-01 00:00:00"),
    "seconds": (pa.array([0, 0, 9], pa.timestamp("s")), ["0", "9"], "1970-01-01"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", TYPED)
def test_a_mark_for_missing_values_is_no_number_of_days(tmp_path, name, engine):
    column, numbers, text = TYPED[name]
    plain = read(column, tmp_path, engine).to_arrow()
    assert read(column, tmp_path, engine, missing=numbers).to_arrow().equals(plain)
    marked = read(column, tmp_path, engine, missing=[text]).to_arrow().column("a")
    assert marked.to_pylist()[:2] == [None, None]
    assert marked.to_pylist()[2] == plain.column("a").to_pylist()[2]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("column", "marks", "left"),
    [
        (pa.array([-9, 5, 6]), ["-9"], [5, 6]),
        (pa.array([-9, 5, 6]), ["-9.0", "x", "nan", "1969-12-23"], [5, 6]),
        (pa.array([2**60 + 1, 2**60, 6]), [str(2**60)], [2**60 + 1, 6]),
        (pa.array([-9.0, 5.5, 6.0]), ["-9", "6.00"], [5.5]),
        (pa.array([2.5, 5.5, 1e300]), ["2.50", "1e300"], [5.5]),
    ],
)
def test_a_mark_for_missing_numbers_is_a_number(tmp_path, column, marks, left, engine):
    found = read(column, tmp_path, engine, missing=marks).to_arrow().column("a")
    assert found.drop_null().to_pylist() == left


@pytest.mark.parametrize("engine", ENGINES)
def test_the_ends_of_a_span_are_no_marks(tmp_path, engine):
    spans = pa.array([{"lo": -9, "hi": 5}, {"lo": 5, "hi": 6}, {"lo": None, "hi": None}])
    found = read(spans, tmp_path, engine, missing=["-9", "5"]).to_arrow(cells="text")
    assert found.column("a").to_pylist() == ["[-9;5]", "[5;6]", "*"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("span", [{"lo": None, "hi": 34}, {"lo": 34, "hi": None}])
def test_a_span_with_one_end_is_refused(tmp_path, span, engine):
    """Read as a wildcard it would hide nothing of the other end."""
    with pytest.raises(shoal.errors.DataError, match="one end"):
        read(pa.array([span, {"lo": 1, "hi": 2}]), tmp_path, engine)


LOST = {
    "nanoseconds": (pa.array([1_000_001, 2_000_000], pa.timestamp("ns")), "finer than a microsecond"),
    "seconds beyond 64 bits": (pa.array([2**62, 0], pa.timestamp("s")), "no calendar"),
    "milliseconds beyond 64 bits": (pa.array([-(2**62), 0], pa.timestamp("ms")), "no calendar"),
    "days with a time": (pa.array([86_400_005, 0], pa.date64()), "time of day"),
    "decimals": (pa.array([decimal.Decimal("99999999999999999999"), 1], pa.decimal128(20, 0)), "more digits"),
    "fractions": (pa.array([decimal.Decimal("1.000000000000000001"), 1], pa.decimal128(38, 18)), "more digits"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", LOST)
def test_typed_values_that_would_change_are_refused(name, engine):
    column, words = LOST[name]
    with pytest.raises(shoal.errors.DataError, match=f"'a'.*{words}"):
        shoal.read(pa.table({"a": column}), engine=engine(), quasi=["a"])


def test_decimals_that_a_float_holds_are_kept(tmp_path):
    exact = ["0.10", "1234567890123.45", "-1000000000000.25", "100000000000000000000.00", "0.01"]
    column = pa.array([decimal.Decimal(text) for text in exact], pa.decimal128(38, 2))
    found = read(column, tmp_path).to_arrow().column("a").to_pylist()
    assert [decimal.Decimal(repr(value)) for value in found] == [decimal.Decimal(text) for text in exact]


def test_decimals_of_any_length_may_be_codes(tmp_path):
    column = pa.array([decimal.Decimal("99999999999999999999"), decimal.Decimal(5)], pa.decimal128(20, 0))
    found = read(column, tmp_path, kinds={"a": "category"}).to_arrow().column("a")
    assert found.to_pylist() == ["99999999999999999999", "5"]


def test_integers_that_no_float_holds_are_no_floats(tmp_path):
    with pytest.raises(shoal.errors.DataError, match="no float holds"):
        read(pa.array([2**53 + 1, 1]), tmp_path, kinds={"a": "float"})


def test_what_stands_behind_an_empty_cell_does_not_matter(tmp_path):
    stamps = pa.array(np.array([1, 2**62, 5000]), mask=np.array([True, True, False]))
    frame = pa.table({"a": pa.Array.from_buffers(pa.timestamp("ns"), 3, stamps.buffers())})
    assert shoal.read(frame, quasi=["a"]).to_arrow().column("a").null_count == 2


KEPT = ["0.1", "0.10000000000000001", "0.30000000000000004", "1e22", "5e-324", "0.5000000000000000000000", "1e-320"]


def test_numbers_that_a_float_holds_are_kept_however_they_are_written(tmp_path):
    (tmp_path / "in.csv").write_text("a\n" + "\n".join(KEPT) + "\n", encoding="utf-8")
    table = shoal.read(tmp_path / "in.csv", quasi=["a"])
    shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(7)]).write(tmp_path / "out.csv")
    assert set(columns_of(tmp_path / "out.csv")["a"]) == {"[5e-324;1e+22]"}


LONG = ["99999999999999999999", "99999999999999983616", "12345678.000000001", "1e-324", "[0;9007199254740993]"]


@pytest.mark.parametrize("number", LONG)
@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_numbers_of_more_digits_than_a_float_holds_are_named_by_their_line(tmp_path, number, role):
    (tmp_path / "in.csv").write_text(f"a,b\n1.5,1\n{number},2\n", encoding="utf-8")
    options = {"quasi": ["a"]} if role == "quasi" else {"quasi": ["b"], "sensitive": ["a"]}
    with pytest.raises(shoal.errors.DataError, match=r"'a'.*line 3") as refused:
        shoal.read(tmp_path / "in.csv", **options)
    assert number not in str(refused.value)
    assert shoal.read(tmp_path / "in.csv", kinds={"a": "category"}, **options).rows == 2


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_text_in_parquet_that_is_not_utf_8_is_refused(tmp_path, role, engine):
    bad = pa.Array.from_buffers(pa.string(), 2, pa.array([b"\xff\xfe", b"x"], pa.binary()).buffers())
    pq.write_table(pa.table({"a": bad, "b": [1, 2]}), tmp_path / "in.parquet")
    options = {"quasi": ["a"]} if role == "quasi" else {"quasi": ["b"], "sensitive": ["a"]}
    with pytest.raises(shoal.errors.DataError, match="'a' holds text that is not UTF-8"):
        shoal.read(tmp_path / "in.parquet", engine=engine(), **options)
