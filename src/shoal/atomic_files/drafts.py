"""Drafts of several files, which are moved into place when all are complete."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from shoal.atomic_files.held import Held, alone_in, hold_new
from shoal.atomic_files.moving import HOME, NEW, OLD, PREFIX, SUFFIX, Commit, Move, all_synced, move_all, pending
from shoal.atomic_files.overwriting import refuse_twice
from shoal.atomic_files.recovering import recover
from shoal.atomic_files.stopping import undisturbed
from shoal.errors import DataError, ShoalError

_REMEDY = "Check the folder, its permissions and the space left."


@dataclass(frozen=True)
class OutputFile:
    """A file or folder to write.

    Attributes
    ----------
    path
        Where to.
    private
        Whether nobody else may read it, from its beginning.
    vacant
        Whether there must be nothing when it is moved there.
    """

    path: Path
    private: bool = False
    vacant: bool = False


class Batch:
    """What is written together: a draft for each output, and what must be done besides when they are moved."""

    def __init__(self, drafts: Sequence[Path]) -> None:
        self.drafts = list(drafts)
        self.commit: Commit | None = None

    def __iter__(self) -> Iterator[Path]:
        return iter(self.drafts)


@contextlib.contextmanager
def all_or_none(outputs: Sequence[Path | OutputFile]) -> Iterator[Batch]:
    """Give a draft to write for each output; move all into place at the end, or remove them.

    Whatever goes wrong, an interruption included, what was there before is there as before, and nothing half-written
    stays behind. A table in a database that belongs to them is committed (``Batch.commit``) when all drafts are
    complete; only then they are moved.
    """
    wanted = [each if isinstance(each, OutputFile) else OutputFile(each) for each in outputs]
    refuse_twice([each.path for each in wanted])
    held: dict[Path, Held] = {}
    moves: list[Move] = []
    try:
        with _errors_about(wanted, moves):
            for each in wanted:
                with _about(each.path):
                    moves.append(_begun(each, held))
            batch = Batch([move.draft for move in moves])
            yield batch
            for draft in batch:
                draft.lstat()  # there must be one for each
            all_synced(place.path for place in held.values())
            with alone_in(held), undisturbed():
                move_all(moves, batch.commit)
                _end(held)
    finally:
        with undisturbed():
            _end(held)


def _begun(output: OutputFile, held: dict[Path, Held]) -> Move:
    """Make the folder for a draft, if there is none for its place yet."""
    place = Path(os.path.realpath(output.path.parent))
    if place not in held:
        recover(place)
        with undisturbed():
            held[place] = made = hold_new(place, PREFIX, SUFFIX)
        for name in (NEW, OLD):
            (made.path / name).mkdir()
        home = next(iter(held.values()))
        if home is not made:
            (made.path / HOME).write_bytes(os.fsencode(os.path.relpath(home.path, place)))
    move = Move(held[place].path, output.path.name, output.vacant)
    if output.private:
        os.close(os.open(move.draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return move


def _end(held: dict[Path, Held]) -> None:
    """Remove the folders of drafts, the one with the note last; if something is still to be moved, leave them all."""
    places = list(held.values())
    left = bool(places) and pending(places[0].path)
    for place in reversed(places):
        if left:
            place.let_go()
        else:
            place.remove()
    held.clear()


@contextlib.contextmanager
def _errors_about(outputs: Sequence[OutputFile], moves: Sequence[Move]) -> Iterator[None]:
    """Let errors speak of what was to be written, not of its draft."""
    try:
        yield
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or type(error).__name__
        what = _blamed(error, [each.path for each in outputs], moves)
        raise DataError(f"{what}: {reason}.", _REMEDY) from None
    except ShoalError as error:
        said = error.what
        for move, output in zip(moves, outputs, strict=False):
            said = said.replace(str(move.draft), str(output.path))
            said = said.replace(quote(str(move.draft)), quote(str(output.path)))
        if said != error.what:
            raise type(error)(said, error.remedy) from None
        raise


def _blamed(error: OSError, outputs: Sequence[Path], moves: Sequence[Move]) -> str:
    """Say what cannot be written: the output whose draft an error names."""
    named = [str(name) for name in (error.filename, error.filename2) if name is not None]
    known = [(str(move.draft), path) for move, path in zip(moves, outputs, strict=False)]
    known += [(str(path), path) for path in outputs]
    known += [(str(move.target), path) for move, path in zip(moves, outputs, strict=False)]
    known += [(str(move.drafts), path) for move, path in zip(moves, outputs, strict=False)]
    for place, path in known:
        if any(name == place or name.startswith(f"{place}{os.sep}") for name in named):
            return f"'{path}' cannot be written"
    if named:
        return f"'{named[0]}' cannot be read or written"
    return f"'{outputs[0]}' cannot be written" if len(outputs) == 1 else "The files cannot be written"


@contextlib.contextmanager
def _about(path: Path) -> Iterator[None]:
    """Let errors name this file, whatever else they are about."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Let errors that name no file, such as that the disk is full, name this one."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def put(draft: Path, content: bytes | str) -> None:
    """Write the content of a draft."""
    with writing(draft), draft.open("wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
