"""Memory that is free but not given back to the system: how much is held, and how to let go of it."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from shoal.kernels.freeing import trim

_PAGE = 4096


def resident() -> int:
    """Tell how much memory this process holds; 0 where the system does not say."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    return 0


def give_back() -> None:
    """Give memory that is free back to the system, where that can be asked for."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    trim()
