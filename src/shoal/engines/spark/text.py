"""Delimited text on the cluster: each worker reads a stretch of the file, from the beginning of a row to another.

Where rows begin is told by the quotes before: a line feed inside a quoted cell ends no row. Quotes are counted stretch
by stretch, which tells for each whether it begins inside a cell. A quote that is part of a cell without quotes misleads
the count; a worker then finds that its stretch does not end with a row. If this happens, or anything else is wrong, the
driver reads the file, and says where; if nothing is wrong, it says that it had to.
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
from shoal.engines.disk.reading import columns_read, load_text
from shoal.engines.local.compressed import is_compressed
from shoal.engines.local.loading import Columns, encodings_of
from shoal.engines.local.sealed import Sealed, changed
from shoal.engines.local.text_head import Head, read_head
from shoal.engines.local.text_reader import RawText, TextColumn, TextReading
from shoal.engines.memory import need_of
from shoal.engines.parts.data import PartsTable
from shoal.engines.parts.pool import Handle, Part
from shoal.engines.spark.pool import SparkPool
from shoal.errors import ShoalError
from shoal.schema import ReadOptions, Schema
from shoal.table import Origin, printable

_CHUNK = 1 << 22
_QUOTE, _FEED = 34, 10
_IN_THE_MIDDLE = "where its rows begin cannot be told in the middle of it, because of quotes or empty lines"
# Nobody has to set this up: a warning goes to stderr unless a program wants it elsewhere.
_SAID = logging.getLogger("shoal")


@dataclass(frozen=True)
class Stretch:
    """Bytes of a file, what line they begin on, and whether that is inside a quoted cell."""

    start: int
    stop: int
    line: int = 0
    quoted: bool = False


@dataclass(frozen=True)
class Told:
    """What a worker tells of its rows: how many, the texts of its columns and how often each occurs."""

    rows: int
    texts: dict[str, TextColumn]
    counts: dict[str, NDArray[np.int64]]
    encoding: str
    blank: bool


class _NotInStretches(Exception):  # noqa: N818 - nothing is wrong: the driver reads the file
    """The file cannot be read in stretches."""


def read_text(pool: SparkPool, path: Path, options: ReadOptions, rows: int) -> tuple[Schema, PartsTable, Origin]:
    """Read a file by the workers if they can, else by the driver, which holds one stretch at a time."""
    why = ""
    if not is_compressed(path):
        head = read_head(path, options.delimiter, options.encoding, options.header)
        columns = Columns.of(head.header, options)
        try:
            return _in_stretches(pool, path, head, columns, options, rows)
        except _NotInStretches as reason:
            why = str(reason)
        except ShoalError:
            why = _IN_THE_MIDDLE  # or the driver finds what is wrong too, and says where
    found = load_text(pool, path, options, lambda columns: rows, lambda reading: None)
    if why:
        _SAID.warning("The driver read '%s' alone, which takes longer: %s.", printable(path.name), why)
    return found


def _in_stretches(
    pool: SparkPool, path: Path, head: Head, columns: Columns, options: ReadOptions, rows: int
) -> tuple[Schema, PartsTable, Origin]:
    sealed = Sealed.of(path.absolute())  # workers read what it is now, or nothing
    with sealed.open() as file:
        if hashlib.sha256(file.read(head.start)).hexdigest() != head.sha256:
            raise changed(f"'{path}'")
    need = need_of(path, options)
    parts = 1 if need is None else max(1, -(-need.records // rows))
    stretches = _stretches(pool, sealed, head, parts)
    texts, encodings = set(columns.texts), encodings_of(options)
    while True:
        raw = pool.map(_reader(sealed, head, columns, texts, encodings, stretches), pool.blank(parts), summarize=_tell)
        told: Sequence[Told] = raw.summaries
        more = {name for one in told for name in one.texts} - texts
        used = max((encodings.index(one.encoding) for one in told), default=0)
        if not more and not used:
            break
        # What is text, or not UTF-8, in one stretch is so in all.
        texts, encodings = texts | more, encodings[used:]
    filled = [number for number, one in enumerate(told) if one.rows]
    if not filled or any(told[number].blank for number in range(filled[-1])):
        raise _NotInStretches(_IN_THE_MIDDLE)
    merged, places = _merged(told, texts & {*columns.quasi, *columns.others})
    counts = {name: _counted(told, places[name], len(merged[name].texts), name) for name in merged}
    none = np.empty((0, 0), np.int32)
    found = RawText(none, none, merged, counts, sealed.written, sealed.written, encodings[0])
    recoded = _recoded(pool, raw, columns, places)
    return columns_read(pool, path, head, columns, options, recoded, tuple(one.rows for one in told), found)


def _stretches(pool: SparkPool, sealed: Sealed, head: Head, parts: int) -> list[Stretch]:
    """Cut a file into stretches of as many bytes, and count quotes and lines before each."""
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
            raise _NotInStretches("a worker of the cluster does not see it under this path")
        more, feeds = counts
        found.append(Stretch(cuts[number], cuts[number + 1], line, bool(quotes % 2)))
        quotes, line = quotes + more, line + feeds
    return found


def _reader(
    sealed: Sealed,
    head: Head,
    columns: Columns,
    texts: set[str],
    encodings: Sequence[str],
    stretches: Sequence[Stretch],
) -> Any:
    """Give what reads the rows that begin in a stretch."""

    def read(number: int, part: Part) -> Part:
        first, line = _first_row(sealed, stretches[number])
        stop = _first_row(sealed, stretches[number + 1])[0] if number + 1 < len(stretches) else stretches[number].stop
        if number == 0:
            first, line = head.start, head.line
        if first >= stop or _only_empty_lines(sealed, first, stop):
            cells, others = (np.empty((0, len(names)), np.int32) for names in (columns.quasi, columns.others))
            told = Told(0, {}, {}, encodings[0], blank=first < stop)
        else:
            mine = replace(head, start=0, line=line)
            reading = TextReading(sealed.path, mine, columns.quasi, columns.others, texts, (first, stop), sealed=sealed)
            (stretch,) = reading.stretches(None)
            found = reading.result(encodings, stretch.cells, stretch.others)
            cells, others = found.cells, found.others
            blank = reading.blank_line > 0
            told = Told(cells.shape[0], found.texts, found.counts, found.encoding, blank=blank)
        return {"lo": cells, "codes": others, "told": np.frombuffer(pickle.dumps(told), np.uint8)}

    return read


def _only_empty_lines(sealed: Sealed, start: int, stop: int) -> bool:
    with sealed.open() as file:
        file.seek(start)
        return not file.read(min(stop - start, 1 << 12)).strip(b"\r\n")


def _tell(number: int, part: Part) -> Told:
    found: Told = pickle.loads(part["told"].tobytes())  # noqa: S301 - made by `_reader`
    return found


def _first_row(sealed: Sealed, stretch: Stretch) -> tuple[int, int]:
    """Find where the first row begins that begins after the beginning of a stretch, and on which line."""
    place, line, quoted = stretch.start, stretch.line, stretch.quoted
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


def _merged(told: Sequence[Told], names: set[str]) -> tuple[dict[str, TextColumn], dict[str, list[Positions]]]:
    """Number the texts of all stretches as they first occur in the file, and tell where those of each stretch are."""
    merged: dict[str, TextColumn] = {}
    places: dict[str, list[Positions]] = {}
    for name in sorted(names):
        codes: dict[str, int] = {}
        lines: list[int] = []
        places[name] = []
        for one in told:
            column = one.texts.get(name, TextColumn([], []))
            for text, line in zip(column.texts, column.lines, strict=True):
                if text not in codes:
                    codes[text] = len(codes)
                    lines.append(line)
            places[name].append(np.array([codes[text] for text in column.texts], np.int32))
        merged[name] = TextColumn(list(codes), lines)
    return merged, places


def _counted(told: Sequence[Told], places: Sequence[Positions], texts: int, name: str) -> NDArray[np.int64]:
    counts = np.zeros(texts, np.int64)
    for one, mine in zip(told, places, strict=True):
        if name in one.counts:
            more = one.counts[name]
            np.add.at(counts, mine[: more.size], more)
    return counts


def _recoded(pool: SparkPool, raw: Handle, columns: Columns, places: dict[str, list[Positions]]) -> Handle:
    """Replace the codes of each stretch by those of the whole file."""
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
