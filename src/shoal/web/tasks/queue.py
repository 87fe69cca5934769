"""The queue: jobs wait in lanes by what they are for, and those for whom they are done take turns."""

from __future__ import annotations

import itertools
import threading
from collections import Counter, defaultdict

from shoal.web.tasks.job import Job
from shoal.web.tasks.lanes import LANES, OPENING, SHOWN, Lane
from shoal.web.tasks.processes import Workers

_REMEMBERED = 1000  # owners whose last turn is known


class Queue:
    """All jobs of a server.

    Each lane has its own workers, so that no work of one waits for that of another. In a lane the next job is that of
    whose last turn was longest ago. A job of several parts waits for its turn before each.
    """

    def __init__(self) -> None:
        self._workers = Workers()
        self._waiting: dict[Lane, list[Job]] = {lane: [] for lane in LANES}
        self._running: Counter[Lane] = Counter()
        self._turns: dict[Lane, dict[str, int]] = defaultdict(dict)
        self._count = itertools.count(1)
        self._jobs: set[Job] = set()
        self._lock = threading.Lock()
        self._free = threading.Condition(self._lock)
        self._closed = False

    def start(self, job: Job) -> Job:
        """Do a job as soon as it is its turn."""
        with self._lock:
            self._jobs = {each for each in self._jobs if not each.over} | {job}
            self._waiting[job.lane].append(job)
            self._dispatch(job.lane)
        return job

    def _dispatch(self, lane: Lane) -> None:
        """Begin what can be begun. The lock is held."""
        waiting, turns = self._waiting[lane], self._turns[lane]
        waiting[:] = [job for job in waiting if not job.over]
        while waiting and self._running[lane] < lane.at_once and not self._closed:
            job = min(waiting, key=lambda each: turns.get(each.owner, 0))
            waiting.remove(job)
            turns[job.owner] = next(self._count)
            if len(turns) > _REMEMBERED:
                del turns[min(turns, key=turns.__getitem__)]
            self._running[lane] += 1
            threading.Thread(target=self._work, args=[lane, job], name=f"job-{lane.name}", daemon=True).start()

    def _work(self, lane: Lane, job: Job) -> None:
        try:
            worker = job.work(self._workers.take)
            if worker is not None:
                self._workers.give_back(lane, worker)
        finally:
            with self._lock:
                self._running[lane] -= 1
                if not job.over and not self._closed:
                    self._waiting[job.lane].append(job)
                    self._dispatch(job.lane)
                self._dispatch(lane)
                self._free.notify_all()
        if lane is OPENING and not self._closed:
            self._workers.warm(SHOWN)  # what comes next

    def close(self) -> None:
        """End all jobs."""
        with self._lock:
            self._closed = True
            left = list(self._jobs)
        for job in left:
            job.cancel()
        with self._lock:
            self._free.wait_for(lambda: not any(self._running.values()), 10)
        self._workers.close()
