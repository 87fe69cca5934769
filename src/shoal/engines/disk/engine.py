"""The engine that keeps a table on disk and works on it part by part, within a limit of memory."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from shoal.engines.disk.pool import DiskPool
from shoal.engines.io.digests import of_file
from shoal.engines.io.text_reader import TextReading
from shoal.engines.memory import BASE, FRAMES, LEAST_OF_TABLES, TABLES, Need, estimate, format_size
from shoal.engines.parts.data import PartsTable
from shoal.engines.parts.engine import PartsEngine
from shoal.engines.parts.pool import Pool
from shoal.engines.parts.text import load_text
from shoal.engines.sources import Source
from shoal.engines.values import Layout, Output
from shoal.engines.workspace import MemoryBudget, temp_folder
from shoal.errors import RoomError
from shoal.schema import ReadOptions, Schema
from shoal.table import Table, Written

_WORKED = 50  # bytes per cell of a part while it is sorted, moved and published
_FORMED = 25  # bytes per cell of the records of which classes are formed
_BESIDE = 200  # bytes per record beside its cells
_TEXT = 250  # bytes per distinct text
_BOX = 400  # bytes per box that is compared with others
_LEAST_OF_FRAMES = 230 * 10**6
_KEPT = 30  # bytes per cell on disk, when most of it is there


@dataclass(frozen=True, eq=False)
class Disk(PartsEngine):
    """Hold tables as files and stay within a limit of memory.

    Parameters
    ----------
    limit
        How much memory may be used, in bytes.
    estimated
        What sources take that were looked at when this engine was chosen; each is looked at once.
    """

    pool: Pool = field(default_factory=DiskPool)
    name: str = "disk"
    limit: int = 10**9
    estimated: dict[Source, Need] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Find how many boxes can be compared within the limit, which the files keep too."""
        if isinstance(self.pool, DiskPool) and self.pool.limit is None:
            self.pool.limit = self.limit
        if self.most_boxes is None:
            object.__setattr__(self, "most_boxes", (self.limit - BASE) // _BOX)

    def read(self, source: object, options: ReadOptions) -> Table:
        """Read delimited text, Parquet and tables in databases in batches; frames are in memory already."""
        found = Source.parse(source) if isinstance(source, (str, Path, Source)) else None
        if found is None or options.baskets or options.bounds:  # which are read whole
            return super().read(source, options)
        need = self.estimated.pop(found, None) or estimate(found, options)
        if need is not None:
            self._insist_on_disk(need)
            self._insist_on_whole(found, need)
        if not found.is_text:
            from shoal.engines.parts.frames import load_frames

            self._insist_on_libraries(found, "read")
            # What the database works with, and what sorts its rows for their digest.
            beside = TABLES + 2 * self.budget.memory if found.is_table else FRAMES
            schema, data, origin = load_frames(
                self.pool, found, options, lambda columns: self.rows_of(columns, beside), self.budget,
                lambda taken: self._watch(taken, FRAMES),
            )  # fmt: skip
        else:
            schema, data, origin = load_text(self.pool, found.path, options, self.rows_of, self._watch_texts)
        return Table(schema, data, self, origin)

    def digest(self, source: Source) -> Written:
        """Give the SHA-256 of what lies somewhere, a table in a database too."""
        if source.is_table:
            self._insist_on_libraries(source, "proved")
        return super().digest(source) if source.is_table or source.is_folder else of_file(source.path, direct=True)

    def write(self, data: PartsTable, schema: Schema, target: Source, layout: Layout) -> AbstractContextManager[Output]:
        """Write the released columns part by part, to a database only if there is room for what it needs."""
        if target.is_table:
            self._insist_on_libraries(target, "written")
        return super().write(data, schema, target, layout)

    @property
    def budget(self) -> MemoryBudget:
        """What work with a database may take within the limit."""
        folder = self.pool.folder if isinstance(self.pool, DiskPool) else temp_folder()
        return MemoryBudget((self.limit - BASE - TABLES) // 3, folder)

    def _insist_on_whole(self, source: Source, need: Need) -> None:
        """Refuse what can be read only whole if it does not fit."""
        form = source.form
        if form is not None and form.whole and need.memory > self.limit:
            raise RoomError(
                f"{form.called.capitalize()} is read whole, which takes about {format_size(need.memory)}, more than "
                f"{format_size(self.limit)}.",
                "Allow more (--memory), or save the table as CSV or Parquet, which are read part by part.",
            )

    def _insist_on_libraries(self, source: Source, what: str) -> None:
        """Refuse what cannot be done in the memory that is left by the libraries that do it."""
        name, least = ("A table in a database", LEAST_OF_TABLES) if source.is_table else ("Parquet", _LEAST_OF_FRAMES)
        if self.limit < least:
            raise RoomError(
                f"{name} cannot be {what} within {format_size(self.limit)} of memory.",
                f"Give --memory {format_size(least)} or more, or use delimited text.",
            )

    def insist_on_room(self, data: PartsTable, rows: int) -> None:
        """Refuse to form classes of so many records at a time if these do not fit into the limit.

        How many they are must not depend on the limit, or else the classes would.
        """
        need = BASE + rows * (_FORMED * (len(data.shape.quasi) + len(data.shape.carried)) + _BESIDE // 2)
        if self.limit < need:
            raise RoomError(
                f"Classes are formed of {rows:,} records at a time, and {format_size(self.limit)} is too little.",
                f"Give --memory {format_size(int(1.01 * need))} or more, or use coarsen or sorted-clusters.",
            )

    def rows_of(self, columns: int, beside: int = 0) -> int:
        """Tell how many records a part may have, of so many columns, if so many bytes are used for something else."""
        return max(1000, (self.limit - BASE - beside) // (_WORKED * columns + _BESIDE))

    def _watch_texts(self, reading: TextReading) -> None:
        self._watch(reading.texts * _TEXT)

    def _watch(self, taken: int, beside: int = 0) -> None:
        """Refuse a table with more different texts than fit into memory."""
        if taken > (self.limit - BASE - beside) // 2:
            raise RoomError(
                f"The table has more different texts than fit into {format_size(self.limit)} of memory.",
                "Allow more (--memory), leave out columns that tell every record apart, or use --engine spark.",
            )

    def _insist_on_disk(self, estimated: Need) -> None:
        pool = self.pool
        if not isinstance(pool, DiskPool):
            return
        cells = max(estimated.memory - BASE, 0) // 12
        need, there = cells * _KEPT, shutil.disk_usage(pool.folder).free
        if need > there:
            place = f"'{pool.folder.parent}' has {format_size(there)}"
            raise RoomError(
                f"About {format_size(need)} of disk are needed, and {place}.",
                "Name another folder for them (TMPDIR), allow more memory (--memory), or use --engine spark.",
            )
