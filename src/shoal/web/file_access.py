"""Which files may be opened: those that were sent, and those in folders that were named when the server was started."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from shoal.errors import DataError
from shoal.web.errors import NotThereError
from shoal.web.settings import SUFFIXES, Settings

_DEEPEST = 3
_MOST = 200
_LONGEST = 120


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
    suffix = Path(plain).suffix
    return plain.removesuffix(suffix)[: _LONGEST - len(suffix)] + suffix


def refuse_kind(name: str) -> None:
    """Refuse a file of a kind that cannot be read."""
    suffix = Path(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise DataError(f"Files that end in '{suffix or 'nothing'}' cannot be read here.", "Save it as CSV or Parquet.")


def on_this_computer(settings: Settings, given: str) -> Path:
    """Give a file by its path, if it lies in a folder that was named at the start, or is the file that was."""
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
    if not place.is_file():
        raise NotThereError("There is no such file.", "Check the path.")
    refuse_kind(place.name)
    return place


def offered(settings: Settings) -> list[Path]:
    """List the files that can be opened by their path."""
    found = [settings.first] if settings.first else []
    for folder in settings.folders:
        found += _within(Path(os.path.realpath(folder)), 1)
    return list(dict.fromkeys(found))[:_MOST]


def _within(folder: Path, depth: int) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for path in entries:
        if path.name.startswith(".") or path.is_symlink():
            continue
        if path.is_dir() and depth < _DEEPEST:
            yield from _within(path, depth + 1)
        elif path.suffix.lower() in SUFFIXES and path.is_file():
            yield path


def release_names(source: str, *, parquet: bool = False, pdf: bool = False) -> dict[str, str]:
    """Name the files of a release after the one that it is made of.

    >>> release_names("people.csv.gz")["table"]
    'people_release.csv'
    """
    stem = Path(source).name.split(".")[0] or "table"
    kinds = {"table": ".parquet" if parquet else ".csv", "certificate": ".certificate.json"}
    kinds |= {"private": ".private.json", "recipe": ".recipe.toml", "report": ".report.html"}
    kinds |= {"pdf": ".report.pdf"} if pdf else {}
    return {kind: f"{stem}_release{suffix}" for kind, suffix in kinds.items()}
