"""Writing of a release part by part, with the same bytes as the local engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager

from shoal.engines.io.slices import slices
from shoal.engines.local_data import LocalData
from shoal.engines.parts.whole_table import WholeTable
from shoal.engines.sources import Source
from shoal.engines.values import Layout, Output
from shoal.engines.workspace import MemoryBudget
from shoal.schema import Schema
from shoal.table import Written


def store(
    parts: Iterable[LocalData], schema: Schema, target: Source, whole: WholeTable, room: MemoryBudget
) -> AbstractContextManager[Output]:
    """Write the released columns to a table in a database, spans as text."""
    from shoal.engines.io.arrow import to_arrow
    from shoal.engines.io.databases import storing
    from shoal.engines.io.released_categories import enums_of

    tables = (to_arrow(some, schema, "text", whole.exact) for part in parts for some in slices(part))
    return storing(tables, target, room, enums_of(whole.lists))


def write(
    parts: Iterable[LocalData], schema: Schema, target: Source, layout: Layout, shown: Callable[[], WholeTable]
) -> Written:
    """Write the released columns to a folder, or to a file in the form that its name promises.

    ``shown`` tells, if it is asked, what is known of the whole table.
    """
    folder = target.kind == "folder"
    if folder or not target.is_text:
        from shoal.engines.io.arrow import to_arrow
        from shoal.engines.io.file_writer import cells_in, write_file
        from shoal.engines.io.folders import write_folder

        whole, cells = shown(), cells_in(target, layout)
        tables = (to_arrow(some, schema, cells, whole.exact) for part in parts for some in slices(part))
        if folder:
            return write_folder(tables, target.path, whole.lists)
        return write_file(tables, target.path, schema, layout, whole.lists)
    from shoal.engines.io.text_writer import write_text

    return write_text(parts, schema, target.path, layout, direct=True)
