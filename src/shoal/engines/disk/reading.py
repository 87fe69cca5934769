"""Delimited text in stretches: what the local engine reads whole, kept part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from shoal.arrays import Positions
from shoal.domains.cell_parser import Vocabulary
from shoal.engines.local.data import coordinate_table
from shoal.engines.local.loading import Columns, encodings_of, origin_of, ranged_in, schema_of, vocabularies, words_of
from shoal.engines.local.text_head import Head, read_head
from shoal.engines.local.text_reader import RawText, Spoilt, TextReading
from shoal.engines.parts.data import PartedData, Shape, without_texts
from shoal.engines.parts.pool import Handle, Part, Pool, Telling
from shoal.engines.values import Moments
from shoal.kernels.moments import moments, tally
from shoal.schema import ReadOptions, Schema
from shoal.table import Origin


def load_text(
    pool: Pool, path: Path, options: ReadOptions, room: Callable[[int], int], watch: Callable[[TextReading], None]
) -> tuple[Schema, PartedData, Origin]:
    """Read a file in stretches.

    ``room`` tells how many rows of so many columns a stretch may have; ``watch`` is called after each, and may refuse
    to go on.
    """
    head = read_head(path, options.delimiter, options.encoding, options.header)
    columns = Columns.of(head.header, options)
    reading = TextReading(path, head, columns.quasi, columns.others, columns.texts, straight=True)
    sizes: list[int] = []
    rows = room(max(1, len(columns.assigned)))

    def parts() -> Iterator[Part]:
        sizes.clear()
        for stretch in reading.stretches(rows):
            sizes.append(stretch.cells.shape[0])
            watch(reading)
            yield ({"lo": stretch.cells} if columns.quasi else {}) | (
                {"codes": stretch.others} if columns.others else {}
            )

    # While the numbers are here they are added up, which is what most methods ask for first.
    plain = np.full(len(columns.quasi), -1, np.int64)
    tell = (lambda number, part: tally(part["lo"], part["lo"], plain)) if columns.quasi else None
    raw = _put_again(pool, parts, tell)
    none = np.empty((0, 0), np.int32)
    told = reading.result(encodings_of(options), none, none)
    schema, data, origin = columns_read(pool, path, head, columns, options, raw, tuple(sizes), told)
    table, offsets = coordinate_table([schema[name].axis for name in columns.quasi])
    if data.cells is raw and offsets.size and (offsets < 0).all():
        data.known.moments = Moments(*moments(raw.told, table, offsets))
    return schema, data, origin


def columns_read(
    pool: Pool, path: Path, head: Head, columns: Columns, options: ReadOptions, raw: Handle, sizes: tuple[int, ...],
    told: RawText,
) -> tuple[Schema, PartedData, Origin]:  # fmt: skip
    """Make a table of the numbers and codes of a file, when it is known what its texts are."""
    found = vocabularies(told, columns, options)
    words = words_of(told, columns, found)
    cells = _placed(pool, raw, [found.get(name) for name in columns.quasi])
    shape = Shape(tuple(columns.quasi), ranged_in(columns, found), tuple(columns.others), without_texts(words))
    texts = tuple(None if each is None else each.texts for each in words)
    data = PartedData(shape, sizes, cells, raw, texts)
    schema = schema_of(columns.assigned, found, options, head.header)
    return schema, data, origin_of(path, head, told, found, options)


def _put_again(pool: Pool, parts: Callable[[], Iterator[Part]], tell: Telling) -> Handle:
    """Keep the stretches of a file; begin again with those columns as text that turned out to be."""
    while True:
        try:
            return pool.put(parts(), tell=tell)
        except Spoilt:
            continue


def _placed(pool: Pool, raw: Handle, columns: list[Vocabulary | None]) -> Handle:
    """Turn the codes of quasi-identifiers into positions."""
    if all(column is None for column in columns):
        return raw
    lows = [None if column is None else column.lo for column in columns]
    exact = all(column is None or bool((column.lo == column.hi).all()) for column in columns)
    highs = lows if exact else [None if column is None else column.hi for column in columns]

    def work(number: int, part: Part) -> dict[str, Any]:
        lo = part["lo"]
        found = {"lo": _at(lo, lows)}
        return found if exact else found | {"hi": _at(lo, highs)}

    return pool.each(work, raw)


def _at(codes: Positions, places: list[Positions | None]) -> Positions:
    found = codes.copy()
    for j, place in enumerate(places):
        if place is not None:
            found[:, j] = place[codes[:, j]]
    return found
