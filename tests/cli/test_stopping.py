"""Ctrl-C at any moment: the command ends within two seconds, without a traceback, and leaves nothing behind."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from shoal_paper.datasets import discharges

pytestmark = pytest.mark.usefixtures("stoppable")
ASK = ("anonymize", "in.csv", "--roles", "last-sensitive", "--k", "2", "--out", "out.csv")
SECONDS = 2.0


def run(code, desk, *ask):
    return subprocess.run(
        [sys.executable, "-c", code, *(ask or ASK)], cwd=desk.folder, capture_output=True, timeout=60, check=False
    )


def stopped(done, folder, *, but=()):
    said = done.stderr if isinstance(done.stderr, str) else done.stderr.decode()
    assert done.returncode == 128 + signal.SIGINT, said
    assert "Traceback" not in said
    assert "Exception ignored" not in said
    assert "✗ Stopped." in said
    assert {path.name for path in folder.iterdir()} <= {"in.csv", *but}


# While it starts

STARTING = """
import os, signal, sys
asked = sys.argv.pop()
class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == asked:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Stop())
from shoal.__main__ import main
main()
"""


@pytest.mark.parametrize("module", ["shoal.cli", "typer", "numpy", "shoal.cli.releasing"])
def test_a_command_can_be_stopped_while_it_loads_what_it_needs(desk, people, module):
    desk.put("in.csv", people)
    stopped(run(STARTING, desk, *ASK, module), desk.folder)


def test_little_is_loaded_before_a_command_can_be_stopped(tmp_path):
    """Until then Ctrl-C would show a traceback, so it is not to take longer than Python itself takes to start."""
    code = "import sys; before = {*sys.modules}; import shoal.__main__; print(*sorted({*sys.modules} - before))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {
        "__future__", "importlib", "importlib._bootstrap", "importlib._bootstrap_external", "warnings",
        "shoal", "shoal.lazy", "shoal.version", "shoal.__main__",
    }  # fmt: skip


# While it works


@pytest.fixture(scope="module")
def hard(tmp_path_factory):
    """Give a table of which it takes minutes to form classes in one way: it is a single call of a kernel."""
    path = tmp_path_factory.mktemp("hard") / "hard.csv"
    discharges.write(path, 60_000)
    return path


def hard_to_mask(hard, out, *more):
    quasi = "oshpd_id,age_yrs,sex,ethncty,race,patzip,patcnty,los,adm_qtr"
    return ("anonymize", hard, "--quasi", quasi, "--sensitive", "charge", "--k", "5", *more, "--out", out)


def test_a_long_kernel_is_stopped_and_tells_a_log_how_far_it_is(hard, tmp_path):
    ask = hard_to_mask(hard, "out.csv", "--t", "0.05", "--method", "k-anonymity-first")
    process = subprocess.Popen(
        [sys.executable, "-m", "shoal", *map(str, ask)],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "SHOAL_PROGRESS": "0.05"},
    )  # fmt: skip
    lines = []
    for line in process.stderr:
        lines.append(line)
        if "forming classes: " in line:
            break
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert time.monotonic() - begun < SECONDS
    assert lines[-1].startswith("masking with k-anonymity-first, forming classes: ")
    stopped(subprocess.CompletedProcess([], process.returncode, b"", said), tmp_path)


STUCK = """
import ctypes, os, signal, sys, threading
from shoal.__main__ import main
from shoal.engines.local import Local
def write(*given):
    open(given[3].path, "w").close()
    threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()
    mutex, lock = (ctypes.c_char * 64)(), ctypes.CDLL(None).pthread_mutex_lock
    lock(mutex)
    lock(mutex)
Local.write = write
main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it is done with what this system's library has")
def test_a_library_that_does_not_come_back_is_not_waited_for(desk, people):
    """It waits for itself, and no signal changes that. What was half-written is removed all the same."""
    desk.put("in.csv", people)
    begun = time.monotonic()
    done = run(STUCK, desk)
    assert time.monotonic() - begun < 10 * SECONDS
    stopped(done, desk.folder)


SWALLOWED = """
import os, signal
from shoal.__main__ import main
from shoal.engines.local import Local
def write(*given):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:
        pass
    while True:
        pass
Local.write = write
main()
"""

IGNORED = """
import os, signal
from shoal.__main__ import main
from shoal.engines.local import Local
class Gone:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
def write(*given):
    Gone()
    while True:
        pass
Local.write = write
main()
"""


@pytest.mark.parametrize("code", [SWALLOWED, IGNORED], ids=["swallowed", "ignored"])
def test_a_request_that_a_library_loses_is_repeated(desk, people, code):
    desk.put("in.csv", people)
    stopped(run(code, desk), desk.folder)


MOVING = """
import os, signal
from shoal.__main__ import main
from shoal.atomic_files import drafts
move_all = drafts.move_all
def stop_and_move(*given):
    os.kill(os.getpid(), signal.SIGINT)
    move_all(*given)
drafts.move_all = stop_and_move
main()
"""


def test_files_that_are_being_moved_into_place_all_get_there(desk, people):
    desk.put("in.csv", people)
    done = run(MOVING, desk)
    assert "Traceback" not in done.stderr.decode()
    assert {path.name for path in desk.folder.iterdir()} == {
        "in.csv", "out.csv", "out.certificate.json", "out.private.json",
    }  # fmt: skip
    desk.check().fine()


# Progress on the command line


def test_progress_can_be_turned_off_and_is_refused_if_it_makes_no_sense(desk, people, monkeypatch):
    monkeypatch.setenv("SHOAL_PROGRESS", "often")
    desk.mask(people, "--roles", "last-sensitive").refused(2, "SHOAL_PROGRESS")
    monkeypatch.setenv("SHOAL_PROGRESS", "off")
    assert desk.mask(people, "--roles", "last-sensitive").fine().err == ""


# At random moments of whatever takes long


@pytest.fixture(scope="module")
def million(tmp_path_factory):
    path = tmp_path_factory.mktemp("million") / "million.csv"
    discharges.write(path, 1_000_000)
    return path


WAYS = {
    "hilbert": (),
    "hilbert with t": ("--t", "0.3"),
    "mdav": ("--method", "mdav"),
    "mondrian": ("--method", "mondrian"),
    "S4": ("--t", "0.3", "--method", "stratified-clusters"),
    "k-anonymity-first": ("--t", "0.3", "--method", "k-anonymity-first"),
    "t-closeness-first": ("--t", "0.3", "--method", "t-closeness-first"),
    "on disk": ("--memory", "400MB"),
}


@pytest.mark.large
@pytest.mark.parametrize("way", [*WAYS, "risk", "check", "study"])
def test_a_command_can_be_stopped_at_any_moment(million, tmp_path, way):
    draw = random.Random(way)
    if way == "check":
        made = hard_to_mask(million, tmp_path.parent / "made.csv")
        subprocess.run([sys.executable, "-m", "shoal", *map(str, made)], check=True, capture_output=True)
        ask = ("check", made[-1], "--certificate", tmp_path.parent / "made.certificate.json")
    elif way == "risk":
        ask = ("risk", million, "--matching", "fit")
    elif way == "study":
        ask = ("study", "--rows", "300000", "--out", ".")
    else:
        ask = hard_to_mask(million, "out.csv", *WAYS[way])
    scratch = tmp_path.parent / "scratch"
    scratch.mkdir()
    for _ in range(10):
        process = subprocess.Popen(
            [sys.executable, "-m", "shoal", *map(str, ask)],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(scratch)},
        )  # fmt: skip
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(draw.uniform(0.3, 6))
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert time.monotonic() - begun < SECONDS
        assert list(scratch.iterdir()) == []
        if process.returncode:
            stopped(subprocess.CompletedProcess([], process.returncode, b"", said), tmp_path, but=(".cache",))
        for path in tmp_path.glob("out.*"):
            path.unlink()
