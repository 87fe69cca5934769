"""How far the work is: the share done, the time left, and who is told of it."""

import itertools
import os
import signal
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.kernels.pace import running
from shoal.progress import Look, along, counted, course, stage
from shoal.progress.lines import Log, Terminal, sentence
from shoal.progress.notebooks import Notebook, in_notebook
from shoal.progress.time_left import TimeLeft, about, in_words


@pytest.fixture(scope="module")
def people():
    """Give a table of which MDAV takes a good part of a second to form classes."""
    draw = np.random.default_rng(1)
    return shoal.read(pa.table({name: draw.normal(size=12_000) for name in "abcdef"}), quasi=list("abcdef"))


def masked(table):
    return shoal.anonymize(table, shoal.methods.MDAV(), [shoal.models.KAnonymity(5)], measures=())


# The time left


def told(pace, seconds, step=0.5):
    """Give what is estimated when the share done after each time is this."""
    left = TimeLeft()
    times = np.arange(0, seconds, step)
    return [(now, left.after(Look("reading", pace(now), "reading"), now)) for now in times]


def test_the_time_left_of_steady_work_is_right():
    for now, left in told(lambda now: now / 40, 39):
        assert left is None if now < 1 else left == pytest.approx(40 - now, abs=0.5)


def test_the_time_left_follows_work_that_gets_slower_and_does_not_leap():
    found = told(lambda now: now / 20 if now < 10 else 0.5 + (now - 10) / 80, 49)
    assert found[-1][1] == pytest.approx(1.5, abs=1.5)
    steps = [after[1] - before[1] for before, after in itertools.pairwise(found) if before[1] is not None]
    assert max(steps) < 4, "by no more than a few seconds at a time"


def test_work_that_stands_still_gets_no_promise():
    found = told(lambda now: 0.3 if now else 0.0, 20)
    assert found[-1][1] > found[4][1]
    assert all(left is None for _, left in told(lambda _: 0.0, 20))
    assert all(left is None for _, left in told(lambda _: None, 20))


def test_each_thing_that_is_done_has_a_time_of_its_own():
    left = TimeLeft()
    for now in range(10):
        left.after(Look("reading", now / 10, "reading"), now)
    assert left.after(Look("writing", 0.1, "writing"), 10) is None
    assert left.elapsed(13) == 3


def test_times_are_told_as_people_do():
    assert [about(seconds) for seconds in (0.2, 3.1, 21, 61, 4000)] == ["1 s", "4 s", "25 s", "1 min", "1 h 6 min"]
    assert [in_words(seconds) for seconds in (19.9, 21, 3599, 60_000)] == ["19 s", "21 s", "59 min", "17 h"]


# The share done


@pytest.fixture
def call():
    """Count as within a call, where nothing is left of what other tests broke off outside of one."""
    with shoal.show_progress(False):
        yield


def test_the_share_is_that_of_what_is_counted_outermost(call):
    stage("reading")
    assert course().look()[:2] == ("reading", None)
    looks = []
    for _ in along(range(4), what="pass 1"):
        for _ in along(range(2)):
            looks.append(course().look()[:2])
    assert looks == [("reading, pass 1", share) for share in (0, 0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75)]
    with counted(4, alone=True) as part:
        part.what, part.done = "hilbert k=5", 3
        assert course().look()[:2] == ("hilbert k=5", 0.75)
    assert course().parts == []


def test_work_that_is_broken_off_no_longer_counts(call):
    going = along(range(4))
    next(going)
    going.close()
    with pytest.raises(ZeroDivisionError), counted(3):
        raise ZeroDivisionError
    assert course().parts == []


def broken_off(*_):
    going = along(range(4), what="a loop that an error breaks off")
    for _ in going:
        raise ZeroDivisionError


@pytest.mark.parametrize("inside", [True, False], ids=["in a call", "outside of one"])
def test_a_loop_that_a_kept_error_keeps_shows_no_share_later(people, monkeypatch, inside):
    """As in a notebook, which keeps the last traceback and with it whatever the failed cell had begun."""
    with monkeypatch.context() as failing:
        failing.setattr(shoal.methods.MDAV, "apply", broken_off)
        with pytest.raises(ZeroDivisionError) as kept:
            (masked if inside else broken_off)(people)
    seen = []
    shoal.anonymize(people, "hilbert", k=5, progress=lambda what, share, left: seen.append((what, share)))
    assert kept.value.__traceback__ is not None
    assert seen[0] == ("masking", None)
    assert not [what for what, _ in seen if "breaks off" in what]
    assert "breaks off" not in course().look().what


def test_a_long_kernel_tells_how_far_it_is(people, call):
    """Seen from another thread while it runs: a share that grows to nearly all."""
    shares = []
    for _ in range(50):  # the other thread may not get its turn
        shares += seen_while(people)
        if len(set(shares)) > 10:
            break
    assert len(set(shares)) > 10
    assert min(shares) < 0.5 < max(shares) < 1
    assert course().look().share is None


def seen_while(people):
    work, over, seen = course(), threading.Event(), []

    def look():
        while not over.wait(0.001):
            seen.append(work.look())

    watching = threading.Thread(target=look)
    watching.start()
    masked(people)
    over.set()
    watching.join()
    shares = [look.share for look in seen if look.what == "masking with mdav, forming classes"]
    assert shares == sorted(shares)
    return shares


# Who is told


def test_a_function_is_told_of_every_stage(people):
    seen = []
    shoal.anonymize(
        people, shoal.methods.Hilbert(), [shoal.models.KAnonymity(5)], progress=lambda *given: seen.append(given)
    )
    stages = list(dict.fromkeys(stage for stage, _, _ in seen))
    assert [stage for stage in stages if "," not in stage or stage.startswith("measuring")] == [
        "masking", "masking with hilbert", "checking the promises",
        "measuring uniqueness, random-reidentification, class-sizes", "measuring information-loss",
    ]  # fmt: skip
    assert all(share is None or 0 <= share <= 1 for _, share, _ in seen)


def test_a_function_is_told_while_a_kernel_runs(people, monkeypatch):
    from shoal.progress import display

    monkeypatch.setattr(display._Function, "period", 0.01)
    shares = []
    for _ in range(50):  # the thread that tells may not get its turn
        with shoal.show_progress(lambda stage, share, left: shares.append(share)):
            masked(people)
        if any(shares):
            break
    known = [share for share in shares if share is not None]
    assert 0 < max(known) < 1
    assert known == sorted(known)


def test_what_a_function_raises_comes_out(people, monkeypatch):
    from shoal.progress import display

    def fail(stage, share, left):
        if share:
            raise ZeroDivisionError

    monkeypatch.setattr(display._Function, "period", 0.01)
    with pytest.raises(ZeroDivisionError), shoal.show_progress(fail):
        _ = [masked(people) for _ in range(50)]  # the thread that tells may not get its turn at once
    assert not course().seen
    assert course().watchers == []


def test_a_study_tells_which_release_is_made():
    table = shoal.read(pa.table({"age": [34, 35, 61, 62]}), quasi="age")
    study = shoal.Study.grid(
        [shoal.methods.SortedClusters(), shoal.methods.Coarsen(2)], [{"name": "k-anonymity", "k": [2]}]
    )
    seen = []
    study.run(table, progress=lambda stage, share, left: seen.append((stage, share)))
    assert ("sorted-clusters k=2 (1 of 2)", 0.0) in seen
    assert ("coarsen resolution=2 (2 of 2)", 0.5) in seen


def test_lines_say_what_is_known():
    assert sentence(Look("reading a.csv", 0.434, 0), 19.4, 20) == "reading a.csv: 43 %, about 20 s left"
    assert sentence(Look("reading a.csv", 0.434, 0), None, 20) == "reading a.csv: 43 %"
    assert sentence(Look("reading a.csv", None, 0), None, 71) == "reading a.csv: 1 min so far"
    assert sentence(Look("reading a.csv", 1.0, 0), None, 1) == "reading a.csv: 99 %", "it is still being read"


def test_a_name_cannot_move_the_terminal():
    assert sentence(Look("reading \x1b[2J\r.csv", None, 0), None, 0) == "reading ?[2J?.csv"


def test_a_line_fits_into_the_terminal_and_is_gone_in_the_end(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    terminal = Terminal()
    terminal.tell(Look("reading " + "表" * 50, 0.5, 0), None, 0)
    terminal.end()
    shown, wiped = capsys.readouterr().err.split("\x1b[K")[:2]
    assert len(shown.split("表")[0]) + 2 * shown.count("表") <= 30
    assert wiped == "\r"


def test_a_log_gets_a_line_now_and_then(capsys):
    log = Log(1e-9)
    log.tell(Look("reading a.csv", 0.4, 0), 20, 20)
    assert capsys.readouterr().err == "reading a.csv: 40 %, about 20 s left\n"
    Log(1000).tell(Look("reading a.csv", 0.4, 0), 20, 20)
    assert capsys.readouterr().err == ""


def test_a_notebook_shows_one_line_that_changes_in_place(people, monkeypatch):
    shown, changes = [], []

    def display(content, *, raw, display_id):
        shown.append(content["text/plain"])
        return SimpleNamespace(update=lambda content, raw: changes.append(content["text/plain"]))

    shell = SimpleNamespace(config={"IPKernelApp": {}})
    assert not in_notebook()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    masked(people)
    assert shown == [], "what takes no second is not shown"
    monkeypatch.setattr(Notebook, "AFTER", 0)
    masked(people)
    assert len(shown) == 1
    assert "masking with mdav" in changes
    assert changes[-1] == ""
    del shown[:], changes[:]
    with shoal.show_progress(False):
        masked(people)
    assert shown == []


# Stopping a kernel


@pytest.fixture
def interrupting():
    """Send a signal to this process as soon as a kernel has told how far it is."""
    kernel, over = running(), threading.Event()

    def send():
        while not over.is_set() and kernel.pace.total == 0:
            over.wait(0.0005)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield thread.start
    over.set()
    thread.join()
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_ends_a_kernel_without_the_command_line(people, interrupting):
    """As in a notebook: the usual KeyboardInterrupt comes out of the call, and the next call works as ever."""
    whole = masked(people).table
    interrupting()
    with pytest.raises(KeyboardInterrupt):
        masked(people)
    assert running().pace.total == 0
    assert (masked(people).table.data.index == whole.data.index).all()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_kernel_goes_on_if_whoever_handles_the_signal_does(people, interrupting):
    """Nothing that is only half computed is ever used: the result is that of a kernel that nobody disturbed."""
    whole, came = masked(people).table, []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    interrupting()
    assert (masked(people).table.data.index == whole.data.index).all()
    assert came == [signal.SIGINT]


def test_a_kernel_in_another_thread_is_left_alone(people):
    """Python tells the first thread alone of a signal."""
    kernels, found = [], []

    def work():
        kernels.append(running())
        found.append(masked(people))

    thread = threading.Thread(target=work)
    came = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        thread.start()
        while thread.is_alive() and not (kernels and kernels[0].pace.total):
            thread.join(0.0005)
        os.kill(os.getpid(), signal.SIGINT)
        thread.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert came == [signal.SIGINT]
    assert (found[0].table.data.index == masked(people).table.data.index).all()
