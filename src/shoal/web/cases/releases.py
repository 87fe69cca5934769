"""Releases that have been written: where their files lie, and how they outlive the server when a user asks for it."""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.atomic_files.held import hold_new, sweep
from shoal.errors import DataError
from shoal.web.errors import NotThereError
from shoal.web.file_access import make_private

_SUMMARY = ".release.json"
_DRAFT = ".part"
_ARCHIVE = ".all.zip"


@dataclass(frozen=True)
class WrittenRelease:
    """A release that has been written.

    Attributes
    ----------
    id
        Its name, which nobody can guess.
    folder
        Where its files lie.
    summary
        What is known of it, in plain values: what was chosen, what was found, and its files.
    kept
        Whether it outlives the server.
    """

    id: str
    folder: Path
    summary: dict[str, Any]
    kept: bool = False

    def file(self, name: str) -> Path:
        """Give one of its files."""
        if name not in {each["name"] for each in self.summary["files"].values()}:
            raise NotThereError("The release has no such file.", "Choose one of those on the page.")
        return self.folder / name

    @property
    def papers(self) -> list[Path]:
        """What is read of it when it is an earlier release: its table first, its certificate and its private record."""
        files = self.summary["files"]
        return [self.folder / files[kind]["name"] for kind in ("table", "certificate", "private") if kind in files]

    def archive(self) -> Path:
        """Pack all files into one, those that may be published apart from those that may not."""
        packed = self.folder / _ARCHIVE
        if not packed.exists():
            draft = self.folder / f".{secrets.token_hex(4)}.part"
            with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as out:
                for kind, each in self.summary["files"].items():
                    out.write(self.folder / each["name"], f"{self._part(kind)}/{each['name']}")
            draft.replace(packed)
        return packed

    def _part(self, kind: str) -> str:
        public = kind in ("table", "certificate") or (
            kind in ("report", "pdf") and self.summary.get("audience") == "external"
        )
        return "publish" if public else "keep-private"


def remove_drafts(kept: Path) -> None:
    """Remove what servers that were killed had begun to keep."""
    for owner in kept.iterdir() if kept.is_dir() else ():
        sweep(owner, ".", _DRAFT)


class KeptReleases:
    """The releases that one user keeps, under a name that only that user's cookie leads to."""

    def __init__(self, kept: Path, owner: str) -> None:
        self._folder = kept / hashlib.sha256(owner.encode()).hexdigest()[:32]

    def exists(self) -> bool:
        """Whether anything is kept here."""
        return self._folder.is_dir()

    def releases(self) -> list[WrittenRelease]:
        """List what is kept, the newest last."""
        found = []
        for place in sorted(self._folder.glob("*/" + _SUMMARY), key=lambda path: path.stat().st_mtime):
            summary = json.loads(place.read_text(encoding="utf-8"))
            found.append(WrittenRelease(place.parent.name, place.parent, summary, kept=True))
        return found

    def keep(self, release: WrittenRelease) -> WrittenRelease:
        """Copy a release so that it stays; it is there whole or not at all."""
        target = self._folder / release.id
        if not target.exists():
            held = None
            try:
                make_private(self._folder)
                held = hold_new(self._folder, ".", _DRAFT)
                draft = held.path / release.id
                draft.mkdir(mode=0o700)
                for each in release.summary["files"].values():
                    shutil.copy(release.folder / each["name"], draft / each["name"])
                (draft / _SUMMARY).write_text(json.dumps(release.summary), encoding="utf-8")
                draft.replace(target)
            except OSError as error:
                raise DataError(f"The release cannot be kept: {error.strerror}.", "Check the space left.") from None
            finally:
                if held is not None:
                    held.remove()
        return WrittenRelease(release.id, target, release.summary, kept=True)

    def forget(self, release: WrittenRelease) -> None:
        """Remove a release that was kept."""
        shutil.rmtree(self._folder / release.id, ignore_errors=True)
