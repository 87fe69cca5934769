"""What a released file or folder holds beside its rows, whatever its form."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from shoal.engines.file_forms import COMPRESSED
from shoal.engines.io.file_writer import writer_of, writers_of
from shoal.engines.sources import Source
from shoal.schema import ReadOptions, Roles
from shoal.table import Written


def hidden_content(
    source: Source, names: Sequence[str], written: Written, software: Mapping[str, str], plain: Collection[str] = ()
) -> str | None:
    """Name something that is not in the rows of some columns; None if there is nothing.

    Of a database only one table is looked at. ``written`` is what was read of the source before, and ``plain`` are the
    columns that may be of any type. ``software`` is what the certificate says of the libraries that made it.
    """
    if source.is_table:
        from shoal.engines.io.databases import strange_types

        return strange_types(source)
    if source.is_text:
        if source.path.suffix.lower() not in COMPRESSED:
            return None  # plain text is what its rows show
        from shoal.engines.io.compressed_contents import hidden_bytes

        return hidden_bytes(source.path, written)
    if source.is_typed_file and not _same_writers(source, software):
        return None
    form = source.form
    if form is not None and form.form == "labelled":
        from shoal.engines.io.labelled.writing import strange_contents as strange_labels

        return strange_labels(source.path, names)
    if form is not None and form.form != "parquet":
        from shoal.engines.io.opened import opened_table
        from shoal.engines.io.released_categories import KEEPING, lists_found
        from shoal.engines.io.typed_files.stored_table import StoredTable, strange_bytes

        table = opened_table(source, ReadOptions(roles=Roles(plain=tuple(names))))
        assert isinstance(table, StoredTable)
        lists = lists_found(table.pieces(names)) if form.form in KEEPING and table.schema.names == list(names) else {}
        return strange_bytes(table, names, writer_of(form.form, lists))
    from shoal.engines.io.parquet_contents import strange_categories, strange_contents, strange_files

    if not source.is_folder:
        return strange_contents(source.path, names, written, plain) or strange_categories([source.path])
    paths = sorted(source.path.glob("*.parquet"))
    parts = (strange_contents(path, names, None, plain) for path in paths)
    found = strange_files(source.path) or next((found for found in parts if found is not None), None)
    return found or strange_categories(paths)


def unchecked_content(source: Source, software: Mapping[str, str]) -> str | None:
    """Say why not all was looked at that a source may hold beside its rows; None if all was.

    ``software`` is what the certificate says of the libraries that made it.
    """
    if source.is_table:
        return "the database may hold more than this table"
    if source.is_text:
        return None
    if source.is_typed_file:
        return None if _same_writers(source, software) else "another version of a library wrote it"
    from shoal.engines.io.parquet_contents import another_version

    paths = sorted(source.path.glob("*.parquet")) if source.is_folder else [source.path]
    return "another version of Arrow wrote it" if any(map(another_version, paths)) else None


def _same_writers(source: Source, software: Mapping[str, str]) -> bool:
    """Tell whether the libraries that wrote a file are those that are here, so that it can be written anew."""
    return all(software.get(name) == version for name, version in writers_of(source).items())
