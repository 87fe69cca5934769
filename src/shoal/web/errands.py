"""Errands: the jobs of one session, one for each task, every one with a folder of its own."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import Any

from shoal.errors import DataError
from shoal.web.jobs import Job, Jobs

Found = dict[str, Any]


def _pass(_: Any) -> None:
    """Take no notice of it."""


class Errands:
    """The jobs of one session.

    Parameters
    ----------
    folder
        A private folder for everything that is written.
    jobs
        Where work is done.
    """

    def __init__(self, folder: Path, jobs: Jobs) -> None:
        self.folder = folder
        self.jobs: dict[str, Job] = {}
        self.lock = threading.RLock()
        self._all = jobs

    def job(self, id: str) -> Job:
        """Give a job of this session."""
        for job in self.jobs.values():
            if job.id == id:
                return job
        raise DataError("There is no such job.", "It may be over.")

    def working(self, task: str) -> Job | None:
        """Give the job that does a task now, or has failed to."""
        return self.jobs.get(task)

    def retry(self, task: str) -> None:
        """Forget how a task ended, so that it is begun again when it is next needed."""
        with self.lock:
            job = self.jobs.get(task)
            if job is not None and job.over:
                del self.jobs[task]

    def _busy(self, task: str, about: str) -> bool:
        job = self.jobs.get(task)
        if job is None or job.about != about:
            return False
        return not job.over or job.state in ("failed", "cancelled")

    def _launch(self, task: str, request: Found, found: Any = _pass, ended: Any = _pass, *, stays: bool = False) -> Job:
        """Start a job with a folder of its own, which goes when the job ends unless what it made is to stay."""

        def finish(job: Job) -> None:
            if not (stays and job.state == "done"):
                shutil.rmtree(self.folder / job.id, ignore_errors=True)
            ended(job)

        job = Job(task, request, found, finish)
        place = self.folder / job.id
        place.mkdir(mode=0o700)
        job.ask(folder=str(place))
        self.jobs[task] = self._all.start(job)
        return job

    def _cancel(self, *tasks: str) -> None:
        for task in tasks:
            job = self.jobs.pop(task, None)
            if job is not None:
                job.cancel()
