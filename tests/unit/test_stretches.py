"""Tables that are read stretch by stretch are the tables that the local engine reads whole."""

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from clusters import Blank
from contract.test_catalogue import KINDS, ORDER, mixed

import shoal
from shoal.engines.parts.engine import PartsEngine
from shoal.engines.spark import text
from shoal.engines.spark.reading import read_parquet
from shoal.schema import options_from
from shoal.table import Table


def stretched(path, rows, **given):
    pool = Blank()
    schema, data, origin = read_parquet(pool, path, options_from(given), rows, folder=path.is_dir())
    return Table(schema, data, PartsEngine(pool), origin)


def alike(one, other):
    """Compare two tables: what is known of their columns, every cell, and the types of those that are carried."""
    assert one.schema.attributes == other.schema.attributes or [
        (a.name, a.role, a.axis.kind, a.reason, a.knowledge) for a in one.schema.attributes
    ] == [(a.name, a.role, a.axis.kind, a.reason, a.knowledge) for a in other.schema.attributes]
    for a, b in zip(one.schema.attributes, other.schema.attributes, strict=True):
        assert (a.axis.values is None) == (b.axis.values is None), a.name
        if a.axis.values is not None:
            assert list(a.axis.values) == list(b.axis.values), a.name
    for cells in ("struct", "text"):
        mine, theirs = one.to_arrow(cells=cells), other.to_arrow(cells=cells)
        assert mine.schema == theirs.schema
        assert repr(mine.to_pylist()) == repr(theirs.to_pylist())  # what is no number equals not even itself
    assert (one.origin.name, one.origin.sha256, one.origin.given) == (
        other.origin.name, other.origin.sha256, other.origin.given,
    )  # fmt: skip


ROLES = {"quasi": list(KINDS), "sensitive": ["charge", "ill"], "orders": {"stage": ORDER}}


@pytest.mark.parametrize("rows", [1, 4, 7, 100])
@pytest.mark.parametrize("group", [3, 23])
def test_a_file_is_read_by_row_groups_and_parts_of_them(tmp_path, rows, group):
    pq.write_table(pa.table(mixed()), tmp_path / "people.parquet", row_group_size=group)
    found = stretched(tmp_path / "people.parquet", rows, **ROLES)
    alike(found, shoal.read(tmp_path / "people.parquet", **ROLES))
    assert max(found.data.sizes) <= max(2 * rows, rows)
    assert sum(found.data.sizes) == 23


def test_a_folder_is_read_with_the_columns_that_its_folders_name(tmp_path):
    whole = pa.table(mixed()).drop(["stage"])
    for number, stage in enumerate(ORDER):
        (tmp_path / "people" / f"stage={stage}").mkdir(parents=True)
        pq.write_table(whole.slice(number * 8, 8), tmp_path / "people" / f"stage={stage}" / "a.parquet")
    alike(stretched(tmp_path / "people", 5, **ROLES), shoal.read(tmp_path / "people", **ROLES))


def test_a_release_is_read_again_with_its_spans(tmp_path):
    table = shoal.read(pa.table(mixed()), **ROLES)
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)])
    release.write(tmp_path / "out.parquet")
    given = ROLES | {"masked": True}
    found, local = stretched(tmp_path / "out.parquet", 6, **given), shoal.read(tmp_path / "out.parquet", **given)
    alike(found, local)
    assert shoal.models.check(found, [shoal.models.KAnonymity(3)]) == shoal.models.check(
        local, [shoal.models.KAnonymity(3)]
    )


def test_columns_of_every_type_come_and_go_as_they_are(tmp_path):
    n = 12
    table = pa.table(
        {
            "q": pa.array([i % 4 for i in range(n)], pa.int16()),
            "tiny": pa.array([None if i == 3 else i for i in range(n)], pa.uint8()),
            "huge": pa.array([None if i == 5 else i * 10**12 for i in range(n)]),
            "price": pa.array([decimal.Decimal(i) / 4 for i in range(n)], pa.decimal128(9, 2)),
            "share": pa.array([float("nan") if i == 2 else None if i == 7 else i / 8 for i in range(n)], pa.float32()),
            "when": pa.array([datetime.datetime(2020, 1, 1 + i) for i in range(n)], pa.timestamp("ms")),
            "day": pa.array([datetime.date(2020, 1, 1 + i % 3) for i in range(n)]),
            "yes": pa.array([i % 3 == 0 for i in range(n)]),
            "text": pa.array([None if i == 1 else f"t{i % 3}" for i in range(n)]).dictionary_encode(),
        }
    )
    pq.write_table(table, tmp_path / "all.parquet", row_group_size=5)
    others = table.column_names[1:]
    given = {"quasi": "q", "plain": others}
    alike(stretched(tmp_path / "all.parquet", 5, **given), shoal.read(tmp_path / "all.parquet", **given))
    given = {"quasi": ["huge", "price", "share", "when", "day", "yes", "text", "tiny"], "missing": "5"}
    alike(stretched(tmp_path / "all.parquet", 5, **given), shoal.read(tmp_path / "all.parquet", **given))


def test_what_is_wrong_is_said_as_the_local_engine_says_it(tmp_path):
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"a": ["[1;2]", *"3" * 20, "x"], "b": [1.0] * 22}), path, row_group_size=5)
    for given in ({"quasi": "a"}, {"quasi": "c"}, {"quasi": "b", "kinds": {"b": "date"}}):
        told = []
        for read in (lambda **given: stretched(path, 6, **given), lambda **given: shoal.read(path, **given)):
            with pytest.raises(shoal.ShoalError) as raised:
                read(**given)
            told.append((type(raised.value), str(raised.value)))
        assert told[0] == told[1]


def test_a_table_without_records_and_a_file_that_is_not_there_are_refused(tmp_path):
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "empty.parquet")
    with pytest.raises(shoal.errors.DataError, match="no records"):
        stretched(tmp_path / "empty.parquet", 6, quasi="a")
    with pytest.raises(shoal.errors.DataError, match="There is no file"):
        stretched(tmp_path / "nowhere.parquet", 6, quasi="a")


def test_stretches_of_a_table_of_many_groups_are_about_as_long_as_asked_for(tmp_path):
    path = tmp_path / "long.parquet"
    pq.write_table(pa.table({"a": np.arange(10_000)}), path, row_group_size=700)
    assert set(stretched(path, 2000, quasi="a").data.sizes) == {1400, 1600}
    assert set(stretched(path, 300, quasi="a").data.sizes) == {300, 100, 200}


def text_read(path, rows, **given):
    pool = Blank()
    schema, data, origin = text.read_text(pool, path, options_from(given), rows)
    return Table(schema, data, PartsEngine(pool), origin)


QUOTED = "".join(f'{i % 7},"line {i % 3}\nand, ""more""",{i * i}\n' for i in range(23))
PLAIN = "".join(f"{i * 7 % 5},town {i % 4},{i / 8}\n" for i in range(23))
TEXTS = {
    "plain": PLAIN,
    "quoted": QUOTED,
    "line feeds of windows": QUOTED.replace("\n", "\r\n"),
    "no line feed at the end": PLAIN.rstrip("\n"),
    "empty lines at the end": PLAIN + "\n\n\n",
    "text where others have numbers": PLAIN + "x,y,z\n" * 30,
    "letters beyond ASCII": PLAIN.replace("town 3", "Köln"),
    "two encodings": PLAIN.replace("town 3", "\x93", 1).replace("town 2", "\x81", 1),
}


def by_the_driver(*arguments):
    raise AssertionError("the driver read the file")


@pytest.mark.parametrize("rows", [1, 4, 9, 100])
@pytest.mark.parametrize("name", TEXTS)
def test_text_is_read_in_stretches_that_begin_with_a_row(tmp_path, monkeypatch, rows, name):
    monkeypatch.setattr(text, "load_text", by_the_driver)
    given = {"quasi": ["a", "b"], "plain": ["c"]}
    for encoding in ("utf-8", "latin-1"):
        path = tmp_path / f"{encoding}.csv"
        path.write_bytes(("a,b,c\n" + TEXTS[name]).encode(encoding))
        found = text_read(path, rows, **given)
        alike(found, shoal.read(path, **given))
        assert found.origin == shoal.read(path, **given).origin
        assert len(found.data.sizes) > 2 or rows > 8


@pytest.mark.parametrize("rows", [1, 3, 8])
def test_what_stretches_cannot_tell_the_driver_reads(tmp_path, rows):
    path = tmp_path / "in.csv"
    stray = "".join(f'{i % 7},5" pipe{i % 3},{i}\n' if i % 5 == 0 else f'{i},"a\nb",{i}\n' for i in range(23))
    path.write_text("a,b,c\n" + stray, encoding="utf-8")
    given = {"quasi": ["a", "b"], "plain": ["c"]}
    alike(text_read(path, rows, **given), shoal.read(path, **given))


@pytest.mark.parametrize("wrong", ["1,2\n", '1,"2,3\n', "\n" + "1,2,3\n" * 5, "1,2,\0\n"])
def test_what_is_wrong_in_a_text_is_said_with_the_same_line(tmp_path, wrong):
    path = tmp_path / "in.csv"
    path.write_text("a,b,c\n" + "1,2,3\n" * 20 + wrong, encoding="utf-8")
    told = []
    for read in (lambda **given: text_read(path, 4, **given), lambda **given: shoal.read(path, **given)):
        with pytest.raises(shoal.ShoalError) as raised:
            read(quasi=["a"], plain=["b", "c"])
        told.append(str(raised.value))
    assert told[0] == told[1]
