"""Which files may be opened: those that were sent, and those in folders that were named when the server was started."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import chain, count
from pathlib import Path

from shoal.atomic_files.lakehouses import lakehouse_at
from shoal.engines.sources import is_parquet
from shoal.errors import DataError
from shoal.web.errors import NotThereError
from shoal.web.settings import SUFFIXES, Settings

_DEEPEST = 3
_MOST = 200
_LONGEST = 180  # bytes of a name: what is made of it has a longer one, and systems take 255
_LONGEST_SUFFIX = 20


def safe_name(given: str) -> str:
    r"""Give a name for a file that was sent, whatever its sender calls it: one part, no signs that mean something.

    >>> safe_name("../../etc/passwd.csv"), safe_name("C:\\data\\my patients.csv")
    ('passwd.csv', 'my patients.csv')
    """
    last = re.split(r"[/\\]", given)[-1]
    plain = "".join(sign for sign in unicodedata.normalize("NFC", last) if unicodedata.category(sign)[0] not in "CZ"
                    or sign == " ")  # fmt: skip
    plain = re.sub(r'[<>:"|?*%~`$;&]', "_", plain).strip(". ")
    if not plain:
        return "table.csv"
    suffix = Path(plain).suffix if len(Path(plain).suffix.encode()) <= _LONGEST_SUFFIX else ""
    stem = plain.removesuffix(suffix).encode()[: _LONGEST - len(suffix.encode())]
    return stem.decode(errors="ignore") + suffix  # of a sign that is cut nothing is left


def make_private(folder: Path) -> None:
    """Make a folder that only its owner can look into, and those that it lies in, as far as they are not there."""
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def refuse_kind(name: str) -> None:
    """Refuse a file of a kind that cannot be read."""
    suffix = Path(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise DataError(f"Files that end in '{suffix or 'nothing'}' cannot be read here.", "Save it as CSV or Parquet.")


def on_this_computer(settings: Settings, given: str, *, folders: bool = False) -> Path:
    """Give a file by its path, if it lies in a folder that was named at the start, or is the file that was.

    With `folders`, it may be a folder, too: the parts of a table, or a table of a lakehouse.
    """
    try:
        place = Path(os.path.realpath(given))
    except (OSError, ValueError):  # no path at all
        place = Path()
    allowed = [Path(os.path.realpath(folder)) for folder in settings.folders]
    first = settings.first and Path(os.path.realpath(settings.first))
    if place != first and not any(place.is_relative_to(folder) for folder in allowed):
        # Whether it exists is not said: that, too, is something about this computer.
        raise DataError(
            "This path does not lie in a folder that was named when the workbench was started.",
            "Start it with --folder DIR, or send the file.",
        )
    if folders and place.is_dir():
        _refuse_links(place)
        return place
    if not place.is_file():
        raise NotThereError("There is no such file.", "Check the path.")
    refuse_kind(place.name)
    return place


def _refuse_links(folder: Path) -> None:
    """Refuse a folder with links that lead out of it: what they lead to was not named at the start."""
    for inside, folders, files in os.walk(folder):
        places = (Path(inside, name) for name in (*folders, *files))
        if any(not Path(os.path.realpath(each)).is_relative_to(folder) for each in places if each.is_symlink()):
            raise DataError("This folder has links that lead out of it.", "Put the files themselves into it.")


def offered(settings: Settings, *, folders: bool = False) -> list[Path]:
    """List the files that can be opened by their path, and the folders that hold one table."""
    found = [settings.first] if settings.first and (folders or settings.first.is_file()) else []
    for folder in settings.folders:
        found += (path for path in _within(Path(os.path.realpath(folder)), 1) if folders or path.is_file())
    return list(dict.fromkeys(found))[:_MOST]


def _within(folder: Path, depth: int) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    lakehouse = lakehouse_at(folder) is not None
    if lakehouse or any(is_parquet(path) or _adds_column(path) for path in entries):
        yield folder
    for path in () if lakehouse else entries:
        if path.name.startswith(".") or path.is_symlink() or _adds_column(path):
            continue
        if path.is_dir() and depth < _DEEPEST:
            yield from _within(path, depth + 1)
        elif path.suffix.lower() in SUFFIXES and path.is_file():
            yield path


def _adds_column(path: Path) -> bool:
    """Tell whether a folder is a part of a table, and its name a value of a column of it: ``year=2009``."""
    return "=" in path.name and path.is_dir()


def release_names(
    source: str, *, ending: str = ".csv", pdf: bool = False, beside: Collection[str] = ()
) -> dict[str, str]:
    """Name the files of a release after the one that it is made of, and none as a file that lies beside it.

    >>> release_names("people.csv.gz")["table"], release_names("people.csv", beside=["people_release.csv"])["table"]
    ('people_release.csv', 'people_release_2.csv')
    """
    stem = f"{Path(source).name.split('.')[0] or 'table'}_release"
    kinds = {"table": ending, "certificate": ".certificate.json"}
    kinds |= {"private": ".private.json", "recipe": ".recipe.toml", "report": ".report.html"}
    kinds |= {"pdf": ".report.pdf"} if pdf else {}
    stems = chain([stem], (f"{stem}_{number}" for number in count(2)))
    free = next(each for each in stems if not any(f"{each}{suffix}" in beside for suffix in kinds.values()))
    return {kind: f"{free}{suffix}" for kind, suffix in kinds.items()}
