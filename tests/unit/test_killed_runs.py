"""Runs that are killed, or that write to one folder at once: what was there or what was to come, never both."""

import contextlib
import errno
import fcntl
import json
import os
import shutil
import signal
import stat
from pathlib import Path

import pytest
from unit.moving import (
    NAMES,
    NEW,
    OLD,
    at_step,
    drafts_in,
    in_another_process,
    killed_at,
    no_waiting_for_the_disk,
    number_of_steps,
    places,
    texts,
    write,
)

from shoal.atomic_files import all_or_none, put, recover, recovering
from shoal.atomic_files import held as held_module
from shoal.atomic_files.held import alone_in, hold_left, hold_new, sweep
from shoal.atomic_files.moving import Awaited, Commit
from shoal.errors import DataError
from shoal.secret_keys import write_secret

__all__ = ["no_waiting_for_the_disk", "places"]


# What is killed


def test_a_run_that_is_killed_at_any_step_leaves_the_old_or_the_new(places):
    """After whatever comes to the folder next, all files are of one run, and nothing else is left."""
    steps = number_of_steps({name: path.with_name(f"other-{path.name}") for name, path in places.items()})
    assert steps > 20
    found = []
    for number in range(1, steps + 1):
        for path in places.values():
            path.write_text("old")
        assert killed_at(number, places) == -signal.SIGKILL, f"step {number}"
        folders = sorted({path.parent for path in places.values()})
        for folder in folders if number % 2 else folders[::-1]:  # whichever is looked at first
            recover(folder)
        assert texts(places) in (OLD, NEW), f"step {number}"
        assert drafts_in(places) == []
        found.append(texts(places) == NEW)
    assert found == sorted(found), "once it is noted what goes where, it is done"
    assert set(found) == {False, True}


def test_what_is_killed_leaves_no_part_of_a_key_and_is_not_in_the_way(tmp_path):
    """Half a key would look like one, and could be used for years before anybody sees that it protects little."""
    path = tmp_path / "k.key"

    def killed():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "fsync", lambda _: os.kill(os.getpid(), signal.SIGKILL))
            write_secret(path, b"0123")

    assert in_another_process(killed) == -signal.SIGKILL
    assert not path.exists()
    write_secret(path, b"4567")
    assert [each.name for each in tmp_path.iterdir()] == ["k.key"]
    assert path.read_bytes() == b"4567"


def test_a_folder_that_is_new_is_killed_like_a_file(tmp_path):
    def work(number):
        def kill(*_):
            os.kill(os.getpid(), signal.SIGKILL)

        with pytest.MonkeyPatch.context() as patch:
            done = at_step(patch, number, kill)
            with all_or_none([tmp_path / "out", tmp_path / "paper"]) as (draft, paper):
                draft.mkdir()
                put(draft / "part", "new")
                put(paper, "new")
        return len(done)

    steps = work(0)
    for number in range(1, steps + 1):
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        (tmp_path / "paper").unlink(missing_ok=True)
        (tmp_path / "out").mkdir()
        assert in_another_process(lambda: work(number)) == -signal.SIGKILL  # noqa: B023
        recover(tmp_path)
        names = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
        assert names in (["out"], ["out", "out/part", "paper"]), f"step {number}"


def test_a_recovery_that_is_killed_too_is_recovered(places):
    middle = number_of_steps({name: path.with_name(f"other-{path.name}") for name, path in places.items()}) // 2

    def recover_all():
        for path in places.values():
            recover(path.parent)

    def half_recovered(number):
        with pytest.MonkeyPatch.context() as patch:
            at_step(patch, number, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
            recover_all()

    for number in range(1, 40):
        for path in places.values():
            path.write_text("old")
        killed_at(middle, places)
        ended = in_another_process(lambda: half_recovered(number))  # noqa: B023
        recover_all()
        assert texts(places) in (OLD, NEW)
        assert drafts_in(places) == []
        if ended == 0:
            return
    pytest.fail("a recovery takes fewer steps")


def test_what_was_written_since_is_not_written_over_by_a_recovery(places):
    """A run that was killed is finished later only if nobody has written there since."""
    steps = number_of_steps({name: path.with_name(f"other-{path.name}") for name, path in places.items()})
    for number in range(1, steps + 1):
        for path in places.values():
            path.write_text("old")
        killed_at(number, places)
        for path in places.values():  # by other means, which know nothing of drafts
            path.unlink(missing_ok=True)
            path.write_text("later")
        for path in places.values():
            recover(path.parent)
        assert texts(places) == dict.fromkeys(NAMES, "later"), f"step {number}"
        assert drafts_in(places) == []


def test_what_is_written_while_a_recovery_looks_is_not_written_over(places):
    left = number_of_steps({name: path.with_name(f"other-{path.name}") for name, path in places.items()}) - 8
    killed_at(left, places)
    assert any((path / "moves.json").exists() for path in drafts_in(places))
    alone, folder = recovering.alone_in, places["table.csv"].parent

    @contextlib.contextmanager
    def someone_is_faster(found):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(recovering, "alone_in", alone)
            write(places, "later")
        with alone(found):
            yield

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recovering, "alone_in", someone_is_faster)
        recover(folder)
    assert texts(places) == dict.fromkeys(NAMES, "later")


def test_a_folder_is_recovered_under_whatever_name(places, tmp_path):
    steps = number_of_steps({name: path.with_name(f"other-{path.name}") for name, path in places.items()})
    killed_at(steps - 8, places)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    link = tmp_path / "deep" / "er" / "link"
    link.symlink_to(places["report.html"].parent)
    recover(link)
    assert texts(places) == NEW


def test_the_next_run_removes_drafts_of_one_that_was_killed_and_none_of_one_that_lives(tmp_path):
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException), all_or_none([tmp_path / "one.csv"]) as (draft,):
            put(draft, "one")
            os.write(ready[1], b"x")
            os.read(go[0], 1)
        os._exit(0)
    os.read(ready[0], 1)
    assert in_another_process(lambda: _killed_while_it_writes(tmp_path / "two.csv")) == -signal.SIGKILL
    assert len(list(tmp_path.glob(".shoal-*.part"))) == 2
    write({"": tmp_path / "three.csv"})
    (alive,) = tmp_path.glob(".shoal-*.part")
    assert (alive / "new" / "one.csv").read_text() == "one"
    os.write(go[1], b"x")
    assert os.waitpid(child, 0)[1] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.csv", "three.csv"]
    for end in (*ready, *go):
        os.close(end)


def _killed_while_it_writes(path):
    with all_or_none([path]) as (draft,):
        put(draft, "half")
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_id_says_nothing(tmp_path, monkeypatch):
    """In containers every process has the same: one that lives must not be taken for one that was killed."""
    monkeypatch.setattr(os, "getpid", lambda: 1)
    with all_or_none([tmp_path / "one.csv", tmp_path / "one.json"]) as first:
        write({"": tmp_path / "two.csv"})
        for draft in first:
            put(draft, "one")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.csv", "one.json", "two.csv"]


def test_what_others_may_have_placed_is_not_done(tmp_path):
    """In a folder that all may write to, a note of what is to be moved is trusted only if no other could write it."""
    killed_in = {name: tmp_path / name for name in NAMES}
    for path in killed_in.values():
        path.write_text("old")
    steps = number_of_steps({name: path.with_name(f"x-{path.name}") for name, path in killed_in.items()})
    for number in range(1, steps):
        killed_at(number, killed_in)
        if any(path.joinpath("moves.json").exists() for path in drafts_in(killed_in)):
            break
        recover(tmp_path)
    (left,) = drafts_in(killed_in)
    left.chmod(0o777)
    recover(tmp_path)
    assert texts(killed_in) == OLD
    assert left.exists()
    left.chmod(0o700)
    recover(tmp_path)
    assert texts(killed_in) == NEW


# Two at a time


def test_two_writers_never_mix_their_files(tmp_path):
    places = {name: tmp_path / name for name in NAMES}
    rounds = 30

    def writer(text):
        for _ in range(rounds):
            write(places, text)

    def both():
        children = []
        for text in ("one", "two"):
            child = os.fork()
            if not child:
                code = 1
                with contextlib.suppress(BaseException):
                    writer(text)
                    code = 0
                os._exit(code)
            children.append(child)
        seen = set()
        for child in children:
            while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
                with alone_in([tmp_path]):
                    found = texts(places)
                assert len(set(found.values())) == 1, found
                seen.add(found["table.csv"])
            assert ended[1] == 0
        return seen

    seen = set()
    while not seen >= {"one", "two"}:  # who looks on may have had to wait until one of them was through
        seen |= both()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(NAMES)


def test_a_folder_that_someone_else_keeps_locked_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(held_module, "_PATIENCE", 0.0)
    with alone_in([tmp_path]), pytest.raises(DataError, match=r"keeps the folder .* locked"):
        write({name: tmp_path / name for name in NAMES})
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_can_be_locked_files_are_written_and_nothing_is_swept(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    in_another_process(lambda: _killed_while_it_writes(tmp_path / "half.csv"))
    (left,) = tmp_path.iterdir()
    monkeypatch.setattr(held_module.fcntl, "flock", refuse)
    places = {name: tmp_path / name for name in NAMES}
    write(places)
    assert texts(places) == NEW
    assert drafts_in(places) == [left]
    monkeypatch.setattr(held_module, "fcntl", None)
    write(places, "again")
    assert drafts_in(places) == [left]


# Folders that are held


def test_a_folder_is_swept_when_its_lock_is_free_and_not_before(tmp_path):
    held = hold_new(tmp_path, "x-")
    assert stat.S_IMODE(held.path.stat().st_mode) == 0o700
    assert in_another_process(lambda: sweep(tmp_path, "x-")) == 0
    assert held.path.exists()
    assert hold_left(held.path) is None
    held.let_go()
    sweep(tmp_path, "x-")
    assert list(tmp_path.iterdir()) == []


def test_windows_locks_by_other_words(tmp_path, monkeypatch):
    class Windows:
        LK_NBLCK = 2

        @staticmethod
        def locking(opened, mode, length):
            assert (mode, length) == (2, 1)
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise PermissionError from None

    monkeypatch.setattr(held_module, "fcntl", None)
    monkeypatch.setattr(held_module, "msvcrt", Windows)
    held, left = hold_new(tmp_path, "x-"), hold_new(tmp_path, "x-")
    left.let_go()
    sweep(tmp_path, "x-")
    assert list(tmp_path.iterdir()) == [held.path]
    held.remove()
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_removed_while_it_is_open_is_removed_afterwards(tmp_path, monkeypatch):
    """Windows removes no file that is open, and the one that is locked is."""
    held, remove = hold_new(tmp_path, "x-"), shutil.rmtree
    monkeypatch.setattr(shutil, "rmtree", lambda path, **how: None if held.lock is not None else remove(path, **how))
    held.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_swept_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    """Between the making of a folder and its lock another process may take it for one that was left behind."""
    mkdir, raced = Path.mkdir, []

    def swept_at_once(path, *given, **named):
        mkdir(path, *given, **named)
        if not raced:
            raced.append(path)
            sweep(tmp_path, "x-")

    monkeypatch.setattr(Path, "mkdir", swept_at_once)
    held = hold_new(tmp_path, "x-")
    assert held.path != raced[0]
    assert list(tmp_path.iterdir()) == [held.path]
    held.remove()


# Tables in databases


TABLE = Awaited(("duckdb", "somewhere", "main", "t"), "abc")


def test_a_table_that_cannot_be_committed_leaves_what_belongs_to_the_old_one(places):
    def fail():
        assert texts(places) != NEW, "nothing is moved before the table is there"
        raise DataError("It is refused.", "")

    with pytest.raises(DataError, match="It is refused"):
        write(places, commit=Commit(fail, TABLE))
    assert texts(places) == OLD
    assert drafts_in(places) == []


def test_a_run_that_is_killed_around_a_commit_is_finished_by_what_the_database_shows(places, tmp_path):
    table = tmp_path / "the-table"

    def commit():
        table.write_text("new")

    belonging = Commit(commit, TABLE)
    steps = number_of_steps({name: path.with_name(f"other-{path.name}") for name, path in places.items()}, belonging)
    seen = set()
    for number in range(1, steps + 1):
        table.write_text("old")
        for path in places.values():
            path.write_text("old")
        assert killed_at(number, places, belonging) == -signal.SIGKILL
        for path in places.values():
            recover(path.parent)  # which does not know, and so decides nothing
        for path in places.values():
            recover(path.parent, lambda awaited: awaited == TABLE and table.read_text() == "new")
        assert texts(places) == dict.fromkeys(NAMES, table.read_text()), f"step {number}"
        assert drafts_in(places) == []
        seen.add(table.read_text())
    assert seen == {"old", "new"}


def test_what_cannot_be_put_in_place_after_a_commit_waits(places, monkeypatch):
    rename = os.rename

    def refusing(source, target):
        if Path(target) == places["report.html"]:
            raise OSError(errno.EIO, "Input/output error", str(source), None, str(target))
        rename(source, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "rename", refusing)
        with pytest.raises(DataError, match=r"The table is in the database, but '.*report.html'") as told:
            write(places, commit=Commit(lambda: None, TABLE))
    assert "shoal check" in told.value.remedy
    for path in places.values():
        recover(path.parent, lambda awaited: True)
    assert texts(places) == NEW


def test_no_note_holds_more_than_it_must(places):
    notes = []

    def look():
        notes.extend(
            json.loads(next(iter(path.glob("moves.json"))).read_text())
            for path in drafts_in(places)
            if list(path.glob("moves.json"))
        )

    write(places, commit=Commit(look, TABLE))
    (found,) = notes
    assert found["awaits"] == {"table": list(TABLE.table), "sha256": "abc"}
    assert {move["name"] for move in found["moves"]} == set(NAMES)
