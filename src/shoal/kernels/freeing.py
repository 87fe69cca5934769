"""Memory that is free but still held by the allocator of C."""

from __future__ import annotations

import contextlib
import ctypes


def trim() -> None:
    """Give it back to the system, where the allocator can be asked to."""
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
