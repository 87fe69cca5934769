"""What a command costs: wall seconds, CPU seconds and peak memory of one child process.

Standard library only, and to be imported by programs that stay small: Linux lets a child inherit the peak
memory of the process that started it, so a parent holding a large table would put a floor under every figure.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeAlias

PEAK_UNIT = 1 if sys.platform == "darwin" else 1024
"""`ru_maxrss` counts bytes on macOS and kibibytes elsewhere."""

POLL_SECONDS = 0.005
WARM_BYTES = 2 << 30
"""Memory that is touched before a run: more than any of the programs that are compared takes."""


Command: TypeAlias = Sequence[str | Path]


class CommandError(RuntimeError):
    """The measured command ended with an error, so its cost means nothing."""


class TimeLimitError(RuntimeError):
    """The measured command was stopped because it took longer than allowed."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What running a command took, and what it printed; system time is part of the CPU time."""

    wall_seconds: float
    cpu_seconds: float
    system_seconds: float
    peak_bytes: int
    output: str = ""


def run(command: Command, *, limit_seconds: float | None = None, warm: bool = False) -> Cost:
    """Run `command` once and return its cost.

    CPU is user plus system time of the child and of every process it waited for, threads included. Data
    still waiting to reach the disk is flushed first, so that no run pays for what the one before it wrote;
    if `warm`, memory is touched first, so that no run pays for what the host of a virtual machine took away.
    """
    os.sync()
    if warm:
        subprocess.run([sys.executable, "-IS", Path(__file__).with_name("warming.py"), str(WARM_BYTES)], check=True)
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        child = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        timed_out = False
        try:
            while True:
                pid, status, usage = os.wait4(child.pid, os.WNOHANG)
                wall = time.perf_counter() - begin
                if pid:
                    break
                if limit_seconds is not None and wall > limit_seconds and not timed_out:
                    timed_out = True
                    os.killpg(child.pid, signal.SIGKILL)
                time.sleep(POLL_SECONDS)
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            raise
        # Popen must not wait for a child that is already gone.
        child.returncode = os.waitstatus_to_exitcode(status)
        name = Path(command[0]).name
        if timed_out:
            raise TimeLimitError(f"{name} took more than {limit_seconds:.0f} s")
        if child.returncode != 0:
            raise CommandError(f"{name} ended with {child.returncode}: {_last_lines(_text(errors))}")
        cpu = usage.ru_utime + usage.ru_stime
        return Cost(wall, cpu, usage.ru_stime, usage.ru_maxrss * PEAK_UNIT, _text(output))


def median(
    command: Command,
    *,
    runs: int = 3,
    limit_seconds: float | None = None,
    fresh: Iterable[Path] = (),
    warm: bool = False,
) -> Cost:
    """Run `command` several times and return the median of each figure, with the last output.

    Files in `fresh` are removed before each run: writing over an old file is not the work being measured.
    """
    leftovers = tuple(fresh)
    costs: list[Cost] = []
    for _ in range(runs):
        for path in leftovers:
            path.unlink(missing_ok=True)
        costs.append(run(command, limit_seconds=limit_seconds, warm=warm))
    return middle(costs)


def middle(costs: Sequence[Cost]) -> Cost:
    """Return the median of each figure of several runs, with the last output."""
    return Cost(
        statistics.median(cost.wall_seconds for cost in costs),
        statistics.median(cost.cpu_seconds for cost in costs),
        statistics.median(cost.system_seconds for cost in costs),
        int(statistics.median(cost.peak_bytes for cost in costs)),
        costs[-1].output,
    )


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode(errors="replace")


def _last_lines(text: str, count: int = 5) -> str:
    return " | ".join(text.strip().splitlines()[-count:]) or "no message"
