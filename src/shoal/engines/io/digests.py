"""SHA-256 of what was written or read: of a file, and of a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from shoal.engines.io.direct_io import direct_reader
from shoal.engines.sources import parquet_files
from shoal.errors import DataError
from shoal.progress import counted
from shoal.table import Written


class Digest:
    """The digest and the length of bytes that come one after the other."""

    def __init__(self) -> None:
        self._digest, self.size = hashlib.sha256(), 0

    def update(self, some: bytes | memoryview) -> None:
        """Add some bytes."""
        self._digest.update(some)
        self.size += len(some)

    @property
    def written(self) -> Written:
        """What came until now."""
        return Written(self._digest.hexdigest(), self.size)


def of_file(path: Path, *, direct: bool = False) -> Written:
    """Give the digest and the length of a file; what is not in memory does not stay there with direct I/O."""
    digest, buffer = Digest(), memoryview(bytearray(1 << 20))
    try:
        with (
            direct_reader(path) if direct else path.open("rb", buffering=0) as file,
            counted(path.stat().st_size, "taking its digest") as part,
        ):
            while got := file.readinto(buffer):
                digest.update(buffer[:got])
                part.done = digest.size
    except OSError as error:
        raise DataError(f"'{path}' cannot be read: {error.strerror}.", "Check its name and folder.") from None
    return digest.written


def of_folder(folder: Path) -> Written:
    """Give the digest of the list of a folder's Parquet files, as ``sha256sum`` prints it, and their length."""
    return of_files(folder, [(path, of_file(path)) for path in parquet_files(folder)])


def of_files(folder: Path, files: Sequence[tuple[Path, Written]]) -> Written:
    """Give the digest of a folder whose files have been digested."""
    lines = "".join(f"{found.sha256}  {path.relative_to(folder).as_posix()}\n" for path, found in files)
    return Written(hashlib.sha256(lines.encode()).hexdigest(), sum(found.size for _, found in files))
