"""How far the kernel is that a thread runs, and what a signal raised while it ran."""

from __future__ import annotations

import ctypes
import threading
from typing import Any


class Pace(ctypes.Structure):
    """What a kernel tells while it runs, as in C. A total of 0: nothing was reported."""

    _fields_ = (
        ("done", ctypes.c_int64),
        ("total", ctypes.c_int64),
        ("stopped", ctypes.c_int64),
        ("error", ctypes.c_void_p * 3),
    )
    done: int
    total: int
    stopped: int
    error: Any

    def settle(self) -> None:
        """Forget how far a kernel was that has ended, and raise what made it end early."""
        self.done = self.total = 0
        if self.stopped:
            self.stopped = 0
            ctypes.pythonapi.PyErr_Restore(*(ctypes.c_void_p(part) for part in self.error))


class Running:
    """The kernel that a thread runs."""

    def __init__(self) -> None:
        self.kernel = ""
        self.pace = Pace()
        self.watched = False

    def watch(self, library: ctypes.CDLL) -> None:
        """Let the kernels of this thread tell how far they are, and ask the interpreter for signals."""
        names = ("PyGILState_Ensure", "PyGILState_Release", "PyErr_CheckSignals", "PyErr_Fetch")
        places = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0 for name in names]
        library.watch(ctypes.byref(self.pace), (ctypes.c_int64 * len(places))(*places))
        self.watched = True


class _Here(threading.local):
    def __init__(self) -> None:
        self.running = Running()


_here = _Here()


def running() -> Running:
    """Give the kernel that this thread runs, or ran last."""
    return _here.running
