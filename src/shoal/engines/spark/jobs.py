"""Progress of the jobs of a cluster, and their cancellation when the wait for them is interrupted."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from shoal.engines.spark.failures import on_driver
from shoal.progress import Counted, another_pass, course


class _Tasks(Counted):
    """The tasks of one job, stage after stage. Spark is asked for their number only when progress is shown."""

    def __init__(self, context: Any, total: int) -> None:
        self._known: dict[int, tuple[int, int]] = {}
        self._tracker = context.statusTracker()
        super().__init__(total, another_pass())

    @property
    def done(self) -> float:
        """The number of tasks done; those of a stage that is no longer active all are."""
        with contextlib.suppress(Exception):  # the job itself raises what is wrong
            active = {}
            for stage in self._tracker.getActiveStageIds():
                found = self._tracker.getStageInfo(stage)
                if found is not None:
                    active[stage] = (found.numCompletedTasks, found.numTasks)
            self._known = {stage: (tasks, tasks) for stage, (_, tasks) in self._known.items()} | active
        return min(sum(done for done, _ in self._known.values()), self.total)

    @done.setter
    def done(self, _: float) -> None:
        """Leave it to Spark to count."""


@contextlib.contextmanager
def tracked(context: Any, tasks: int) -> Iterator[None]:
    """Wait for a job of so many tasks; raise here what was raised on a worker, and cancel the job on an interrupt."""
    parts, part = course().parts, _Tasks(context, tasks)
    parts.append(part)
    try:
        with on_driver():
            yield
    except BaseException as error:
        if not isinstance(error, Exception):  # but a request to stop
            _cancel(context)
        raise
    finally:
        parts.remove(part)


def _cancel(context: Any) -> None:
    """Cancel all jobs; Java may be shutting down, so this does not wait long."""

    def cancel() -> None:
        with contextlib.suppress(Exception):
            context.cancelAllJobs()

    asked = threading.Thread(target=cancel, daemon=True)
    asked.start()
    asked.join(0.5)
