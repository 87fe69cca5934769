"""Frames and files of every make, and what is said of those that cannot be read."""

import datetime
import decimal

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from property.independent import columns_of

import shoal
from shoal.schema import Role


def cells(source, **options):
    """Give the cells of the quasi-identifier a as text."""
    return shoal.read(source, quasi=["a"], **options).to_arrow(cells="text").column("a").to_pylist()


FRAMES = {
    "polars": lambda: pl.DataFrame({"a": [3, 1, None], "s": ["x", None, "y"]}),
    "pandas": lambda: pd.DataFrame({"a": pd.Series([3, 1, None], dtype="Int64"), "s": ["x", None, "y"]}),
    "arrow": lambda: pa.table({"a": [3, 1, None], "s": ["x", None, "y"]}),
    "duckdb": lambda: duckdb.sql("select * from (values (3, 'x'), (1, null), (null, 'y')) as t(a, s)"),
    "record batches": lambda: pa.RecordBatchReader.from_batches(
        pa.schema([("a", pa.int64()), ("s", pa.string())]),
        [pa.record_batch({"a": [3], "s": ["x"]}), pa.record_batch({"a": [1, None], "s": [None, "y"]})],
    ),
    "polars categorical": lambda: pl.DataFrame({"a": [3, 1, None], "s": ["x", None, "y"]}).cast({"s": pl.Categorical}),
    "pandas categorical": lambda: pd.DataFrame(
        {"a": pd.array([3, 1, None], "Int64"), "s": pd.Categorical(["x", None, "y"])}
    ),
    "dictionaries": lambda: pa.table({"a": [3, 1, None], "s": pa.array(["x", None, "y"]).dictionary_encode()}),
    "small integers": lambda: pa.table({"a": pa.array([3, 1, None], pa.int8()), "s": ["x", None, "y"]}),
}


@pytest.mark.parametrize("make", FRAMES)
def test_every_make_of_frame_is_read_alike(make):
    table = shoal.read(FRAMES[make](), quasi=["a"], sensitive=["s"])
    assert [a.axis.kind for a in table.schema.attributes] == ["integer", "category"]
    assert table.to_arrow().to_pydict() == {"a": [3, 1, None], "s": ["x", None, "y"]}


@pytest.mark.parametrize(
    ("make", "kind"),
    [("polars", pl.DataFrame), ("pandas", pd.DataFrame), ("arrow", pa.Table), ("duckdb", duckdb.DuckDBPyRelation)],
)
def test_the_same_make_comes_out(make, kind):
    table = shoal.read(FRAMES[make](), quasi=["a"], sensitive=["s"])
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)])
    assert isinstance(release.to_native(), kind)
    assert release.to_pandas()["a"].tolist() == ["*"] * 3


def test_a_span_is_a_struct_of_two_ends():
    table = shoal.read(pl.DataFrame({"a": [1, 2, 3, None]}), quasi=["a"])
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
    assert release.to_arrow().to_pydict() == {"a": [{"lo": None, "hi": None}] * 2 + [{"lo": 1, "hi": 2}] * 2}
    assert release.to_arrow().schema.field("a").type == pa.struct([("lo", pa.int64()), ("hi", pa.int64())])


def test_the_struct_of_a_missing_cell_is_null_and_not_a_wildcard():
    spans = pa.array(
        [{"lo": 1, "hi": 2}, None, {"lo": None, "hi": None}], pa.struct([("lo", pa.int64()), ("hi", pa.int64())])
    )
    assert cells(pa.table({"a": spans})) == ["[1;2]", None, "*"]


CARRIED = {
    "booleans": pa.array([True, False, None, True]),
    "moments with a zone": pa.array(
        [datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)] * 4, pa.timestamp("us", "UTC")
    ),
    "nanoseconds": pa.array([1000, 2000, 3000, None], pa.timestamp("ns")),
    "decimals": pa.array([decimal.Decimal("1234567890123.10")] * 4, pa.decimal128(30, 2)),
    "small floats": pa.array([0.1, 0.2, None, 0.3], pa.float32()),
    "large integers": pa.array([2**60 + 1, -(2**60) - 1, None, 5]),
    "empty texts": pa.array(["", "x", None, " y "]),
}


@pytest.mark.parametrize("name", CARRIED)
def test_a_carried_column_comes_out_of_a_frame_as_it_went_in(name):
    table = shoal.read(pa.table({"a": [1, 2, 3, 4], "s": CARRIED[name]}), quasi=["a"], sensitive=["s"])
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
    found = release.to_arrow(row_order="input").column("s")
    if name == "empty texts":  # an empty text is a cell without a value
        assert found.to_pylist() == [None, "x", None, " y "]
    elif name == "nanoseconds":
        assert found.cast(pa.timestamp("ns")).equals(pa.chunked_array([CARRIED[name]]))
    else:
        assert found.to_pylist() == CARRIED[name].to_pylist()


def test_large_integers_beside_missing_ones_stay_exact_in_pandas():
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "s": pd.array([2**60 + 1, None, 5, 6], dtype="Int64")})
    release = shoal.anonymize(
        shoal.read(frame, quasi=["a"], sensitive=["s"]), shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)]
    )
    found = release.to_native(row_order="input")["s"]
    assert [None if pd.isna(v) else int(v) for v in found] == [2**60 + 1, None, 5, 6]


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, 2], "float", "float"),
        ([1, 2], "category", "category"),
        ([1.0, 2.0], "integer", "integer"),
        ([datetime.date(2020, 1, 1)] * 2, "datetime", "datetime"),
        (["1", "2"], "integer", "integer"),
        (["2020-01-01", "2020-01-02"], "date", "date"),
        ([True, False], "category", "category"),
    ],
)
def test_a_declared_kind_is_obeyed_in_frames_too(values, kind, expected):
    assert shoal.read(pl.DataFrame({"a": values}), quasi=["a"], kinds={"a": kind}).schema["a"].axis.kind == expected


@pytest.mark.parametrize(("values", "kind"), [([1, 2], "date"), ([1.5, 2.0], "integer"), (["x", "y"], "integer")])
def test_a_declared_kind_that_cannot_be_is_refused(values, kind):
    with pytest.raises(shoal.ShoalError, match="'a'"):
        shoal.read(pl.DataFrame({"a": values}), quasi=["a"], kinds={"a": kind})


def test_text_in_a_typed_frame_is_meant_as_text():
    assert shoal.read(pl.DataFrame({"a": ["1", "2"]}), quasi=["a"]).schema["a"].axis.kind == "category"
    assert cells(pl.DataFrame({"a": ["1,5", "2,5"]})) == ["1,5", "2,5"]


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pl.DataFrame({"a": [1.0, float("inf")]}), "infinite"),
        (pl.DataFrame({"a": pl.Series([2**63], dtype=pl.UInt64)}), "beyond 64 bits"),
        (pl.DataFrame({"a": [[1], [2]]}), "of a type"),
        (pl.DataFrame({"a": pl.Series([], dtype=pl.Int64)}), "no records"),
        (pl.DataFrame({"a": [{"low": 1}]}), "lo and hi"),
        (pl.DataFrame({"a": [{"lo": 2, "hi": 1}]}), "above its upper end"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a'"),
        (pd.DataFrame({"a": [1, "secret"]}), "'a'"),
        (pa.table([[1], [2]], names=["a", "a"]), "'a'"),
    ],
    ids=["infinity", "64 bits", "lists", "empty", "struct", "inverted", "twice in pandas", "mixed in pandas", "twice"],
)  # fmt: skip
def test_frames_that_cannot_be_read_are_refused_without_showing_a_cell(frame, words):
    with pytest.raises(shoal.ShoalError, match=words) as error:
        shoal.read(frame, quasi=["a"])
    assert "secret" not in str(error.value)
    assert error.value.remedy


def test_what_is_no_table_is_refused():
    with pytest.raises(shoal.errors.DataError, match="is not a table"):
        shoal.read([1, 2, 3], quasi=["a"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("a,b\n", "no records"),
        ("a,a\n1,2\n", "'a' more than once"),
        ("a,b\n1,2\n3\n", "Line 3 has 1 field, but the header has 2"),
        ("a,b\n1,2\n3,4,5\n", "Line 3 has 3 fields"),
        ('a,b\n1,2\n"3,4\n', "line 3"),
        ("a,b\n1,2\n\n3,4\n", "Line 3"),
        ("a,b\n1,2\nsecret,4\n2,2\n5,5\n", "line 3"),
        ("a,b\n1,2\n1e999,4\n2,2\n5,5\n", "infinite"),
        ("a,b\n1,2\n99999999999999999999,4\n", "beyond 64 bits"),
    ],
)
def test_files_that_cannot_be_read_are_refused_with_the_line(tmp_path, content, words):
    (tmp_path / "in.csv").write_text(content, encoding="utf-8")
    with pytest.raises(shoal.errors.DataError, match=words) as error:
        shoal.read(tmp_path / "in.csv", quasi=["a", "b"])
    assert error.value.exit_code == 3
    assert error.value.remedy
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("name", ["none.csv", "none.parquet", "."])
def test_files_that_are_not_there_are_refused(tmp_path, name):
    with pytest.raises(shoal.errors.DataError):
        shoal.read(tmp_path / name, quasi=["a"])


def test_a_file_that_is_not_parquet_is_refused(tmp_path):
    (tmp_path / "in.parquet").write_bytes(b"not parquet at all")
    with pytest.raises(shoal.errors.DataError, match="not a Parquet file"):
        shoal.read(tmp_path / "in.parquet", quasi=["a"])


def test_empty_lines_at_the_end_are_nothing(tmp_path):
    (tmp_path / "in.csv").write_text("a,b\n1,2\n3,4\n\n\n", encoding="utf-8")
    assert cells(tmp_path / "in.csv") == [1, 3]


def test_the_papers_format(tmp_path):
    (tmp_path / "in.txt").write_text("age,zip,charge\n[20;29],937**,5\n30,*,6\n", encoding="utf-8")
    table = shoal.read(tmp_path / "in.txt", last_sensitive=True, masked=True)
    assert table.schema.quasi == ("age", "zip")
    assert table.schema.sensitive == ("charge",)
    assert table.to_pandas().to_dict("list") == {
        "age": ["[20;29]", "[30;30]"],
        "zip": ["[93700;93799]", "*"],
        "charge": [5, 6],
    }


def test_decimal_commas_delimiters_and_quotes(tmp_path):
    (tmp_path / "in.csv").write_text('a;"b;c";note\n"1,5";x;"p;q"\n2,25;y;""\n', encoding="utf-8")
    table = shoal.read(tmp_path / "in.csv", quasi=["a"], rest=Role.PLAIN)
    assert table.schema.names == ("a", "b;c", "note")
    assert table.to_arrow().to_pydict() == {"a": [1.5, 2.25], "b;c": ["x", "y"], "note": ["p;q", None]}


def test_parquet_and_text_give_the_same_table(tmp_path):
    frame = pl.DataFrame({"a": [3, 1, None], "s": ["x", "y", "z"]})
    frame.write_csv(tmp_path / "in.csv")
    pq.write_table(frame.to_arrow(), tmp_path / "in.parquet")
    one, other = (shoal.read(tmp_path / name, quasi=["a"], sensitive=["s"]) for name in ("in.csv", "in.parquet"))
    assert one.to_arrow().to_pydict() == other.to_arrow().to_pydict()


def test_columns_without_a_role_are_left_out_and_named():
    frame = pl.DataFrame({"name": ["Ann"], "a": [1], "x": [2]})
    table = shoal.read(frame, quasi=["a"], identifier=["name"])
    assert table.schema.names == ("a",)
    assert table.schema.left_out == ("name", "x")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"quasi": ["agee"]}, shoal.errors.SchemaError, "Did you mean 'age'"),
        ({"quasi": ["age"], "sensitive": ["age"]}, shoal.errors.ParameterError, "two roles"),
        ({"quasi": ["age"], "last_sensitive": True}, shoal.errors.ParameterError, "by name and by place"),
        ({"quazi": ["age"]}, shoal.errors.ParameterError, "Did you mean 'quasi'"),
        ({"quasi": ["age"], "kinds": {"agee": "integer"}}, shoal.errors.SchemaError, "Did you mean 'age'"),
        ({"quasi": ["age"], "kinds": {"age": "intger"}}, shoal.errors.ParameterError, "Did you mean 'integer'"),
        ({"quasi": ["age"], "orders": {"stagee": ["a"]}}, shoal.errors.SchemaError, "no column 'stagee'"),
        ({"quasi": ["age"], "delimiter": "||"}, shoal.errors.ParameterError, "delimiter"),
        ({"quasi": ["age"], "decimal": ";"}, shoal.errors.ParameterError, "decimal sign"),
    ],
)
def test_misspelt_options_are_refused_with_a_suggestion(options, error, words):
    with pytest.raises(error) as raised:
        shoal.read(pl.DataFrame({"age": [1], "sex": ["f"]}), **options)
    assert words in str(raised.value)


def test_a_table_shows_its_shape_and_never_a_cell():
    table = shoal.read(pl.DataFrame({"age": [987], "ill": ["secret"]}), quasi=["age"], sensitive=["ill"])
    assert repr(table) == "Table of 1 records: age (quasi, integer), ill (sensitive, category)"


@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_the_smallest_64_bit_integer_is_itself(role, tmp_path):
    frame = pa.table({"a": [1, 2, 3, 4], "b": [-(2**63), 0, 5, 6]})
    options = {"quasi": ["a", "b"]} if role == "quasi" else {"quasi": ["a"], "sensitive": ["b"]}
    table = shoal.read(frame, **options)
    assert table.to_arrow().column("b").to_pylist() == [-(2**63), 0, 5, 6]
    shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(4)]).write(tmp_path / "out.csv")
    texts = columns_of(tmp_path / "out.csv")["b"]
    assert texts == ([f"[{-(2**63)};6]"] * 4 if role == "quasi" else [str(-(2**63)), "0", "5", "6"])
    shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json")


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, pa.table])
def test_a_declared_missing_mark_is_no_value_in_frames_too(make):
    table = shoal.read(make({"a": [-9, 5, 6], "c": ["-9", "x", "y"]}), quasi=["a", "c"], missing=["-9"])
    assert table.to_arrow().to_pydict() == {"a": [None, 5, 6], "c": [None, "x", "y"]}


@pytest.mark.parametrize(
    "column",
    [
        pa.array([-800_000, 0], pa.date32()),
        pa.array([0, 3_000_000], pa.date32()),
        pa.array([0, 9 * 10**18], pa.timestamp("us")),
        pa.array([0, 9 * 10**18], pa.timestamp("s")),
    ],
    ids=["before year 1", "after year 9999", "microseconds", "seconds"],
)
@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_days_that_no_calendar_has_are_refused(column, role):
    frame = pa.table({"a": column, "b": [1, 2]})
    options = {"quasi": ["a"]} if role == "quasi" else {"quasi": ["b"], "sensitive": ["a"]}
    with pytest.raises(shoal.errors.DataError, match="'a'"):
        shoal.read(frame, **options)


def test_a_quote_inside_a_name_is_part_of_the_name(tmp_path):
    (tmp_path / "in.csv").write_text('size 5",b\n1,2\n3,4\n', encoding="utf-8")
    assert shoal.read(tmp_path / "in.csv", rest=Role.PLAIN).schema.names == ('size 5"', "b")


def test_names_of_columns_keep_letters_whose_last_byte_looks_like_a_blank(tmp_path):
    (tmp_path / "names.csv").write_text("الاسم, à ,b\n1,2,3\n", encoding="utf-8")
    assert shoal.read(tmp_path / "names.csv", quasi=["الاسم", "à"]).schema.quasi == ("الاسم", "à")


def test_a_column_that_arrow_cannot_read_is_named(tmp_path, monkeypatch):
    pq.write_table(pa.table({"a": [1, 2], "odd": [3, 4]}), tmp_path / "in.parquet")
    read = pq.ParquetFile.read

    def refusing(self, *groups, columns=None):
        if columns is None or "odd" in columns:
            raise pa.ArrowNotImplementedError("SECRET")
        return read(self, columns=columns)

    monkeypatch.setattr(pq.ParquetFile, "read", refusing)
    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", refusing)
    with pytest.raises(shoal.errors.DataError, match="'odd' is of a type"):
        shoal.read(tmp_path / "in.parquet", quasi=["a"])
