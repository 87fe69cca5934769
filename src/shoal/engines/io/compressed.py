"""Compressed text: what is in a file that ends in .gz, .zst, .bz2, .xz or .zip, as a stream."""

from __future__ import annotations

import bz2
import contextlib
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoal.engines.file_forms import COMPRESSED
from shoal.engines.io.digests import Digest
from shoal.engines.io.direct_io import direct_reader
from shoal.engines.io.sealed_files import Sealed
from shoal.errors import DataError

_AT_ONCE = 1 << 20
_FLAGS, _SUMMED = 4, 4  # where the flags of a file of Zstandard are, and that of a sum behind its content


def is_compressed(path: Path) -> bool:
    """Tell whether the name of a file says that it is compressed."""
    return path.suffix.lower() in COMPRESSED


@contextlib.contextmanager
def opened(
    path: Path | Sealed, some: tuple[int, int] | None = None, *, direct: bool = False, digest: Digest | None = None
) -> Iterator[Any]:
    """Open a file to read what is in it: all, or some of the bytes of one that is not compressed.

    The bytes of a compressed file are added to a digest, if there is one, as they are read.
    """
    if isinstance(path, Sealed) or not is_compressed(path):
        with path.open() if isinstance(path, Sealed) else direct_reader(path) if direct else path.open("rb") as file:
            yield file if some is None else _Some(file, *some)
        return
    if path.is_file() and path.stat().st_size == 0:
        raise DataError(f"'{path}' is empty.", "A table needs a header line and at least one record.")
    try:
        with path.open("rb") as plain:
            packed = plain if digest is None else _Digested(plain, digest)
            if _ending(path) == ".zip":  # whose end tells what is in it: it is digested first, and sealed
                with _member(path, Sealed.of(path, digest)) as file:
                    yield file
                return
            with _unpacked(path, packed) as file:
                yield file
            while digest is not None and packed.read(
                _AT_ONCE
            ):  # what stands behind the end of the text belongs to the file too
                pass
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError, OSError) as error:
        if getattr(error, "errno", None):  # the file itself cannot be opened or read
            raise
        raise DataError(f"'{path}' is damaged or was cut short.", "Get or make the file again.") from None


class _Digested:
    """A file whose bytes are added to a digest as they are read."""

    closed = False

    def __init__(self, file: Any, digest: Digest) -> None:
        self._file, self._digest = file, digest

    def read(self, size: int = -1) -> bytes:
        """Give the bytes that come next."""
        some: bytes = self._file.read(size)
        self._digest.update(some)
        return some

    def close(self) -> None:
        """Leave the file open: it is closed where it was opened."""


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
    with path.open("xb") as plain:
        if is_gzip(path):
            import gzip

            # Neither a name nor the time is kept in the file: they would make it another one each time.
            with gzip.GzipFile("", "wb", 6, plain, mtime=0) as file:
                yield file
            return
        if _ending(path) == ".bz2":
            with bz2.BZ2File(plain, "wb") as file:
                yield file
            return
        if _ending(path) == ".xz":
            with lzma.LZMAFile(plain, "wb", preset=6) as file:
                yield file
            return
        if _ending(path) == ".zip":
            with zipfile.ZipFile(plain, "w") as whole, whole.open(member_of(path), "w", force_zip64=True) as file:
                yield file
            return
        import pyarrow as pa

        with pa.CompressedOutputStream(plain, "zstd") as file:
            yield file


def _unpacked(path: Path, packed: Any) -> Any:
    if is_gzip(path):
        import gzip

        return gzip.GzipFile("", "rb", fileobj=packed)
    if _ending(path) == ".bz2":
        return bz2.BZ2File(packed, "rb")
    if _ending(path) == ".xz":
        return lzma.LZMAFile(packed, "rb")
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(packed, mode="r"), "zstd")


@contextlib.contextmanager
def _member(path: Path, sealed: Sealed) -> Iterator[Any]:
    """Open the one file that is in a zip archive."""
    with sealed.open() as plain, zipfile.ZipFile(plain) as whole:
        members = [each for each in whole.infolist() if not each.is_dir() and not each.filename.startswith("__MACOSX/")]
        if len(members) != 1:
            raise DataError(
                f"'{path}' holds {len(members):,} files, and a table is one.", "Unpack it, and name the one to be read."
            )
        if members[0].flag_bits & 1:
            raise DataError(f"'{path}' is locked by a password.", "Unpack it, and read what is inside.")
        with whole.open(members[0]) as file:
            yield file


def member_of(path: Path) -> zipfile.ZipInfo:
    """Say how the text in a zip archive is called: as the archive, without its ending, and without a time."""
    draft = path.with_suffix("").name
    found = zipfile.ZipInfo(draft if Path(draft).suffix else f"{draft}.csv")
    found.compress_type, found.external_attr, found.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
    return found


def _ending(path: Path) -> str:
    return path.suffix.lower()


def notes_on(path: Path) -> tuple[str, ...]:
    """Say that a file has no sum that would show whether its content was damaged: Zstandard leaves it to the writer."""
    if _ending(path) != ".zst":
        return ()
    with path.open("rb") as file:
        head = file.read(_FLAGS + 1)
    return () if len(head) > _FLAGS and head[_FLAGS] & _SUMMED else ("no checksum of its content",)


def is_gzip(path: Path) -> bool:
    """Tell whether a compressed file is one of gzip; the others are of Zstandard."""
    return path.suffix.lower() == ".gz"
