"""The jobs of one case: one for each task, every one with a folder of its own."""

from __future__ import annotations

import secrets
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.web.errors import NotThereError
from shoal.web.tasks.job import Job, Part, leave_it
from shoal.web.tasks.messages import TableRequest
from shoal.web.tasks.queue import Queue
from shoal.web.tasks.registry import task_kind


class CaseJobs:
    """The jobs of one case.

    Parameters
    ----------
    folder
        A private folder for everything that is written.
    queue
        Where work is done.
    """

    def __init__(self, folder: Path, queue: Queue) -> None:
        self.lock = threading.RLock()
        self.folder = folder
        self._queue = queue
        self._jobs: dict[str, Job] = {}

    def all(self) -> list[Job]:
        """Give the last job of each task."""
        return list(self._jobs.values())

    def by_id(self, id: str) -> Job:
        """Give a job of this case."""
        for job in self.all():
            if job.id == id:
                return job
        raise NotThereError("There is no such job.", "It may be over.")

    def of(self, task: str, about: str | None = None) -> Job | None:
        """Give the job that does a task now, or has failed to; only if it is about this, where that is said."""
        job = self._jobs.get(task)
        return job if job is not None and about in (None, job.about) else None

    def at_work(self, task: str) -> bool:
        """Tell whether a task is being done."""
        job = self.of(task)
        return job is not None and not job.over

    def result(self, task: str, about: str | None = None) -> dict[str, Any]:
        """Give what such a job has given, in plain values; nothing if it has not."""
        job = self.of(task, about)
        return {} if job is None or job.result is None else job.result.plain()

    def wait(self, task: str, seconds: float) -> None:
        """Wait a little for work that may be nearly done."""
        job = self.of(task)
        if job is not None:
            job.wait(seconds)

    def retry(self, task: str) -> None:
        """Forget how a task ended, so that it is begun again when it is next needed."""
        with self.lock:
            job = self._jobs.get(task)
            if job is not None and job.over:
                del self._jobs[task]

    def busy(self, task: str, about: str) -> bool:
        """Tell whether a task is being done for what it is about, or ended without a result."""
        job = self._jobs.get(task)
        if job is None or job.about != about:
            return False
        return not job.over or job.state in ("failed", "cancelled")

    def start(
        self,
        task: str,
        *parts: TableRequest | Part,
        about: str = "",
        found: Callable[[Any], None] = leave_it,
        ended: Callable[[Job], None] = leave_it,
        stays: bool = False,
    ) -> Job:
        """Start a job with a folder of its own, which goes when the job ends unless what it made is to stay."""
        id = secrets.token_urlsafe(12)
        place = self.folder / id
        place.mkdir(mode=0o700)

        def finish(job: Job) -> None:
            if not (stays and job.state == "done"):
                shutil.rmtree(place, ignore_errors=True)
            ended(job)

        usual = task_kind(task).lane
        asked = [part if isinstance(part, Part) else Part(part, usual) for part in parts]
        inside = [Part(part.request.model_copy(update={"folder": place}), part.lane) for part in asked]
        self._jobs[task] = Job(task, inside, owner=str(self.folder), about=about, found=found, ended=finish, id=id)
        return self._queue.start(self._jobs[task])

    def cancel(self, *tasks: str) -> None:
        """End what does these tasks, and forget it; all of them if none is named."""
        for task in tasks or tuple(self._jobs):
            job = self._jobs.pop(task, None)
            if job is not None:
                job.cancel()
