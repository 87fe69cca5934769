"""Tables that come from stdin or through a pipe, and tables that go to stdout.

Readers read a table more than once, so what can be read only once is copied to a private file first. It is removed when
the process ends; what a process leaves that is killed is removed by the next one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from shoal.engines.io.direct_io import write_all
from shoal.engines.sources import Source
from shoal.engines.workspace import folder_until_exit, private_folder, temp_folder
from shoal.errors import DataError, ParameterError
from shoal.table import Table

_AT_ONCE = 1 << 20
# What a file is, by its first bytes: its name tells nothing here.
_FORMATS = (
    (b"PAR1", ".parquet"), (b"\x1f\x8b", ".csv.gz"), (b"\x28\xb5\x2f\xfd", ".csv.zst"), (b"BZh", ".csv.bz2"),
    (b"\xfd7zXZ\x00", ".csv.xz"), (b"$FL2", ".sav"), (b"$FL3", ".zsav"), (b"<stata_dta>", ".dta"),
    (b"HEADER RECORD*******LIB", ".xpt"), (b"ARROW1", ".arrow"), (b"FEA1", ".feather"), (b"ORC", ".orc"),
)  # fmt: skip
_copies: list[tuple[Any, Source]] = []  # of what, and where: stdin can be asked for again


def at_hand(source: Any) -> Any:
    """Give a source that can be read as often as needed: a copy of stdin or of a pipe, what is named, or a frame."""
    if not isinstance(source, (str, os.PathLike, Source)):
        return source
    found = Source.parse(source)
    if found.kind == "stream":
        known = next((copy for stream, copy in _copies if stream is sys.stdin), None)
        return known or _copied(_stdin(), sys.stdin)
    if found.kind == "remote":
        from shoal.engines.io.remote_files import brought_here

        copy = brought_here(found)
        _copies.append((found.address, copy))
        return copy
    if found.kind == "file" and _is_pipe(found.path):
        try:
            with found.path.open("rb") as file:
                return _copied(file, found.path)
        except OSError as error:
            raise DataError(f"'{found.path}' cannot be read: {error.strerror}.", "Check what writes to it.") from None
    return found


def as_given(table: Table, source: Any) -> Table:
    """Give a table that was read from a source as what it is to its user: nobody knows a copy by its name."""
    if not isinstance(source, Source) or not source.copied:
        return table
    return replace(table, origin=replace(table.origin, name=source.name, place=str(source)))


def said_as_given(text: str) -> str:
    """Give what is said of a copy as it is to be said of what was given."""
    for given, copy in _copies:
        text = text.replace(str(copy.path), _name(given))
    return text


def _name(given: Any) -> str:
    return str(given) if isinstance(given, Path | str) else "stdin"


def _stdin() -> BinaryIO:
    if sys.stdin is None or sys.stdin.isatty():
        raise ParameterError("Nothing comes from stdin, which '-' stands for.", "Pipe a table in, or name a file.")
    return sys.stdin.buffer


def _is_pipe(path: Path) -> bool:
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _copied(file: BinaryIO, given: Any) -> Source:
    folder = folder_until_exit()
    try:
        first = file.read(_AT_ONCE)
        ending = next((ending for start, ending in _FORMATS if first.startswith(start)), ".csv")
        path = folder / f"stdin{ending}"
        with path.open("xb") as copy:
            copy.write(first)
            shutil.copyfileobj(file, copy, _AT_ONCE)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        if error.errno == errno.ENOSPC:
            raise DataError(
                f"The disk of '{folder.parent}' is full.",
                "Make room, or name another folder for temporary files (TMPDIR).",
            ) from None
        raise DataError(f"'{_name(given)}' cannot be read: {error.strerror}.", "Check what writes to it.") from None
    copied = Source("file", path, copied=True)
    _copies.append((given, copied))
    return copied


@contextlib.contextmanager
def to_stdout() -> Iterator[Path]:
    """Give a file to write; it goes to stdout when it is complete, and nothing does before."""
    if not hasattr(sys.stdout, "buffer"):  # as in a notebook
        raise ParameterError("There is no stdout here that takes a table.", "Name a file to write.")
    held = private_folder(temp_folder())
    try:
        draft = held.path / "stdout.csv"
        yield draft
        try:
            sys.stdout.flush()
            # Past what Python keeps for later: if nobody takes it, nothing is left to be sent when the process ends.
            plain = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)
            with draft.open("rb") as file:
                while some := file.read(_AT_ONCE):
                    write_all(plain, some)
        except OSError as error:
            raise DataError(
                f"The table cannot be written to stdout: {error.strerror}.", "Check where the output goes."
            ) from None
    finally:
        held.remove()
