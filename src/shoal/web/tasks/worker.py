"""The process that does tasks: a request comes in as a line of JSON, reports go out, and that is all it shares."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from typing import IO

from shoal.engines.process_memory import resident
from shoal.errors import ShoalError
from shoal.progress.display import show_progress
from shoal.web.tasks.messages import Message, TableRequest
from shoal.web.tasks.progress_messages import Failure, Progress
from shoal.web.tasks.registry import task_kind

_SHARE_OF_MEMORY = 0.6  # that one process may take, so that a file that unpacks to a mountain stops in time


class Reports:
    """Reports how far a task is, line by line: each is the kind of a report and its content."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._one = threading.Lock()
        self._step = ""  # what is being done, unless it counts by itself how far it is

    def _write(self, kind: str, content: Message, more: str = "") -> None:
        with self._one:
            self._out.write(f'{{"{kind}": {content.model_dump_json()}{more}}}\n')
            self._out.flush()

    def step(self, what: str, done: int = 0, of: int = 0, left: float | None = None) -> None:
        """Say what is being done, and how much of it."""
        self._step = "" if of else what
        self._write("progress", Progress(step=what, done=done, of=of, left=left))

    def share(self, stage: str, share: float | None, left: float | None) -> None:
        """Say how much is done of what does not count by itself, in percent."""
        if self._step and share is not None:
            self._write("progress", Progress(step=self._step, done=int(100 * share), of=100, left=left))

    def partial(self, found: Message) -> None:
        """Hand over what is known already."""
        self._write("partial", found)

    def result(self, found: Message) -> None:
        """Hand over what a task gives."""
        self._write("result", found, f', "resident": {resident()}')

    def failure(self, error: str, remedy: str) -> None:
        """Say why a task failed, and what to do."""
        self._write("failure", Failure(error=error, remedy=remedy))


def _leave_room(niceness: int) -> None:
    """Let others go first, and stop before the machine runs out of memory."""
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        os.nice(niceness)
        most = int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * _SHARE_OF_MEMORY)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def run(line: str, out: IO[str]) -> None:
    """Do a task and report how it ends. What is said of an error is for people, and holds no cell."""
    reports = Reports(out)
    request: TableRequest | None = None
    try:
        ((name, content),) = json.loads(line).items()
        kind = task_kind(name)
        request = kind.request.model_validate(content)
        with show_progress(reports.share):
            found = kind.load()(request, reports)
        reports.result(found)
    except ShoalError as error:
        # Where the file lies in private folders is of no use to anybody.
        reports.failure(*(_named(text, request) for text in (error.what, error.remedy)))
    except MemoryError:
        reports.failure(
            "There is not enough memory for this table.",
            "Leave out columns that are not needed, or use a larger machine.",
        )
    except OSError as error:
        reports.failure(f"The file cannot be read or written: {error.strerror}.", "Check it and the space left.")
    except Exception as error:  # whatever it is, the page must be able to say that it happened
        if os.environ.get("SHOAL_DEBUG"):
            raise
        reports.failure(
            f"Something went wrong inside shoal ({type(error).__name__}). This is a defect, not your mistake.",
            "Please report it; nothing was changed.",
        )


def _named(text: str, request: TableRequest | None) -> str:
    """Call files as their owner does."""
    for place, name in (request.places if request else {}).items():
        text = text.replace(place, name)
    return text


def _requests() -> queue.SimpleQueue[str]:
    """Read what comes in while a task is done; if nothing more can come, the server has ended, and so does this."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin:
            lines.put(line)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    return lines


def main(niceness: int, preloaded: Sequence[str]) -> None:
    """Do one task after the other."""
    _leave_room(niceness)
    # Whatever a library prints must not look like an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    requests = _requests()
    for module in preloaded:
        import_module(f"shoal.web.tasks.{module}")
    while True:
        run(requests.get(), answers)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
