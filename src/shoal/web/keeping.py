"""Releases that have been written: where their files lie, and how they outlive the server when a user asks for it."""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import DataError

_TOLD = ".release.json"


@dataclass(frozen=True)
class Released:
    """A release that has been written.

    Attributes
    ----------
    id
        Its name, which nobody can guess.
    folder
        Where its files lie.
    told
        What is known of it, in plain values: what was chosen, what was found, and its files.
    kept
        Whether it outlives the server.
    """

    id: str
    folder: Path
    told: dict[str, Any]
    kept: bool = False

    def file(self, name: str) -> Path:
        """Give one of its files."""
        if name not in {each["name"] for each in self.told["files"].values()}:
            raise DataError("The release has no such file.", "Choose one of those on the page.")
        return self.folder / name


class Shelf:
    """The releases that one user keeps, under a name that only that user's cookie leads to."""

    def __init__(self, kept: Path, owner: str) -> None:
        self._folder = kept / hashlib.sha256(owner.encode()).hexdigest()[:32]

    def exists(self) -> bool:
        """Whether anything is kept here."""
        return self._folder.is_dir()

    def releases(self) -> list[Released]:
        """List what is kept, the newest last."""
        found = []
        for place in sorted(self._folder.glob("*/" + _TOLD), key=lambda path: path.stat().st_mtime):
            told = json.loads(place.read_text(encoding="utf-8"))
            found.append(Released(place.parent.name, place.parent, told, kept=True))
        return found

    def keep(self, release: Released) -> Released:
        """Copy a release so that it stays; it is there whole or not at all."""
        target = self._folder / release.id
        if not target.exists():
            draft = self._folder / f".{release.id}.{secrets.token_hex(4)}.part"
            try:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                draft.mkdir(mode=0o700)
                for each in release.told["files"].values():
                    shutil.copy(release.folder / each["name"], draft / each["name"])
                (draft / _TOLD).write_text(json.dumps(release.told), encoding="utf-8")
                draft.replace(target)
            except OSError as error:
                raise DataError(f"The release cannot be kept: {error.strerror}.", "Check the space left.") from None
            finally:
                shutil.rmtree(draft, ignore_errors=True)
        return Released(release.id, target, release.told, kept=True)

    def forget(self, release: Released) -> None:
        """Remove a release that was kept."""
        shutil.rmtree(self._folder / release.id, ignore_errors=True)
