"""Delimited text in batches: what the local engine reads whole, kept part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from shoal.arrays import Positions
from shoal.domains.cell_parser import Vocabulary
from shoal.engines.io.loading import TextPlan, encodings_of, origin_of, ranged_in, schema_of, vocabularies, words_of
from shoal.engines.io.text_head import Head, read_head
from shoal.engines.io.text_reader import RawText, ReadAgain, TextReading
from shoal.engines.local_data import coordinate_table
from shoal.engines.parts.data import PartsTable
from shoal.engines.parts.pool import Handle, Part, Pool, Summarize
from shoal.engines.values import Moments
from shoal.kernels.moments import moments, partial_moments
from shoal.schema import ReadOptions, Schema
from shoal.table import Origin


def load_text(
    pool: Pool, path: Path, options: ReadOptions, room: Callable[[int], int], watch: Callable[[TextReading], None]
) -> tuple[Schema, PartsTable, Origin]:
    """Read a file in batches.

    ``room`` tells how many rows of so many columns a batch may have; ``watch`` is called after each, and may refuse
    to go on.
    """
    head = read_head(path, options.delimiter, options.encoding, options.header)
    columns = TextPlan.of(head.header, options)
    reading = TextReading(path, head, columns.quasi, columns.others, columns.texts, direct=True)
    sizes: list[int] = []
    rows = room(max(1, len(columns.assigned)))

    def parts() -> Iterator[Part]:
        sizes.clear()
        for batch in reading.batches(rows):
            sizes.append(batch.cells.shape[0])
            watch(reading)
            yield ({"lo": batch.cells} if columns.quasi else {}) | ({"codes": batch.others} if columns.others else {})

    # While the numbers are here they are added up, which is what most methods ask for first.
    plain = np.full(len(columns.quasi), -1, np.int64)
    summarize = (lambda number, part: partial_moments(part["lo"], part["lo"], plain)) if columns.quasi else None
    raw = _put_again(pool, parts, summarize)
    none = np.empty((0, 0), np.int32)
    text = reading.result(encodings_of(options), none, none)
    schema, data, origin = columns_read(pool, path, head, columns, options, raw, tuple(sizes), text)
    table, offsets = coordinate_table([schema[name].axis for name in columns.quasi])
    if data.cells is raw and offsets.size and (offsets < 0).all():
        data.cache.moments = Moments(*moments(raw.summaries, table, offsets))
    return schema, data, origin


def columns_read(
    pool: Pool, path: Path, head: Head, columns: TextPlan, options: ReadOptions, raw: Handle, sizes: tuple[int, ...],
    text: RawText,
) -> tuple[Schema, PartsTable, Origin]:  # fmt: skip
    """Make a table of the numbers and codes of a file, when it is known what its texts are."""
    found = vocabularies(text, columns, options)
    words = words_of(text, columns, found)
    quasi = [found.get(name) for name in columns.quasi]
    exact = all(column is None or bool((column.lo == column.hi).all()) for column in quasi)
    cells = _placed(pool, raw, quasi, exact=exact)
    ranged = ranged_in(columns, found)
    data = PartsTable.of(columns.quasi, ranged, columns.others, words, sizes, cells, raw, {}, exact=exact)
    schema = schema_of(columns.assigned, found, options, head.header, {})
    return schema, data, origin_of(path, head, text, found, options)


def _put_again(pool: Pool, parts: Callable[[], Iterator[Part]], summarize: Summarize) -> Handle:
    """Keep the batches of a file; begin again with those columns as text that turned out to be."""
    while True:
        try:
            return pool.put(parts(), summarize=summarize)
        except ReadAgain:
            continue


def _placed(pool: Pool, raw: Handle, columns: list[Vocabulary | None], *, exact: bool) -> Handle:
    """Turn the codes of quasi-identifiers into positions."""
    if all(column is None for column in columns):
        return raw
    lows = [None if column is None else column.lo for column in columns]
    highs = lows if exact else [None if column is None else column.hi for column in columns]

    def work(number: int, part: Part) -> dict[str, Any]:
        lo = part["lo"]
        found = {"lo": _at(lo, lows)}
        return found if exact else found | {"hi": _at(lo, highs)}

    return pool.map(work, raw)


def _at(codes: Positions, places: list[Positions | None]) -> Positions:
    found = codes.copy()
    for j, place in enumerate(places):
        if place is not None:
            found[:, j] = place[codes[:, j]]
    return found
