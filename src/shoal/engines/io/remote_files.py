"""Files in S3, Google Cloud Storage and Azure: copied here to be read, and sent when all else is complete.

Readers read a table more than once, and what is read again must be what was digested, so a file is copied first. Keys
are found where the libraries of these services look for them, in the environment or in their files, never in a name.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from shoal.engines.sources import Source
from shoal.engines.workspace import folder_until_exit, private_folder, temp_folder
from shoal.errors import DataError, ParameterError, ShoalError

_AT_ONCE = 1 << 22
_PARQUET = (".parquet", ".pq")


def filesystem_of(address: str) -> tuple[Any, str]:
    """Give what reads and writes at an address, and the path there."""
    from pyarrow import fs

    found: tuple[Any, str] = fs.FileSystem.from_uri(address)
    return found


def brought_here(source: Source) -> Source:
    """Copy a file, or the Parquet files of a folder, to a private folder that is removed when the process ends."""
    from pyarrow import fs

    with _in_words(source):
        place, path = filesystem_of(source.address)
        if source.address.partition("?")[0].endswith("/"):
            selector = fs.FileSelector(path.rstrip("/"), recursive=True)
            found = [each for each in place.get_file_info(selector) if each.path.lower().endswith(_PARQUET)]
            if not found:
                raise DataError(f"'{source}' holds no Parquet files.", "Name a file, or a folder with *.parquet.")
            folder = folder_until_exit() / PurePosixPath(path.rstrip("/")).name
            for each in found:
                inner = PurePosixPath(each.path).relative_to(PurePosixPath(path.rstrip("/")))
                _copy(place, each.path, folder / inner)
            return Source("folder", folder, copied=True, address=source.address)
        copy = folder_until_exit() / source.path.name
        _copy(place, path, copy)
        return Source("file", copy, copied=True, address=source.address)


def _copy(place: Any, path: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with place.open_input_stream(path, compression=None) as file, target.open("xb") as copy:
        shutil.copyfileobj(file, copy, _AT_ONCE)


@contextlib.contextmanager
def sent_to(target: Source, *, overwrite: bool) -> Iterator[Path]:
    """Give a file to write; it is sent when it is complete, and nothing is before."""
    refuse_existing(target, overwrite=overwrite)
    held = private_folder(temp_folder())
    try:
        draft = held.path / target.path.name
        yield draft
        with _in_words(target):
            place, path = filesystem_of(target.address)
            with draft.open("rb") as file, place.open_output_stream(path, compression=None) as out:
                shutil.copyfileobj(file, out, _AT_ONCE)
    finally:
        held.remove()


def refuse_existing(target: Source, *, overwrite: bool) -> None:
    """Refuse a place where there is something that must not be replaced, and one that is a folder."""
    from pyarrow import fs

    if target.address.partition("?")[0].endswith("/"):
        raise ParameterError(
            f"'{target}' is a folder, and only a file is written there.", "Name one: …/release.parquet."
        )
    with _in_words(target):
        place, path = filesystem_of(target.address)
        there = place.get_file_info(path).type != fs.FileType.NotFound
    if there and not overwrite:
        raise ParameterError(
            f"'{target}' is there already.", "Choose another name, or let it be replaced: --overwrite."
        )


@contextlib.contextmanager
def _in_words(source: Source) -> Iterator[None]:
    """Say what is wrong without repeating a library, whose message may hold keys."""
    try:
        yield
    except ShoalError:
        raise
    except FileNotFoundError:
        raise DataError(f"There is no '{source}'.", "Check its name, and the region of its bucket.") from None
    except PermissionError:
        raise DataError(f"'{source}' may not be used by you.", "Check your keys, and what they allow.") from None
    except Exception as error:  # noqa: BLE001 - its message may hold keys
        raise DataError(
            f"'{source}' cannot be reached ({type(error).__name__}).",
            "Check its name, the keys in your environment, and the network.",
        ) from None
