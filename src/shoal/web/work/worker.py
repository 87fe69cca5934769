"""The process that does one task: a request comes in as JSON, lines of JSON go out, and that is all it shares."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from importlib import import_module
from typing import IO, Any

from shoal.errors import InternalError, ShoalError
from shoal.progress.display import show_progress
from shoal.web.work import Found, Task

# What can be asked for, and where it is done.
TASKS = {
    "look": "shoal.web.work.first_look:look",
    "preview": "shoal.web.work.first_look:preview",
    "measure": "shoal.web.work.measuring:measure",
    "search": "shoal.web.work.searching:search",
    "tree": "shoal.web.work.planting:plant",
    "spread": "shoal.web.work.spreading:spread",
    "publish": "shoal.web.work.publishing:publish",
}
_SHARE_OF_MEMORY = 0.6  # that one process may take, so that a file that unpacks to a mountain stops in time


class Lines:
    """Tells how far a task is, line by line."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._one = threading.Lock()
        self._step = ""  # what is being done, unless it counts by itself how far it is

    def write(self, **content: Any) -> None:
        """Write a line."""
        with self._one:
            self._out.write(json.dumps(content) + "\n")
            self._out.flush()

    def step(self, what: str, done: int = 0, of: int = 0) -> None:
        """Say what is being done, and how much of it."""
        self._step = "" if of else what
        self.write(step=what, done=done, of=of)

    def share(self, stage: str, share: float | None, left: float | None) -> None:
        """Say how much is done of what does not count by itself, in percent."""
        if self._step and share is not None:
            self.write(step=self._step, done=int(100 * share), of=100, left=left)

    def found(self, part: Found) -> None:
        """Hand over what is known already."""
        self.write(found=part)


def task_named(name: str) -> Task:
    """Give a task by its name, loading only what it needs."""
    if name not in TASKS:
        raise InternalError(f"There is no task '{name}'.", f"There are: {', '.join(TASKS)}.")
    module, _, function = TASKS[name].partition(":")
    task: Task = getattr(import_module(module), function)
    return task


def _leave_room() -> None:
    """Let others go first, and stop before the machine runs out of memory."""
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        os.nice(5)
        most = int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * _SHARE_OF_MEMORY)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def run(request: dict[str, Any], out: IO[str]) -> None:
    """Do a task and write how it ends. What is told of an error is for people, and holds no cell."""
    lines = Lines(out)
    try:
        with show_progress(lines.share):
            found = task_named(request["task"])(request, lines)
        lines.write(result=found)
    except ShoalError as error:
        # Where the file lies in private folders is of no use to anybody.
        said = [text.replace(str(request["file"]), str(request["name"])) for text in (error.what, error.remedy)]
        lines.write(error=said[0], remedy=said[1])
    except MemoryError:
        lines.write(
            error="There is not enough memory for this table.",
            remedy="Leave out columns that are not needed, or use a larger machine.",
        )
    except OSError as error:
        lines.write(
            error=f"The file cannot be read or written: {error.strerror}.", remedy="Check it and the space left."
        )
    except Exception as error:  # whatever it is, the page must be able to say that it happened
        if os.environ.get("SHOAL_DEBUG"):
            raise
        lines.write(
            error=f"Something went wrong inside shoal ({type(error).__name__}). This is a defect, not your mistake.",
            remedy="Please report it; nothing was changed.",
        )


if __name__ == "__main__":
    _leave_room()
    given = json.loads(sys.stdin.readline())
    # Whatever a library prints must not look like an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    run(given, answers)
