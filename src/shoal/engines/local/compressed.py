"""Compressed text: what is in a file that ends in .gz or .zst, as a stream."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoal.engines.sources import COMPRESSED
from shoal.engines.straight import incoming
from shoal.errors import DataError


def is_compressed(path: Path) -> bool:
    """Tell whether the name of a file says that it is compressed."""
    return path.suffix.lower() in COMPRESSED


@contextlib.contextmanager
def opened(path: Path, some: tuple[int, int] | None = None, *, straight: bool = False) -> Iterator[Any]:
    """Open a file to read what is in it: all, or some of the bytes of one that is not compressed."""
    if not is_compressed(path):
        with incoming(path) if straight else path.open("rb") as file:
            yield file if some is None else _Some(file, *some)
        return
    if path.is_file() and path.stat().st_size == 0:
        raise DataError(f"'{path}' is empty.", "A table needs a header line and at least one record.")
    try:
        with _stream(path, "rb") as file:
            yield file
    except (EOFError, zlib.error, OSError) as error:
        if getattr(error, "errno", None):  # the file itself cannot be opened or read
            raise
        raise DataError(f"'{path}' is damaged or was cut short.", "Get or make the file again.") from None


class _Some:
    """The bytes of a file from one place to another."""

    def __init__(self, file: Any, start: int, stop: int) -> None:
        self._file, self._left = file, stop - start
        file.seek(start)

    def readinto(self, buffer: memoryview) -> int:
        """Fill a buffer as far as there are bytes."""
        got: int = self._file.readinto(buffer[: min(len(buffer), self._left)])
        self._left -= got
        return got


@contextlib.contextmanager
def created(path: Path) -> Iterator[Any]:
    """Make a new file and open it for what goes into it. The same content gives the same file."""
    if not is_compressed(path):
        with path.open("xb", buffering=0) as file:
            yield file
        return
    with _stream(path, "xb") as file:
        yield file


@contextlib.contextmanager
def _stream(path: Path, mode: str) -> Iterator[Any]:
    with path.open(mode) as plain:
        if path.suffix.lower() == ".gz":
            import gzip

            # Neither a name nor the time is kept in the file: they would make it another one each time.
            with gzip.GzipFile("", mode[:1].replace("x", "w") + "b", 6, plain, mtime=0) as file:
                yield file
            return
        import pyarrow as pa

        kind = pa.CompressedInputStream if mode == "rb" else pa.CompressedOutputStream
        with kind(plain, "zstd") as file:
            yield file
