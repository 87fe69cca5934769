"""Lines sorted by their bytes, however many: what does not fit into memory waits in a file, sorted run by run."""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Iterator
from itertools import islice
from typing import IO, TYPE_CHECKING, Self

import numpy as np

from shoal.engines.workspace import MemoryBudget

if TYPE_CHECKING:
    import pyarrow as pa

_AT_ONCE = 512  # lines of each run that are in memory when runs are merged
_COPIES = 6  # of the lines of a run, about: as they came, their places, and sorted
# Where a block of a run begins in the file, how many lines it has, and how many bytes these take.
_Block = tuple[int, int, int]


class SortedLines:
    """Lines that are added a few at a time. What is kept of them goes with the block of a ``with`` statement.

    Parameters
    ----------
    budget
        How much memory they may take, and where the others are kept; any amount if None. The file has no name, so
        nothing is left of it, whatever becomes of the process.
    """

    def __init__(self, budget: MemoryBudget | None = None) -> None:
        self._budget = budget
        self._held: list[pa.Array] = []
        self._bytes = 0
        self._file: IO[bytes] | None = None
        self._runs: list[list[_Block]] = []

    def __enter__(self) -> Self:
        """Give the lines themselves."""
        return self

    def __exit__(self, *failure: object) -> None:
        """Close the file, if there is one."""
        if self._file is not None:
            self._file.close()

    def add(self, lines: pa.ChunkedArray) -> None:
        """Add some lines."""
        self._held += lines.chunks
        self._bytes += lines.nbytes
        if self._budget is not None and self._bytes * _COPIES > self._budget.memory:
            self._put_away(self._budget)

    def batches(self) -> Iterator[bytes | memoryview]:
        """Give all lines in their order, many at a time, one behind the other. This can be asked once."""
        if not self._runs:
            for chunk in self._sorted():
                yield bytes_of(chunk)[0]
            return
        assert self._budget is not None
        self._put_away(self._budget)
        merged = heapq.merge(*map(self._lines, self._runs))
        while some := b"".join(islice(merged, 8 * _AT_ONCE)):
            yield some

    def _sorted(self) -> list[pa.Array]:
        import pyarrow as pa
        import pyarrow.compute as pc

        lines = pa.chunked_array(self._held, pa.large_string())
        self._held, self._bytes = [], 0
        found: list[pa.Array] = lines.take(pc.sort_indices(lines)).chunks
        return found

    def _put_away(self, budget: MemoryBudget) -> None:
        """Write the lines that are in memory to the file, sorted."""
        import pyarrow as pa

        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=budget.folder)  # noqa: SIM115 - `__exit__` closes it
        run: list[_Block] = []
        for chunk in self._sorted():
            for start in range(0, len(chunk), _AT_ONCE):
                some, lengths = bytes_of(chunk.slice(start, _AT_ONCE))
                run.append((self._file.tell(), lengths.size, len(some)))
                self._file.write(lengths.tobytes())
                self._file.write(some)
        self._runs.append(run)
        pa.default_memory_pool().release_unused()

    def _lines(self, run: list[_Block]) -> Iterator[bytes]:
        assert self._file is not None
        for begin, lines, size in run:
            self._file.seek(begin)
            block, end = self._file.read(8 * lines + size), 8 * lines
            for length in np.frombuffer(block, np.int64, lines).tolist():
                yield block[end : end + length]
                end += length


def bytes_of(texts: pa.Array) -> tuple[memoryview, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Give the bytes of texts, which lie one behind the other, and the length of each."""
    if not len(texts):
        return memoryview(b""), np.empty(0, np.int64)
    ends = np.frombuffer(texts.buffers()[1], np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return memoryview(texts.buffers()[2])[ends[0] : ends[-1]], np.diff(ends)
