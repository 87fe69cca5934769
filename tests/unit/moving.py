"""Files that are written together in the tests, and what happens at each step on their way."""

import contextlib
import os
import shutil
import signal

import pytest

from shoal.atomic_files import all_or_none, put

NAMES = ("table.csv", "certificate.json", "report.html")
OLD, NEW = dict.fromkeys(NAMES, "old"), dict.fromkeys(NAMES, "new")


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch):
    """Leave out what takes long and matters only when the power is cut, which no test does."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(params=["one folder", "three folders"])
def places(request, tmp_path):
    """Give three places to write to, each with something in it."""
    folders = [tmp_path / name if request.param == "three folders" else tmp_path for name in ("a", "b", "c")]
    for folder in folders:
        folder.mkdir(exist_ok=True)
    found = {name: folder / name for name, folder in zip(NAMES, folders, strict=True)}
    for path in found.values():
        path.write_text("old")
    return found


def texts(places):
    return {name: path.read_text() if path.exists() else None for name, path in places.items()}


def drafts_in(places):
    return [path for folder in {path.parent for path in places.values()} for path in folder.glob(".shoal-*")]


def write(places, text="new", commit=None):
    with all_or_none(list(places.values())) as batch:
        for draft in batch:
            put(draft, text)
        batch.commit = commit


def in_another_process(work):
    """Run something in a copy of this process, and give how that ended."""
    child = os.fork()
    if not child:
        code = 70
        with contextlib.suppress(BaseException):
            work()
            code = 0
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def at_step(monkeypatch, number, act, *, removing=True):
    """Do something before the step of this number, and tell how many there were."""
    done = []

    def counted(step):
        def counting(*given, **named):
            done.append(1)
            if len(done) == number:
                act(*given)
            return step(*given, **named)

        return counting

    for name in ("rename", "fsync", "unlink"):
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    if removing:
        monkeypatch.setattr(shutil, "rmtree", counted(shutil.rmtree))
    return done


def number_of_steps(places, commit=None):
    with pytest.MonkeyPatch.context() as patch:
        done = at_step(patch, 0, None)
        write(places, "new", commit)
    return len(done)


def killed_at(number, places, commit=None):
    def work():
        with pytest.MonkeyPatch.context() as patch:
            at_step(patch, number, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
            write(places, "new", commit)

    return in_another_process(work)
