"""What only a process of its own shows: interruption, pipes, terminals and their encodings."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("stoppable")
ROWS = 1_000_000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a table that takes a second or two to anonymize."""
    draw = random.Random(1)
    block = "".join(",".join(str(draw.randrange(90_000)) for _ in range(9)) + "\n" for _ in range(10_000))
    path = tmp_path_factory.mktemp("large") / "large.csv"
    path.write_text("a,b,c,d,e,f,g,h,charge\n" + block * (ROWS // 10_000))
    return path


def begin(large, folder, **settings):
    command = ("anonymize", large, "--roles", "last-sensitive", "--k", "5", "--out", folder / "out.csv")
    return subprocess.Popen([sys.executable, "-m", "shoal", *command], stdout=subprocess.PIPE, **settings)


def ended(process, stop, said, folder):
    assert process.returncode == 128 + stop, f"{process.returncode} after {stop.name}: {said}"
    assert "Traceback" not in said
    assert "✗ Stopped." in said
    assert list(folder.iterdir()) == []


BOTH = pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM], ids=lambda stop: stop.name)


@BOTH
def test_a_run_that_is_stopped_while_it_writes_leaves_nothing_behind(large, tmp_path, stop):
    for _ in range(5):
        process = begin(large, tmp_path, stderr=subprocess.PIPE)
        while process.poll() is None and not any(tmp_path.iterdir()):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.001)
        process.send_signal(stop)
        out, err = process.communicate(timeout=60)
        complete = {path.name for path in tmp_path.iterdir()} == {
            "out.csv", "out.certificate.json", "out.private.json",
        }  # fmt: skip
        if not complete:
            break
        for path in tmp_path.iterdir():  # the signal came too late: once more
            path.unlink()
    else:
        pytest.fail("it was always done before it could be stopped")
    assert out == b""
    ended(process, stop, err.decode(), tmp_path)


@BOTH
def test_a_run_that_is_stopped_while_it_reads_leaves_nothing_behind(large, tmp_path, stop):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    process = begin(large, tmp_path, stderr=theirs, env={**os.environ, "TERM": "xterm", "SHOAL_PROGRESS": "10"})
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):  # the other side of the terminal is closed
        while b"reading large.csv" not in said and (part := os.read(ours, 4096)):
            said += part
        process.send_signal(stop)
        while part := os.read(ours, 4096):
            said += part
    os.close(ours)
    out, _ = process.communicate(timeout=60)
    assert b"reading large.csv" in said, "progress is shown to a person who looks"
    assert out == b""
    ended(process, stop, said.decode(), tmp_path)


STOPPED = """
import os, sys
from shoal.cli import main
from shoal.engines.local import Local
stop, write = int(sys.argv.pop()), Local.write
def write_and_stop(*given):
    written = write(*given)
    os.kill(os.getpid(), stop)
    return written
Local.write = write_and_stop
main()
"""


EVERY = pytest.mark.parametrize(
    "stop",
    [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU],
    ids=lambda stop: stop.name,
)


@EVERY
@pytest.mark.parametrize("out", ["out.csv", "out.parquet"])
def test_a_run_that_is_stopped_between_release_and_certificate_leaves_nothing_behind(desk, people, stop, out):
    desk.put("in.csv", people)
    ask = ("anonymize", "in.csv", "--roles", "last-sensitive", "--k", "2", "--out", out, str(int(stop)))
    done = subprocess.run(
        [sys.executable, "-c", STOPPED, *ask], cwd=desk.folder, capture_output=True, timeout=60, check=False
    )
    (desk.folder / "in.csv").unlink()
    ended(done, stop, done.stderr.decode(), desk.folder)


def test_what_whoever_started_the_command_ignores_does_not_stop_it(desk, people):
    """As nohup does: a terminal that closes is none of the command's business then."""
    desk.put("in.csv", people)
    ask = ("anonymize", "in.csv", "--roles", "last-sensitive", "--k", "2", "--out", "out.csv", str(int(signal.SIGHUP)))
    done = subprocess.run(
        ["nohup", sys.executable, "-c", STOPPED, *ask], cwd=desk.folder, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    desk.check().fine()


STOPPED_TWICE = """
import os, shutil, signal, sys
from shoal.cli import main
from shoal.engines.local import Local
rmtree, write = shutil.rmtree, Local.write
def write_and_stop(*given):
    write(*given)
    os.kill(os.getpid(), signal.SIGTERM)
def remove_and_be_stopped(*given, **named):
    for stop in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        os.kill(os.getpid(), stop)
    rmtree(*given, **named)
Local.write, shutil.rmtree = write_and_stop, remove_and_be_stopped
main()
"""


def test_a_second_request_to_stop_does_not_break_off_what_the_first_one_puts_in_order(desk, people):
    desk.put("in.csv", people)
    ask = ("anonymize", "in.csv", "--roles", "last-sensitive", "--k", "2", "--out", "out.csv")
    done = subprocess.run(
        [sys.executable, "-c", STOPPED_TWICE, *ask], cwd=desk.folder, capture_output=True, timeout=60, check=False
    )
    (desk.folder / "in.csv").unlink()
    ended(done, signal.SIGTERM, done.stderr.decode(), desk.folder)


ON_DISK = """
import os, sys
from shoal.__main__ import main
from shoal.engines import factory
from shoal.engines.disk.engine import Disk
from shoal.engines.disk.pool import DiskPool
factory.ENGINES["local"] = lambda *_: Disk(limit=300_000_000)
stop, kept = int(sys.argv.pop()), DiskPool._kept
def kept_and_stopped(*given):
    handle = kept(*given)
    print(os.listdir(os.environ["TMPDIR"]), flush=True)
    os.kill(os.getpid(), stop)
    return handle
DiskPool._kept = kept_and_stopped
main()
"""


@EVERY
def test_a_run_on_disk_that_is_stopped_leaves_no_scratch(desk, people, tmp_path_factory, stop):
    """What it keeps there is the original, which must not lie around."""
    scratch = tmp_path_factory.mktemp("scratch")
    desk.put("in.csv", people)
    ask = ("anonymize", "in.csv", "--roles", "last-sensitive", "--k", "2", "--out", "out.csv")
    settings = {"env": {**os.environ, "TMPDIR": str(scratch)}, "cwd": desk.folder, "timeout": 60}
    done = subprocess.run(
        [sys.executable, "-c", ON_DISK, *ask, str(int(stop))], capture_output=True, check=False, **settings
    )
    assert b"shoal-scratch-" in done.stdout
    (desk.folder / "in.csv").unlink()
    ended(done, stop, done.stderr.decode(), desk.folder)
    assert list(scratch.iterdir()) == []


# Files that cannot be read or written


def test_an_error_about_a_file_names_it(desk, people, monkeypatch):
    """It is not the results that cannot be shown."""
    from shoal.engines.local import Local

    def fail(*_):
        raise PermissionError(13, "Permission denied", "/somewhere/else")

    monkeypatch.setattr(Local, "read", fail)
    desk.mask(people, "--roles", "last-sensitive").refused(3, "'/somewhere/else'", "Permission denied")

    def fail_without_a_name(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Local, "read", fail_without_a_name)
    told = desk.mask(people, "--roles", "last-sensitive")
    told.refused(3, "Input/output error")
    assert "results" not in told.err


# Standard output


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_results_can_be_shown_in_any_encoding(desk, people, encoding):
    desk.put("in.csv", people.replace("zip", "größe→"))
    settings = {"env": {**os.environ, "PYTHONIOENCODING": encoding}}
    ask = ("anonymize", "in.csv", "--out", "out.csv", "--quasi", "age,größe→", "--k", 2)
    done = desk.start(*ask, **settings)
    assert done.returncode == 0, done.stderr
    assert b"occurs at least" in done.stdout
    done = desk.start("inspect", "in.csv", "--json", **settings)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.decode(encoding))["columns"][1]["name"] == "größe→"


def test_a_reader_that_looks_away_is_no_target_that_was_missed(desk):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = desk.start("list", "methods", capture_output=False, stdout=closed, stderr=subprocess.PIPE)
    assert done.stderr == b""
    assert done.returncode not in (1, 2, 3, 70)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full here")
def test_results_that_cannot_be_shown_are_no_defect(desk):
    with Path("/dev/full").open("wb") as full:
        done = desk.start("list", "methods", capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 3
    assert b"defect" not in done.stderr


# File names


@pytest.mark.parametrize("names", [("caf\udce9.csv", "out.csv"), ("in.csv", "caf\udce9.csv")], ids=["input", "output"])
def test_a_file_name_that_is_no_text_is_no_obstacle(desk, people, names):
    source, out = names
    try:
        desk.put(out, "")
        (desk.folder / out).unlink()
        desk.put(source, people)
    except (OSError, UnicodeError):
        pytest.skip("names are always text here")
    asked = ("--roles", "last-sensitive", "--k", 2, "--certificate", "c.json", "--json")
    for step in (("anonymize", source, "--out", out, *asked), ("check", out, "--certificate", "c.json")):
        done = desk.start(*step)
        assert done.returncode == 0, done.stderr


# Standard input


@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="standard input has no name here")
def test_a_pipe_is_read_whole_or_refused(desk):
    # Rows of eight bytes, more than the reader takes at a time: a reader that begins twice would lose half of them.
    rows = 800_000
    text = b"age,zip\n" + b"34,9370\n" * rows
    done = desk.start("risk", "/dev/stdin", "--quasi", "age,zip", "--json", input=text)
    if done.returncode == 0:
        assert json.loads(done.stdout)["records"] == rows
    else:
        assert done.returncode in (2, 3)
        assert "'/dev/stdin'" in done.stderr.decode()
        assert "no records" not in done.stderr.decode()
