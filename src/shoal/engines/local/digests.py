"""SHA-256 of what was written or read: of a file, and of a folder."""

from __future__ import annotations

import hashlib
from pathlib import Path

from shoal.engines import Written
from shoal.engines.sources import parquet_files
from shoal.engines.straight import incoming
from shoal.errors import DataError


def of_file(path: Path, *, straight: bool = False) -> Written:
    """Give the digest and the length of a file; what is not in memory does not stay there if it is read straight."""
    digest, size, buffer = hashlib.sha256(), 0, memoryview(bytearray(1 << 20))
    try:
        with incoming(path) if straight else path.open("rb", buffering=0) as file:
            while got := file.readinto(buffer):
                digest.update(buffer[:got])
                size += got
    except OSError as error:
        raise DataError(f"'{path}' cannot be read: {error.strerror}.", "Check its name and folder.") from None
    return Written(digest.hexdigest(), size)


def of_folder(folder: Path) -> Written:
    """Give the digest of the list of a folder's Parquet files, as ``sha256sum`` prints it, and their length."""
    files = parquet_files(folder)
    each = [of_file(path) for path in files]
    names = [path.relative_to(folder).as_posix() for path in files]
    lines = "".join(f"{found.sha256}  {name}\n" for found, name in zip(each, names, strict=True))
    return Written(hashlib.sha256(lines.encode()).hexdigest(), sum(found.size for found in each))
