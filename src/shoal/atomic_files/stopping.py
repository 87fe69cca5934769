"""Requests to stop, and what must not be broken off by them."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

# By a person, by a manager of processes, by a terminal that closes, and by a limit of time.
STOPPING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGXCPU") if hasattr(signal, name)
)


_moving = threading.RLock()  # held while files are not to be left as they are


@contextlib.contextmanager
def nothing_moves() -> Iterator[None]:
    """Wait until nothing undisturbed is under way, and let nothing of the kind begin."""
    with _moving:
        yield


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Let requests to stop wait until the block is done.

    They only ever reach the first thread of a process, so in others there is nothing to do. That a thread blocks them
    would not help: another one takes them then.
    """
    came: list[int] = []
    before: dict[int, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in STOPPING:
                handler = signal.getsignal(number)
                if handler not in (None, signal.SIG_IGN):
                    before[number] = handler
                    signal.signal(number, lambda number, _: came.append(number))
        with _moving:
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])
