"""Requests to stop a command: Ctrl-C, and whatever else ends processes in good order."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from shoal.atomic_files.stopping import STOPPING, nothing_moves

SAID = "Stopped. Nothing half-written is left behind."
_AGAIN = 0.4  # seconds after which a request is repeated that a library has swallowed
_MERCY = 1.5  # seconds that whatever is done has to come to an end


class Stopped(BaseException):
    """Someone asked the command to stop."""


class Requests:
    """Requests to stop: the first ends the command by an exception that nobody mistakes for an error.

    Drafts are removed on its way. Another request while the command is ending changes nothing.
    """

    def __init__(self) -> None:
        self.came: list[int] = []
        self.over = False

    def __call__(self, number: int, _: Any) -> None:
        """Stop, or do nothing if that is under way."""
        if number != _alarm():
            self.came.append(number)
        if not self.over and not _is_ending():
            self._ring(_AGAIN)
            raise Stopped

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Hear them, but for those that were ignored when the command was started, such as a terminal that closes."""
        caught = [number for number in STOPPING if signal.getsignal(number) not in (None, signal.SIG_IGN)]
        alarms = [number for number in (_alarm(),) if number and signal.getsignal(number) == signal.SIG_DFL]
        before = {number: signal.signal(number, self) for number in [*caught, *alarms]}
        usual, sys.unraisablehook = sys.unraisablehook, _quiet(sys.unraisablehook)
        try:
            with self._last_resort(caught):
                yield
        finally:
            self._ring(0)
            for number, handler in before.items():
                signal.signal(number, handler)
            sys.unraisablehook = usual

    def _ring(self, seconds: float) -> None:
        if _alarm():
            signal.setitimer(signal.ITIMER_REAL, seconds)

    @contextmanager
    def _last_resort(self, caught: list[signal.Signals]) -> Iterator[None]:
        """End the process for a library that does not come back, or not soon: nobody hears anything here meanwhile."""
        ours, theirs = os.pipe()
        os.set_blocking(theirs, False)
        before = signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
        done = threading.Event()
        threading.Thread(target=self._wait, args=(ours, done, caught), name="last resort", daemon=True).start()
        try:
            yield
        finally:
            done.set()
            signal.set_wakeup_fd(before)
            os.close(theirs)

    def _wait(self, ours: int, done: threading.Event, caught: list[signal.Signals]) -> None:
        while numbers := os.read(ours, 64):
            asked = [number for number in numbers if number in caught]
            if not asked or done.wait(_MERCY):
                continue
            with nothing_moves():
                if not self.over and not done.is_set():
                    from shoal.atomic_files.held import remove_all  # which no command needs before it writes

                    remove_all()
                    leave(asked[0])
        os.close(ours)


def leave(number: int) -> None:
    """End the process here and now."""
    with suppress(OSError):
        wiped = "\r\x1b[K" if os.isatty(2) else ""
        os.write(2, f"{wiped}✗ {SAID}\n".encode())
    os._exit(128 + number)


def _alarm() -> int:
    """Give the signal of timers; 0 where there are none."""
    return int(getattr(signal, "SIGALRM", 0))


def _is_ending() -> bool:
    """Tell whether things are being put in order because of a request to stop."""
    error = sys.exc_info()[1]
    while error is not None and not isinstance(error, Stopped):
        error = error.__context__
    return error is not None


def _quiet(usual: Any) -> Any:
    """Say nothing of requests that came where nothing can be raised: they are repeated."""
    return lambda what: None if what.exc_type is Stopped else usual(what)
