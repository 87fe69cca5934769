"""Whatever a released file or folder holds beside its rows is found, wherever it is put."""

import base64
import datetime
import gzip
import struct
import zlib
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines.tiny import Tiny

import shoal
from shoal.engines.io.compressed_contents import hidden_bytes
from shoal.engines.io.digests import of_file
from shoal.engines.io.parquet_contents import strange_contents, strange_files
from shoal.engines.local import Local

CANARY = "CANARY-of-someone"
NAMES = ["age", "town", "ill"]


def people(rows=300):
    return pa.table(
        {
            "age": [i % 60 for i in range(rows)],
            "town": pa.array([f"town {i % 9}" for i in range(rows)]),
            "ill": pa.array([None if i % 7 == 0 else ("flu", "cold")[i % 2] for i in range(rows)]),
            "day": pa.array([datetime.date(2020, 1, 1 + i % 28) for i in range(rows)]),
            "charge": np.arange(rows) / 7,
            "seen": pa.array(range(rows), pa.timestamp("ms")),
            "paid": pa.array([i % 2 == 0 for i in range(rows)]),
        }
    )


@pytest.fixture(params=[Local, Tiny], scope="module")
def release(request):
    table = shoal.read(people(), engine=request.param(), quasi=["age", "town", "day"], sensitive=["ill"],
                       plain=["charge", "seen", "paid"])  # fmt: skip
    return shoal.anonymize(
        table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)], allow_identifiers=["seen"]
    )


def test_a_release_holds_nothing_beside_its_rows(tmp_path, release):
    names = release.table.schema.names
    release.write(tmp_path / "out.parquet", overwrite=True)
    assert strange_contents(tmp_path / "out.parquet", names) is None
    release.write(f"{tmp_path}/out/", overwrite=True)
    assert strange_files(tmp_path / "out") is None
    for path in (tmp_path / "out").iterdir():
        assert strange_contents(path, names, of_file(path)) is None
    for suffix in (".csv.gz", ".csv.zst"):
        release.write(tmp_path / f"out{suffix}", overwrite=True)
        assert hidden_bytes(tmp_path / f"out{suffix}", of_file(tmp_path / f"out{suffix}")) is None


def test_many_groups_of_rows_are_written_anew_alike(tmp_path):
    rows = 150_000
    table = shoal.read(pa.table({"a": np.arange(rows) % 1000, "s": [f"x{i % 70_000}" for i in range(rows)]}),
                       quasi=["a"], sensitive=["s"])  # fmt: skip
    shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)]).write(tmp_path / "out.parquet")
    assert pq.read_metadata(tmp_path / "out.parquet").num_row_groups > 1
    assert strange_contents(tmp_path / "out.parquet", ["a", "s"]) is None


KINDS = {
    "uint64": pa.array([1, 2**63 - 1, None], pa.uint64()),
    "int8": pa.array([-128, 127, None], pa.int8()),
    "float32": pa.array([-0.0, 0.1, None], pa.float32()),
    "float16": pa.array([-0.5, 0.1, None], pa.float16()),
    "nan": pa.array([float("nan"), 0.1, None]),
    "decimal": pa.array([1, 2, None]).cast(pa.decimal128(30, 2)),
    "short decimal": pa.array([Decimal(1), Decimal("2.5"), None], pa.decimal128(9, 2)),
    "seconds": pa.array([1, 2, None], pa.timestamp("s")),
    "nanoseconds": pa.array([1000, 2000, None], pa.timestamp("ns")),
    "zone": pa.array([1000, 2000, None], pa.timestamp("us", "America/Los_Angeles")),
    "date64": pa.array([86_400_000, 0, None], pa.date64()),
    "large text": pa.array(["x", "y", None], pa.large_string()),
    "views": pa.array(["x", "y", None], pa.string_view()),
    "categories": pa.array(["x", "y", None]).dictionary_encode(),
    "long texts": pa.array(["x" * 9000, "y" * 9000, None]),
    "nothing": pa.nulls(3),
}


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_every_type_are_released_without_anything_beside_them(tmp_path, kind):
    table = shoal.read(pa.table({"a": [1, 2, 3], "s": KINDS[kind]}), quasi=["a"], plain=["s"])
    shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)]).write(tmp_path / "out.parquet")
    assert strange_contents(tmp_path / "out.parquet", ["a", "s"]) is None


SPANS = pa.array([{"lo": 1, "hi": 5}, {"lo": None, "hi": None}, None] * 4)
TOWNS = pa.array(["Ulm", "Bonn", "Ulm"] * 4)
ILL = pa.array(["flu", None, "cold"] * 4)


def table(age=SPANS, town=TOWNS, ill=ILL, **remarks):
    return pa.table({"age": age, "town": town, "ill": ill}, metadata=remarks or None)


def with_unused_text():
    codes = pa.array([1, 2, 1] * 4, pa.int32())
    return pa.DictionaryArray.from_arrays(codes, pa.array([CANARY, "Ulm", "Bonn"]))


def between(path):
    """Put bytes between the columns and the footer."""
    pq.write_table(table(), path)
    raw = path.read_bytes()
    start = len(raw) - 8 - struct.unpack("<I", raw[-8:-4])[0]
    path.write_bytes(raw[:start] + CANARY.encode() + raw[start:])


def another_writer(path):
    pq.write_table(table(), path)
    raw, name = path.read_bytes(), f"parquet-cpp-arrow version {pa.__version__}".encode()
    assert raw.count(name) == 1
    path.write_bytes(raw.replace(name, CANARY.encode().ljust(len(name), b".")))


def remark_in_types(path):
    """Put a remark among the types of the columns, which Arrow keeps as one remark of its own."""
    with pq.ParquetWriter(path, table().schema, store_schema=False) as writer:
        kept = table().schema.with_metadata({"x": CANARY}).serialize().to_pybytes()
        writer.add_key_value_metadata({b"ARROW:schema": base64.b64encode(kept)})
        writer.write_table(table())


def limits_of_others(path):
    """Make the file tell a limit of a column that none of its rows has."""
    town = pa.array(["Ulm", "Bonn", "Zuzz"] * 4)
    pq.write_table(table(town=town), path, use_dictionary=False, compression="none")
    raw = path.read_bytes()
    at = raw.rindex(b"Zuzz")
    path.write_bytes(raw[:at] + b"Zyxx" + raw[at + 4 :])


FORGED = {
    "remark": lambda path: pq.write_table(table(x=CANARY), path),
    "remark on a column": lambda path: pq.write_table(
        table().cast(pa.schema([field.with_metadata({"x": CANARY}) for field in table().schema])), path
    ),
    "remark in types": remark_in_types,
    "another writer": another_writer,
    "third field": lambda path: pq.write_table(table(age=pa.array([{"lo": 1, "hi": 5, "was": 3}] * 12)), path),
    "other fields": lambda path: pq.write_table(table(age=pa.array([{"lo": 1, "was": 3}] * 12)), path),
    "one end": lambda path: pq.write_table(table(age=pa.array([{"lo": None, "hi": 34}] * 12)), path),
    "other end": lambda path: pq.write_table(table(age=pa.array([{"lo": 34, "hi": None}] * 12)), path),
    "list": lambda path: pq.write_table(table(ill=pa.array([["flu", CANARY]] * 12)), path),
    "further column": lambda path: pq.write_table(table().append_column("name", ILL), path),
    "unused text": lambda path: pq.write_table(table(town=with_unused_text()), path, store_schema=False),
    "between": between,
    "page index": lambda path: pq.write_table(table(), path, write_page_index=True),
    "limits": limits_of_others,
    "uncompressed": lambda path: pq.write_table(table(), path, compression="none"),
    "other pages": lambda path: pq.write_table(table(), path, data_page_size=1, write_batch_size=1),
}  # fmt: skip


SAID = {
    "remark": "metadata",
    "remark on a column": "metadata",
    "remark in types": "metadata",
    "another writer": "name of a writer",
    "third field": "further fields in the spans of 'age'",
    "other fields": "further fields in the spans of 'age'",
    "one end": "spans of 'age' with one end",
    "other end": "spans of 'age' with one end",
    "list": "",
    "further column": "columns that are not those of the release",
    "unused text": "texts of 'town' that no row has",
    "between": "belong to no column",
    "page index": "belong to no column",
    "limits": "limits of 'town'",
    "uncompressed": "bytes that its rows do not show",
    "other pages": "bytes that its rows do not show",
}


@pytest.mark.parametrize("name", FORGED)
def test_what_a_parquet_file_holds_beside_its_rows_is_named(tmp_path, name):
    FORGED[name](tmp_path / "forged.parquet")
    found = strange_contents(tmp_path / "forged.parquet", NAMES)
    assert found is not None
    assert SAID[name] in found
    assert CANARY not in found


def test_a_file_of_another_version_of_arrow_is_looked_at_place_by_place(tmp_path):
    """What it would be, written anew, is not known, so only the places that have a name are compared."""
    ours, other = pa.__version__.encode(), b"9.9.9".ljust(len(pa.__version__), b"9")
    for name, make in {"good": lambda path: pq.write_table(table(), path), **FORGED}.items():
        path = tmp_path / f"{name}.parquet"
        make(path)
        path.write_bytes(path.read_bytes().replace(b"arrow version " + ours, b"arrow version " + other))
        found = strange_contents(path, NAMES)
        assert (found is None) == (name in ("good", "uncompressed", "other pages")), (name, found)


def test_the_same_table_as_a_release_would_write_it_is_not_strange(tmp_path):
    with pq.ParquetWriter(tmp_path / "good.parquet", table().schema) as writer:
        writer.write_table(table())
    assert strange_contents(tmp_path / "good.parquet", NAMES) is None


def test_contents_are_those_of_the_file_that_was_read(tmp_path):
    pq.write_table(table(), tmp_path / "a.parquet")
    before = of_file(tmp_path / "a.parquet")
    pq.write_table(table(town=ILL), tmp_path / "a.parquet")
    with pytest.raises(shoal.errors.DataError, match="changed"):
        strange_contents(tmp_path / "a.parquet", NAMES, before)


@pytest.mark.parametrize("name", ["_x.parquet", ".hidden", "original.csv", "part-00000.csv", "part-00001.parquet/in"])
def test_other_files_in_a_folder_are_named(tmp_path, release, name):
    release.write(f"{tmp_path}/out/")
    (tmp_path / "out" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "out" / name).write_text(CANARY, encoding="utf-8")
    assert name.split("/")[0] in strange_files(tmp_path / "out")


def test_a_link_in_a_folder_is_named(tmp_path, release):
    release.write(f"{tmp_path}/out/")
    (tmp_path / "out" / "part-00009.parquet").symlink_to(tmp_path / "elsewhere")
    assert "part-00009.parquet" in strange_files(tmp_path / "out")


TEXT = b"age,ill\n" + b"34,flu\n" * 50_000


def gzipped(flags=0, extra=b"", time=0):
    body = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    head = b"\x1f\x8b\x08" + bytes([flags]) + struct.pack("<I", time) + b"\0\xff" + extra
    return head + body.compress(TEXT) + body.flush() + struct.pack("<II", zlib.crc32(TEXT), len(TEXT))


def zstd(content=TEXT):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as file:
        file.write(content)
    return sink.getvalue().to_pybytes()


SKIPPED = struct.pack("<II", 0x184D2A53, len(CANARY)) + CANARY.encode()
PACKED = {
    "name": (".gz", gzipped(8, CANARY.encode() + b"\0"), "header"),
    "remark": (".gz", gzipped(16, CANARY.encode() + b"\0"), "header"),
    "field": (".gz", gzipped(4, struct.pack("<H", len(CANARY)) + CANARY.encode()), "header"),
    "time": (".gz", gzipped(time=19_700_523), "header"),
    "two members": (".gz", gzipped() + gzip.compress(b"", mtime=0), "several files"),
    "behind": (".gz", gzipped() + CANARY.encode(), "behind"),
    "zeros behind": (".gz", gzipped() + bytes(9), "behind"),
    "skipped frame first": (".zst", SKIPPED + zstd(), "before"),
    "skipped frame last": (".zst", zstd() + SKIPPED, "skip"),
    "two frames": (".zst", zstd() + zstd(b"\n"), "several files"),
    "behind zstd": (".zst", zstd() + CANARY.encode(), "behind"),
}


@pytest.mark.parametrize("name", PACKED)
def test_what_a_compressed_file_hides_is_named(tmp_path, name):
    suffix, content, said = PACKED[name]
    (tmp_path / f"a{suffix}").write_bytes(content)
    assert said in hidden_bytes(tmp_path / f"a{suffix}")


@pytest.mark.parametrize(("suffix", "content"), [(".gz", gzipped()), (".zst", zstd()), (".zst", zstd(TEXT * 40))])
def test_a_compressed_file_with_nothing_but_its_text(tmp_path, suffix, content):
    (tmp_path / f"a{suffix}").write_bytes(content)
    assert hidden_bytes(tmp_path / f"a{suffix}") is None
