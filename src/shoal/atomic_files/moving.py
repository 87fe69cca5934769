"""Moving drafts into place, all or none: what is replaced is put aside first, and a note says what goes where.

A folder of drafts, beside what is to be written, holds the drafts under their names in ``new``, what they replace in
``old``, and the note in ``moves.json``. A run that writes to several folders has one in each: the first keeps the
note, and the others say where that is.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from shoal.errors import DataError

PREFIX, SUFFIX = ".shoal-", ".part"
NEW, OLD, HOME = "new", "old", "home"
_NOTE = "moves.json"
# What tells one state of a file from another: it stays the same when the file is renamed.
Identity = tuple[int, ...]


@dataclass(frozen=True)
class Awaited:
    """A table in a database that drafts belong to: where it is, in public, and the digest it has when it is there."""

    table: tuple[str, ...]
    sha256: str


@dataclass(frozen=True)
class Commit:
    """What lets others see a table in a database, and how that table is known again."""

    run: Callable[[], None]
    awaited: Awaited


@dataclass(frozen=True)
class Move:
    """One file or folder on its way: in which folder of drafts it lies, under which name, and what is where it goes.

    ``vacant`` asks that there is nothing.
    """

    drafts: Path
    name: str
    vacant: bool = False
    before: Identity | None = None
    after: Identity | None = None

    @property
    def draft(self) -> Path:
        """Where it is made."""
        return self.drafts / NEW / self.name

    @property
    def old(self) -> Path:
        """Where that is kept which it replaces."""
        return self.drafts / OLD / self.name

    @property
    def target(self) -> Path:
        """Where it goes."""
        return self.drafts.parent / self.name

    def seen(self) -> Move:
        """Give it with what is in both places now."""
        return replace(self, before=identity(self.target), after=identity(self.draft))

    def put_aside(self) -> None:
        """Put what is there aside; a folder only if there is nothing in it."""
        if self.vacant and os.path.lexists(self.target):
            raise FileExistsError(errno.EEXIST, "It has been made meanwhile", str(self.target))
        try:
            self.target.rename(self.old)
        except FileNotFoundError:
            return
        refuse_what_is_no_file(self.old, self.target)
        if self.old.is_dir():
            reason = errno.ENOTEMPTY if any(self.old.iterdir()) else 0 if self.draft.is_dir() else errno.EISDIR
            if reason:
                raise OSError(reason, os.strerror(reason), str(self.target))

    def move_in(self) -> None:
        """Move it to its place, unless it is there."""
        if os.path.lexists(self.draft):
            self.draft.rename(self.target)

    def put_back(self) -> None:
        """Make both places what they were, as far as they are not."""
        if not os.path.lexists(self.draft) and identity(self.target) == self.after:
            self.target.rename(self.draft)
        if os.path.lexists(self.old):
            self.old.rename(self.target)

    @property
    def possible(self) -> bool:
        """Whether it can be done, or is done: nobody has put anything else there."""
        there = identity(self.target)
        return there == self.after or (os.path.lexists(self.draft) and there in (None, self.before))


def identity(path: Path) -> Identity | None:
    """Give what tells a file from any other, and from itself when it is written to; None if there is none."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    return (found.st_ino, 0, 0) if stat.S_ISDIR(found.st_mode) else (found.st_ino, found.st_size, found.st_mtime_ns)


def refuse_what_is_no_file(path: Path, named: Path) -> None:
    """Refuse to replace a link, a device or a pipe by a file, however it came there."""
    with contextlib.suppress(FileNotFoundError):
        mode = os.lstat(path).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise OSError(errno.EEXIST, "It is a link, a device or a pipe, which is never replaced", str(named))


def move_all(moves: Sequence[Move], commit: Commit | None = None) -> None:
    """Move all into place, or none.

    What is replaced is put aside before anything else happens, so that what cannot be replaced stops it all in time.
    If what went wrong cannot be put right either, the note stays, and the next process does it.
    """
    if len(moves) == 1 and commit is None and not moves[0].vacant:
        refuse_what_is_no_file(moves[0].target, moves[0].target)
        moves[0].draft.replace(moves[0].target)  # which is all or nothing in itself
        synced(moves[0].drafts.parent)
        return
    moves = [move.seen() for move in moves]
    committed = False
    try:
        _note(moves, commit.awaited if commit else None)
        for move in moves:
            move.put_aside()
        if commit is not None:
            commit.run()
            committed = True
        move_in(moves)
    except BaseException as error:
        if not committed:
            put_back(moves)
        elif isinstance(error, OSError):
            raise DataError(
                f"The table is in the database, but '{error.filename2 or error.filename}' cannot be put in place: "
                f"{error.strerror}.",
                "Mend this, and run 'shoal check' on the table: it puts in place what was made.",
            ) from None
        raise


def move_in(moves: Sequence[Move]) -> None:
    """Move all into place that are not there, and say that it is done."""
    for move in moves:
        move.move_in()
    settle(moves)


def put_back(moves: Sequence[Move]) -> None:
    """Put back all that was moved, and say that nothing is to be done any more."""
    for move in reversed(moves):
        move.put_back()
    (moves[0].drafts / _NOTE).unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # it may be the disk that failed
        _synced_places(moves)


def settle(moves: Sequence[Move]) -> None:
    """Let the disk know what was moved, and only then drop the note."""
    _synced_places(moves)
    (moves[0].drafts / _NOTE).unlink(missing_ok=True)


def _synced_places(moves: Sequence[Move]) -> None:
    for place in {move.drafts.parent for move in moves}:
        synced(place)


def _note(moves: Sequence[Move], awaited: Awaited | None) -> None:
    """Write down what goes where, in the first folder of drafts. From now on it will be done, whatever happens."""
    home = moves[0].drafts
    content = {
        "moves": [
            {
                "drafts": os.path.relpath(move.drafts, home.parent),
                "name": move.name,
                "before": move.before,
                "after": move.after,
            }
            for move in moves
        ],
        "awaits": asdict(awaited) if awaited else None,
    }
    draft = home / f"{_NOTE}.part"
    draft.write_text(json.dumps(content), encoding="ascii")
    synced(draft)
    draft.rename(home / _NOTE)
    synced(home)
    _synced_places(moves)


def pending(home: Path) -> bool:
    """Tell whether something is still to be moved."""
    return os.path.lexists(home / _NOTE)


def noted(home: Path) -> tuple[list[Move], Awaited | None] | None:
    """Read what goes where; None if there is no note."""
    try:
        content = json.loads((home / _NOTE).read_text(encoding="ascii"))
    except FileNotFoundError:
        return None
    moves = []
    for each in content["moves"]:
        before, after = (tuple(kept) if kept else None for kept in (each["before"], each["after"]))
        moves.append(Move(Path(os.path.normpath(home.parent / each["drafts"])), each["name"], False, before, after))
    awaits = content["awaits"]
    return moves, Awaited(tuple(awaits["table"]), awaits["sha256"]) if awaits else None


def synced(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    try:
        opened = os.open(path, os.O_RDONLY)
    except PermissionError:
        return  # a folder that may be written to but not looked at
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):  # some shares cannot say when it is
            raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        os.close(opened)


def all_synced(paths: Iterable[Path]) -> None:
    """Wait until files, and folders with all that is in them, are on the disk."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            all_synced(path.iterdir())
        synced(path)
