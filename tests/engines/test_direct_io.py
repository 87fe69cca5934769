"""Bytes that go past the pages of the system: what comes back is what was written, whatever a disk allows."""

import errno
import io
import os

import numpy as np
import pytest
from engines.tiny import Tiny
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.engines.disk.columns import Drafts
from shoal.engines.disk.pool import DiskPool
from shoal.engines.io import direct_io
from shoal.engines.local import Local
from shoal.kernels import MISSING, TOP

CONTENT = bytes(np.random.default_rng(1).integers(0, 256, 3_000_017, np.uint8))


@pytest.fixture(params=["direct", "not offered", "refused when opened", "refused when used", "slow"])
def disk(request, monkeypatch):
    """Disks and systems that allow more or less."""
    if request.param == "not offered":
        monkeypatch.setattr(direct_io, "_O_DIRECT", 0)
    if request.param == "refused when opened":
        opened = os.open

        def refusing(path, flags, *others, **named):
            if flags & direct_io._O_DIRECT:
                raise OSError(errno.EINVAL, "not here")
            return opened(path, flags, *others, **named)

        monkeypatch.setattr(direct_io.os, "open", refusing)
    if request.param == "refused when used":
        moved = direct_io._moved

        def refuse_once(file, move, some):
            refused = []

            def first(content):
                if not refused:
                    refused.append(True)
                    raise OSError(errno.EINVAL, "not so")
                return move(content)

            return moved(file, first, some)

        monkeypatch.setattr(direct_io, "_moved", refuse_once)
    if request.param == "slow":
        monkeypatch.setattr(direct_io, "_TRIED", 1)
        monkeypatch.setattr(direct_io, "_FAST", 1e15)
    return request.param


def written(path, sizes):
    file, done = direct_io.DirectWriter(path), 0
    for size in sizes:
        room = file.room(size + 100)  # more than is needed
        room[:size] = np.frombuffer(CONTENT[done : done + size], np.uint8)
        file.took(size)
        done += size
    file.end()
    return CONTENT[:done]


@pytest.mark.parametrize(
    "sizes", [[], [1], [4096], [4095, 1, 1], [5000, 0, 8192, 17], [3_000_000], [1 << 20] * 2, [700, 2_999_000]]
)
def test_what_is_written_is_in_the_file(tmp_path, disk, sizes):
    (tmp_path / "x").touch()
    with pytest.raises(FileExistsError):
        written(tmp_path / "x", sizes)
    assert written(tmp_path / "y", sizes) == (tmp_path / "y").read_bytes()


@given(st.lists(st.integers(0, 20_000), max_size=20))
def test_any_pieces_make_up_the_whole(tmp_path_factory, sizes):
    path = tmp_path_factory.mktemp("pieces") / "x"
    assert written(path, sizes) == path.read_bytes()


@pytest.mark.parametrize("size", [0, 1, 4096, 4097, len(CONTENT)])
@pytest.mark.parametrize("here", [True, False])
def test_what_is_read_is_what_is_in_the_file(tmp_path, disk, monkeypatch, size, here):
    (tmp_path / "x").write_bytes(CONTENT[:size])
    monkeypatch.setattr(direct_io, "_in_memory", lambda path: here)
    found, buffer = io.BytesIO(), bytearray(70_000)
    with direct_io.direct_reader(tmp_path / "x") as file:
        while got := file.readinto(memoryview(buffer)):
            found.write(buffer[:got])
    assert found.getvalue() == CONTENT[:size]


def test_a_release_is_the_same_whatever_a_disk_allows(tmp_path, disk, monkeypatch):
    monkeypatch.setattr(direct_io, "_in_memory", lambda path: False)
    (tmp_path / "in.csv").write_text("a,s\n" + "".join(f"{i * i % 97},{i % 7}\n" for i in range(300)), "utf-8")
    written = []
    for engine in (Local(), Tiny(DiskPool(tmp_path), 50)):
        table = shoal.read(tmp_path / "in.csv", engine=engine, quasi=["a"], sensitive=["s"])
        release = shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(3)])
        release.write(tmp_path / "out.csv", overwrite=True)
        written.append((tmp_path / "out.csv").read_bytes())
    assert written[0] == written[1]


def test_more_than_the_memory_holds_is_written_at_once(tmp_path, disk, monkeypatch):
    monkeypatch.setattr(direct_io, "_ROOM", 1 << 13)
    assert written(tmp_path / "x", [5000, 70_000, 3, 100_000]) == (tmp_path / "x").read_bytes()


def test_a_file_that_was_just_written_by_the_usual_way_is_in_memory(tmp_path):
    (tmp_path / "x").write_bytes(CONTENT)
    assert direct_io._in_memory(tmp_path / "x")


def test_a_slow_disk_is_written_to_through_memory_after_a_while(monkeypatch, tmp_path):
    buffer = direct_io.AlignedBuffer()
    (tmp_path / "x").touch()
    with direct_io.open_direct(tmp_path / "x", "r+b") as file:
        buffer.write(file, 4096, 0)
    assert buffer.direct
    monkeypatch.setattr(direct_io, "_TRIED", 1)
    monkeypatch.setattr(direct_io, "_FAST", 1e15)
    assert not buffer.direct
    assert not direct_io.AppendFile(tmp_path / "x", buffer).direct


def test_a_file_goes_on_through_memory_when_its_disk_turns_out_to_be_slow(monkeypatch, tmp_path):
    (tmp_path / "x").touch()
    buffer = direct_io.AlignedBuffer()
    file = direct_io.AppendFile(tmp_path / "x", buffer)
    file.add(direct_io.chunks_of(CONTENT[:10_000]))
    assert file.direct
    monkeypatch.setattr(direct_io, "_TRIED", 1)
    monkeypatch.setattr(direct_io, "_FAST", 1e15)
    file.add(direct_io.chunks_of(CONTENT[10_000:50_000]))
    assert not file.direct
    file.end()
    assert buffer.open == 0
    assert (tmp_path / "x").read_bytes() == CONTENT[:50_000]


@pytest.mark.parametrize(
    "column",
    [
        np.array([MISSING, 0, TOP, 7], np.int32),
        np.arange(3_000_000, dtype=np.int32).reshape(-1, 3),
        np.arange(2_000_000, dtype=np.int64),
        np.arange(5) > 2,
        np.linspace(0, 1, 700_000),
        np.empty((0, 4), np.int32),
    ],
    ids=["reserved", "matrix", "long", "boolean", "float", "empty"],
)
@pytest.mark.parametrize("pieces", [1, 3])
def test_columns_come_back_whole_and_in_part(tmp_path, disk, column, pieces):
    draft = Drafts(tmp_path).begin(column, pieces)
    for piece in np.array_split(column, pieces):
        draft.add(piece)
    found = draft.done()
    np.testing.assert_array_equal(found.read(), column)
    some = np.flatnonzero(np.random.default_rng(2).random(len(column)) < 1e-3).astype(np.int32)
    np.testing.assert_array_equal(found.take(some), column[some])


def test_a_file_that_is_used_again_holds_nothing_of_what_it_held(tmp_path):
    drafts = Drafts(tmp_path)
    first = drafts.begin(np.arange(1 << 20, dtype=np.int64), 1)
    first.add(np.arange(1 << 20, dtype=np.int64))
    before = first.done()
    drafts.let_go([before.path])
    again = drafts.begin(np.arange(1 << 18, dtype=np.int64), 1)
    assert again.path == before.path
    again.add(np.arange(3, dtype=np.int64))
    assert again.done().path.read_bytes() == np.arange(3, dtype=np.int64).tobytes()


def test_a_file_is_nothing_to_run(tmp_path, disk):
    written(tmp_path / "file", [10, 20])
    assert not (tmp_path / "file").stat().st_mode & 0o111
