"""Private folders that are locked for as long as their process lives, and so differ from those left behind.

A lock ends with its process, however that ends. Other than a process id it means the same in every container.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from shoal.errors import DataError


def _if_there(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


# Where there is neither, nothing that was left behind is ever touched.
fcntl, msvcrt = _if_there("fcntl"), _if_there("msvcrt")

_LOCK = "lock"
_OTHERS = 0o077 if os.name == "posix" else 0  # what they may do; Windows tells it otherwise
_NOT_THROUGH_LINKS = getattr(os, "O_NOFOLLOW", 0)
_PATIENCE = 60.0  # seconds: others move files, which takes less
_TRIES = 100


_all: dict[int, Held] = {}  # of this process


@dataclass
class Held:
    """A private folder, and the lock on it; None where nothing can be locked."""

    path: Path
    lock: int | None = field(repr=False)

    def __post_init__(self) -> None:
        """Remember it, for a process that has to end at once."""
        _all[id(self)] = self

    def let_go(self) -> None:
        """Leave the folder to the next process."""
        _all.pop(id(self), None)
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None

    def remove(self) -> None:
        """Remove the folder and all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.let_go()
        if self.path.exists():  # Windows removes no file that is open, as the one that is locked was
            shutil.rmtree(self.path, ignore_errors=True)


def remove_all() -> None:
    """Remove all folders of this process, which ends at once."""
    for held in list(_all.values()):
        held.remove()


def hold_new(place: Path, prefix: str, suffix: str = "") -> Held:
    """Make a folder of a name that nobody can guess, for nobody else, and lock it."""
    for _ in range(_TRIES):
        path = place / f"{prefix}{secrets.token_hex(8)}{suffix}"
        try:
            path.mkdir(mode=0o700)  # which neither takes what is there nor follows a link
        except FileExistsError:
            continue
        try:
            return Held(path, _locked(path))
        except (BlockingIOError, FileNotFoundError):
            continue  # someone who swept saw it before it was locked
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise
    raise DataError(f"No folder can be made in '{place}'.", "Check what else uses it.")


def left_in(place: Path, prefix: str, suffix: str = "") -> Iterator[Path]:
    """Give the folders of such names that are this user's and nobody else's: what is in others is not to be trusted."""
    mine = os.geteuid() if hasattr(os, "geteuid") else 0
    try:
        with os.scandir(place) as entries:
            found = [entry for entry in entries if entry.name.startswith(prefix) and entry.name.endswith(suffix)]
    except OSError:
        return
    for entry in found:
        with contextlib.suppress(OSError):
            about = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(about.st_mode) and about.st_uid == mine and not about.st_mode & _OTHERS:
                yield Path(entry.path)


def hold_left(path: Path) -> Held | None:
    """Lock a folder that was left behind; None if its process lives, it is gone, or nothing can be locked here."""
    try:
        lock = _locked(path)
    except OSError:
        return None
    return None if lock is None else Held(path, lock)


def sweep(place: Path, prefix: str, suffix: str = "") -> None:
    """Remove what processes left behind that no longer run."""
    for path in left_in(place, prefix, suffix):
        held = hold_left(path)
        if held is not None:
            held.remove()


@contextlib.contextmanager
def alone_in(places: Iterable[Path]) -> Iterator[None]:
    """Let no other run move files into these folders meanwhile."""
    with contextlib.ExitStack() as stack:
        for place in sorted(
            {Path(os.path.realpath(place)) for place in places}
        ):  # in one order: nobody waits in a circle
            with contextlib.suppress(PermissionError):  # a folder that may be written to but not looked at
                opened = os.open(place, os.O_RDONLY)
                stack.callback(os.close, opened)
                _wait_for(opened, place)
        yield


def _wait_for(opened: int, place: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            lock_at_once(opened)
            return
        except BlockingIOError:
            if time.monotonic() > until:
                raise DataError(
                    f"Another program keeps the folder '{place}' locked.", "Let it finish, or name another folder."
                ) from None
            time.sleep(0.005)
        except OSError:
            return  # such as a share that knows no locks on folders


def _locked(path: Path) -> int | None:
    """Lock a folder; None where nothing can be locked.

    What is locked is a file in it: some shares lock only what can be written to.
    """
    opened = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | _NOT_THROUGH_LINKS, 0o600)
    try:
        lock_at_once(opened)
    except BlockingIOError:
        os.close(opened)
        raise
    except OSError:
        os.close(opened)
        return None
    try:
        if (path / _LOCK).lstat().st_ino != os.fstat(opened).st_ino:
            raise FileNotFoundError  # it was removed before it was locked
    except FileNotFoundError:
        os.close(opened)
        raise
    return opened


def lock_at_once(opened: int) -> None:
    """Lock what is open; raises BlockingIOError if another process has it, and OSError if nothing can be locked."""
    if fcntl is not None:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    elif msvcrt is not None:
        try:
            msvcrt.locking(opened, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            raise BlockingIOError from None
    else:
        raise OSError
