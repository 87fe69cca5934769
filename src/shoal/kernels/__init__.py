"""Compiled array functions. They know arrays only: no schema, no frames, no files.

Positions are ``int32``. Two of them are reserved: ``MISSING`` stands for a cell without a value, and the pair
``(MISSING, TOP)`` is the wildcard ``*``. With this choice the hull of any cells is a plain minimum and maximum, and a
hull that mixes missing and present cells is recognised by its lower end.

The work is done by the C files beside this one, compiled when the package is built. They allocate nothing: the
functions here make the arrays, check them, and hand over their addresses.
"""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.kernels.pace import running

MISSING = -(2**31)
TOP = 2**31 - 1
_Place = ctypes.c_char * 0
_REMEDY = "Build it again (make install, or pip install .), or mend SHOAL_KERNELS where that names another library."


@functools.cache
def _library() -> ctypes.CDLL:
    folder = Path(__file__).parent
    named = os.environ.get("SHOAL_KERNELS")
    places = [Path(named)] if named else [folder / f"_native{suffix}" for suffix in (".so", ".dylib", ".dll")]
    found = [path for path in places if path.exists()]
    if not found:
        raise InternalError("The compiled part of shoal is missing.", _REMEDY)
    try:
        return ctypes.CDLL(str(found[0]))
    except OSError as reason:
        raise InternalError(f"The compiled part of shoal cannot be loaded: {reason}.", _REMEDY) from None


class Int32(int):
    """An integer that a kernel takes as 32 bits."""


def _address(array: NDArray[Any]) -> Any:
    """Give an array as kernels take it. Its buffer tells at once where it is, but not if nothing may be written."""
    return _Place.from_buffer(array.data) if array.flags.writeable else ctypes.c_void_p(array.ctypes.data)


def call(kernel: str, *arguments: Any, result: type[Any] | None = None) -> Any:
    """Call a kernel with arrays by address, integers as 64 bits, and None as no array.

    A kernel trusts its caller, so the form of every array is checked here: it must be contiguous. If a signal ends it
    early, what the signal raised is raised here.
    """
    function = getattr(_library(), kernel)
    function.restype = result
    passed: list[Any] = []
    for argument in arguments:
        if argument is None:
            passed.append(ctypes.c_void_p(None))
        elif isinstance(argument, np.ndarray):
            if not argument.flags.c_contiguous:
                raise InternalError(f"The kernel {kernel} was given an array that is not contiguous.")
            passed.append(_address(argument))
        elif isinstance(argument, Int32):
            passed.append(ctypes.c_int32(argument))
        else:
            passed.append(ctypes.c_int64(argument))
    here = running()
    if not here.watched:
        here.watch(_library())
    here.kernel = kernel
    try:
        return function(*passed)
    finally:
        if here.pace.total:
            here.pace.settle()


def below(limit: int, labels: NDArray[np.int32] | NDArray[np.int64]) -> None:
    """Check that labels name groups that exist: kernels write where labels point."""
    if labels.size and (labels.min() < 0 or labels.max() >= limit):
        raise InternalError("A kernel was given labels of groups that do not exist.")


def of_kind(kind: type[np.generic], *arrays: NDArray[Any]) -> None:
    """Check that arrays hold what a kernel expects."""
    for array in arrays:
        if array.dtype != kind:
            raise InternalError(f"A kernel was given {array.dtype} where it takes {np.dtype(kind)}.")
