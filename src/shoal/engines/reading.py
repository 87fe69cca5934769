"""Reading a table from whatever holds one, by the engine that suits it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.engines.column_trees import as_said, with_trees_of_columns
from shoal.engines.factory import engine_for
from shoal.engines.file_forms import form_of
from shoal.engines.io.streams import as_given, at_hand
from shoal.engines.label_trees import with_trees_of_labels
from shoal.engines.protocol import AnyEngine
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.progress.display import by_itself
from shoal.schema import ReadOptions, options_from
from shoal.table import Table


def read(
    source: Any,
    *,
    engine: AnyEngine | str | None = None,
    memory: str | int | None = None,
    target: Any = None,
    options: ReadOptions | None = None,
    **given: Any,
) -> Table:
    """Read a table from a file or a frame.

    Parameters
    ----------
    source
        The path of a delimited text file (``.gz`` and ``.zst`` are compressed) or of a Parquet file, a folder of
        Parquet files, a table in a database (``postgresql://…?table=t``, ``duckdb:///file.db?table=t``), ``-`` for
        stdin, or any object that speaks the Arrow stream protocol: pandas, Polars, PyArrow, DuckDB. It is not changed.
    engine
        Where the data are held: an engine, or the name of one; this machine if left out.
    memory
        How much memory may be used on this machine, such as ``2GB``; a share of what is free if left out. A file that
        would need more is kept on disk and worked on part by part.
    target
        Where a release will be written, if that is known: Parquet and databases need memory for that too.
    options
        How to read; or give its parts by name:
    **given
        ``quasi``, ``sensitive``, ``plain``, ``identifier`` (names), ``subject``, ``weight`` (a name),
        ``last_sensitive`` for the paper's format; ``kinds``, ``orders``, ``hierarchies``, ``knowledge`` (by column),
        ``delimiter``, ``encoding``, ``decimal``, ``thousands``, ``dates``, ``missing``, ``header``, ``masked``,
        ``sheet`` and ``range`` of a workbook, ``at_version`` of a lakehouse.
        A hierarchy is a CSV file (a line per value, from left to right), ``bands 5,20``, ``prefix 3,1``, ``dates``,
        ``columns county,state`` or one of the other ways that `docs/concepts.md` lists.

    Returns
    -------
    Table
        The columns that were given a role. Others are left out.

    Examples
    --------
    >>> import polars as pl
    >>> people = read(pl.DataFrame({"age": [34, 35], "ill": ["yes", "no"]}), quasi=["age"], sensitive=["ill"])
    >>> people
    Table of 2 records: age (quasi, integer), ill (sensitive, category)
    """
    how = how_to_read(options, given)
    there = at_hand(source)
    refuse_needless(there, how)
    name = there.name if isinstance(there, Source) else "a frame"
    with by_itself(f"reading {name}"):
        said = how.hierarchies
        how = with_trees_of_columns(
            how, lambda alone: read(there, engine=engine, memory=memory, target=target, options=alone)
        )
        how = with_trees_of_labels(
            how, lambda alone: read(there, engine=engine, memory=memory, target=target, options=alone)
        )
        held_by = engine_for([there], how, engine=engine, memory=memory, target=target)
        return as_given(as_said(held_by.read(there, how), said), there)


def sheets_of(path: Path) -> tuple[str, ...]:
    """Give the names of the sheets of a workbook; of other files, none."""
    if path.is_dir() or form_of(path).form != "excel":
        return ()
    from shoal.engines.io.typed_files.excel_sheets import opened_workbook

    return tuple(opened_workbook(path)[1].sheet_names)


def versions_of(path: Path) -> tuple[tuple[str, str], ...]:
    """Give the versions of a table of a lakehouse, the newest first, and when each came to be; of others, none."""
    if not Source("folder", path).is_lakehouse:
        return ()
    from shoal.engines.io import lakehouse_reader

    return tuple((str(each.number), each.at) for each in lakehouse_reader.versions_of(path))


def lies_elsewhere(path: Path, options: ReadOptions) -> bool:
    """Tell whether rows of a table of a lakehouse lie outside of its folder; of others none do."""
    if not Source("folder", path).is_lakehouse:
        return False
    from shoal.engines.io.lakehouse_reader import lies_in_its_folder

    return not lies_in_its_folder(path, options.at_version)


def refuse_needless(source: Any, options: ReadOptions) -> None:
    """Refuse options for a part that a source does not have."""
    form = source.form if isinstance(source, Source) else None
    said = "sheet" if options.sheet is not None else "range" if options.range is not None else None
    if said is not None and (form is None or form.form != "excel"):
        raise ParameterError(f"Only a workbook has a {said}.", f"Leave --{said} out, or name a workbook (.xlsx).")
    if options.at_version is not None and not (isinstance(source, Source) and source.is_lakehouse):
        raise ParameterError(
            "Only a table of Delta Lake or Iceberg has versions.", "Leave --at-version out, or name its folder."
        )


def how_to_read(options: Any, said: Mapping[str, Any], beside: Sequence[str] = ()) -> ReadOptions:
    """Give how a table is to be read: by options or by their names; ``beside`` are other names that may be meant."""
    if said and options is not None:
        raise ParameterError(
            f"Both 'options' and '{next(iter(said))}' say how to read the table.", "Say it in one of the two ways."
        )
    if not isinstance(options, ReadOptions | None):
        raise ParameterError(
            f"'options' is a ReadOptions, not a {type(options).__name__}.", "Say it by name: quasi=[…]."
        )
    return options or options_from(said, beside=beside)
