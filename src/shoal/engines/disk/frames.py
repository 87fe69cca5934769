"""Parquet and tables in databases in stretches, read one after the other, so that no more than one is in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa

from shoal.engines.local.folders import opened_folder
from shoal.engines.local.parquet_reader import opened_file
from shoal.engines.parts.data import PartsTable
from shoal.engines.parts.encoding import encode
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.engines.parts.reading import ColumnPlan, loaded, summary_of
from shoal.engines.scratch import Room
from shoal.engines.sources import Source
from shoal.schema import ReadOptions, Schema
from shoal.table import Origin

_TOLD = 40  # bytes per distinct cell of a stretch
_TEXT = 250  # bytes per distinct cell of the table


def load_frames(
    pool: Pool, source: Source, options: ReadOptions, rows: Callable[[int], int], room: Room,
    watch: Callable[[int], None],
) -> tuple[Schema, PartsTable, Origin]:  # fmt: skip
    """Read Parquet, a folder of it, or a table.

    ``rows`` tells how many of so many columns a stretch may have; ``watch`` is told after each how many bytes the
    distinct cells take, and may refuse to go on.
    """
    if source.is_table or source.is_lakehouse:
        with _stretched(source, room) as (schema, rows_of, came_from):
            asked = ColumnPlan.of(schema, options)
            # All columns come from the table, and count for the digest.
            raw = _put(pool, rows_of(rows(len(schema))), asked, watch)
            return loaded(pool, raw, asked, options, came_from())
    table = opened_folder(source.path) if source.is_folder else opened_file(source.path)
    asked = ColumnPlan.of(table.schema, options)
    names = list(asked.assigned)
    raw = _put(pool, table.stretches(names, rows(max(1, len(names)))), asked, watch)
    return loaded(pool, raw, asked, options, table.origin)


def _stretched(source: Source, room: Room) -> Any:
    if source.is_table:
        from shoal.engines.local.databases import table_in_stretches

        return table_in_stretches(source, room)
    from shoal.engines.local.lakehouse_reader import lakehouse_in_stretches

    return lakehouse_in_stretches(source, room)


def _put(pool: Pool, stretches: Iterable[pa.Table], asked: ColumnPlan, watch: Callable[[int], None]) -> Handle:
    names, plain = list(asked.assigned), asked.plain
    arrow = pa.default_memory_pool()

    def parts() -> Iterator[Part]:
        found = _Distinct()
        for table in stretches:
            part = encode(table.select(names), plain)
            found.add(part)
            watch(found.bytes)
            yield part
            arrow.release_unused()  # which it would keep for itself otherwise

    return pool.put(parts(), summarize=summary_of(names, plain))


class _Distinct:
    """How many bytes the distinct cells of all stretches take, about, until it is known which occur in several."""

    def __init__(self) -> None:
        self._told = 0
        self._cells: dict[str, int] = {}

    def add(self, part: Part) -> None:
        """Add those of a stretch: if most of its cells are distinct, those of other stretches are others."""
        for name in part:
            if name.startswith("first"):
                here, before = part[name].size, self._cells.get(name, 0)
                self._told += here
                self._cells[name] = before + here if 2 * here > part["rows"][0] else max(before, here)

    @property
    def bytes(self) -> int:
        return self._told * _TOLD + sum(self._cells.values()) * _TEXT
