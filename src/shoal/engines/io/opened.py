"""Tables in files and folders whose columns have types, each opened by what reads its form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from shoal.engines.sources import Source
from shoal.schema import ReadOptions
from shoal.table import Origin


def header_of(source: Source, options: ReadOptions) -> tuple[str, ...] | None:
    """Give the names of the columns of a file or folder; None of a table in a database."""
    if source.is_table or source.is_lakehouse:
        return None
    if source.is_text:
        from shoal.engines.io.text_head import read_head

        return read_head(source.path, options.delimiter, options.encoding, options.header).header
    return tuple(opened_table(source, options).schema.names)


class OpenedTable(Protocol):
    """A table whose columns are known, and whose rows can be read whole or a few at a time."""

    @property
    def schema(self) -> Any:
        """The columns, as Arrow knows them."""
        ...

    @property
    def origin(self) -> Origin:
        """Where it comes from."""
        ...

    def whole(self) -> Any:
        """Give all rows."""
        ...

    def batches(self, names: Sequence[str], rows: int) -> Iterator[Any]:
        """Give some columns, so many rows at a time."""
        ...


def opened_table(source: Source, options: ReadOptions) -> OpenedTable:
    """Find what is in a folder of Parquet files or in a file whose columns have types."""
    if source.is_folder:
        from shoal.engines.io.folders import opened_folder

        return opened_folder(source.path)
    form = source.form
    assert form is not None
    if form.form == "labelled":
        from shoal.engines.io.labelled.reading import opened_labelled

        return opened_labelled(source.path, options)
    if form.form == "arrow":
        from shoal.engines.io.typed_files.arrow_files import opened_arrow

        return opened_arrow(source.path)
    if form.form == "orc":
        from shoal.engines.io.typed_files.orc_files import opened_orc

        return opened_orc(source.path, options)
    if form.form == "json lines":
        from shoal.engines.io.typed_files.json_lines import opened_json_lines

        return opened_json_lines(source.path, options)
    if form.form == "excel":
        from shoal.engines.io.typed_files.excel_sheets import opened_sheet

        return opened_sheet(source.path, options)
    from shoal.engines.io.parquet_reader import opened_file

    return opened_file(source.path)
