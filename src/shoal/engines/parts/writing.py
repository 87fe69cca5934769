"""A release that comes part by part, written as the local engine would write it whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from shoal.engines import Layout, Stored, Written
from shoal.engines.local import is_parquet
from shoal.engines.local.data import LocalData
from shoal.engines.scratch import Room
from shoal.engines.sources import Source
from shoal.schema import Schema

_ROWS = 1 << 15  # whose cells are made at once: they take much more room than the positions that they stand for


def _pieces(data: LocalData) -> Iterator[LocalData]:
    """Give a part in pieces, unless its records share rows."""
    if data.index.size or not data.quasi:
        yield data
        return
    for start in range(0, data.rows, _ROWS):
        some = slice(start, start + _ROWS)
        low = data.lo[some]
        sources = {name: column.slice(start, _ROWS) for name, column in data.sources.items()}
        codes, high = data.codes[some], low if data.hi is data.lo else data.hi[some]
        yield replace(data, lo=low, hi=high, codes=codes, sources=sources)


def store(
    parts: Iterable[LocalData], schema: Schema, target: Source, exact: Sequence[bool], room: Room
) -> AbstractContextManager[Stored]:
    """Write the released columns to a table in a database, spans as text."""
    from shoal.engines.local.arrow import to_arrow
    from shoal.engines.local.databases import storing

    tables = (to_arrow(some, schema, "text", exact) for part in parts for some in _pieces(part))
    return storing(tables, target, room)


def write(
    parts: Iterable[LocalData], schema: Schema, path: str, layout: Layout, exact: Callable[[], Sequence[bool]]
) -> Written:
    """Write the released columns: a folder by its slash, Parquet by its suffix, delimited text otherwise.

    ``exact`` tells, if it is asked, in which quasi-identifiers all cells of the whole table are exact.
    """
    target = Path(path)
    folder = Source.parse(path).kind == "folder"
    if folder or is_parquet(target):
        from shoal.engines.local.arrow import to_arrow, write_parquet
        from shoal.engines.local.folders import write_folder

        single = exact()
        tables = (to_arrow(some, schema, "struct", single) for part in parts for some in _pieces(part))
        return write_folder(tables, target) if folder else write_parquet(tables, target)
    from shoal.engines.local.text_writer import write_text

    return write_text(parts, schema, target, layout)
