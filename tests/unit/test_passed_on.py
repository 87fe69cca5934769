"""Plain columns are passed on with their type, whatever it is, and tell nothing but what is released."""

import datetime
import decimal
import uuid

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines.tiny import Tiny

import shoal
from shoal.engines.io.opaque_columns import cleaned, texts_of
from shoal.schema import Role

IDS = [uuid.UUID(int=i).bytes for i in range(3)]
ODD = {
    "list": pa.array([[1, None], [], None]),
    "nested": pa.array([[{"a": [1]}], [None], None]),
    "fixed": pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int16(), 2)),
    "struct": pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}]),
    "map": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int64())),
    "binary": pa.array([b"\0\xff", b"", None]),
    "fixed binary": pa.array([b"ab", b"cd", None], pa.binary(2)),
    "uuid": pa.array([*IDS[:2], None], pa.uuid()),
    "json": pa.array(['{"a": 1}', "[]", None]).cast(pa.json_()),
    "time": pa.array([datetime.time(1, 2, 3), datetime.time(0), None], pa.time64("us")),
    "seconds": pa.array([datetime.time(1, 2, 3), datetime.time(0), None], pa.time32("s")),
    "duration": pa.array([1_500, -1, None], pa.duration("ms")),
    "interval": pa.array([(1, 2, 3), (0, 0, 0), None], pa.month_day_nano_interval()),
    "decimal": pa.array([decimal.Decimal("1.50"), decimal.Decimal("0.10"), None], pa.decimal128(12, 2)),
    "long decimal": pa.array([decimal.Decimal(10**37), decimal.Decimal(1), None], pa.decimal128(38, 0)),
    "uint64": pa.array([2**64 - 1, 0, None], pa.uint64()),
    "infinity": pa.array([float("inf"), float("nan"), None]),
    "float32": pa.array([0.1, 2.0, None], pa.float32()),
    "half": pa.array(np.array([0.5, 2.0, 3.0], np.float16)),
    "int16": pa.array([1, 2, None], pa.int16()),
    "nanoseconds": pa.array([1, 1_000, None], pa.timestamp("ns")),
    "zone": pa.array([1, 1_000, None], pa.timestamp("ns", "Asia/Tokyo")),
    "no calendar": pa.array([2**62, 0, None], pa.timestamp("s")),
    "bool": pa.array([True, False, None]),
}
NO_PARQUET = ("interval", "no calendar")
NO_TEXT = ("list", "nested", "fixed", "struct", "map", "binary", "fixed binary")


def table_of(column):
    """Give records in which the column alone tells the order of those with equal cells."""
    rows = pa.array(np.arange(12) % 3)
    return pa.table({"age": [20, 30] * 6, "odd": column.take(rows), "ill": ["a", "b", "c"] * 4})


def canonical(table):
    """Give the values of the rows, as texts that only equal values have."""
    whole = table.combine_chunks()
    return [*zip(*(texts_of(whole.column(name).chunk(0)) for name in ("odd", "ill")), strict=True)]


ASKED = {"quasi": "age", "plain": "odd", "sensitive": "ill"}


def released(table):
    """Mask a table whose plain columns may go out, though cells of one are unique identifiers."""
    return shoal.anonymize(
        table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(3)], allow_identifiers=table.schema.of(Role.PLAIN)
    )


@pytest.mark.parametrize("name", [name for name in ODD if name not in NO_PARQUET])
def test_a_plain_column_of_any_type_is_passed_on_as_it_is(tmp_path, name):
    pq.write_table(table_of(ODD[name]), tmp_path / "in.parquet", row_group_size=5)
    source = pq.read_table(tmp_path / "in.parquet")
    outs = []
    for given in (tmp_path / "in.parquet", source.take(pa.array(np.arange(12)[::-1]))):
        release = released(shoal.read(given, **ASKED))
        release.write(tmp_path / "out.parquet", overwrite=True)
        out = pq.read_table(tmp_path / "out.parquet")
        assert out.schema.field("odd").type == source.schema.field("odd").type
        assert release.to_arrow().schema.field("odd").type == source.schema.field("odd").type
        assert sorted(map(str, canonical(out))) == sorted(map(str, canonical(source)))
        outs.append(canonical(out))
    assert outs[0] == outs[1], "the order of the input shows"
    paper, record = tmp_path / "out.certificate.json", tmp_path / "out.private.json"
    proof = shoal.verify(tmp_path / "out.parquet", paper, private=record)
    assert any("released order" in line for line in proof.proved)
    assert not any("beside the rows" in line for line in proof.not_proved)


def test_tables_in_parts_pass_on_the_same(tmp_path):
    rows = pa.array(np.arange(12) * 7 % 3)
    columns = {name: ODD[name].take(rows) for name in ODD if name not in NO_PARQUET}
    pq.write_table(pa.table({"age": [20, 30] * 6, **columns}), tmp_path / "in.parquet", row_group_size=5)
    whole = pq.read_table(tmp_path / "in.parquet")
    asked = {"quasi": "age", "plain": list(columns)}
    for given, engine in ((whole, None), (tmp_path / "in.parquet", Tiny()), (whole, Tiny())):
        table = shoal.read(given, engine=engine, **asked)
        release = released(table)
        release.write(tmp_path / f"out{engine is None}.parquet", overwrite=True)
        proof = shoal.verify(
            tmp_path / f"out{engine is None}.parquet", tmp_path / f"out{engine is None}.certificate.json", engine=engine
        )
        assert any("released order" in line for line in proof.proved)
    assert (tmp_path / "outTrue.parquet").read_bytes() == (tmp_path / "outFalse.parquet").read_bytes()
    assert release.to_arrow().schema.types[1:] == whole.schema.types[1:]


@pytest.mark.parametrize("name", NO_PARQUET)
def test_what_parquet_cannot_hold_is_refused(tmp_path, name):
    table = shoal.read(table_of(ODD[name]), quasi="age", plain="odd")
    release = released(table)
    with pytest.raises(shoal.errors.DataError, match="Parquet cannot hold"):
        release.write(tmp_path / "out.parquet", overwrite=True)
    assert not list(tmp_path.iterdir())
    assert release.to_arrow().schema.field("odd").type == ODD[name].type


@pytest.mark.parametrize("name", ODD)
def test_text_gets_what_has_an_honest_text_and_nothing_else(tmp_path, name):
    engine = Tiny() if name in ("list", "time") else None
    table = shoal.read(table_of(ODD[name]), engine=engine, quasi="age", plain="odd", sensitive="ill")
    release = released(table)
    if name in NO_TEXT:
        with pytest.raises(shoal.errors.DataError, match=r"'odd'.*no form") as refused:
            release.write(tmp_path / "out.csv", overwrite=True)
        assert "Parquet" in refused.value.remedy
        assert not list(tmp_path.iterdir())
    else:
        release.write(tmp_path / "out.csv", overwrite=True)
        assert shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json").proved


@pytest.mark.parametrize("role", ["quasi", "sensitive"])
@pytest.mark.parametrize("name", ["list", "struct", "binary", "duration", "infinity", "uint64"])
def test_what_lies_on_no_axis_is_refused_where_cells_are_looked_at(name, role):
    roles = {"quasi": ["age"]} | ({"quasi": ["odd"]} if role == "quasi" else {"sensitive": ["odd"]})
    with pytest.raises(shoal.errors.DataError, match="'odd'"):
        shoal.read(table_of(ODD[name]), **roles)


@pytest.mark.parametrize("kind", [pa.list_(pa.int8(), 0), pa.struct([]), pa.list_(pa.null())], ids=str)
def test_a_type_that_holds_a_place_for_nothing_is_refused(kind):
    with pytest.raises(shoal.errors.DataError, match="'odd'"):
        shoal.read(table_of(pa.nulls(3, kind)), quasi="age", plain="odd")


def test_a_uuid_is_a_category_like_others():
    """Who someone is is often a UUID: it tells people apart, and may be confidential."""
    for role in ("subject", "sensitive", "quasi"):
        roles = {"quasi": "age"} | {role: "odd"}
        table = shoal.read(table_of(pa.array(IDS, pa.uuid())), **roles)
        assert table.schema["odd"].axis.kind == "category"
        assert str(uuid.UUID(int=1)) in table.schema["odd"].axis.values


RELATION = """SELECT 1 AS age, '00000000-0000-0000-0000-00000000000a'::UUID AS key, '{}'::JSON AS notes, [1] AS list,
    1.5::DECIMAL(12, 2) AS price, TIME '12:00' AS hour, {'a': 1} AS parts, 5::UBIGINT AS large, 'x'::BLOB AS bytes,
    1::TINYINT AS small, INTERVAL 1 DAY AS span, 'b'::ENUM('b', 'a') AS mood FROM range(4)"""
HOURS = [datetime.time(1)] * 4
FRAMES = {
    "duckdb": lambda: duckdb.sql(RELATION),
    "polars": lambda: pl.DataFrame(
        {
            "age": [1] * 4, "hour": HOURS, "list": [[1]] * 4, "span": pl.Series([1] * 4, dtype=pl.Duration),
            "mood": pl.Series(["b", "a"] * 2, dtype=pl.Enum(["b", "a"])),
        }
    ),
    "pandas": lambda: pd.DataFrame(
        {"age": [1] * 4, "hour": HOURS, "list": [[1]] * 4, "span": pd.to_timedelta([1] * 4), "bytes": [b"x"] * 4}
    ),
}  # fmt: skip


@pytest.mark.parametrize("make", FRAMES)
def test_frames_come_out_with_the_types_that_they_came_with(make):
    frame = FRAMES[make]()
    table = shoal.read(frame, quasi="age", plain=[name for name in frame.columns if name != "age"])
    out = shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(4)]).to_native()
    assert type(out) is type(frame)
    told = [str(kind).replace("ENUM('b', 'a')", "ENUM('b')") for kind in frame.dtypes]  # of it, what occurs
    assert [str(kind) for kind in out.dtypes][1:] == told[1:]


def test_a_frame_that_has_no_such_type_is_refused_in_words():
    table = shoal.read(table_of(ODD["interval"]), quasi="age", plain="odd")
    release = released(table)
    with pytest.raises(shoal.errors.DataError, match=r"'odd'.*Polars cannot take over"):
        release.to_polars()


def test_memory_behind_values_is_not_passed_on():
    """What stood in a cell before it was emptied, or in rows that were left out, is nobody's to see."""
    inside = pa.array(["secret", "shown"])
    emptied = pa.StructArray.from_arrays([inside], ["a"], mask=pa.array([True, False]))
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2]), inside, mask=pa.array([True, False]))
    for column in (emptied, lists, pa.array([["secret"], ["shown"]]).slice(1)):
        buffers = [b.to_pybytes() for b in cleaned(column).buffers() if b is not None]
        assert cleaned(column).to_pylist() == column.to_pylist()
        assert not any(b"secret" in some for some in buffers)


def test_remarks_inside_of_types_are_not_passed_on(tmp_path):
    field = pa.field("item", pa.string(), metadata={"note": "of a patient"})
    column = pa.array([["a"], ["b"]], pa.list_(field))
    table = shoal.read(pa.table({"age": [1, 1], "odd": column}), quasi="age", plain="odd")
    release = shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(2)])
    release.write(tmp_path / "out.parquet", overwrite=True)
    assert b"of a patient" not in (tmp_path / "out.parquet").read_bytes()
    assert release.to_arrow().schema.field("odd").type.value_field.metadata is None


def test_text_says_why_it_is_read_as_text(tmp_path):
    pq.write_table(pa.table({"town": ["a", "b"], "sure": [True, False]}), tmp_path / "in.parquet")
    table = shoal.read(tmp_path / "in.parquet", quasi=["town", "sure"])
    assert [table.schema[name].reason for name in ("town", "sure")] == ["text", "text"]
    declared = shoal.read(tmp_path / "in.parquet", quasi=["town"], kinds={"town": "category"})
    assert declared.schema["town"].reason == "declared"
