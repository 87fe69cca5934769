"""Parquet and tables in databases in batches, read one after the other, so that no more than one is in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa

from shoal.engines.io.opened import opened_table
from shoal.engines.parts.data import PartsTable
from shoal.engines.parts.encoding import encode
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.engines.parts.reading import ColumnPlan, loaded, summary_of
from shoal.engines.sources import Source
from shoal.engines.workspace import MemoryBudget
from shoal.schema import ReadOptions, Schema
from shoal.table import Origin

_IN_BATCH = 40  # bytes per distinct cell of a batch
_TEXT = 250  # bytes per distinct cell of the table


def load_frames(
    pool: Pool, source: Source, options: ReadOptions, rows: Callable[[int], int], budget: MemoryBudget,
    watch: Callable[[int], None],
) -> tuple[Schema, PartsTable, Origin]:  # fmt: skip
    """Read a file whose columns have types, a folder of Parquet, or a table.

    ``rows`` tells how many of so many columns a batch may have; ``watch`` is called after each with the bytes that
    the distinct cells take, and may refuse to go on.
    """
    if source.is_table or source.is_lakehouse:
        with _batched(source, budget, options) as (schema, rows_of, came_from):
            asked = ColumnPlan.of(schema, options)
            # All columns come from the table, and count for the digest.
            raw = _put(pool, rows_of(rows(len(schema))), asked, watch)
            return loaded(pool, raw, asked, options, came_from())
    table = opened_table(source, options)
    asked = ColumnPlan.of(table.schema, options)
    names = list(asked.assigned)
    raw = _put(pool, table.batches(names, rows(max(1, len(names)))), asked, watch)
    return loaded(pool, raw, asked, options, table.origin)


def _batched(source: Source, budget: MemoryBudget, options: ReadOptions) -> Any:
    if source.is_table:
        from shoal.engines.io.databases import table_in_batches

        return table_in_batches(source, budget)
    from shoal.engines.io.lakehouse_reader import lakehouse_in_batches

    return lakehouse_in_batches(source, budget, options.at_version)


def _put(pool: Pool, batches: Iterable[pa.Table], asked: ColumnPlan, watch: Callable[[int], None]) -> Handle:
    names, plain = list(asked.assigned), asked.plain
    arrow = pa.default_memory_pool()

    def parts() -> Iterator[Part]:
        found = _Distinct()
        for table in batches:
            part = encode(table.select(names), plain)
            found.add(part)
            watch(found.bytes)
            yield part
            arrow.release_unused()  # which it would keep for itself otherwise

    return pool.put(parts(), summarize=summary_of(names, plain))


class _Distinct:
    """How many bytes the distinct cells of all batches take, about, until it is known which occur in several."""

    def __init__(self) -> None:
        self._in_batches = 0
        self._cells: dict[str, int] = {}

    def add(self, part: Part) -> None:
        """Add those of a batch: if most of its cells are distinct, those of other batches are others."""
        for name in part:
            if name.startswith("first"):
                here, before = part[name].size, self._cells.get(name, 0)
                self._in_batches += here
                self._cells[name] = before + here if 2 * here > part["rows"][0] else max(before, here)

    @property
    def bytes(self) -> int:
        return self._in_batches * _IN_BATCH + sum(self._cells.values()) * _TEXT
