"""What is digested is what is parsed: nobody can put another file in the place of one that is being read."""

import gzip
import hashlib
import os

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from clusters import Blank
from engines.tiny import Tiny

import shoal
from shoal.engines.io import text_reader
from shoal.engines.io.folders import opened_folder
from shoal.engines.io.parquet_reader import opened_file
from shoal.engines.io.sealed_files import Sealed
from shoal.engines.local import Local
from shoal.engines.sources import Source
from shoal.engines.spark import reading, text
from shoal.schema import options_from

TEXT = b"age,ill\n" + b"".join(b"%d,%s\n" % (i % 60, (b"flu", b"cold")[i % 2]) for i in range(40))
ROLES = {"quasi": ["age"], "sensitive": ["ill"]}


def table(shift=0):
    return pa.table({"age": [(i + shift) % 60 for i in range(40)], "ill": ["flu", "cold"] * 20})


def text_file(folder):
    (folder / "in.csv").write_bytes(TEXT)
    return folder / "in.csv"


def gzip_file(folder):
    (folder / "in.csv.gz").write_bytes(gzip.compress(TEXT))
    return folder / "in.csv.gz"


def zstd_file(folder):
    with pa.CompressedOutputStream(str(folder / "in.csv.zst"), "zstd") as file:
        file.write(TEXT)
    return folder / "in.csv.zst"


def parquet_file(folder):
    pq.write_table(table(), folder / "in.parquet", row_group_size=7)
    return folder / "in.parquet"


def parquet_folder(folder):
    for number in range(3):
        (folder / "in" / f"year={2020 + number}").mkdir(parents=True)
        pq.write_table(table(number), folder / "in" / f"year={2020 + number}" / "a.parquet", row_group_size=7)
    return f"{folder}/in/"


def database(folder):
    with duckdb.connect(str(folder / "in.duckdb")) as db:
        db.sql("create table people as select i % 60 as age, 'x' || (i % 2) as ill from range(40) as t(i)")
    return f"duckdb:///{folder}/in.duckdb?table=people"


SOURCES = [text_file, gzip_file, zstd_file, parquet_file, parquet_folder, database]
ENGINES = {"local": Local, "disk": Tiny}


@pytest.mark.parametrize("make", SOURCES)
@pytest.mark.parametrize("engine", ENGINES)
def test_the_origin_says_what_the_digest_says(tmp_path, make, engine):
    source, held_by = make(tmp_path), ENGINES[engine]()
    found = shoal.read(source, engine=held_by, **ROLES).origin
    assert found.written == held_by.digest(Source.parse(source))
    assert found.sha256 == (found.written.in_order or found.written.sha256)


@pytest.mark.parametrize("make", [text_file, gzip_file, zstd_file])
@pytest.mark.parametrize("engine", ENGINES)
def test_the_origin_of_compressed_text_tells_the_text_too(tmp_path, make, engine):
    found = shoal.read(make(tmp_path), engine=ENGINES[engine](), **ROLES).origin
    assert (found.content.sha256, found.content.size) == (hashlib.sha256(TEXT).hexdigest(), len(TEXT))


def test_workers_of_a_cluster_read_what_was_digested(tmp_path):
    pool, options = Blank(), options_from(ROLES)
    for make in (text_file, parquet_file, parquet_folder):
        source = Source.parse(make(tmp_path))
        if make is text_file:
            _, data, origin = text.read_text(pool, source.path, options, 7)
        else:
            _, data, origin = reading.read_parquet(pool, source.path, options, 7, folder=source.is_folder)
        assert len(data.sizes) > 1
        assert origin == Local().read(source, options).origin


@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize("make", [parquet_file, parquet_folder])
def test_parquet_that_is_swapped_after_its_digest_is_refused(tmp_path, make, in_place):
    """The other file is as good as the first, and as long: only its bytes tell."""
    source = Source.parse(make(tmp_path))
    found = opened_folder(source.path) if source.is_folder else opened_file(source.path)
    path = found.files[-1].path
    pq.write_table(table(7), tmp_path / "other", row_group_size=7)
    if in_place:
        path.write_bytes((tmp_path / "other").read_bytes())
    else:
        (tmp_path / "other").replace(path)
    for read in (found.whole, lambda: list(found.batches(["age"], 5)), lambda: found.rows_of([(0, 0)], ["age"])):
        if read.__name__ == "<lambda>" and source.is_folder:
            continue
        with pytest.raises(shoal.errors.DataError, match="changed while it was read"):
            read()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_swap_in_the_middle_of_reading_parquet_is_seen(tmp_path, monkeypatch, engine):
    path = parquet_file(tmp_path)
    pq.write_table(table(7), tmp_path / "other", row_group_size=7)
    first = Sealed.of

    def swapping(of):
        sealed = first(of)
        (tmp_path / "other").replace(path)
        return sealed

    monkeypatch.setattr(Sealed, "of", swapping)
    with pytest.raises(shoal.errors.DataError, match="changed while it was read"):
        shoal.read(path, engine=ENGINES[engine](), **ROLES)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("make", [text_file, gzip_file])
def test_the_digest_of_text_is_that_of_the_rows_that_were_read(tmp_path, monkeypatch, make, engine):
    """A column that turns out to be text makes the file be read again: the second reading is the one that counts."""
    path = make(tmp_path)
    other = TEXT.replace(b"flu", b"hiv")
    first, times = text_reader.opened, []

    def swapping(*arguments, **named):
        times.append(1)
        if len(times) == 2:
            path.write_bytes(gzip.compress(other) if path.suffix == ".gz" else other)
        return first(*arguments, **named)

    monkeypatch.setattr(text_reader, "opened", swapping)
    found = shoal.read(path, engine=ENGINES[engine](), **ROLES)
    assert len(times) >= 2
    assert "hiv" in found.to_arrow().column("ill").to_pylist()
    assert found.origin.content.sha256 == hashlib.sha256(other).hexdigest()
    assert found.origin.written == Local().digest(Source.parse(path))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_header_that_is_swapped_before_the_rows_are_read_is_refused(tmp_path, monkeypatch, engine):
    path = text_file(tmp_path)
    first = text_reader.opened

    def swapping(*arguments, **named):
        path.write_bytes(TEXT.replace(b"age,ill", b"ill,age"))
        return first(*arguments, **named)

    monkeypatch.setattr(text_reader, "opened", swapping)
    with pytest.raises(shoal.errors.DataError, match="changed while it was read"):
        shoal.read(path, engine=ENGINES[engine](), **ROLES)


def test_a_sealed_file_gives_any_stretch_of_its_bytes(tmp_path):
    content = os.urandom((1 << 18) * 3 + 5)
    (tmp_path / "a").write_bytes(content)
    sealed = Sealed.of(tmp_path / "a")
    assert sealed.written == Local().digest(Source.parse(tmp_path / "a"))
    with sealed.open() as file:
        assert file.read() == content
        for start, size in ((0, 1), ((1 << 18) - 1, 2), (5, 1 << 19), (len(content) - 3, 10), (len(content), 1)):
            file.seek(start)
            assert file.read(size) == content[start : start + size]
            assert file.tell() == min(start + size, len(content))
