"""Where what is temporary is kept, and how much memory work that needs more room than this may take."""

from __future__ import annotations

import atexit
import contextlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from shoal.atomic_files.held import Held, hold_new, sweep

_PREFIX = "shoal-scratch-"


@dataclass(frozen=True)
class MemoryBudget:
    """How much memory something may take, in bytes, and the folder for what does not fit."""

    memory: int
    folder: Path


def default_budget() -> MemoryBudget:
    """Give what may be taken where no limit is given: little, since more would not be much faster."""
    return MemoryBudget(1 << 27, temp_folder())


def temp_folder() -> Path:
    """Give the folder for temporary files: one that does not lie in memory, if there is one."""
    usual = Path(tempfile.gettempdir())
    other = Path("/var/tmp")  # noqa: S108 - what is made in it has a name that nobody can guess, or none
    if "TMPDIR" not in os.environ and _in_memory(usual) and os.access(other, os.W_OK) and not _in_memory(other):
        return other
    return usual


def private_folder(place: Path) -> Held:
    """Make a folder for temporary files that nobody else can look into; remove those of processes that were killed."""
    sweep(place, _PREFIX)
    return hold_new(place, _PREFIX)


def folder_until_exit() -> Path:
    """Make such a folder for as long as this process lives."""
    held = private_folder(temp_folder())
    atexit.register(held.remove)
    return held.path


def sweep_leftovers() -> None:
    """Remove folders for temporary files of processes that were killed."""
    with contextlib.suppress(OSError):  # there may be no such folder
        sweep(temp_folder(), _PREFIX)


def _in_memory(folder: Path) -> bool:
    """Tell whether a folder lies in memory."""
    with contextlib.suppress(OSError, ValueError):
        mounts = [line.split() for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
        fitting = [mount for mount in mounts if folder.resolve().is_relative_to(mount[1])]
        return max(fitting, key=lambda mount: len(mount[1]))[2] in ("tmpfs", "ramfs")
    return False
