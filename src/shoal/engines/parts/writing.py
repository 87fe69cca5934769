"""Writing of a release part by part, with the same bytes as the local engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from shoal.engines.io.slices import slices
from shoal.engines.local_data import LocalData
from shoal.engines.sources import Source
from shoal.engines.values import Layout, Output
from shoal.engines.workspace import MemoryBudget
from shoal.schema import Schema
from shoal.table import Written


def store(
    parts: Iterable[LocalData],
    schema: Schema,
    target: Source,
    exact: Sequence[bool],
    room: MemoryBudget,
    kinds: Mapping[str, Any],
) -> AbstractContextManager[Output]:
    """Write the released columns to a table in a database, spans as text.

    ``kinds`` are the types of carried columns.
    """
    from shoal.engines.io.arrow import to_arrow
    from shoal.engines.io.databases import storing
    from shoal.engines.io.ordered_categories import enums_in

    tables = (to_arrow(some, schema, "text", exact) for part in parts for some in slices(part))
    return storing(tables, target, room, enums_in(kinds, schema))


def write(
    parts: Iterable[LocalData], schema: Schema, target: Source, layout: Layout, exact: Callable[[], Sequence[bool]]
) -> Written:
    """Write the released columns to a folder, or to a file in the form that its name promises.

    ``exact`` tells, if it is asked, in which quasi-identifiers all cells of the whole table are exact.
    """
    folder = target.kind == "folder"
    if folder or not target.is_text:
        from shoal.engines.io.arrow import to_arrow
        from shoal.engines.io.file_writer import cells_in, write_file
        from shoal.engines.io.folders import write_folder

        single, cells = exact(), cells_in(target, layout)
        tables = (to_arrow(some, schema, cells, single) for part in parts for some in slices(part))
        return write_folder(tables, target.path) if folder else write_file(tables, target.path, schema, layout)
    from shoal.engines.io.text_writer import write_text

    return write_text(parts, schema, target.path, layout, direct=True)
