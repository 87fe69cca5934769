"""Memory: how much is available and resident, which pages of a file are cached, and how what is free is released.

Linux tells it by files in /proc, and the limits of a container by those of its control group; other systems are asked
through psutil.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_UNKNOWN = 4 * 10**9  # bytes that are taken to be available where nothing says it
_PROC = Path("/proc")
_GROUPS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"), Path("/sys/fs/cgroup/memory/memory.usage_in_bytes")),
)


def available() -> int:
    """Tell how much memory can be taken, within the limits that the process may be under."""
    found = []
    for most, used in _GROUPS:
        with contextlib.suppress(OSError, ValueError):  # "max" is no number: there is no limit
            found.append(int(most.read_text(encoding="ascii")) - int(used.read_text(encoding="ascii")))
    try:
        lines = (_PROC / "meminfo").read_text(encoding="ascii").splitlines()
        found += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    except OSError:
        with contextlib.suppress(ImportError):
            import psutil

            found.append(psutil.virtual_memory().available)
    return max(0, min(found, default=_UNKNOWN))


def resident() -> int:
    """Tell how much memory this process holds; 0 where nothing says it."""
    with contextlib.suppress(OSError):
        return int((_PROC / "self/statm").read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE
    with contextlib.suppress(ImportError):
        import psutil

        return int(psutil.Process().memory_info().rss)
    return 0


def release_unused() -> None:
    """Return memory that allocators hold but nobody uses to the system, where they can be asked to."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def resident_share(mapped: NDArray[Any]) -> float:
    """Tell which share of a mapped file is in the page cache; all of it where the system does not say."""
    pages = np.empty(-(-mapped.nbytes // mmap.PAGESIZE), np.uint8)
    with contextlib.suppress(OSError, AttributeError, TypeError):
        place, size = ctypes.c_void_p(mapped.ctypes.data), ctypes.c_size_t(mapped.nbytes)
        if pages.size and ctypes.CDLL(None).mincore(place, size, ctypes.c_void_p(pages.ctypes.data)) == 0:
            return float((pages & 1).mean())
    return 1.0
