"""Jobs: tasks in processes of their own, with progress, that can be ended at any time and then leave nothing behind."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

State = Literal["waiting", "running", "done", "failed", "cancelled"]
_ENDED = ("done", "failed", "cancelled")
_MERCY = 1.0  # seconds that a process has to end by itself


def _nothing(*_: Any) -> None:
    """Do nothing with it."""


class Job:
    """One task, as those see it who wait for it.

    Attributes
    ----------
    id, task, about
        Its name, which nobody can guess, the name of what it does, and a text that tells jobs of one task apart.
    state
        Where it is.
    step, done, of
        What it does now, and how much of that is done.
    result
        What it has given, at the end.
    error, remedy
        Why it failed, and what to do.
    """

    def __init__(
        self,
        task: str,
        request: Mapping[str, Any],
        found: Callable[[dict[str, Any]], None] = _nothing,
        ended: Callable[[Job], None] = _nothing,
    ) -> None:
        self.id = secrets.token_urlsafe(12)
        self.task = task
        self.state: State = "waiting"
        self.step, self.done, self.of = "Waiting for its turn", 0, 0
        self._left: float | None = None
        self.result: dict[str, Any] = {}
        self.error = self.remedy = ""
        self.begun = time.monotonic()
        self.about = str(request.get("about", ""))
        self._request = {**request, "task": task}
        self._found, self._ended = found, ended
        self._process: subprocess.Popen[str] | None = None
        self._over = threading.Event()
        self._lock = threading.Lock()

    @property
    def over(self) -> bool:
        """Whether it has ended, well or badly, and everybody who is to know of it was told."""
        return self._over.is_set()

    @property
    def _settled(self) -> bool:
        return self.state in _ENDED

    @property
    def seconds_left(self) -> float | None:
        """About how long it still takes, if that can be told."""
        if self._left is not None or not self.of or self.done < 2:
            return self._left
        return (time.monotonic() - self.begun) * (self.of - self.done) / self.done

    def ask(self, **more: Any) -> None:
        """Add to the request, before the job is started."""
        self._request |= more

    def wait(self, seconds: float) -> bool:
        """Wait for its end, but no longer than so many seconds, and tell whether it has ended."""
        return self._over.wait(seconds)

    def cancel(self) -> None:
        """End it now."""
        with self._lock:
            if self._settled:
                return
            self.state = "cancelled"
            process = self._process
        if process is not None:
            process.terminate()
        else:
            self._finish()

    def told(self) -> dict[str, Any]:
        """Tell how it is, in plain values."""
        return {"id": self.id, "task": self.task, "state": self.state, "step": self.step, "done": self.done} | {
            "of": self.of,
            "error": self.error,
            "remedy": self.remedy,
        }

    def run(self) -> None:
        """Do it, in a process of its own."""
        with self._lock:
            if self._settled:
                return
            self.state, self.begun = "running", time.monotonic()
            self._process = _process()
        try:
            self._follow(self._process)
        except Exception as error:  # noqa: BLE001 - a job that cannot be followed must still end for those who wait
            self._fail(f"The work stopped ({type(error).__name__}).", "Try again.")
        finally:
            _end(self._process)
            self._finish()

    def _follow(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(self._request) + "\n")
            process.stdin.close()
        for line in process.stdout:
            if self.state == "cancelled":
                return
            self._take(json.loads(line))
        if not self._settled:
            self._fail("The work stopped before its end.", "There may not be enough memory. Try a smaller table.")

    def _take(self, told: Mapping[str, Any]) -> None:
        if "step" in told:
            if told["step"] != self.step:
                self.begun = time.monotonic()
            self.step, self.done, self.of = told["step"], told["done"], told["of"]
            self._left = told.get("left")
        elif "found" in told:
            self._found(told["found"])
        elif "error" in told:
            self._fail(told["error"], told["remedy"])
        else:
            self.result = told["result"]
            with self._lock:
                if not self._settled:
                    self.state = "done"

    def _fail(self, error: str, remedy: str) -> None:
        with self._lock:
            if not self._settled:
                self.state, self.error, self.remedy = "failed", error, remedy

    def _finish(self) -> None:
        try:
            self._ended(self)
        finally:
            self._over.set()


def _process() -> subprocess.Popen[str]:
    quiet = None if os.environ.get("SHOAL_DEBUG") else subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-m", "shoal.web.work.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=quiet,
        text=True,
        encoding="utf-8",
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        start_new_session=True,  # so that Ctrl-C reaches the server, which ends its jobs in order
    )


def _end(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(OSError):
        process.terminate() if process.poll() is None else None
    try:
        process.wait(_MERCY)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for stream in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if stream is not None:
                stream.close()


class Jobs:
    """All jobs of a server: a few run at a time, and the others wait for their turn."""

    def __init__(self, at_once: int = 2) -> None:
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix="job")
        self._all: set[Job] = set()
        self._lock = threading.Lock()

    def start(self, job: Job) -> Job:
        """Do a job as soon as there is room."""
        with self._lock:
            self._all = {each for each in self._all if not each.over} | {job}
        self._pool.submit(job.run)
        return job

    def close(self) -> None:
        """End all jobs."""
        with self._lock:
            left = list(self._all)
        for job in left:
            job.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)
