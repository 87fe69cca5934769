"""The file of a case: where it lies, and whether it is ours to remove."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shoal.engines.sources import Source
from shoal.web.tasks.messages import LARGE


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
