"""What is in a Parquet file, or in a folder of them, beside the rows that it shows.

A Parquet file has many places where more can be kept than its rows show. Those that have a name are looked at one by
one. Then the rows are written anew, and the file must be the same, byte for byte: this finds everything else, but it
needs the version of Arrow that wrote the file.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from shoal.engines.io.digests import Digest
from shoal.engines.io.distinct_cells import one_array
from shoal.engines.io.opaque_columns import is_opaque, leaves_of
from shoal.engines.io.ordered_categories import has_levels, is_listed
from shoal.engines.io.parquet_reader import opened
from shoal.engines.io.released_categories import CategoryList, bare_column, with_lists
from shoal.engines.io.sealed_files import Sealed, changed
from shoal.engines.io.typed_columns import is_text, plain_column
from shoal.table import Written, printable

_WRITER = "parquet-cpp-arrow version "
_MAGIC = 4  # bytes at the beginning and at the end of a file
_SCHEMA = b"ARROW:schema"
_PART = re.compile(r"part-\d{5,}\.parquet")


def strange_files(folder: Path) -> str | None:
    """Name something in a folder that is not one of the files that a release consists of."""
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or not path.is_file() or not _PART.fullmatch(path.name):
            return f"'{printable(path.name)}' in '{printable(folder.name)}'"
    return None


def strange_contents(
    path: Path, names: Sequence[str], written: Written | None = None, plain: Collection[str] = ()
) -> str | None:
    """Name something in a Parquet file that is not in the rows of some columns; None if there is nothing.

    What was read of the file before may be given, so that nothing else is looked at; and which columns are passed on
    as they are, whatever their type.
    """
    sealed = Sealed.of(path)
    if written is not None and sealed.written != written:
        raise changed(f"'{path}'")
    with opened(sealed) as file:
        found = _strange_layout(file, sealed, names, plain) or _strange_values(file)
    if found is None:
        texts = _texts_of(sealed)
        with opened(sealed, read_dictionary=texts) as file:
            found = _unused_texts(file, texts)
    if found is None and not _same_anew(sealed):
        return "bytes that its rows do not show"
    return found


def _strange_layout(file: pq.ParquetFile, sealed: Sealed, names: Sequence[str], plain: Collection[str]) -> str | None:
    metadata = file.metadata
    if file.schema_arrow.names != list(names):
        return "columns that are not those of the release"
    if re.fullmatch(_WRITER + r"\d+\.\d+\.\d+(-SNAPSHOT)?", metadata.created_by) is None:
        return "the name of a writer that is no version of Arrow"
    if _types_of(file) is None:
        return "metadata of the file"
    for field in file.schema_arrow:
        if field.name in plain:
            continue
        if pa.types.is_struct(field.type) and [end.name for end in field.type] != ["lo", "hi"]:
            return f"further fields in the spans of '{field.name}'"
        if pa.types.is_nested(field.type) and not pa.types.is_struct(field.type):
            return f"lists in '{field.name}'"
    place = _MAGIC
    for chunk in _chunks(metadata):
        start = min(at for at in (chunk.dictionary_page_offset, chunk.data_page_offset) if at is not None)
        other = chunk.has_column_index or chunk.has_offset_index or chunk.bloom_filter_offset
        if start != place or other or chunk.metadata or chunk.file_path or chunk.is_geo_stats_set:
            return "bytes that belong to no column"
        place += chunk.total_compressed_size
    if place + metadata.serialized_size + 4 + _MAGIC != sealed.written.size:
        return "bytes that belong to no column"
    return None


def _chunks(metadata: pq.FileMetaData) -> Iterator[Any]:
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            yield metadata.row_group(group).column(column)


def _types_of(file: pq.ParquetFile) -> pa.Schema | None:
    """Give the types of the columns, as the only remark on a file tells them; None if there is another remark."""
    remarks = file.metadata.metadata
    if not remarks:
        return file.schema_arrow
    if set(remarks) != {_SCHEMA}:
        return None
    try:
        kept = base64.b64decode(remarks[_SCHEMA], validate=True)
        types = pa.ipc.read_schema(pa.py_buffer(kept))
        bare = pa.schema([pa.field(field.name, bare_column(field.type), field.nullable) for field in types])
        zones = [field.type for field in types if pa.types.is_timestamp(field.type) and field.type.tz]
        _ = [pc.local_timestamp(pa.scalar(0, kind)) for kind in zones]  # which fails where there is no such zone
    except (binascii.Error, pa.ArrowException, UnicodeDecodeError):
        return None
    return bare if kept == bare.serialize().to_pybytes() and types.names == file.schema_arrow.names else None


def _strange_values(file: pq.ParquetFile) -> str | None:
    """Look at the values of each group of rows: ends of spans, and the limits that the file gives for columns."""
    metadata = file.metadata
    for group in range(metadata.num_row_groups):
        table = file.read_row_group(group)
        leaves: list[pa.Array] = []
        for name in table.column_names:
            column = one_array(table.column(name))
            if pa.types.is_struct(column.type) and not is_opaque(column.type):
                ends = [pc.struct_field(column, end) for end in ("lo", "hi")]
                if pc.any(pc.xor(ends[0].is_null(), ends[1].is_null())).as_py():
                    return f"spans of '{name}' with one end"
            leaves += leaves_of(column)
        for place, leaf in enumerate(leaves):
            if not _limits_shown(metadata.row_group(group).column(place), leaf):
                return f"limits of '{metadata.schema.column(place).path}' that its rows do not have"
    return None


def _limits_shown(chunk: Any, leaf: pa.Array) -> bool:
    """Tell whether the limits that a file gives for a column are among its values."""
    statistics = chunk.statistics
    if statistics is None:
        return True
    alone = chunk.num_values == len(leaf)  # lists without values have places of their own
    if statistics.has_null_count and alone and statistics.null_count != leaf.null_count:
        return False
    if not statistics.has_min_max or statistics.physical_type == "FIXED_LEN_BYTE_ARRAY":
        return True  # of decimals and halves, limits are bytes: writing anew compares them
    try:
        limits = _limits(statistics, leaf.type)
    except (pa.ArrowException, UnicodeDecodeError, OverflowError):
        return False
    values = pc.unique(leaf)
    if pa.types.is_floating(leaf.type):  # of 0.0, limits have the sign that is farther out
        limits, values = pc.add(limits, 0.0), pc.add(values, 0.0)
    return bool(pc.all(pc.is_in(limits, values.cast(limits.type))).as_py())


def _limits(statistics: Any, kind: pa.DataType) -> pa.Array:
    """Give the limits that a file gives for a column as values of its type."""
    if pa.types.is_uint64(kind):
        return pa.array([statistics.min, statistics.max], kind)
    if pa.types.is_temporal(kind) and getattr(kind, "unit", "") == "ns":  # of which others keep microseconds
        return pa.array([statistics.min_raw, statistics.max_raw], pa.int64()).cast(kind)
    return pa.array([statistics.min, statistics.max]).cast(kind)


def _texts_of(sealed: Sealed) -> list[str]:
    with opened(sealed) as file:
        kinds = [(field.name, field.type) for field in file.schema_arrow]
        return [name for name, kind in kinds if is_text(kind) or (is_listed(kind) and not has_levels(kind))]


def _unused_texts(file: pq.ParquetFile, texts: Sequence[str]) -> str | None:
    """Name a column whose list of distinct texts has some that no row uses."""
    for group in range(file.metadata.num_row_groups if texts else 0):
        table = file.read_row_group(group, columns=list(texts))
        for name in table.column_names:
            for chunk in table.column(name).chunks:
                if isinstance(chunk, pa.DictionaryArray):
                    used = pc.unique(chunk.indices.drop_null())
                    if len(used) < len(chunk.dictionary):
                        return f"texts of '{name}' that no row has"
    return None


def strange_categories(paths: Sequence[Path]) -> str | None:
    """Name a column of a release whose list of ordered categories has some that no row of its files holds.

    All groups of rows of all files have the same list, so that all who read them know the order.
    """
    lists: dict[str, pa.Array] = {}
    used: dict[str, pa.Array] = {}
    for path in paths:
        with opened(Sealed.of(path)) as file:
            names = [field.name for field in file.schema_arrow if has_levels(field.type)]
            for group in range(file.metadata.num_row_groups if names else 0):
                table = file.read_row_group(group, columns=names)
                for name in names:
                    column = one_array(table.column(name))
                    if not lists.setdefault(name, column.dictionary).equals(column.dictionary):
                        return f"other categories of '{name}' in some rows"
                    here = pc.unique(column.indices).drop_null()
                    used[name] = pc.unique(pa.chunked_array([used.get(name, here), here]))
    return next(
        (f"categories of '{name}' that no row has" for name in lists if len(used[name]) < len(lists[name])), None
    )


def another_version(path: Path) -> bool:
    """Tell whether another version of Arrow wrote a file, so that it cannot be written anew."""
    with opened(Sealed.of(path)) as file:
        return bool(file.metadata.created_by != _WRITER + pa.__version__)


def _same_anew(sealed: Sealed) -> bool:
    """Tell whether the same rows, written anew, are the same file; and True if another version wrote it."""
    with opened(sealed) as file:
        metadata = file.metadata
        if metadata.created_by != _WRITER + pa.__version__:
            return True
        sink, types = _Sink(), _types_of(file)
        with pq.ParquetWriter(pa.PythonFile(sink, mode="w"), types, store_schema=bool(metadata.metadata)) as writer:
            for group in range(metadata.num_row_groups):
                table = _as_written(file.read_row_group(group), types)
                writer.write_table(table, row_group_size=max(1, table.num_rows))
    return sink.digest.written == sealed.written


def _as_written(table: pa.Table, types: pa.Schema) -> pa.Table:
    """Give a group of rows as it was given to whom wrote it: categories in their order, or as rows have them."""
    kept = {name: table.column(name) for name in table.column_names}
    plain = {name: plain_column(column) if is_listed(column.type) else column for name, column in kept.items()}
    lists = {
        field.name: CategoryList(
            field.type, one_array(table.column(field.name)).dictionary if field.type.ordered else None
        )
        for field in types
        if is_listed(field.type)
    }
    kinds = [pa.field(f.name, f.type.value_type if f.name in lists else f.type, f.nullable) for f in types]
    return with_lists(pa.table(plain).cast(pa.schema(kinds)).combine_chunks(), lists)


class _Sink:
    """A file that keeps only the digest of what is written to it."""

    closed = False

    def __init__(self) -> None:
        self.digest = Digest()

    def write(self, some: Any) -> int:
        self.digest.update(memoryview(some))
        return len(some)

    def flush(self) -> None:
        """Do nothing: nothing is held back."""

    def close(self) -> None:
        self.closed = True
