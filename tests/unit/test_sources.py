"""How places are named: files, folders and tables; and that a password goes nowhere."""

import gzip
import hashlib
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.engines.io.databases import from_table
from shoal.engines.io.digests import of_folder
from shoal.engines.io.row_digests import of_rows
from shoal.engines.sources import Source, beside
from shoal.errors import DataError, ParameterError, SchemaError

SERVER = "postgresql://keeper:hush%40x@db.example:5433/clinic?table=care.people&sslmode=require&sslpassword=hush"


def test_a_password_is_only_in_the_address():
    source = Source.parse(SERVER)
    assert "hush%40x" in source.address
    assert "table" not in source.address
    for text in (repr(source), str(source), source.name, source.seen_from(Path("x")), beside(Path("x"), source.name)):
        assert "hush" not in text


def test_names_of_a_server():
    source = Source.parse(SERVER)
    assert (source.kind, source.schema, source.table) == ("postgresql", "care", "people")
    assert str(source) == "postgresql://db.example:5433/clinic?table=care.people"
    assert source.name == "postgresql:///clinic?table=care.people"
    assert source.seen_from(None) == "postgresql://keeper@db.example:5433/clinic?sslmode=require&table=care.people"
    assert source.files() == []


@pytest.mark.parametrize(
    ("text", "kind", "path"),
    [
        ("a.csv", "file", "a.csv"),
        ("out/", "folder", "out"),
        ("out.parquet/", "folder", "out.parquet"),
        ("../", "file", ".."),
        ("duckdb:///a/b.db?table=t", "duckdb", "a/b.db"),
        ("duckdb:////a/b.db?table=t", "duckdb", "/a/b.db"),
        ("duckdb:///a%20b.db?table=t", "duckdb", "a b.db"),
    ],
)
def test_kinds_and_paths(text, kind, path):
    found = Source.parse(text)
    assert (found.kind, found.path) == (kind, Path(path))
    assert Source.parse(found) is found
    if kind != "file":
        assert Source.parse(str(found)) == found


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("mysql://u:hush@h/d?table=t", "shoal.read(frame)"),
        ("postgres-ql://u:hush@h/d?table=t", "Did you mean 'postgresql://'"),
        ("postgresql://u:hush@h/d", "?table=NAME"),
        ("postgresql://u:hush@h/d?table=", "?table=NAME"),
        ("postgresql://u:hush@h?table=t", "no database"),
        ("postgresql://u:hush@h/d?table=a.", "SCHEMA.NAME"),
        ("postgresql://u:hush@h/d?table=t&if_exists=hush", "if_exists=replace"),
        ("postgresql://u:hu/sh@h/d?table=t", "%40"),
        ("postgresql://u:hush?x@h/d?table=t", "%40"),
        ("postgresql://u:hush#x@h/d?table=t", "%40"),
        ("postgresql://u:hush@[h/d?table=t", "not well formed"),
        ("duckdb://a.db?table=t", "duckdb:///FILE"),
        ("duckdb:///?table=t", "duckdb:///FILE"),
        ("duckdb:///a.db?table=t&sslmode=x", "sslmode"),
    ],
)
def test_addresses_that_make_no_sense(text, word):
    with pytest.raises(ParameterError) as error:
        Source.parse(text)
    assert word in str(error.value)
    assert "hush" not in str(error.value)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("duckdb:///a.db?table=t", "duckdb:///./a.db?table=main.T", True),
        ("duckdb:///a.db?table=t", "duckdb:///a.db?table=u", False),
        ("postgresql://a@h/d?table=t", "postgresql://b:c@h:5432/d?table=public.t", True),
        ("postgresql://localhost/d?table=t", "postgresql://127.0.0.1:5432/d?table=t", True),
        ("postgresql://h/d?table=t", "postgresql://h/d?table=T", False),
        ("postgresql://h:1/d?table=t", "postgresql://h:2/d?table=t", False),
        ("a.csv", "a.csv", False),
    ],
)
def test_two_names_for_one_table(one, other, same):
    assert Source.parse(one).same_table(Source.parse(other)) is same


def test_a_recipe_names_places_from_its_own_folder(tmp_path):
    for text in ("data/a.csv", "data/parts/", "duckdb:///data/a.db?table=t"):
        seen = Source.parse(beside(tmp_path / "recipes", text)).seen_from(tmp_path / "recipes")
        assert seen == text


def test_the_digest_of_rows_does_not_depend_on_their_order_or_type_of_text():
    table = pa.table({"a,b": ["x", 'y"', None, "z\nw"], "n": [1.5, 2.0, None, -0.1]})
    found = of_rows(table)
    text = '"a,b",n\n"y""",2.0\n"z\nw",-0.1\n,\nx,1.5\n'
    lines = ['"y""",2.0\n', '"z\nw",-0.1\n', ",\n", "x,1.5\n"]
    assert found.sha256 == hashlib.sha256(('"a,b",n\n' + "".join(sorted(lines))).encode()).hexdigest()
    assert found.size == len(text)
    turned = of_rows(table.take([3, 1, 0, 2]))
    assert turned.sha256 == found.sha256
    assert turned.in_order != found.in_order
    assert of_rows(table.set_column(0, "a,b", table.column(0).cast(pa.large_string()))) == found
    assert of_rows(table.set_column(0, "a,b", table.column(0).dictionary_encode())) == found


def test_the_digest_of_a_folder_is_that_of_its_sums(tmp_path):
    for name in ("b.parquet", "a.parquet"):
        pq.write_table(pa.table({"x": [1]}), tmp_path / name)
    (tmp_path / ".c.parquet").write_bytes(b"a draft")
    listed = subprocess.run("sha256sum *.parquet | sha256sum", shell=True, cwd=tmp_path, capture_output=True).stdout
    assert of_folder(tmp_path).sha256 == listed.split()[0].decode()


def test_a_folder_is_read_in_the_order_of_names(tmp_path):
    for name, value in (("b", 3), ("a", 1), ("c", 2)):
        pq.write_table(pa.table({"age": [value] * 1000}), tmp_path / f"{name}.parquet")
    table = shoal.read(tmp_path, quasi="age")
    assert table.to_arrow().column("age").to_pylist() == [1] * 1000 + [3] * 1000 + [2] * 1000
    assert table.origin.name == f"{tmp_path.name}/"


def test_folders_in_a_folder_are_columns(tmp_path):
    for year in (2009, 2010):
        (tmp_path / f"year={year}").mkdir()
        pq.write_table(pa.table({"age": [year - 2000, 40]}), tmp_path / f"year={year}" / "part.parquet")
    table = shoal.read(f"{tmp_path}/", quasi=["age", "year"])
    assert table.to_arrow().column("year").to_pylist() == [2009, 2009, 2010, 2010]


@pytest.mark.parametrize(
    ("other", "word"),
    [
        (pa.table({"age": [1], "town": ["x"]}), "'town'"),
        (pa.table({"age": ["x"]}), "int64 in"),
    ],
)
def test_files_of_a_folder_must_be_alike(tmp_path, other, word):
    pq.write_table(pa.table({"age": [1]}), tmp_path / "a.parquet")
    pq.write_table(other, tmp_path / "b.parquet")
    with pytest.raises(SchemaError) as error:
        shoal.read(tmp_path, quasi="age")
    assert word in str(error.value)
    assert "b.parquet" in str(error.value)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_compressed_text_reads_as_plain_text(tmp_path, suffix):
    # Long enough for several chunks, with a column of whole numbers until the last line.
    rows = "".join(f"{i % 90},{i},t{i % 7}\n" for i in range(700_000)) + "40.5,1,t\n"
    plain, packed = tmp_path / "a.csv", tmp_path / f"a.csv{suffix}"
    plain.write_text(f"age,n,town\n{rows}")
    raw = plain.read_bytes()
    packed.write_bytes(gzip.compress(raw, 1) if suffix == ".gz" else pa.compress(raw, "zstd", asbytes=True))
    one, other = (shoal.read(path, quasi=["age", "n"], sensitive="town") for path in (plain, packed))
    assert one.to_arrow().equals(other.to_arrow())
    assert other.origin.sha256 == hashlib.sha256(packed.read_bytes()).hexdigest()


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_line_is_named_in_compressed_text_too(tmp_path, suffix):
    raw = b"a,b\n1,2\n3\n"
    path = tmp_path / f"a.tsv{suffix}"
    path.write_bytes(gzip.compress(raw) if suffix == ".gz" else pa.compress(raw, "zstd", asbytes=True))
    with pytest.raises(DataError, match="Line 3 has 1 field"):
        shoal.read(path, quasi="a")


def test_types_of_a_database(tmp_path):
    import duckdb

    with duckdb.connect(str(tmp_path / "a.db")) as made:
        made.execute(
            "CREATE TABLE t AS SELECT 1::TINYINT a, 2.50::DECIMAL(9,2) b, 'x'::ENUM('x', 'y') c, [1, 2] d, "
            "DATE '2020-02-29' e, true f, TIMESTAMP '2020-02-29 10:00:00' g, 5::HUGEINT h, INTERVAL 1 DAY i"
        )
        made.execute("CREATE VIEW v AS SELECT a, b FROM t")
    place = f"duckdb:///{tmp_path}/a.db"
    table, origin = from_table(Source.parse(f"{place}?table=t"))
    assert [str(field.type) for field in table.schema] == [
        "int8", "decimal128(9, 2)", "dictionary<values=string, indices=uint8, ordered=1>", "list<l: int32>",
        "date32[day]", "bool", "timestamp[us]", "decimal128(38, 0)", "month_day_nano_interval",
    ]  # fmt: skip
    assert origin.name == "duckdb:///a.db?table=t"
    assert from_table(Source.parse(f"{place}?table=v"))[0].to_pylist() == [{"a": 1, "b": 2.5}]


def test_a_driver_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "adbc_driver_postgresql", None)
    with pytest.raises(ParameterError, match="not installed"):
        shoal.read("postgresql://h/d?table=t", quasi="a")
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(ParameterError, match="not installed"):
        shoal.read("duckdb:///a.db?table=t", quasi="a")
