"""Which pages of an array the system has in memory."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray


def share_in_memory(mapped: NDArray[Any]) -> float:
    """Tell which share of the pages of a mapped file is in memory; all of them where the system does not say."""
    pages = np.empty(-(-mapped.nbytes // mmap.PAGESIZE), np.uint8)
    with contextlib.suppress(OSError, AttributeError, TypeError):
        place, size = ctypes.c_void_p(mapped.ctypes.data), ctypes.c_size_t(mapped.nbytes)
        if pages.size and ctypes.CDLL(None).mincore(place, size, ctypes.c_void_p(pages.ctypes.data)) == 0:
            return float((pages & 1).mean())
    return 1.0
