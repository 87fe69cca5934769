"""Processes that work for the server: each is asked one thing after the other, and ends when the server does."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from shoal.web.tasks.lanes import Lane

_SMALL = 300 << 20  # bytes of memory
_GRACE = 1.0  # seconds that a process has to end by itself
_LAST = ("result", "failure")  # the reports after which nothing follows


class Worker:
    """A process that is asked to do tasks one after the other, and reports.

    What it reads ends when this process ends, in whatever way; it then ends at once.
    """

    def __init__(self, lane: Lane) -> None:
        self._resident = 0  # bytes of memory
        quiet = None if os.environ.get("SHOAL_DEBUG") else subprocess.DEVNULL
        self._process = subprocess.Popen(
            [sys.executable, "-m", "shoal.web.tasks.worker", str(lane.niceness), *lane.preloaded],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=quiet,
            text=True,
            encoding="utf-8",
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,  # so that Ctrl-C reaches the server, which ends its jobs in order
        )

    def ask(self, line: str) -> Iterator[tuple[str, Any]]:
        """Ask for a task; gives the reports by their kinds, the last of which is a result or a failure."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError):  # it may have ended
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        for report in self._process.stdout:
            said = json.loads(report)
            self._resident = said.pop("resident", self._resident)
            ((kind, content),) = said.items()
            yield kind, content
            if kind in _LAST:
                return

    @property
    def reusable(self) -> bool:
        """Whether more can be asked: it lives, and does not hold on to much memory."""
        return self._process.poll() is None and self._resident < _SMALL

    def stop(self) -> None:
        """Have it end, whatever it does; that it has ended is seen by its reports, which end."""
        with contextlib.suppress(OSError):
            self._process.terminate()

    def end(self) -> None:
        """End it, and wait until it has ended."""
        self.stop()
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()


def started(lane: Lane) -> Worker:
    """Start a worker for a lane."""
    return Worker(lane)


class Workers:
    """The workers of a server: idle ones are kept, because to start one takes longer than to ask it."""

    def __init__(self) -> None:
        self._idle: dict[Lane, list[Worker]] = defaultdict(list)
        self._lock = threading.Lock()
        self._closed = False

    def take(self, lane: Lane) -> Worker:
        """Give a worker that does nothing else."""
        with self._lock:
            idle = self._idle[lane]
            while idle:
                worker = idle.pop()
                if worker.reusable:
                    return worker
                worker.end()
        return started(lane)

    def give_back(self, lane: Lane, worker: Worker) -> None:
        """Take back a worker that has done what it was asked, and is as good as new."""
        with self._lock:
            if not self._closed and worker.reusable and len(self._idle[lane]) < lane.at_once:
                self._idle[lane].append(worker)
                return
        worker.end()

    def warm(self, lane: Lane) -> None:
        """Have a worker ready for who comes next."""
        if not self._idle[lane]:
            self.give_back(lane, started(lane))

    def close(self) -> None:
        """End those that have nothing to do."""
        with self._lock:
            self._closed = True
            idle = [worker for some in self._idle.values() for worker in some]
            self._idle.clear()
        for worker in idle:
            worker.stop()
        for worker in idle:
            worker.end()
