"""Files that are read more than once: what is read again is what was digested, block by block, or it is refused.

A format whose end tells what is at its beginning cannot be read in one pass. So the first pass takes the digest of the
file and those of its blocks, and every byte that is read later belongs to a block that is compared with its own: nobody
can put another file in its place in between.
"""

from __future__ import annotations

import hashlib
import io
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.errors import DataError
from shoal.progress import counted
from shoal.table import Written

_BLOCK = 1 << 18
_DIGEST = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Sealed:
    """A file as it was when it was digested. It may travel to where it is read."""

    path: Path
    written: Written
    blocks: bytes = field(repr=False)

    @classmethod
    def of(cls, path: Path, beside: Any = None) -> Sealed:
        """Digest a file; its bytes are added to another digest too, if one is given."""
        whole, size, blocks, buffer = hashlib.sha256(), 0, bytearray(), memoryview(bytearray(_BLOCK))
        try:
            with path.open("rb", buffering=0) as file, counted(path.stat().st_size, "taking its digest") as part:
                while got := _filled(file, buffer):
                    whole.update(buffer[:got])
                    if beside is not None:
                        beside.update(buffer[:got])
                    blocks += hashlib.sha256(buffer[:got]).digest()
                    size += got
                    part.done = size
        except FileNotFoundError:
            raise DataError(f"There is no file '{path}'.", "Check its name and folder.") from None
        except OSError as error:
            raise DataError(f"'{path}' cannot be read: {error.strerror}.", "Check its name and folder.") from None
        return cls(path, Written(whole.hexdigest(), size), bytes(blocks))

    def open(self) -> SealedFile:
        """Open the file to read what was digested."""
        return SealedFile(self)


class SealedFile(io.RawIOBase):
    """A file of which every block is compared with its digest before anything of it is given."""

    def __init__(self, sealed: Sealed) -> None:
        super().__init__()
        self._sealed, self._at = sealed, 0
        self._block, self._held = bytearray(_BLOCK), -1  # the block that was read last, and its number
        try:
            self._file = sealed.path.open("rb", buffering=0)
        except OSError:
            raise changed(f"'{sealed.path}'") from None

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def seekable(self) -> bool:
        """Tell that any place of it can be read."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place."""
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._sealed.written.size}[whence]
        return self._at

    def tell(self) -> int:
        """Tell the place."""
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as there are bytes."""
        room, done = memoryview(buffer).cast("B"), 0
        wanted = min(len(room), max(0, self._sealed.written.size - self._at))
        while done < wanted:
            number, start = divmod(self._at, _BLOCK)
            if number != self._held:
                self._take(number)
            some = min(wanted - done, _BLOCK - start)
            room[done : done + some] = memoryview(self._block)[start : start + some]
            done += some
            self._at += some
        return done

    def _take(self, number: int) -> None:
        self._held = -1
        self._file.seek(number * _BLOCK)
        got = _filled(self._file, memoryview(self._block))
        size = min(_BLOCK, self._sealed.written.size - number * _BLOCK)
        mine = self._sealed.blocks[number * _DIGEST : (number + 1) * _DIGEST]
        if got < size or hashlib.sha256(memoryview(self._block)[:size]).digest() != mine:
            raise changed(f"'{self._sealed.path}'")
        self._held = number

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self._file.close()
        super().close()


def changed(what: str) -> DataError:
    """Say that a file is not what it was when it was read first."""
    return DataError(f"{what} was changed while it was read.", "Read it again when nobody writes to it.")


def _filled(file: Any, buffer: memoryview) -> int:
    """Fill a buffer as far as there are bytes, and tell how many there were."""
    filled = 0
    while filled < len(buffer) and (got := file.readinto(buffer[filled:])):
        filled += got
    return filled
