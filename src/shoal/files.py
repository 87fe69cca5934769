"""Writing several files together: all of them or none, and never over something that is still needed."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from shoal.errors import DataError, ParameterError


def refuse_overwriting(outputs: Sequence[Path], inputs: Iterable[Path], folder: Path | None = None) -> None:
    """Refuse outputs that have the same name, that are no plain files, or that are the input of the same run.

    One of them may be a folder, which must be new or empty.
    """
    places = [os.path.realpath(path) for path in outputs]
    if len(set(places)) < len(places):
        raise ParameterError("Two of the files to write have the same name.", "Give each a name of its own.")
    needed = {os.path.realpath(path) for path in inputs}
    for path, place in zip(outputs, places, strict=True):
        if place in needed:
            raise ParameterError(
                f"Writing '{path}' would overwrite the input, which would be lost.", "Choose another name."
            )
        if path == folder and path.is_dir():
            if next(path.iterdir(), None) is not None:
                raise DataError(f"The folder '{path}' is not empty.", "Name a new folder, or empty this one.")
            continue
        if path.name in ("", "..") or path.is_dir():
            raise DataError(f"'{path}' is a folder.", "Name a file to write.")
        if path.exists() and not path.is_file():
            raise DataError(f"'{path}' is a device or a pipe, not a file.", "Name a file to write.")


@contextlib.contextmanager
def all_or_none(outputs: Sequence[Path], last: Callable[[], None] | None = None) -> Iterator[list[Path]]:
    """Give a new name beside each output to write under; move all into place at the end, or remove them.

    Whatever goes wrong, an interruption included, nothing half-written stays behind. ``last`` is done when all are in
    place, such as to commit what else was written; if it fails, they are removed too.
    """
    drafts = [path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}") for path in outputs]
    moved: list[Path] = []
    try:
        yield drafts
        for draft, path in zip(drafts, outputs, strict=True):
            moved.append(path)
            draft.replace(path)
        if last is not None:
            last()
        moved = []
    except OSError as error:
        names = dict(zip(map(str, drafts), outputs, strict=True))
        path = names.get(str(error.filename), outputs[0])
        reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or str(error)
        raise DataError(
            f"'{path}' cannot be written: {reason}.", "Check the folder, its permissions and the space left."
        ) from None
    finally:
        # A folder that stands where one was to go is ours only if the draft went there.
        ours = [path for draft, path in zip(drafts, moved, strict=False) if not path.is_dir() or not draft.exists()]
        for path in (*drafts, *ours):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            with contextlib.suppress(OSError):
                path.unlink()
