"""A job: a task that someone asked for, done in one part or several, which can be ended at any time."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from shoal.web.tasks.lanes import Lane
from shoal.web.tasks.messages import Message, TableRequest
from shoal.web.tasks.processes import Worker
from shoal.web.tasks.progress_messages import Failure, Progress
from shoal.web.tasks.registry import task_kind

State = Literal["waiting", "running", "done", "failed", "cancelled"]
_ENDED = ("done", "failed", "cancelled")


def leave_it(_: Any) -> None:
    """Do nothing with it."""


@dataclass(frozen=True)
class Part:
    """What is asked in one go, and in which lane."""

    request: TableRequest
    lane: Lane


class Job:
    """A task, as those see it who wait for it.

    Attributes
    ----------
    id, task, about
        Its name, which nobody can guess, the name of what it does, and a text that tells jobs of one task apart.
    owner
        For whom it is done; owners take turns.
    state
        Where it is.
    step, done, of, seconds_left
        What it does now, how much of that is done, and about how long it still takes, if that is known.
    result
        What it has given, at the end.
    error, remedy
        Why it failed, and what to do.
    """

    def __init__(
        self,
        task: str,
        parts: Sequence[Part],
        *,
        owner: str = "",
        about: str = "",
        found: Callable[[Any], None] = leave_it,
        ended: Callable[[Job], None] = leave_it,
        id: str = "",
    ) -> None:
        self.id = id or secrets.token_urlsafe(12)
        self.task, self.owner, self.about = task, owner, about
        self.state: State = "waiting"
        self.step, self.done, self.of = "Waiting for its turn", 0, 0
        self.seconds_left: float | None = None
        self.result: Message | None = None
        self.error = self.remedy = ""
        self._kind = task_kind(task)
        self._parts = list(parts)
        self._found, self._ended = found, ended
        self._worker: Worker | None = None
        self._over = threading.Event()
        self._lock = threading.Lock()

    @property
    def over(self) -> bool:
        """Whether it has ended, well or badly, and everybody who is to know of it does."""
        return self._over.is_set()

    @property
    def lane(self) -> Lane:
        """The lane of what is to be done next."""
        return self._parts[0].lane

    def wait(self, seconds: float) -> bool:
        """Wait for its end, but no longer than so many seconds, and tell whether it has ended."""
        return self._over.wait(seconds)

    def cancel(self) -> None:
        """End it now."""
        with self._lock:
            if self.state in _ENDED:
                return
            self.state = "cancelled"
            worker = self._worker
        if worker is not None:
            worker.stop()
        else:
            self._finish()

    def work(self, hire: Callable[[Lane], Worker]) -> Worker | None:
        """Do its next part with a worker, and give the worker back if more can be asked of it.

        Whether more is to be done says `over`.
        """
        part = self._parts[0]
        worker: Worker | None = None
        found: Message | None = None
        try:
            worker = hire(part.lane)
            with self._lock:
                if self.state in _ENDED:
                    return worker
                self.state, self._worker = "running", worker
            found = self._follow(worker, part.request)
        except Exception as error:  # noqa: BLE001 - a job that cannot be followed must still end for those who wait
            self._fail(f"The work stopped ({type(error).__name__}).", "Try again.")
        with self._lock:
            self._worker = None
            rest = None if found is None else part.request.rest(found)
            self._parts[:1] = [] if rest is None else [Part(rest, part.lane)]
            if self.state == "running" and not self._parts:
                self.state, self.result = "done", found
            state = self.state
        if worker is not None and (found is None or state == "cancelled"):  # nobody knows in which state it is
            worker.end()
            worker = None
        if state in _ENDED:
            self._finish()
        return worker

    def _follow(self, worker: Worker, request: TableRequest) -> Message | None:
        """Take what is reported, and give the result, if there is one."""
        for kind, content in worker.ask(f'{{"{self.task}": {request.model_dump_json()}}}'):
            if self.state == "cancelled":
                return None
            if kind == "progress":
                now = Progress.model_validate(content)
                self.step, self.done, self.of, self.seconds_left = now.step, now.done, now.of, now.left
            elif kind == "partial":
                self._found(self._kind.partial.model_validate(content))
            elif kind == "failure":
                failure = Failure.model_validate(content)
                self._fail(failure.error, failure.remedy)
                return None
            else:
                return self._kind.result.model_validate(content)
        self._fail("The work stopped before its end.", "There may not be enough memory. Try a smaller table.")
        return None

    def _fail(self, error: str, remedy: str) -> None:
        with self._lock:
            if self.state not in _ENDED:
                self.state, self.error, self.remedy = "failed", error, remedy

    def _finish(self) -> None:
        try:
            self._ended(self)
        finally:
            self._over.set()
