"""Compiled array functions. They know arrays only: no schema, no frames, no files.

Positions are ``int32``. Two of them are reserved: ``MISSING`` stands for a cell without a value, and the pair
``(MISSING, TOP)`` is the wildcard ``*``. With this choice the hull of any cells is a plain minimum and maximum,
and a hull that mixes missing and present cells is recognised by its lower end.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

MISSING = -(2**31)
TOP = 2**31 - 1

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def _private_folder() -> str | None:
    """Give a folder in the temporary area that only this user can write to, or None."""
    folder = Path(tempfile.gettempdir()) / f"shoal-kernels-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return None
    # Compiled code is loaded from here: a folder that someone else owns or can write to is not to be trusted.
    owned = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)
    return str(folder) if owned and stat.S_ISDIR(status.st_mode) else None


def compiled(function: Kernel) -> Kernel:
    """Compile a kernel on first use and keep the machine code for the next start.

    The code is kept beside the package, or in the user's cache folder where the package is read-only, or in a
    private temporary folder where there is no home to write to; if all fail it is compiled anew at each start.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        return numba.njit(function, cache=True, **options)  # type: ignore[no-any-return]
    except RuntimeError:
        folder = _private_folder()
        if folder is None:
            return numba.njit(function, **options)  # type: ignore[no-any-return]
        numba.config.CACHE_DIR = folder  # type: ignore[attr-defined]
        return numba.njit(function, cache=True, **options)  # type: ignore[no-any-return]
