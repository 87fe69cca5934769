"""Finishing what a run that was killed had begun to move, and removing what it left."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from shoal.atomic_files.held import Held, alone_in, hold_left, left_in
from shoal.atomic_files.moving import HOME, OLD, PREFIX, SUFFIX, Awaited, move_in, noted, pending, put_back, settle
from shoal.atomic_files.stopping import undisturbed

# Whether a table is in its database; None if that is not known.
Committed = Callable[[Awaited], bool | None]


def recover(folder: Path, committed: Committed | None = None) -> None:
    """Finish what runs that were killed had begun to move into a folder; drop drafts that were not complete.

    It costs one look at the names in the folder when there is nothing to do. What belongs to a run that lives, or to
    another user, is left alone.

    Parameters
    ----------
    folder
        Where files are about to be read or written.
    committed
        Tells whether a table that drafts belong to is in its database; if it is not known, they wait.
    """
    for path in left_in(Path(os.path.realpath(folder)), PREFIX, SUFFIX):
        with contextlib.suppress(OSError):  # what this user may not do is left to who may
            _recover(path, committed)


def _recover(path: Path, committed: Committed | None) -> None:
    home = _home_of(path)
    found = noted(home)
    if found is None:
        _drop(path)
        return
    places = list(dict.fromkeys([home, *(move.drafts for move in found[0])]))
    if not all(map(_ours, places)):
        return
    alone = alone_in(place.parent for place in places)
    with contextlib.ExitStack() as stack:
        held: list[Held] = []
        for place in places:
            each = hold_left(place)
            if each is None:  # a run that lives is moving them: wait until it is done
                with alone:
                    return
            stack.callback(each.let_go)
            held.append(each)
        found = noted(home)  # someone may have been faster
        if found is None:
            return
        moves, awaited = found
        go_on = True if awaited is None else None if committed is None else committed(awaited)
        with alone, undisturbed():
            if not all(move.possible for move in moves):
                settle(moves)  # something else has been written there since: nothing is to be moved any more
            elif go_on is None:
                return
            elif go_on:
                move_in(moves)
            else:
                put_back(moves)
            for each in reversed(held):
                _remove(each)


def _home_of(path: Path) -> Path:
    """Give the folder of drafts that keeps the note."""
    try:
        said = (path / HOME).read_bytes()
    except FileNotFoundError:
        return path
    return Path(os.path.normpath(path.parent / os.fsdecode(said)))


def _ours(path: Path) -> bool:
    """Tell whether a folder that a note names is one of drafts, and of this user alone."""
    return path in left_in(path.parent, PREFIX, SUFFIX)


def _drop(path: Path) -> None:
    """Remove drafts that were never complete."""
    held = hold_left(path)
    if held is None:
        return
    if pending(_home_of(path)):  # which was noted only now
        held.let_go()
    else:
        _remove(held)


def _remove(held: Held) -> None:
    """Remove a folder of drafts, but nothing that was there before and of which there is nothing in place."""
    for kept in (held.path / OLD).iterdir() if (held.path / OLD).is_dir() else ():
        if not os.path.lexists(held.path.parent / kept.name):
            kept.rename(held.path.parent / kept.name)
    held.remove()
