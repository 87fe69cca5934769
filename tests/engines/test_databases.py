"""Databases and engines whose tables lie in parts: rows go in and come out a few at a time, as from memory."""

import datetime
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from cli.bases import Duck, Postgres
from engines.peaks import peak_of
from engines.tiny import Tiny
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.engines.disk.pool import DiskPool
from shoal.engines.io.external_sort import SortedLines
from shoal.engines.local import Local
from shoal.engines.workspace import MemoryBudget
from shoal.errors import CertificateError, DataError, ParameterError

ROLES = {"quasi": ["age", "town"], "sensitive": ["paid"], "plain": ["day", "who"]}
FRAME = pa.table(
    {
        "age": pa.array([None if i % 17 == 3 else (i * 7) % 23 for i in range(101)], pa.int32()),
        "town": [None if i % 11 == 5 else f"t,{i % 4}" for i in range(101)],
        "paid": [None if i % 13 == 1 else i / 8 for i in range(101)],
        "day": [datetime.date(2020, 1, 1 + i % 28) for i in range(101)],
        "who": [None if i % 19 == 2 else f'a "{i % 5}"\nb' for i in range(101)],
    }
)


@pytest.fixture(params=["duckdb", "postgresql"])
def base(request, tmp_path):
    """Give an empty database."""
    return Duck(tmp_path, False) if request.param == "duckdb" else Postgres(request.getfixturevalue("server"))


def small(tmp_path):
    """Give an engine whose parts hold nine records."""
    return Tiny(DiskPool(tmp_path), 9, limit=300_000_000)


def tables(base):
    found = base.run("SELECT table_name FROM information_schema.tables WHERE table_schema IN ('public', 'main')")
    return sorted(name for (name,) in found)


def released(engine):
    table = shoal.read(FRAME, engine=engine, **ROLES)
    return shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)])


@given(st.lists(st.lists(st.text(max_size=4), max_size=8), max_size=12), st.integers(1, 400))
def test_lines_are_sorted_by_their_bytes_in_any_room(batches, memory):
    with tempfile.TemporaryDirectory() as folder:
        for room in (None, MemoryBudget(memory, Path(folder))):
            with SortedLines(room) as lines:
                for batch in batches:
                    lines.add(pa.chunked_array([[f"{text}\n" for text in batch]], pa.large_string()))
                expected = sorted(f"{text}\n".encode() for batch in batches for text in batch)
                assert b"".join(map(bytes, lines.batches())) == b"".join(expected)
        assert not list(Path(folder).iterdir())


def test_a_release_goes_into_a_database_part_by_part_as_from_memory(tmp_path, base, monkeypatch):
    monkeypatch.setattr("shoal.engines.io.slices._CELLS", 1)  # the fewest rows at once
    parts, whole = released(small(tmp_path)), released(Local())
    monkeypatch.setattr("shoal.engines.io.external_sort._COPIES", 10**7)  # nothing waits in memory
    made = parts.write(base.base + "parts", certificate=tmp_path / "p.json").content["output"]
    monkeypatch.undo()
    other = whole.write(base.base + "whole", certificate=tmp_path / "w.json").content["output"]
    assert [made[key] for key in ("sha256", "sha256_in_order", "bytes", "records")] == [
        other[key] for key in ("sha256", "sha256_in_order", "bytes", "records")
    ]
    assert base.run("SELECT * FROM parts") == base.run("SELECT * FROM whole")
    types = "SELECT data_type FROM information_schema.columns WHERE table_name = '{}' ORDER BY ordinal_position"
    assert base.run(types.format("parts")) == base.run(types.format("whole"))
    for engine in (small(tmp_path), Local()):
        assert shoal.verify(base.base + "parts", tmp_path / "w.json", engine=engine).proved
    base.run("UPDATE parts SET paid = 0 WHERE paid > 3")
    with pytest.raises(CertificateError, match="is not the table"):
        shoal.verify(base.base + "parts", tmp_path / "p.json", engine=small(tmp_path))


def test_what_is_there_already_is_treated_as_from_memory(tmp_path, base):
    base.run("CREATE TABLE other AS SELECT 1 AS x")
    release = released(small(tmp_path))
    with pytest.raises(ParameterError, match="already"):
        release.write(base.base + "other", certificate=tmp_path / "c.json")
    with pytest.raises(DataError, match="not made by shoal"):
        release.write(base.base + "other&if_exists=replace", certificate=tmp_path / "c.json")
    for _ in range(2):
        release.write(base.base + "shown&if_exists=replace", certificate=tmp_path / "c.json")
    assert tables(base) == ["other", "shown"]


def test_nothing_stays_when_a_part_fails(tmp_path, base, monkeypatch):
    base.run("CREATE TABLE other AS SELECT 1 AS x")
    release, done = released(small(tmp_path)), []

    def failing(*given):
        done.append(1)
        if len(done) == 4:
            raise DataError("A part is lost.")
        return arrow(*given)

    from shoal.engines.io import arrow as module

    arrow = module.to_arrow
    monkeypatch.setattr(module, "to_arrow", failing)
    with pytest.raises(DataError, match="A part is lost"):
        release.write(base.base + "shown", certificate=tmp_path / "c.json")
    assert tables(base) == ["other"]
    assert not (tmp_path / "c.json").exists()


KILLED = """
import os, signal, sys
import shoal
from shoal.engines import Layout
from shoal.engines.disk.engine import Disk
from shoal.engines.sources import Source
table = shoal.read(sys.argv[2], engine=Disk(limit=300_000_000), quasi=["a"])
with table.write(Source.parse(sys.argv[1]), Layout()) as stored:
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_run_that_is_killed_leaves_no_table(tmp_path, base):
    base.run("CREATE TABLE other AS SELECT 1 AS x")
    (tmp_path / "in.csv").write_text("a\n" + "1\n2\n" * 5000)
    done = subprocess.run([sys.executable, "-c", KILLED, base.base + "shown", str(tmp_path / "in.csv")], check=False)
    assert done.returncode == -signal.SIGKILL
    assert tables(base) == ["other"]


WITHIN = """
import sys
import shoal
from shoal.engines import Layout
from shoal.engines.disk.engine import Disk
from shoal.engines.sources import Source
engine = Disk(limit=int(sys.argv[3]))
place = Source.parse(sys.argv[1])
table = shoal.read(sys.argv[2], engine=engine, quasi=list("abcdefg"), sensitive=["s"])
with table.write(place, Layout()) as stored:
    stored.commit()
assert engine.digest(place) == stored.written
again = shoal.read(place, engine=engine, quasi=list("abcdefg"), sensitive=["s"])
assert again.origin.sha256 == stored.written.in_order
assert len(again.data.sizes) > 3
assert again.rows == 500_000
"""


def test_a_large_table_goes_in_and_out_within_the_limit(tmp_path, base):
    """As text it has 47 MB, and several times as much when all of it is in memory to be written and sorted."""
    draw = np.random.default_rng(1)
    block = "\n".join(",".join(f"[{n};{n + 9}]" for n in row) for row in draw.integers(0, 99, (20_000, 8)).tolist())
    with (tmp_path / "in.csv").open("w", encoding="utf-8") as file:
        file.write("a,b,c,d,e,f,g,s\n")
        for _ in range(25):
            file.write(block + "\n")
    limit = 300_000_000
    assert peak_of("-c", WITHIN, base.base + "large", tmp_path / "in.csv", limit) < limit


def test_a_table_on_a_server_is_read_a_few_rows_at_a_time(tmp_path, base):
    base.run(
        "CREATE TABLE people (age integer, town varchar, share double precision, price decimal(9, 2), born date, "
        "seen timestamp, ok boolean, code uuid)"
    )
    rows = ", ".join(
        "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)" if i % 7 == 3 else
        f"({(i * 7) % 23}, 't,{i % 4}', {i / 8}, {i}.25, '2001-02-{1 + i % 28:02}', '2020-01-01 00:{i % 60:02}:00', "
        f"{'true' if i % 2 else 'false'}, '00000000-0000-0000-0000-0000000000{i % 90 + 10}')"
        for i in range(101)
    )  # fmt: skip
    base.run(f"INSERT INTO people VALUES {rows}")
    roles = {"quasi": ["age", "town", "born"], "sensitive": ["share"], "plain": ["price", "seen", "ok", "code"]}
    whole, parts = (shoal.read(base.base + "people", engine=e, **roles) for e in (Local(), small(tmp_path)))
    assert parts.data.sizes == (9,) * 11 + (2,)
    assert whole.origin == parts.origin
    assert [each.axis.kind for each in whole.schema.attributes] == [each.axis.kind for each in parts.schema.attributes]
    one, other = (table.to_arrow(cells="text") for table in (whole, parts))
    assert one.equals(other)
    assert one.column("price")[0].as_py() == 0.25
    base.run("CREATE TABLE nobody (age integer)")
    for engine in (Local(), small(tmp_path)):
        with pytest.raises(DataError, match="no records"):
            shoal.read(base.base + "nobody", engine=engine, quasi=["age"])


def test_what_others_write_meanwhile_is_not_read(tmp_path, server, monkeypatch):
    """One statement reads a table, so it is read as it was when the statement began."""
    base = Postgres(server)
    base.run("CREATE TABLE people AS SELECT i AS age FROM generate_series(1, 3000) AS s(i)")
    from shoal.engines.parts import frames

    encode, calls = frames.encode, []

    def writing(*given):
        if not calls:
            base.run("UPDATE people SET age = 0 WHERE age > 2000")
            base.run("DELETE FROM people WHERE age < 1000")
        calls.append(1)
        return encode(*given)

    before = shoal.read(base.base + "people", engine=Local(), quasi=["age"])
    monkeypatch.setattr(frames, "encode", writing)
    found = shoal.read(base.base + "people", engine=Tiny(DiskPool(tmp_path), 500, limit=300_000_000), quasi=["age"])
    assert len(calls) == 6
    assert found.origin.sha256 == before.origin.sha256
    assert found.rows == 3000


@dataclass(frozen=True, eq=False)
class Disturbed(Tiny):
    """An engine beside which others write, as soon as a table was read."""

    disturb: object = field(default=None)

    def read(self, source, options):
        found = super().read(source, options)
        self.disturb()
        return found


def test_a_table_is_read_once_to_be_proved(tmp_path, base):
    """What is digested is what is proved: nothing that is changed meanwhile, or afterwards, comes between."""
    released(Local()).write(base.base + "shown", certificate=tmp_path / "c.json")

    def disturb():
        base.run("UPDATE shown SET who = 'x' WHERE paid > 3")

    engine = Disturbed(DiskPool(tmp_path), 9, limit=300_000_000, disturb=disturb)
    shoal.verify(base.base + "shown", tmp_path / "c.json", engine=engine)
    with pytest.raises(CertificateError, match="it was changed"):
        shoal.verify(base.base + "shown", tmp_path / "c.json", engine=engine)


def test_a_database_in_a_file_of_its_own_goes_again_when_a_part_fails(tmp_path, monkeypatch):
    release = released(small(tmp_path))
    monkeypatch.setattr("shoal.engines.io.arrow.to_arrow", lambda *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        release.write(f"duckdb:///{tmp_path}/new.db?table=t", certificate=tmp_path / "c.json")
    assert not (tmp_path / "new.db").exists()
    with duckdb.connect(str(tmp_path / "new.db")) as db:
        assert db.execute("SELECT * FROM duckdb_tables()").fetchall() == []


KINDS = {
    "price": ("numeric(12,2)", "1.50"),
    "sizeless": ("numeric", "12345678901234567890.125"),
    "wide": ("numeric(38,4)", "1234567890123456789012345678901234.5678"),
    "small": ("smallint", "3"),
    "whole": ("integer", "4"),
    "part": ("real", "0.1"),
    "key": ("uuid", "'00000000-0000-0000-0000-00000000000a'"),
    "hour": ("time", "'01:02:03'"),
    "span": ("interval", "'1 month 2 days'"),
    "many": ("integer[]", "NULL"),
    "sure": ("boolean", "true"),
    "seen": ("timestamp with time zone", "'2024-01-01 00:00:00+09'"),
    "endless": ("double precision", "'Infinity'::double precision"),
}


@pytest.mark.parametrize("parted", [False, True])
def test_columns_that_are_not_changed_keep_their_type(tmp_path, base, parted):
    """What is only passed on must not come out as something else: no price as a float, no key as text."""
    server = isinstance(base, Postgres)
    mood, json_kind = ("mood", "jsonb") if server else ("ENUM('low', 'never', 'high')", "json")
    if server:
        base.run("CREATE TYPE mood AS ENUM ('low', 'never', 'high')")
    kinds = (
        KINDS
        | ({} if server else {"sizeless": ("numeric(23,3)", "1.5")})
        | {"notes": (json_kind, "'{\"a\": 1}'"), "mood": (mood, "'high'")}
    )
    base.run(f"CREATE TABLE people (age integer, {', '.join(f'{name} {kind}' for name, (kind, _) in kinds.items())})")
    row = ", ".join(value for _, value in kinds.values())
    base.run(f"INSERT INTO people VALUES {', '.join(f'({age}, {row})' for age in (30, 31, 32, 33))}")
    base.run("UPDATE people SET mood = 'low', price = 0.25 WHERE age < 32")
    engine = small(tmp_path) if parted else None
    table = shoal.read(f"{base.base}people", engine=engine, quasi="age", plain=list(kinds))
    assert table.schema["mood"].axis.kind == "ordered"
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
    release.write(f"{base.base}shown", certificate=tmp_path / "c.json")
    assert shoal.verify(f"{base.base}shown", tmp_path / "c.json", engine=engine).proved
    names = ", ".join(f"CAST({name} AS varchar)" for name in kinds)
    shown = base.run(f"SELECT {names} FROM shown ORDER BY price, mood")
    assert shown == base.run(f"SELECT {names} FROM people ORDER BY price, mood")
    types = [
        base.run(
            "SELECT column_name, data_type, numeric_precision, numeric_scale FROM information_schema.columns "
            f"WHERE table_name = '{made}' AND column_name != 'age' ORDER BY column_name"
        )
        for made in ("people", "shown")
    ]
    if server:  # of any size, with as many digits as occur
        types[0] = [("sizeless", "numeric", 23, 3) if name == "sizeless" else (name, *rest) for name, *rest in types[0]]
    else:  # only what occurs is told of an enum that comes with the table
        types[0] = [(name, kind.replace("'never', ", ""), *rest) for name, kind, *rest in types[0]]
    assert types[0] == types[1]


def test_what_a_server_cannot_hold_is_refused(tmp_path, server):
    base = Postgres(server)
    columns = {"struct": pa.array([{"a": 1}] * 4), "fine": pa.array([1] * 4, pa.timestamp("ns"))}
    for name, column in columns.items():
        table = shoal.read(pa.table({"age": [1] * 4, name: column}), quasi="age", plain=name)
        release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
        with pytest.raises(DataError, match=f"'{name}'"):
            release.write(f"{base.base}shown", certificate=tmp_path / "c.json")
    assert tables(base) == []
    assert not list(tmp_path.iterdir())


def test_arrays_of_arrays_are_not_read_as_plain_lists(server):
    """The driver would make one list of them, and different values would be one."""
    base = Postgres(server)
    base.run("CREATE TABLE people (age integer, odd integer[], usual integer[])")
    base.run("INSERT INTO people VALUES (1, '{{1,2},{3,4}}', '{1}'), (1, '{1,2,3,4}', '{}'), (1, '[0:0]={7}', NULL)")
    table = shoal.read(f"{base.base}people", quasi="age", plain=["odd", "usual"]).to_arrow()
    assert sorted(table["odd"].to_pylist()) == ["[0:0]={7}", "{1,2,3,4}", "{{1,2},{3,4}}"]
    assert pa.types.is_list(table.schema.field("usual").type)
