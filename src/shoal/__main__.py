"""Where the command begins: python -m shoal, or shoal."""

# Only what Python itself has loaded is imported here: until `main` runs, Ctrl-C would show a traceback.
from __future__ import annotations

import _signal as signal  # what is built in of it: the rest takes a while to load
import os

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of the C library's settings, from malloc.h


def _stop_quietly() -> None:
    """Let requests to stop end the process at once while it starts: nothing is begun yet."""

    def leave(number: int, _: object) -> None:
        os.write(2, "✗ Stopped. Nothing was begun.\n".encode())
        os._exit(128 + number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) not in (None, signal.SIG_IGN):
            signal.signal(number, leave)


def _start_lean() -> None:
    """Leave out what a short-lived command does not need."""
    import contextlib
    import ctypes
    import gc

    # Nothing here multiplies matrices: threads that NumPy would start for that only cost time at every start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Modules are loaded by the thousand objects and none of them is garbage.
    gc.disable()
    # A large array that is freed is used for the next one, instead of going back to the system, which would have to
    # clear every page of it again. Other C libraries do not have these settings and do without.
    with contextlib.suppress(OSError, AttributeError, TypeError):
        tune = ctypes.CDLL(None).mallopt
        tune(_MMAP_THRESHOLD, 1 << 30)
        tune(_TRIM_THRESHOLD, (1 << 31) - 1)


def main() -> None:
    """Run a command."""
    _stop_quietly()
    _start_lean()
    import gc

    from shoal.cli import main as run

    gc.freeze()  # the interpreter looks for garbage when it ends, though not at what is set aside here
    try:
        run()
    finally:
        _end_in_peace()


def _end_in_peace() -> None:
    """Let nobody break off what is put in order at the very end, such as the removal of temporary files."""
    from shoal.atomic_files.stopping import STOPPING

    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    main()
