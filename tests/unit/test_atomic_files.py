"""Writing several files together: all of them or none, and what was there before stays when it fails."""

import contextlib
import errno
import os
import shutil
import signal
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest
from unit.moving import (
    NAMES,
    NEW,
    OLD,
    at_step,
    drafts_in,
    in_another_process,
    no_waiting_for_the_disk,
    number_of_steps,
    places,
    texts,
    write,
)

from shoal.atomic_files import OutputFile, all_or_none, put, recover, refuse_overwriting
from shoal.atomic_files import held as held_module
from shoal.atomic_files.stopping import undisturbed
from shoal.errors import DataError, ParameterError

__all__ = ["no_waiting_for_the_disk", "places"]
pytestmark = pytest.mark.usefixtures("stoppable")
NOBODY = 65534


# What fails


@pytest.mark.parametrize("there", [True, False], ids=["something there", "nothing there"])
def test_a_step_that_fails_leaves_everything_as_it_was(places, there, monkeypatch):
    """A release that was there stays, whole, when a later part of its successor cannot be put in place."""
    if not there:
        for path in places.values():
            path.unlink()
    before = texts(places)
    steps = number_of_steps({name: path.with_name(f"other-{path.name}") for name, path in places.items()})
    outcomes = []

    def fail(*given):
        raise OSError(errno.EPERM, "Operation not permitted", str(given[0]))

    for number in range(1, steps + 1):
        with pytest.MonkeyPatch.context() as patch:
            at_step(patch, number, fail, removing=False)
            try:
                write(places)
            except DataError as error:
                outcomes.append(error.what)
                expected = before
            else:
                expected = NEW
        assert texts(places) == expected, f"step {number}"
        for path in places.values():
            recover(path.parent)  # drafts that could not be removed
        assert texts(places) == expected, f"step {number}"
        assert drafts_in(places) == []
        for name, path in places.items():
            if before[name] is None:
                path.unlink(missing_ok=True)
            else:
                path.write_text("old")
    assert len(outcomes) > 10
    assert all("Operation not permitted" in said and ".shoal-" not in said for said in outcomes)


@pytest.mark.parametrize("name", NAMES)
def test_what_cannot_be_replaced_stops_all(places, name, monkeypatch):
    """As an immutable file does: it can be neither replaced nor put aside. Nothing else is touched for good."""
    rename = os.rename

    def refusing(source, target):
        if Path(source) == places[name]:
            raise OSError(errno.EPERM, "Operation not permitted", str(source), None, str(target))
        rename(source, target)

    monkeypatch.setattr(os, "rename", refusing)
    inodes = {path: path.stat().st_ino for path in places.values()}
    with pytest.raises(DataError, match=f"{name}' cannot be written: Operation not permitted"):
        write(places)
    assert texts(places) == OLD
    assert {path: path.stat().st_ino for path in places.values()} == inodes
    assert drafts_in(places) == []


def test_an_immutable_file_is_not_taken_along(places):
    paper = places["certificate.json"]
    tried = (
        subprocess.run(["chattr", "+i", str(paper)], check=False, capture_output=True)
        if shutil.which("chattr")
        else None
    )
    if tried is None or tried.returncode:
        pytest.skip("files cannot be made immutable here: that takes the superuser, chattr and a fitting file system")
    try:
        with pytest.raises(DataError, match=r"certificate.json' cannot be written"):
            write(places)
    finally:
        subprocess.run(["chattr", "-i", str(paper)], check=True)
    assert texts(places) == OLD
    assert drafts_in(places) == []


def test_a_file_of_another_in_a_folder_of_all_is_not_taken_along():
    """In a sticky folder nobody removes what others own: neither half of a pair is replaced then."""
    if os.geteuid() != 0:
        pytest.skip("only the superuser can give files to others")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o1777)
        places = {name: Path(folder) / name for name in NAMES}
        for path in places.values():
            path.write_text("old")
            path.chmod(0o666)
            os.chown(path, NOBODY, NOBODY)
        os.chown(places["certificate.json"], 0, 0)

        def as_nobody():
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            try:
                write(places)
            except DataError as error:
                os._exit(3 if "certificate.json' cannot be written" in error.what else 4)

        assert in_another_process(as_nobody) == 3
        assert texts(places) == OLD
        assert drafts_in(places) == []


def test_a_folder_that_is_not_empty_any_more_keeps_what_is_in_it(tmp_path):
    def work():
        with all_or_none([tmp_path / "out", tmp_path / "paper"]) as (draft, paper):
            draft.mkdir()
            (draft / "part").write_text("new")
            put(paper, "new")
            (tmp_path / "out").mkdir()
            (tmp_path / "out" / "mine").write_text("old")

    with pytest.raises(DataError, match="out' cannot be written"):
        work()
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "mine"]


def test_a_place_that_must_be_vacant_is_not_taken_from_who_was_faster(tmp_path):
    """As a new database is: someone else may have made one of the same name meanwhile."""
    place = tmp_path / "new.db"

    def work():
        with all_or_none([OutputFile(place, vacant=True)]) as (draft,):
            put(draft, "new")
            place.write_text("of another")

    with pytest.raises(DataError, match=r"new.db' cannot be written: It has been made meanwhile"):
        work()
    assert place.read_text() == "of another"
    assert drafts_in({"": place}) == []


def test_all_is_on_the_disk_before_anything_is_moved(places, monkeypatch):
    """If the power is cut, names never point to what was not written yet."""
    if not Path("/proc/self/fd").exists():
        pytest.skip("what a descriptor stands for is looked up in /proc")
    done, rename = [], os.rename

    def renaming(source, target):
        done.append(("rename", Path(source).name))
        rename(source, target)

    monkeypatch.setattr(
        os, "fsync", lambda opened: done.append(("sync", Path(f"/proc/self/fd/{opened}").readlink().name))
    )
    monkeypatch.setattr(os, "rename", renaming)
    write(places)
    noted = done.index(("rename", "moves.json.part"))
    moved = [place for place, step in enumerate(done) if step[0] == "rename" and step[1] in NAMES]
    assert len(moved) == 6  # what is there is put aside, and the other moved in
    for step in [("sync", name) for name in (*NAMES, "new", "moves.json.part")]:
        assert done.index(step) < noted
    assert any(step[0] == "sync" and step[1].startswith(".shoal-") for step in done[noted : moved[0]])
    folders = {path.parent.name for path in places.values()}
    assert {name for kind, name in done[moved[-1] :] if kind == "sync"} == folders


# Who is blamed


def test_an_error_without_a_name_is_about_what_was_being_written(tmp_path):
    """A full disk under a report is not blamed on the table."""
    full = "/dev/full"
    if not Path(full).exists():
        pytest.skip("there is no device that is always full here")

    def work():
        with all_or_none([tmp_path / name for name in NAMES]) as (*others, report):
            for draft in others:
                put(draft, "new")
            report.symlink_to(full)
            put(report, "new" * 10_000)

    with pytest.raises(DataError, match=r"'.*report.html' cannot be written: the disk is full"):
        work()
    assert list(tmp_path.iterdir()) == []


def test_an_error_about_something_else_names_that(tmp_path):
    with (
        pytest.raises(DataError, match=r"'.*/font' cannot be read or written: No such file"),
        all_or_none([tmp_path / name for name in NAMES]),
    ):
        (tmp_path / "font").read_bytes()


# Who may read


def test_a_private_file_is_private_from_its_beginning_and_the_others_are_as_usual(tmp_path):
    before = os.umask(0o022)
    try:
        (tmp_path / "secret").write_text("old")
        (tmp_path / "secret").chmod(0o644)
        with all_or_none([tmp_path / "table", OutputFile(tmp_path / "secret", private=True)]) as (table, secret):
            assert stat.S_IMODE(secret.stat().st_mode) == 0o600
            assert stat.S_IMODE(secret.parent.parent.stat().st_mode) == 0o700
            put(table, "new")
            put(secret, "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "table").stat().st_mode) == 0o644
    assert (tmp_path / "secret").read_text() == "new"


def test_nothing_that_was_placed_before_is_followed_or_overwritten(tmp_path, monkeypatch):
    """Whoever guesses the name of a draft and puts a link there gains nothing."""
    victim = tmp_path / "victim"
    victim.mkdir()
    names = iter(["guessed", "guessed", "other"])
    monkeypatch.setattr(held_module.secrets, "token_hex", lambda _: next(names))
    (tmp_path / ".shoal-guessed.part").symlink_to(victim)
    write({"table.csv": tmp_path / "table.csv", "paper": tmp_path / "paper"})
    assert list(victim.iterdir()) == []
    assert (tmp_path / "table.csv").read_text() == "new"


# Requests to stop


@pytest.fixture
def plain_interrupts():
    """Let an interruption be what it is in a process of its own: other libraries in this one may handle it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_requests_to_stop_wait_until_what_must_be_whole_is_done(plain_interrupts):
    done = []

    def work():
        with undisturbed():
            signal.raise_signal(signal.SIGINT)
            with undisturbed():
                signal.raise_signal(signal.SIGINT)
                done.append(1)
            done.append(2)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [1, 2]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_request_to_stop_while_files_are_moved_comes_after_all_are(places, plain_interrupts):
    steps = number_of_steps({name: path.with_name(f"other-{path.name}") for name, path in places.items()})
    seen = set()
    for number in range(1, steps + 1):
        for path in places.values():
            path.write_text("old")
        with pytest.MonkeyPatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
            at_step(patch, number, lambda *_: signal.raise_signal(signal.SIGINT))
            write(places)
        assert texts(places) in (OLD, NEW)
        assert drafts_in(places) == []
        seen.add(texts(places)["table.csv"])
    assert seen == {"old", "new"}


# What must not be written over


def test_a_file_is_known_by_any_of_its_names(tmp_path):
    needed = tmp_path / "hierarchy.csv"
    needed.write_text("a;*\n")
    (tmp_path / "soft").symlink_to(needed)
    os.link(needed, tmp_path / "hard")
    (tmp_path / "sub").mkdir()
    for name in ("hierarchy.csv", "soft", "hard", "sub/../hierarchy.csv"):
        with pytest.raises(ParameterError, match="would overwrite"):
            refuse_overwriting([tmp_path / name], [needed])
    refuse_overwriting([tmp_path / "other"], [needed])


@pytest.mark.parametrize("names", [("x", "sub/../x"), ("x", "link/x"), ("there", "hard")])
def test_one_file_is_not_written_twice_under_different_names(tmp_path, names):
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "there").write_text("old")
    os.link(tmp_path / "there", tmp_path / "hard")
    for refuse in (lambda paths: refuse_overwriting(paths, []), lambda paths: all_or_none(paths).__enter__()):
        with pytest.raises(ParameterError, match="the same name"):
            refuse([tmp_path / name for name in names])
