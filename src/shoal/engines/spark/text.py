"""Delimited text on the cluster: each worker reads the rows that begin in its byte range of the file.

A line feed inside a quoted cell ends no row. So quotes are counted first, range by range, which tells whether a range
begins inside a quoted cell. A quote inside a cell without quotes misleads the count; a worker then finds that its last
row does not end. If this happens, or anything else is wrong, the driver reads the file and names the place; if nothing
is wrong with the file, the driver warns that it had to read it alone.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.engines.io.compressed import is_compressed
from shoal.engines.io.loading import TextPlan, encodings_of
from shoal.engines.io.sealed_files import Sealed, changed
from shoal.engines.io.text_head import Head, read_head
from shoal.engines.io.text_reader import RawText, TextColumn, TextReading
from shoal.engines.memory import estimate
from shoal.engines.parts.data import PartsTable
from shoal.engines.parts.pool import Handle, Part
from shoal.engines.parts.text import columns_read, load_text
from shoal.engines.spark.pool import SparkPool
from shoal.errors import ShoalError
from shoal.schema import ReadOptions, Schema
from shoal.table import Origin, printable

_CHUNK = 1 << 22
_QUOTE, _FEED = 34, 10
_IN_THE_MIDDLE = "where its rows begin cannot be found in the middle of it, because of quotes or empty lines"
# Nobody has to set this up: a warning goes to stderr unless a program wants it elsewhere.
_SAID = logging.getLogger("shoal")


@dataclass(frozen=True)
class ByteRange:
    """Bytes of a file, the line on which they begin, and whether that is inside a quoted cell."""

    start: int
    stop: int
    line: int = 0
    quoted: bool = False


@dataclass(frozen=True)
class RangeSummary:
    """What a worker found in its range: the number of rows, the texts of columns, and how often each occurs."""

    rows: int
    texts: dict[str, TextColumn]
    counts: dict[str, NDArray[np.int64]]
    encoding: str
    blank: bool


class _NotSplittable(Exception):  # noqa: N818 - nothing is wrong: the driver reads the file
    """The file cannot be split between workers."""


def read_text(pool: SparkPool, path: Path, options: ReadOptions, rows: int) -> tuple[Schema, PartsTable, Origin]:
    """Read a file by the workers if it can be split, else by the driver, part by part."""
    why = ""
    if not is_compressed(path):
        head = read_head(path, options.delimiter, options.encoding, options.header)
        columns = TextPlan.of(head.header, options)
        try:
            return _read_by_workers(pool, path, head, columns, options, rows)
        except _NotSplittable as reason:
            why = str(reason)
        except ShoalError:
            why = _IN_THE_MIDDLE  # or the driver finds what is wrong too, and says where
    found = load_text(pool, path, options, lambda columns: rows, lambda reading: None)
    if why:
        _SAID.warning("The driver read '%s' alone, which takes longer: %s.", printable(path.name), why)
    return found


def _read_by_workers(
    pool: SparkPool, path: Path, head: Head, columns: TextPlan, options: ReadOptions, rows: int
) -> tuple[Schema, PartsTable, Origin]:
    sealed = Sealed.of(path.absolute())  # workers read what it is now, or nothing
    with sealed.open() as file:
        if hashlib.sha256(file.read(head.start)).hexdigest() != head.sha256:
            raise changed(f"'{path}'")
    need = estimate(path, options)
    parts = 1 if need is None else max(1, -(-need.records // rows))
    ranges = _byte_ranges(pool, sealed, head, parts)
    texts, encodings = set(columns.texts), encodings_of(options)
    while True:
        raw = pool.map(_reader(sealed, head, columns, texts, encodings, ranges), pool.blank(parts), summarize=_summary)
        summaries: Sequence[RangeSummary] = raw.summaries
        more = {name for one in summaries for name in one.texts} - texts
        used = max((encodings.index(one.encoding) for one in summaries), default=0)
        if not more and not used:
            break
        # A column that is text in one range, or an encoding that is not UTF-8, is so in all.
        texts, encodings = texts | more, encodings[used:]
    filled = [number for number, one in enumerate(summaries) if one.rows]
    if not filled or any(summaries[number].blank for number in range(filled[-1])):
        raise _NotSplittable(_IN_THE_MIDDLE)
    merged, places = _merged(summaries, texts & {*columns.quasi, *columns.others})
    counts = {name: _counted(summaries, places[name], len(merged[name].texts), name) for name in merged}
    none = np.empty((0, 0), np.int32)
    found = RawText(none, none, merged, counts, sealed.written, sealed.written, encodings[0])
    recoded = _recoded(pool, raw, columns, places)
    return columns_read(pool, path, head, columns, options, recoded, tuple(one.rows for one in summaries), found)


def _byte_ranges(pool: SparkPool, sealed: Sealed, head: Head, parts: int) -> list[ByteRange]:
    """Split a file into ranges of equal size, and count the quotes and lines before each."""
    cuts = np.linspace(head.start, sealed.written.size, parts + 1).astype(np.int64).tolist()

    def count(number: int, part: Part) -> tuple[int, int] | None:
        if not sealed.path.is_file():
            return None
        quotes = feeds = 0
        with sealed.open() as file:
            file.seek(cuts[number])
            left = cuts[number + 1] - cuts[number]
            while left and (chunk := file.read(min(left, _CHUNK))):
                quotes += chunk.count(_QUOTE)
                feeds += chunk.count(_FEED)
                left -= len(chunk)
        return quotes, feeds

    found, quotes, line = [], 0, head.line
    for number, counts in enumerate(pool.collect(count, pool.blank(parts))):
        if counts is None:
            raise _NotSplittable("a worker of the cluster does not see it under this path")
        more, feeds = counts
        found.append(ByteRange(cuts[number], cuts[number + 1], line, bool(quotes % 2)))
        quotes, line = quotes + more, line + feeds
    return found


def _reader(
    sealed: Sealed, head: Head, columns: TextPlan, texts: set[str], encodings: Sequence[str],
    ranges: Sequence[ByteRange],
) -> Any:  # fmt: skip
    """Give the work that reads the rows that begin in a range."""

    def read(number: int, part: Part) -> Part:
        first, line = _first_row(sealed, ranges[number])
        stop = _first_row(sealed, ranges[number + 1])[0] if number + 1 < len(ranges) else ranges[number].stop
        if number == 0:
            first, line = head.start, head.line
        if first >= stop or _only_empty_lines(sealed, first, stop):
            cells, others = (np.empty((0, len(names)), np.int32) for names in (columns.quasi, columns.others))
            summary = RangeSummary(0, {}, {}, encodings[0], blank=first < stop)
        else:
            mine = replace(head, start=0, line=line)
            reading = TextReading(sealed.path, mine, columns.quasi, columns.others, texts, (first, stop), sealed=sealed)
            (stretch,) = reading.batches(None)
            found = reading.result(encodings, stretch.cells, stretch.others)
            cells, others = found.cells, found.others
            blank = reading.blank_line > 0
            summary = RangeSummary(cells.shape[0], found.texts, found.counts, found.encoding, blank=blank)
        return {"lo": cells, "codes": others, "summary": np.frombuffer(pickle.dumps(summary), np.uint8)}

    return read


def _only_empty_lines(sealed: Sealed, start: int, stop: int) -> bool:
    with sealed.open() as file:
        file.seek(start)
        return not file.read(min(stop - start, 1 << 12)).strip(b"\r\n")


def _summary(number: int, part: Part) -> RangeSummary:
    found: RangeSummary = pickle.loads(part["summary"].tobytes())  # noqa: S301 - made by `_reader`
    return found


def _first_row(sealed: Sealed, some: ByteRange) -> tuple[int, int]:
    """Find the offset and line of the first row that begins after the beginning of a range."""
    place, line, quoted = some.start, some.line, some.quoted
    with sealed.open() as file:
        file.seek(place)
        while chunk := file.read(1 << 16):
            signs = np.frombuffer(chunk, np.uint8)
            inside = (np.cumsum(signs == _QUOTE) + quoted) % 2 == 1
            feeds = signs == _FEED
            ends = np.flatnonzero(feeds & ~inside)
            if ends.size:
                return place + int(ends[0]) + 1, line + int(feeds[: ends[0] + 1].sum())
            place, line, quoted = place + len(chunk), line + int(feeds.sum()), bool(inside[-1])
    return place, line


def _merged(found: Sequence[RangeSummary], names: set[str]) -> tuple[dict[str, TextColumn], dict[str, list[Positions]]]:
    """Number the texts of all ranges as they first occur in the file; also gives these numbers for each range."""
    merged: dict[str, TextColumn] = {}
    places: dict[str, list[Positions]] = {}
    for name in sorted(names):
        codes: dict[str, int] = {}
        lines: list[int] = []
        places[name] = []
        for one in found:
            column = one.texts.get(name, TextColumn([], []))
            for text, line in zip(column.texts, column.lines, strict=True):
                if text not in codes:
                    codes[text] = len(codes)
                    lines.append(line)
            places[name].append(np.array([codes[text] for text in column.texts], np.int32))
        merged[name] = TextColumn(list(codes), lines)
    return merged, places


def _counted(found: Sequence[RangeSummary], places: Sequence[Positions], texts: int, name: str) -> NDArray[np.int64]:
    counts = np.zeros(texts, np.int64)
    for one, mine in zip(found, places, strict=True):
        if name in one.counts:
            more = one.counts[name]
            np.add.at(counts, mine[: more.size], more)
    return counts


def _recoded(pool: SparkPool, raw: Handle, columns: TextPlan, places: dict[str, list[Positions]]) -> Handle:
    """Replace the codes of each range by those of the whole file."""
    sides = {"lo": columns.quasi, "codes": columns.others}

    def work(number: int, part: Part) -> Part:
        found = {}
        for side, names in sides.items():
            if names:
                found[side] = part[side].copy()
            for j, name in enumerate(names):
                if name in places and part[side].shape[0]:
                    found[side][:, j] = places[name][number][part[side][:, j]]
        return found

    return pool.map(work, raw)
