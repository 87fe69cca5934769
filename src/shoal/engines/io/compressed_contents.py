"""What a compressed file holds beside the text in it."""

from __future__ import annotations

import bz2
import lzma
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO

from shoal.engines.io.compressed import is_gzip, member_of
from shoal.engines.io.sealed_files import Sealed, changed
from shoal.table import Written

_AT_ONCE = 1 << 18
# As it is written here: no name, no time, no remark.
_GZIP_HEAD = b"\x1f\x8b\x08\x00" + bytes(5) + b"\xff"
_ZSTD_MAGIC = 0xFD2FB528
_ONE_STREAM: dict[str, Any] = {".bz2": bz2.BZ2Decompressor, ".xz": lzma.LZMADecompressor}
_ZIP64, _END_OF_LARGE = 20, 24  # bytes that an archive has for sizes beyond 4 GB, before and behind a file
_RLE = 1  # a block of one byte that is repeated


def hidden_bytes(path: Path, written: Written | None = None) -> str | None:
    """Name what a compressed file holds beside its text; None if there is nothing.

    What was read of the file before may be given, so that nothing else is looked at.
    """
    sealed = Sealed.of(path)
    if written is not None and sealed.written != written:
        raise changed(f"'{path}'")
    ending = path.suffix.lower()
    with sealed.open() as file:
        if ending in _ONE_STREAM:
            return _beside_stream(file, _ONE_STREAM[ending]())  # type: ignore[arg-type]
        if ending == ".zip":
            return _beside_member(path, file)  # type: ignore[arg-type]
        return _beside_gzip(file) if is_gzip(path) else _beside_zstd(file)  # type: ignore[arg-type]


def _beside_gzip(file: BinaryIO) -> str | None:
    if file.read(len(_GZIP_HEAD)) != _GZIP_HEAD:
        return "a name, a time or a remark in its header"
    unpack, some = zlib.decompressobj(wbits=-zlib.MAX_WBITS), b""
    while not unpack.eof:
        some = unpack.unconsumed_tail or file.read(_AT_ONCE)
        if not some:
            return None  # cut short, which its reader says
        unpack.decompress(some, _AT_ONCE)
    rest = unpack.unused_data + file.read(_AT_ONCE)
    behind = rest[8:]  # the sum and the length of the text
    if behind[:2] == _GZIP_HEAD[:2]:
        return "several files in one"
    return "bytes behind its end" if behind else None


def _beside_stream(file: BinaryIO, unpack: Any) -> str | None:
    """Find whether something lies behind the one stream that there may be: it holds its text and nothing else."""
    some = b""
    while not unpack.eof:
        if unpack.needs_input:
            some = file.read(_AT_ONCE)
            if not some:
                return None  # cut short, which its reader says
        unpack.decompress(some, _AT_ONCE)
        some = b""
    return "bytes behind its end" if unpack.unused_data or file.read(1) else None


def _beside_member(path: Path, file: BinaryIO) -> str | None:
    """Find whether an archive is what is written here: one file, without time, remark or anything between."""
    expected = member_of(path)
    with zipfile.ZipFile(file) as whole:
        members, remark = whole.infolist(), whole.comment
        if len(members) != 1:
            return "several files in one"
        (found,) = members
        named = Path(found.filename).name == found.filename and Path(found.filename).suffix
        if remark or found.comment or found.date_time != expected.date_time or found.extra or not named:
            return "a time or a remark in its header"
        if found.external_attr != expected.external_attr or found.compress_type != expected.compress_type:
            return "marks in its header"
    name = len(found.filename.encode())
    size = (30 + name + _ZIP64) + found.compress_size + (46 + name) + 22
    descriptor = _END_OF_LARGE if found.flag_bits & 8 else 0
    file.seek(0, 2)
    if file.tell() != size + descriptor:
        return "bytes that belong to no file"
    file.seek(30 + name + _ZIP64)
    unpack, left, some = zlib.decompressobj(wbits=-zlib.MAX_WBITS), found.compress_size, b""
    while not unpack.eof:
        some = unpack.unconsumed_tail or file.read(min(_AT_ONCE, left))
        if not some:
            return None
        left -= 0 if unpack.unconsumed_tail else len(some)
        unpack.decompress(some, _AT_ONCE)
    return "bytes behind its end" if unpack.unused_data or left else None


def _beside_zstd(file: BinaryIO) -> str | None:
    """Walk over the blocks of the one frame that there may be."""
    if int.from_bytes(file.read(4), "little") != _ZSTD_MAGIC:
        return "bytes before its text"
    (flags,) = file.read(1) or b"\0"
    single, spare, summed, dictionary = flags >> 5 & 1, flags >> 3 & 3, flags >> 2 & 1, flags & 3
    if spare or dictionary:
        return "marks in its header"
    sizes = (single, 2, 4, 8)  # of the field that tells how long the text is
    file.seek(1 - single + sizes[flags >> 6], 1)
    last = 0
    while not last:
        head = file.read(3)
        if len(head) < 3:
            return None  # cut short, which its reader says
        said = int.from_bytes(head, "little")
        last, kind, size = said & 1, said >> 1 & 3, said >> 3
        file.seek(1 if kind == _RLE else size, 1)
    file.seek(4 * summed, 1)
    behind = file.read(4)
    if not behind:
        return None
    if int.from_bytes(behind, "little") & ~0xF == 0x184D2A50:
        return "a frame that readers skip"
    return "several files in one" if int.from_bytes(behind, "little") == _ZSTD_MAGIC else "bytes behind its end"
