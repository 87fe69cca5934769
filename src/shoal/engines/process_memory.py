"""Memory of this process: how much is resident, which pages of a file are, and how free memory is given back."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PAGE = 4096


def resident() -> int:
    """Tell how much memory this process holds; 0 where the system does not say."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    return 0


def release_unused() -> None:
    """Return memory that allocators hold but nobody uses to the system, where they can be asked to."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def resident_share(mapped: NDArray[Any]) -> float:
    """Tell which share of the pages of a mapped file is resident; all of them where the system does not say."""
    pages = np.empty(-(-mapped.nbytes // mmap.PAGESIZE), np.uint8)
    with contextlib.suppress(OSError, AttributeError, TypeError):
        place, size = ctypes.c_void_p(mapped.ctypes.data), ctypes.c_size_t(mapped.nbytes)
        if pages.size and ctypes.CDLL(None).mincore(place, size, ctypes.c_void_p(pages.ctypes.data)) == 0:
            return float((pages & 1).mean())
    return 1.0
