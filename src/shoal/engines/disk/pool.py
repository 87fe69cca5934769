"""Parts as files in a private folder, processed one after the other: a table may be larger than memory.

Each column of a part is a file, to which the rows of one sender after the other are appended. It is read when it is
first used.
"""

from __future__ import annotations

import contextlib
import errno
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.engines.disk.columns import ColumnFile, Draft, Drafts
from shoal.engines.memory import BASE, format_size
from shoal.engines.parts.pool import Handle, Part, Summarize
from shoal.engines.process_memory import release_unused, resident
from shoal.engines.workspace import private_folder, temp_folder
from shoal.errors import DataError, RoomError
from shoal.progress import along, another_pass

T = TypeVar("T")
_NEAR = 0.7  # of the limit: free memory is then returned to the system
_LARGEST = 0.5  # of the memory left to work with: the bytes of one part


class _DiskPart(Mapping[str, NDArray[Any]]):
    """A part whose columns are read when first used; it keeps its handle, so that the files are not reused before."""

    def __init__(self, columns: Mapping[str, ColumnFile], keeper: object = None) -> None:
        self._columns, self._keeper = columns, keeper
        self._read: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._read:
            self._read[name] = self._columns[name].read()
        return self._read[name]

    def take(self, name: str, rows: NDArray[np.int32]) -> NDArray[Any]:
        """Read a few rows of a column."""
        return self._read[name][rows] if name in self._read else self._columns[name].take(rows)

    def rows(self, name: str) -> int:
        """Count the rows of a column without reading it."""
        return self._columns[name].shape[0]

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


class DiskHandle:
    """Parts as files, which are released when nothing refers to the handle any more."""

    def __init__(
        self, drafts: Drafts, columns: Sequence[Mapping[str, ColumnFile]], summaries: Sequence[Any] = ()
    ) -> None:
        self._columns = columns
        self.summaries = summaries
        paths = [column.path for part in columns for column in part.values()]
        weakref.finalize(self, drafts.let_go, paths)

    @property
    def parts(self) -> int:
        """The number of parts."""
        return len(self._columns)

    def part(self, number: int) -> Part:
        """Give one part."""
        return _DiskPart(self._columns[number], self)


class DiskPool:
    """Store parts as files on this machine.

    Parameters
    ----------
    folder
        Where a private folder for the files is created; the system's temporary folder if left out. It is removed at the
        end, also after an error; the next process removes those of processes that were killed.
    limit
        How much memory may be used, in bytes; any if None. Near the limit, free memory is returned to the system; parts
        that are too large to be processed are refused.
    """

    def __init__(self, folder: Path | None = None, limit: int | None = None) -> None:
        self.limit = limit
        held = private_folder(folder or temp_folder())
        self.folder = held.path
        self._removal = weakref.finalize(self, held.remove)
        self._drafts = Drafts(self.folder)

    def close(self) -> None:
        """Remove all files."""
        self._removal()

    def put(self, parts: Iterable[Part], *, summarize: Summarize = None) -> DiskHandle:
        """Store parts, one after the other."""
        return self._kept(parts, summarize)

    def map(self, work: Callable[..., Part], *handles: Handle, summarize: Summarize = None) -> DiskHandle:
        """Compute a new part from each."""
        return self._kept(self._worked(work, handles), summarize)

    def collect(self, work: Callable[..., T], *handles: Handle) -> list[T]:
        """Return a small result for each part."""
        return list(self._worked(work, handles))

    def shuffle(
        self, work: Callable[..., Iterable[Part]], parts: int, *handles: Handle, summarize: Summarize = None
    ) -> DiskHandle:
        """Move rows to new parts, to whose files they are appended."""
        with self._writing() as begin:
            drafts: list[dict[str, Draft]] = [{} for _ in range(parts)]
            for pieces in self._worked(work, handles):
                for draft, piece in zip(drafts, pieces, strict=True):
                    for name, column in piece.items():
                        if name not in draft:
                            draft[name] = begin(column, handles[0].parts)
                        draft[name].add(column)
                del pieces
            found = [{name: column.done() for name, column in draft.items()} for draft in drafts]
            self._insist_on_room(found)
            summaries = (
                [summarize(number, _DiskPart(columns)) for number, columns in enumerate(found)] if summarize else ()
            )
            return DiskHandle(self._drafts, found, summaries)

    def stream(self, handle: Handle) -> Iterator[Part]:
        """Return the parts one by one."""
        for number in along(range(handle.parts)):
            yield handle.part(number)  # type: ignore[attr-defined]

    def _worked(self, work: Callable[..., T], handles: Sequence[Handle]) -> Iterator[T]:
        for number in along(range(handles[0].parts), what=another_pass(), pieces=True):
            yield work(number, *(handle.part(number) for handle in handles))  # type: ignore[attr-defined]
            if self.limit is not None and resident() > _NEAR * self.limit:
                release_unused()

    def _insist_on_room(self, parts: Sequence[Mapping[str, ColumnFile]]) -> None:
        """Refuse a part that is too large: the records of a class are processed together."""
        if self.limit is None:
            return
        sizes = [sum(column.size for column in columns.values()) for columns in parts]
        if max(sizes, default=0) > _LARGEST * (self.limit - BASE):
            raise RoomError(
                f"So many records belong together that they do not fit into {format_size(self.limit)} of memory.",
                "Allow more (--memory), ask for smaller classes (--k), leave out a promise or a measure that looks at "
                "confidential values, or use --engine spark.",
            )

    def _kept(self, parts: Iterable[Part], summarize: Summarize) -> DiskHandle:
        with self._writing() as begin:
            found, summaries = [], []
            for number, part in enumerate(parts):
                columns = {}
                for name, column in part.items():
                    draft = begin(column, 1)
                    draft.add(column)
                    columns[name] = draft.done()
                found.append(columns)
                if summarize:
                    summaries.append(summarize(number, part))
                del part
            return DiskHandle(self._drafts, found, summaries)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Callable[[NDArray[Any], int], Draft]]:
        """Give the function that begins a column; if writing fails, all columns that were begun are released."""
        begun: list[Draft] = []

        def begin(column: NDArray[Any], pieces: int) -> Draft:
            begun.append(self._drafts.begin(column, pieces))
            return begun[-1]

        try:
            yield begin
        except BaseException as error:
            for draft in begun:
                draft.drop()
            self._drafts.let_go(draft.path for draft in begun)
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                raise DataError(
                    f"The disk of '{self.folder.parent}' is full.",
                    "Make room, or name another folder for temporary files (TMPDIR).",
                ) from None
            raise
