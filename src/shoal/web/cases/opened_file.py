"""The file of a case: where it lies, and whether it is ours to remove."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shoal.atomic_files.lakehouses import lakehouse_at
from shoal.engines.io.digests import of_file, of_folder
from shoal.engines.sources import Source
from shoal.web.tasks.messages import LARGE, Layout


@dataclass(frozen=True)
class Opened:
    """A file that is open: where it lies, what it is called, and whether it was sent, so that it is ours to remove."""

    path: Path
    name: str
    sent: bool

    @property
    def form(self) -> str:
        """What it is read as: the form of a file, Parquet if it is a folder of such files, or a lakehouse."""
        source = Source.parse(self.path)
        return source.form.format if source.form else "lakehouse" if source.is_lakehouse else "parquet"

    def is_large(self, limit: int | None) -> bool:
        """Tell whether it is first looked at in part: above a limit, or the usual one."""
        with suppress(OSError):  # of a folder this is not its tables' size: it is read whole at once
            return self.path.stat().st_size >= (LARGE if limit is None else limit)
        return False

    def sha256(self, layout: Layout) -> str:
        """Give its digest: of a file, of the files in a folder, or of the rows of a lakehouse in a version."""
        if lakehouse_at(self.path) is not None:
            from shoal.engines.io.lakehouse_reader import digest_of_lakehouse

            return digest_of_lakehouse(self.path, layout.at_version)
        return (of_folder(self.path) if self.path.is_dir() else of_file(self.path)).sha256

    def moved(self, folder: Path) -> Opened:
        """Move it to a folder of its own, where it stays."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = folder / self.name
        shutil.move(self.path, place)
        shutil.rmtree(self.path.parent, ignore_errors=True)
        return Opened(place, self.name, sent=False)

    def remove(self) -> None:
        """Remove it if it was sent; a file that was opened by its path stays where it is."""
        if self.sent:
            shutil.rmtree(self.path.parent, ignore_errors=True)
