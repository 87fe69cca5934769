"""A release that comes part by part, written as the local engine would write it whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from shoal.engines import Layout, Written
from shoal.engines.local import is_parquet
from shoal.engines.local.data import LocalData
from shoal.engines.sources import Source
from shoal.schema import Schema


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
        tables = (to_arrow(part, schema, "struct", single) for part in parts)
        return write_folder(tables, target) if folder else write_parquet(tables, target)
    from shoal.engines.local.text_writer import write_text

    return write_text(parts, schema, target, layout)
