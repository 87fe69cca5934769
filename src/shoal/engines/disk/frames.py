"""Parquet in stretches: what the local engine reads whole, kept part by part.

What a column holds is known only when all of it was seen: each stretch is kept with the positions that it would have
alone, and is moved to the axis of all at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from shoal.axis import Axis
from shoal.cells import Reading, Texts, Vocabulary
from shoal.engines.local.arrow import as_read, carried_words, interpret_texts, read_column, refuse_twice, values_at
from shoal.engines.local.data import Words
from shoal.engines.local.digests import of_file
from shoal.engines.local.loading import Columns, reading_of, schema_of
from shoal.engines.parts.data import PartedData, Shape, without_texts
from shoal.engines.parts.pool import Part, Pool
from shoal.engines.sources import Source
from shoal.errors import DataError
from shoal.kernels import MISSING, TOP
from shoal.schema import ReadOptions, Schema
from shoal.table import Origin, printable

Positions = NDArray[np.int32]
Ends = tuple[Positions, Positions]


@dataclass
class _TextColumn:
    """A column of text: its distinct texts so far. The first stands for cells without a value."""

    name: str
    reading: Reading
    seats: dict[str, int] = field(default_factory=dict)
    texts: list[str] = field(default_factory=lambda: [""])
    counts: list[int] = field(default_factory=lambda: [0])
    rows: list[int] = field(default_factory=lambda: [0])

    def take(self, column: pa.ChunkedArray, begin: int) -> Ends:
        """Give the code of each row."""
        encoded = as_read(column, self.reading)[0].combine_chunks().dictionary_encode()
        encoded = encoded if isinstance(encoded, pa.DictionaryArray) else encoded.combine_chunks()
        mine = [0] + [self._seat(text.as_py()) for text in encoded.dictionary]
        local = encoded.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False) + 1
        codes = np.array(mine, np.int32)[local]
        found, first, counts = np.unique(codes, return_index=True, return_counts=True)
        for code, row, count in zip(found.tolist(), first.tolist(), counts.tolist(), strict=True):
            self.rows[code] = self.rows[code] if self.counts[code] else begin + row + 1
            self.counts[code] += count
        return codes, codes

    def _seat(self, text: str) -> int:
        seat = self.seats.setdefault(text, len(self.texts))
        if seat == len(self.texts):
            self.texts.append(text)
            self.counts.append(0)
            self.rows.append(0)
        return seat

    def finish(self) -> Vocabulary:
        return interpret_texts(Texts(self.name, self.texts, self.counts, self.rows), self.reading)

    def moved(self, vocabulary: Vocabulary, number: int, ends: Ends) -> Ends:
        return vocabulary.lo[ends[0]], vocabulary.hi[ends[0]]


@dataclass
class _NumberColumn:
    """A column of numbers, dates or spans of them: the axis of each stretch so far, and the values on plain ones."""

    name: str
    reading: Reading
    axes: list[Axis] = field(default_factory=list)
    plain: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    last: Vocabulary | None = None
    ranged: bool = False

    def take(self, column: pa.ChunkedArray, begin: int) -> Ends:
        """Give the positions of each row on the axis of this stretch."""
        self.last, codes, _ = read_column(self.name, column, self.reading)
        self.ranged = self.ranged or self.last.ranged
        self.axes.append(self.last.axis)
        if self.last.axis.values is None:
            ends = np.concatenate([self.last.lo, self.last.hi])
            self.plain = np.union1d(self.plain, ends[(ends != MISSING) & (ends != TOP)])
        return self.last.lo[codes], self.last.hi[codes]

    def finish(self) -> Vocabulary:
        """Give the axis of all stretches, and each value on it as a cell."""
        assert self.last is not None
        kind = self.last.axis.kind
        if all(axis.values is None for axis in self.axes):
            axis, cells = Axis(kind), self.plain
        else:
            listed = [axis.values for axis in self.axes if axis.values is not None]
            values = np.unique(np.concatenate([*listed, self.plain.astype(listed[0].dtype)]))
            axis, cells = Axis(kind, values), np.arange(values.size)
        lo = np.append(cells, MISSING).astype(np.int32)
        return Vocabulary(axis, lo, lo, self.ranged, self.last.reason)

    def moved(self, vocabulary: Vocabulary, number: int, ends: Ends) -> Ends:
        values = vocabulary.axis.values
        if values is None:
            return ends
        own = self.axes[number].values

        def place(side: Positions) -> Positions:
            inside = (side != MISSING) & (side != TOP)
            out = side.copy()
            out[inside] = np.searchsorted(values, side[inside] if own is None else own[side[inside]])
            return out

        return place(ends[0]), place(ends[1])


def load_frames(
    pool: Pool, source: Source, options: ReadOptions, room: Callable[[int], int]
) -> tuple[Schema, PartedData, Origin] | None:
    """Read Parquet in stretches; None if a carried column holds spans, which only the local engine can carry."""
    schema, batches, origin = _opened(source)
    header = tuple(schema.names)
    columns = Columns.of(header, options)
    types = {name: schema.field(name).type for name in columns.assigned}
    if any(pa.types.is_struct(types[name]) for name in columns.others):
        return None
    readings = {name: reading_of(name, role, options) for name, role in columns.assigned.items()}
    found: dict[str, _TextColumn | _NumberColumn] = {
        name: (_TextColumn if _is_text(types[name], reading) else _NumberColumn)(name, reading)
        for name, reading in readings.items()
    }
    spans = any(pa.types.is_struct(types[name]) for name in columns.quasi)
    sizes: list[int] = []

    def parts() -> Iterator[Part]:
        for table in batches(list(columns.assigned), room(max(1, len(columns.assigned)))):
            begin = sum(sizes)
            ends = {name: found[name].take(table.column(name), begin) for name in columns.assigned}
            sizes.append(table.num_rows)
            part = {"lo": np.stack([ends[name][0] for name in columns.quasi], axis=1)} if columns.quasi else {}
            if spans:
                part["hi"] = np.stack([ends[name][1] for name in columns.quasi], axis=1)
            if columns.others:
                part["codes"] = np.stack([ends[name][0] for name in columns.others], axis=1)
            yield part

    raw = pool.put(parts())
    if not sizes:
        raise DataError("The table has no records.", "A table needs at least one record.")
    cells = {name: column.finish() for name, column in found.items()}
    exact = not spans and all((cells[name].lo == cells[name].hi).all() for name in columns.quasi)

    def settle(number: int, part: Part) -> dict[str, NDArray[Any]]:
        kept = {}
        if columns.quasi:
            lo = part["lo"]
            ends = [
                found[name].moved(cells[name], number, (lo[:, j], part["hi"][:, j] if spans else lo[:, j]))
                for j, name in enumerate(columns.quasi)
            ]
            kept["lo"] = np.stack([end[0] for end in ends], axis=1)
            if not exact:
                kept["hi"] = np.stack([end[1] for end in ends], axis=1)
        if columns.others:
            codes = part["codes"]
            kept["codes"] = np.stack(
                [_code(found[n], cells[n], number, codes[:, j]) for j, n in enumerate(columns.others)], axis=1
            )
        return kept

    held = pool.each(settle, raw)
    words = tuple(_words(found[name], cells[name]) for name in columns.others)
    shape = Shape(
        tuple(columns.quasi), tuple(cells[n].ranged for n in columns.quasi), tuple(columns.others), without_texts(words)
    )
    typed = {
        name: _as_came(cells[name], each, types[name])
        for name, each in zip(columns.others, words, strict=True)
        if not _plain_text(types[name])
    }
    texts = tuple(None if each is None else each.texts for each in words)
    data = PartedData(shape, tuple(sizes), held, held, texts, typed)
    return (
        schema_of(columns.assigned, cells, options, header), data, replace(origin, given=options.given())
    )  # fmt: skip


def _opened(source: Source) -> tuple[pa.Schema, Callable[[list[str], int], Iterable[pa.Table]], Origin]:
    """Find what is read: its columns, what gives it in stretches, and where it came from."""
    if source.is_folder:
        from shoal.engines.local.folders import dataset_of

        whole, origin = dataset_of(source.path)

        def scanned(names: list[str], rows: int) -> Iterator[pa.Table]:
            try:
                for batch in whole.to_batches(
                    columns=names, batch_size=rows, batch_readahead=1, fragment_readahead=1, use_threads=False
                ):
                    if batch.num_rows:
                        yield pa.Table.from_batches([batch])
            except (OSError, pa.ArrowException):
                raise DataError(f"A file in '{source.path}' is damaged.", "Check the files.") from None

        return whole.schema, scanned, origin
    path: Path = source.path
    try:
        file = pq.ParquetFile(path, memory_map=True)
    except FileNotFoundError:
        raise DataError(f"There is no file '{path}'.", "Check its name and folder.") from None
    except (OSError, pa.ArrowException):
        raise DataError(f"'{path}' is not a Parquet file that can be read.", "Check the file.") from None
    refuse_twice(file.schema_arrow.names)

    def read(names: list[str], rows: int) -> Iterator[pa.Table]:
        try:
            for batch in file.iter_batches(rows, columns=names, use_threads=False):
                yield pa.Table.from_batches([batch])
        except (OSError, pa.ArrowException):
            raise DataError(f"'{path}' is not a Parquet file that can be read.", "Check the file.") from None

    return file.schema_arrow, read, Origin(printable(path.name), of_file(path).sha256, "parquet", place=str(path))


def _is_text(kind: pa.DataType, reading: Reading) -> bool:
    return as_read(pa.chunked_array([], kind), reading)[1]


def _plain_text(kind: pa.DataType) -> bool:
    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_null))


def _numbers_alone(column: _TextColumn | _NumberColumn, cells: Vocabulary) -> bool:
    """Tell whether a carried column holds whole numbers, which need no list of their texts."""
    return isinstance(column, _NumberColumn) and cells.axis.kind == "integer" and cells.axis.values is None


def _code(column: _TextColumn | _NumberColumn, cells: Vocabulary, number: int, codes: Positions) -> Positions:
    """Give the number of each cell of a carried column among the distinct ones; of whole numbers the number itself."""
    if isinstance(column, _TextColumn) or _numbers_alone(column, cells):
        return codes
    places, _ = column.moved(cells, number, (codes, codes))
    found = np.searchsorted(cells.lo[:-1], places).astype(np.int32)
    return np.where(places == MISSING, np.int32(cells.lo.size - 1), found)


def _words(column: _TextColumn | _NumberColumn, cells: Vocabulary) -> Words | None:
    if _numbers_alone(column, cells):
        return None
    return carried_words(cells, column.texts if isinstance(column, _TextColumn) else None)


def _as_came(cells: Vocabulary, words: Words | None, kind: pa.DataType) -> Callable[[Positions, int], Any]:
    """Say how the codes of a carried column become what it came as."""

    def column(codes: Positions, begin: int) -> Any:
        if words is None:
            return values_at(cells.axis, codes).cast(kind)
        if cells.axis.numeric:
            return values_at(cells.axis, cells.lo[codes]).cast(kind, safe=False)
        texts = pa.array([text or None for text in words.texts], pa.string()).take(pa.array(codes))
        return texts.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else texts.cast(kind)

    return column
