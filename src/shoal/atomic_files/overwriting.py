"""What must not be written over: what the same run reads, or writes under another name, and what nobody gave up."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from shoal.atomic_files.lakehouses import refuse_writing_into
from shoal.errors import DataError, ParameterError


@runtime_checkable
class ReadsFiles(Protocol):
    """Something that a run is made of and that reads files of its own, such as hierarchies or counts."""

    def files(self) -> Sequence[Path]:
        """Give the files that must not be overwritten while they are needed."""
        ...


def files_read_by(parts: Iterable[Any]) -> Iterator[Path]:
    """Give the files that the parts of a run read."""
    for part in parts:
        if isinstance(part, ReadsFiles):
            yield from part.files()


def refuse_overwriting(
    outputs: Sequence[Path], inputs: Iterable[Path], folder: Path | None = None, *, overwrite: bool = False
) -> None:
    """Refuse outputs that have the same name, that are no plain files, or that the same run reads.

    What is there already is refused too, unless it may be overwritten. One of them may be a folder, which must be new
    or empty.
    """
    refuse_twice(outputs)
    refuse_writing_into(outputs)
    needed = {one for path in inputs for one in _known_by(path)}
    for path in outputs:
        if needed & _known_by(path):
            raise ParameterError(
                f"Writing '{path}' would overwrite the input, which would be lost.", "Choose another name."
            )
        if str(path) == "-":
            raise ParameterError("Only a table goes to stdout, which '-' stands for.", "Name a file to write.")
        if path.is_symlink():
            raise DataError(f"'{path}' is a link, which is never replaced.", _instead_of(path))
        if path == folder and path.is_dir():
            if next(path.iterdir(), None) is not None:
                raise DataError(f"The folder '{path}' is not empty.", "Name a new folder, or empty this one.")
            continue
        if path.name in ("", "..") or path.is_dir():
            raise DataError(f"'{path}' is a folder.", "Name a file to write.")
        if path.exists() and not path.is_file():
            raise DataError(f"'{path}' is a device or a pipe, not a file.", "Name a file to write.")
        if path.exists() and not overwrite:
            raise ParameterError(
                f"'{path}' is there already.",
                "Choose another name, or let it be replaced: --overwrite (in Python overwrite=True).",
            )


def _instead_of(link: Path) -> str:
    """Say what to name instead of a link."""
    if str(link).startswith(("/dev/", "/proc/")):
        return "Name a file to write, or write --out - for stdout."
    return f"Name what it leads to, '{os.path.realpath(link)}', or another place."


def refuse_twice(outputs: Sequence[Path]) -> None:
    """Refuse outputs that are one and the same file, however they are spelled."""
    seen: set[Any] = set()
    for path in outputs:
        known = _known_by(path)
        if seen & known:
            raise ParameterError("Two of the files to write have the same name.", "Give each a name of its own.")
        seen |= known


def _known_by(path: Path) -> set[Any]:
    """Give what a file is known by: where it lies behind all links, and which file it is under whatever name."""
    known: set[Any] = {os.path.realpath(path)}
    try:
        found = path.stat()
    except (OSError, ValueError):
        return known
    return known | {(found.st_dev, found.st_ino)}
