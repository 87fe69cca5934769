"""What every pool must do, whoever holds the parts."""

import shutil
import signal
import stat
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from engines.pools import Memory

from shoal.engines.disk.pool import DiskPool
from shoal.engines.parts.shuffle import take
from shoal.errors import InternalError
from shoal.kernels import MISSING, TOP

POOLS = {"memory": lambda folder: Memory(), "files": DiskPool}


@pytest.fixture(params=POOLS)
def pool(request, tmp_path):
    return POOLS[request.param](tmp_path)


def parts(*sizes):
    """Give parts of rows that count up through all of them."""
    starts = np.append(0, np.cumsum(sizes))
    for a, b in pairwise(starts.tolist()):
        row = np.arange(a, b)
        yield {"row": row, "pair": np.stack([row, -row], axis=1).astype(np.int32), "odd": row % 2 == 1}


def all_of(pool, handle, name):
    return [part[name].tolist() for part in pool.stream(handle)]


def test_parts_come_back_as_they_were_put(pool):
    handle = pool.put(parts(3, 0, 2))
    assert handle.parts == 3
    assert all_of(pool, handle, "row") == [[0, 1, 2], [], [3, 4]]
    for found, given in zip(pool.stream(handle), parts(3, 0, 2), strict=True):
        assert set(found) == set(given)
        for name in given:
            assert found[name].dtype == given[name].dtype
            assert found[name].shape == given[name].shape
            assert (found[name] == given[name]).all()


def test_each_part_is_worked_on_with_its_number_and_those_beside_it(pool):
    one, other = pool.put(parts(2, 3)), pool.put(parts(1, 1))
    made = pool.map(lambda number, a, b: {"sum": a["row"] + b["row"] + 10 * number}, one, other)
    assert all_of(pool, made, "sum") == [[0, 1], [13, 14, 15]]
    assert all_of(pool, one, "row") == [[0, 1], [2, 3, 4]]
    assert pool.collect(lambda number, a, b: (number, len(a["row"]), len(b["row"])), one, other) == [
        (0, 2, 1),
        (1, 3, 1),
    ]


def test_rows_are_shuffled_in_the_order_of_their_senders(pool):
    handle = pool.put(parts(4, 0, 5))
    moved = pool.shuffle(
        lambda number, part: [{name: part[name][part["row"] % 4 == i] for name in part} for i in range(4)], 4, handle
    )
    assert all_of(pool, moved, "row") == [[0, 4, 8], [1, 5], [2, 6], [3, 7]]
    assert all_of(pool, moved, "pair")[0] == [[0, 0], [4, -4], [8, -8]]
    none = pool.shuffle(lambda number, part: [dict(part), {n: part[n][:0] for n in part}], 2, handle)
    assert all_of(pool, none, "odd")[1] == []
    assert [part["pair"].shape for part in pool.stream(none)] == [(9, 2), (0, 2)]


@pytest.mark.parametrize("shape", [(), (1,), (3,), (13,), (70_000,)])
def test_positions_come_back_from_every_sender_however_wide_they_are(pool, shape):
    """More of them than are packed at once, other numbers from each sender, and those that are reserved."""
    draw = np.random.default_rng(len(shape))
    rows = 2 if shape == (70_000,) else 40_000 if shape else 140_000
    sent = [draw.integers(0, top, (rows, *shape)).astype(np.int32) for top in (1, 200, 60_000, 2**24, 2**31 - 1)]
    sent[1].flat[7], sent[1].flat[8] = MISSING, TOP
    sent.append(np.full((3, *shape), MISSING, np.int32))
    handle = pool.put({"cells": cells} for cells in sent)
    for part, cells in zip(pool.stream(handle), sent, strict=True):
        assert np.array_equal(part["cells"], cells)
    moved = pool.shuffle(lambda number, part: [{"cells": part["cells"][::2]}], 1, handle)
    (part,) = pool.stream(moved)
    assert np.array_equal(part["cells"], np.concatenate([cells[::2] for cells in sent]))


def files_in(folder):
    """Give the files of columns, beside which there is the lock of the folder."""
    return [path for path in folder.iterdir() if path.name != "lock"]


def test_positions_take_no_more_bytes_on_disk_than_they_need(tmp_path):
    pool = DiskPool(tmp_path)
    ages = np.random.default_rng(1).integers(0, 90, (10_000, 4)).astype(np.int32)
    ages[::7] = MISSING
    handle = pool.put([{"lo": ages}])
    (file,) = files_in(pool.folder)
    assert ages.size <= file.stat().st_size < ages.size + 100
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(InternalError, match="not whole"):
        next(pool.stream(handle))["lo"]


def test_parts_are_summarized_when_they_are_created(pool):
    def summarize(number, part):
        return number, part["row"].tolist()

    handle = pool.put(parts(2, 1), summarize=summarize)
    assert list(handle.summaries) == [(0, [0, 1]), (1, [2])]
    assert list(pool.map(lambda number, part: {"row": part["row"][:1]}, handle, summarize=summarize).summaries) == [
        (0, [0]),
        (1, [2]),
    ]
    sent = pool.shuffle(lambda number, part: [{"row": part["row"]}], 1, handle, summarize=summarize)
    assert list(sent.summaries) == [(0, [0, 1, 2])]


def test_an_error_in_the_work_reaches_who_asked_for_it(pool):
    def fail(number, part):
        raise ValueError(f"part {number}")

    with pytest.raises(ValueError, match="part"):
        pool.collect(fail, pool.put(parts(1, 1)))


def test_files_go_when_nobody_needs_them(tmp_path):
    pool = DiskPool(tmp_path)
    (folder,) = tmp_path.iterdir()
    handle = pool.put(parts(2, 2))
    made = pool.map(lambda number, part: dict(part), handle)
    assert len(files_in(folder)) == 12  # of two handles with two parts of three columns each
    del handle
    assert len(files_in(folder)) == 6
    with pytest.raises(ZeroDivisionError):
        pool.map(lambda number, part: {"row": np.array([1 // (1 - number)])}, made)
    assert len(files_in(folder)) == 6
    del made
    assert files_in(folder) == []
    pool.close()
    assert list(tmp_path.iterdir()) == []


def test_a_few_rows_are_taken_without_the_others(pool):
    row = np.arange(700_000)
    columns = {"row": row, "code": row.astype(np.int32) * 3, "pair": np.stack([row, -row], axis=1).astype(np.int32)}
    handle = pool.shuffle(lambda number, part: [dict(part)], 1, pool.put([columns, columns]))
    (part,) = pool.stream(handle)
    for chosen in ([], [0], [3, 262_143, 262_144, 699_999, 700_000, 1_399_999]):
        rows = np.array(chosen, np.int32)
        for name, column in columns.items():
            found = take(part, name, rows)
            assert found.dtype == column.dtype
            assert found.tolist() == np.concatenate([column, column])[rows].tolist()
    assert take(part, "pair", np.array([5], np.int32)).tolist() == part["pair"][[5]].tolist()
    assert take(part, "pair", np.array([6], np.int32)).tolist() == [[6, -6]]  # from what was read by now


def test_large_files_are_written_over_when_nobody_needs_them(tmp_path):
    pool = DiskPool(tmp_path)
    (folder,) = tmp_path.iterdir()

    def large(first, rows):
        row = np.arange(first, first + rows)
        return {"row": row, "pair": np.stack([row, -row], axis=1).astype(np.int32)}

    handle = pool.put([large(0, 400_000)])
    (seen,) = pool.stream(handle)
    kept = seen["row"], seen["pair"]
    files = {path.name: path.stat().st_ino for path in folder.iterdir()}
    del seen, handle
    other = pool.put([large(7, 300_000)])
    assert {path.name: path.stat().st_ino for path in folder.iterdir()} == files
    (found,) = pool.stream(other)
    for given, column in large(7, 300_000).items():
        assert (found[given] == column).all()
    moved = pool.shuffle(
        lambda number, part: [{"row": part["row"][:200_000]}, {"row": part["row"][200_000:]}], 2, other
    )
    assert all_of(pool, moved, "row") == [list(range(7, 200_007)), list(range(200_007, 300_007))]
    assert (kept[0] == np.arange(400_000)).all()  # what was read is nobody's file
    assert (kept[1][:, 1] == -np.arange(400_000)).all()


def test_pieces_of_large_files_are_written_over_what_nobody_needs(tmp_path):
    pool = DiskPool(tmp_path)
    (folder,) = tmp_path.iterdir()
    handle = pool.put({"row": np.arange(100_000) * number} for number in range(4))

    def halves(number, part):
        return [{"row": part["row"][:50_000]}, {"row": part["row"][50_000:]}]

    moved = pool.shuffle(halves, 2, handle)
    files = len(files_in(folder))
    for _ in range(3):
        del moved
        moved = pool.shuffle(halves, 2, handle)
        assert len(files_in(folder)) == files
    assert pool.collect(lambda number, part: int(part["row"].sum()), moved) == [
        6 * sum(range(50_000)), 6 * sum(range(50_000, 100_000)),
    ]  # fmt: skip


def test_a_part_keeps_its_files_until_it_is_read(tmp_path):
    pool = DiskPool(tmp_path)
    handle = pool.put([{"row": np.arange(400_000)}])
    (part,) = pool.stream(handle)
    del handle
    other = pool.put([{"row": np.zeros(400_000, np.int64)}])
    assert part["row"].tolist() == list(range(400_000))
    assert not all_of(pool, other, "row")[0][-1]


@pytest.mark.parametrize("ending", ["", "raise SystemExit(3)", "raise KeyboardInterrupt", "1 / 0"])
def test_nothing_is_left_behind_however_a_process_ends(tmp_path, ending):
    lines = [
        "import sys, pathlib, numpy as np", "from shoal.engines.disk.pool import DiskPool",
        "pool = DiskPool(pathlib.Path(sys.argv[1]))", "handle = pool.put([{'a': np.arange(9)}])", ending,
    ]  # fmt: skip
    subprocess.run([sys.executable, "-c", "\n".join(lines), str(tmp_path)], check=False, capture_output=True)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path):
    code = (
        "import sys, os, pathlib; from shoal.engines.disk.pool import DiskPool; "
        "pool = DiskPool(pathlib.Path(sys.argv[1])); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 1
    pool = DiskPool(tmp_path)
    assert list(tmp_path.iterdir()) == [pool.folder]
    pool.close()


ELSEWHERE = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc")


@pytest.mark.parametrize("apart", [(), ELSEWHERE], ids=["here", "in another container"])
def test_the_scratch_of_a_process_that_lives_is_not_removed(tmp_path, apart):
    """Containers that share a folder do not see each other's processes."""
    if apart and (shutil.which("unshare") is None or subprocess.run([*apart, "true"], capture_output=True).returncode):
        pytest.skip("no process can be set apart here")
    pool = DiskPool(tmp_path)
    handle = pool.put(parts(2))
    assert stat.S_IMODE(pool.folder.stat().st_mode) == 0o700
    code = "import sys, pathlib; from shoal.engines.disk.pool import DiskPool; DiskPool(pathlib.Path(sys.argv[1]))"
    subprocess.run([*apart, sys.executable, "-c", code, str(tmp_path)], check=True)
    assert list(tmp_path.iterdir()) == [pool.folder]
    assert all_of(pool, handle, "row") == [[0, 1]]
    pool.close()
