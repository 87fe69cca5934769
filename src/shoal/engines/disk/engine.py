"""The engine that keeps a table on disk and works on it part by part, within a limit of memory."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.engines.disk.pool import Files
from shoal.engines.disk.reading import load_text
from shoal.engines.local.text_reader import TextReading
from shoal.engines.memory import BASE, Need, need_of, shown
from shoal.engines.parts.engine import Parted
from shoal.engines.parts.pool import Pool
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.schema import ReadOptions
from shoal.table import Table

_WORKED = 40  # bytes per cell of a part while it is sorted, moved and published
_BESIDE = 200  # bytes per record beside its cells
_TEXT = 250  # bytes per distinct text
_BOX = 400  # bytes per box that is compared with others
_KEPT = 30  # bytes per cell on disk, when most of it is there


@dataclass(frozen=True, eq=False)
class Disk(Parted):
    """Hold tables as files and stay within a limit of memory.

    Parameters
    ----------
    limit
        How much memory may be used, in bytes.
    """

    pool: Pool = field(default_factory=Files)
    name: str = "disk"
    pieces: int = 4
    limit: int = 10**9

    def __post_init__(self) -> None:
        """Find how many boxes can be compared within the limit."""
        if self.most_boxes is None:
            object.__setattr__(self, "most_boxes", (self.limit - BASE) // _BOX)

    def read(self, source: Any, options: ReadOptions) -> Table:
        """Read delimited text and Parquet in stretches; anything else through memory."""
        found = Source.parse(source) if isinstance(source, (str, Path, Source)) else None
        if found is None or found.is_table:
            return super().read(source, options)
        need = need_of(found, options)
        if need is not None:
            self._insist_on_room(need)
        if found.is_folder or found.path.suffix.lower() in (".parquet", ".pq"):
            from shoal.engines.disk.frames import load_frames

            schema, data, origin = load_frames(self.pool, found, options, self.rows_of)
        else:
            schema, data, origin = load_text(self.pool, found.path, options, self.rows_of, self._watch)
        return Table(schema, data, self, origin)

    def rows_of(self, columns: int) -> int:
        """Tell how many records a part may have, of so many columns."""
        return max(1000, (self.limit - BASE) // (_WORKED * columns + _BESIDE))

    def _watch(self, reading: TextReading) -> None:
        """Refuse a file with more different texts than fit into memory."""
        if reading.texts * _TEXT > (self.limit - BASE) // 2:
            raise ParameterError(
                f"The file has more different texts than fit into {shown(self.limit)} of memory.",
                "Allow more (--memory), leave out columns that tell every record apart, or use --engine spark.",
            )

    def _insist_on_room(self, need: Need) -> None:
        pool = self.pool
        if not isinstance(pool, Files):
            return
        cells = max(need.memory - BASE, 0) // 12
        there = shutil.disk_usage(pool.folder).free
        if cells * _KEPT > there:
            raise ParameterError(
                f"About {shown(cells * _KEPT)} of disk are needed, and '{pool.folder.parent}' has {shown(there)}.",
                "Name another folder for them (TMPDIR), allow more memory (--memory), or use --engine spark.",
            )
