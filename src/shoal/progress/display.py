"""Where progress is shown: on a terminal, in a log, in a notebook, or by a function."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from shoal.errors import ParameterError
from shoal.progress import Course, Look, course
from shoal.progress import stage as begin
from shoal.progress.lines import Log, Terminal
from shoal.progress.notebooks import Notebook, in_notebook
from shoal.progress.time_left import TimeLeft

# Is called with what is being done, the share of it that is done, and the seconds left; None where not known.
Progress = Callable[[str, float | None, float | None], object]
SETTING = "SHOAL_PROGRESS"
_EVERY = 10.0  # seconds between the lines of a log


class Place(Protocol):
    """Where progress is shown."""

    period: float

    def tell(self, look: Look, left: float | None, elapsed: float) -> None:
        """Show how far it is."""
        ...

    def end(self) -> None:
        """Put in order what was shown."""
        ...


class _Function:
    """A function of the user's."""

    period = 0.5

    def __init__(self, function: Progress) -> None:
        self._function = function

    def tell(self, look: Look, left: float | None, elapsed: float) -> None:
        self._function(look.what, look.share, left)

    def end(self) -> None:
        """Say no more."""


class _Watch:
    """Looks at the work of a thread again and again, and tells a place of it. A share never falls."""

    def __init__(self, work: Course, place: Place) -> None:
        self._work, self._place = work, place
        self._left = TimeLeft()
        self._one = threading.RLock()  # a stage is reported by the thread that works
        self._over = threading.Event()
        self._failed: BaseException | None = None
        self._last = Look("", None, None)
        self._thread = threading.Thread(target=self._run, name="progress", daemon=True)

    def begin(self) -> None:
        self._work.watchers.append(self.tell)
        self.tell()
        self._thread.start()

    def tell(self) -> None:
        """Tell now; what the user's function raises in the other thread is raised at the next stage."""
        if self._failed is not None:
            failed, self._failed = self._failed, None
            raise failed
        with self._one:
            self._tell()

    def end(self) -> None:
        self._work.watchers.remove(self.tell)
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._place.end()
        if self._failed is not None:
            raise self._failed

    def _tell(self) -> None:
        look, now = self._work.look(), time.monotonic()
        if look.key == self._last.key and look.share is not None:
            look = look._replace(share=max(look.share, self._last.share or 0.0))
        self._last = look
        left = self._left.after(look, now)
        self._place.tell(look, left, self._left.elapsed(now))

    def _run(self) -> None:
        while not self._over.wait(self._place.period):
            try:
                with self._one:
                    self._tell()
            except BaseException as error:  # noqa: BLE001 - it is raised where the work is done
                self._failed = error
                return


@contextlib.contextmanager
def shown(first: str, place: Place | None) -> Iterator[None]:
    """Show how far the work of this thread is, or nowhere, and let nobody inside decide about that."""
    work = course()
    before = work.stage, work.seen
    work.stage, work.seen = first, True
    watch = None if place is None else _Watch(work, place)
    with work.call():
        try:
            if watch is not None:
                watch.begin()
            yield
        finally:
            work.stage, work.seen = before
            if watch is not None:
                watch.end()


@contextlib.contextmanager
def _unseen(first: str) -> Iterator[None]:
    with course().call():
        begin(first)
        yield


def for_command() -> Place | None:
    """Give the place where commands show progress: the terminal or log that errors go to."""
    asked = os.environ.get(SETTING, "")
    if asked == "off":
        return None
    try:
        every = float(asked or _EVERY)
    except ValueError:
        every = 0.0
    if not every > 0:
        remedy = f"Set it to off, or to the seconds between lines, such as {_EVERY:g}."
        raise ParameterError(f"{SETTING} is '{asked}'.", remedy)
    return Terminal() if sys.stderr.isatty() and os.environ.get("TERM") != "dumb" else Log(every)


def in_command(first: str) -> contextlib.AbstractContextManager[None]:
    """Show how far a command is."""
    return shown(first, for_command())


def by_itself(first: str, progress: Progress | bool | None = None) -> contextlib.AbstractContextManager[None]:
    """Show how far a call is: to a function, as commands do (True), nowhere (False), or in notebooks (None)."""
    if callable(progress):
        return shown(first, _Function(progress))
    if progress is False:
        return shown(first, None)
    if course().seen or not (progress or in_notebook()):
        return _unseen(first)
    return shown(first, Notebook() if in_notebook() else for_command())


def show_progress(progress: Progress | bool = True) -> contextlib.AbstractContextManager[None]:
    """Show how far everything is that is done inside a ``with`` block.

    Parameters
    ----------
    progress
        A function that is called with what is being done, the share of it that is done, and the seconds left, the
        last two None where they are not known: at each stage, and about twice a second between, then from a thread of
        its own. True shows it as commands do, on the terminal or as lines of a log, and in notebooks below the cell;
        there it is shown by itself, and False keeps it away.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> stages = []
    >>> with shoal.show_progress(lambda stage, share, left: stages.append(stage)):
    ...     table = shoal.read(pl.DataFrame({"age": [34, 35, 61, 62]}), quasi=["age"])
    ...     release = shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(2)])
    >>> "masking with hilbert" in stages
    True
    """
    return by_itself("working", progress)
