"""Tables of lakehouses: folders whose log, not their files, says which rows there are.

Their folders also hold files of rows that were deleted or changed since. Reading all files would bring these
rows back, and a file that is put there makes rows that no log knows.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import DataError

_METADATA = re.compile(r".+\.metadata\.json(\.gz)?|.+\.gz\.metadata\.json")
_ASIDE = {
    "Delta Lake": "Name the folder of the whole table, which can be read, or write its rows to another place: "
    'deltalake.DeltaTable("TABLE").to_pyarrow_table(), or spark.read.format("delta").load("TABLE").',
    "Apache Iceberg": "Name the folder of the whole table, which can be read, or write its rows to another "
    'place: spark.read.format("iceberg").load("TABLE").',
    "Apache Hudi": 'Write its rows to another place: spark.read.format("hudi").load("TABLE").',
}


@dataclass(frozen=True)
class Lakehouse:
    """A table of a lakehouse: what kind it is, and its folder."""

    kind: str
    folder: Path


def lakehouse_at(folder: Path) -> Lakehouse | None:
    """Tell whether a folder is a table of a lakehouse."""
    kind = None
    with contextlib.suppress(OSError):
        if (folder / "_delta_log").is_dir():
            kind = "Delta Lake"
        elif (folder / ".hoodie").is_dir():
            kind = "Apache Hudi"
        elif metadata_files(folder):
            kind = "Apache Iceberg"
    return None if kind is None else Lakehouse(kind, folder)


def metadata_files(folder: Path) -> list[Path]:
    """Give the files that tell what an Iceberg table was at some time."""
    inside = folder / "metadata"
    found = sorted(path for path in inside.glob("*.json*") if _METADATA.fullmatch(path.name)) if inside.is_dir() else []
    return [path for path in found if path.suffix == ".gz" or ".gz." in path.name or _of_iceberg(path)]


def _of_iceberg(path: Path) -> bool:
    """Tell whether a file is what its name says: others may be named so too."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return True  # in doubt it is
    return isinstance(content, dict) and "format-version" in content


def lakehouse_around(path: Path) -> Lakehouse | None:
    """Give the table of a lakehouse that a path is, or lies in, by its name or behind links."""
    ways = dict.fromkeys((Path(os.path.abspath(path)), Path(os.path.realpath(path))))  # noqa: PTH100 - with its links
    folders = dict.fromkeys(folder for way in ways for folder in (way, *way.parents))
    return next((found for folder in folders if (found := lakehouse_at(folder)) is not None), None)


def refuse_lakehouse(path: Path, files: Iterable[Path] = ()) -> None:
    """Refuse to read a file or a folder that belongs to a table of a lakehouse, or files in it that belong to one."""
    inner = {folder for file in files for folder in file.parents if folder.is_relative_to(path)}
    linked = [file for file in files if file.is_symlink()]
    looks = (*map(lakehouse_around, (path, *linked)), *map(lakehouse_at, sorted(inner)))
    found = next(filter(None, looks), None)
    if found is not None:
        raise DataError(
            f"'{found.folder}' is a table of {found.kind}, whose files also hold rows that were deleted or changed.",
            _ASIDE[found.kind],
        )


def refuse_writing_into(outputs: Iterable[Path]) -> None:
    """Refuse to put files into a table of a lakehouse."""
    for path in outputs:
        found = lakehouse_around(path)
        if found is not None:
            raise DataError(
                f"'{path}' would lie in '{found.folder}', a table of {found.kind}, whose log does not know it.",
                "Write to another folder.",
            )
