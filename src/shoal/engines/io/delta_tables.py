"""Tables of Delta Lake: their data files, without the rows that a deletion vector marks as gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

Batches = Callable[[], Iterator[pa.RecordBatch]]
# What a reader of data files need not know beside the vectors: a type of columns that Arrow has anyway.
_PLAIN = {"deletionVectors", "timestampNtz"}
_PARTITION = "partition."


def opened_delta(table: Any) -> tuple[pa.Schema, Batches]:
    """Give the columns of a table of the library, and what gives its rows, file by file in the order of their names."""
    if _is_marked(table):
        return _marked(table)
    rows = table.to_pyarrow_dataset()  # which refuses what it does not understand

    def batches() -> Iterator[pa.RecordBatch]:
        for fragment in sorted(rows.get_fragments(), key=lambda fragment: str(fragment.path)):
            yield from fragment.to_batches(schema=rows.schema)

    return rows.schema, batches


def _is_marked(table: Any) -> bool:
    """Tell whether rows may be marked as deleted, and nothing else is unusual about the table."""
    features = set(table.protocol().reader_features or ())
    return "deletionVectors" in features and features <= _PLAIN


def _marked(table: Any) -> tuple[pa.Schema, Batches]:
    schema = pa.schema(table.schema().to_arrow())
    partitions = table.metadata().partition_columns
    actions = pa.table(table.get_add_actions(flatten=True))
    names = [unquote(name) for name in actions.column("path").to_pylist()]
    values = {each: actions.column(_PARTITION + each).to_pylist() for each in partitions}
    places = {name: _local(uri) for uri in table.file_uris() for name in names if _local(uri).endswith(name)}
    kept = pa.table(table.deletion_vectors())
    masks = dict(zip(map(_local, kept.column(0).to_pylist()), kept.column(1), strict=True))

    def batches() -> Iterator[pa.RecordBatch]:
        for number in sorted(range(len(names)), key=names.__getitem__):
            place, start = places[names[number]], 0
            mask = None if place not in masks else np.array(masks[place].values)
            with pq.ParquetFile(place) as file:
                for batch in file.iter_batches():
                    columns = {
                        field.name: pa.repeat(pa.scalar(values[field.name][number], field.type), batch.num_rows)
                        if field.name in values
                        else _column(batch, field)
                        for field in schema
                    }
                    found = pa.record_batch(columns, schema=schema)
                    rest = None if mask is None else mask[start : start + batch.num_rows]
                    start += batch.num_rows
                    if rest is not None:  # a vector ends with the last row that it marks
                        rest = np.append(rest, np.ones(batch.num_rows - rest.size, bool))
                    yield found if rest is None else found.filter(pa.array(rest))

    return schema, batches


def _column(batch: pa.RecordBatch, field: pa.Field) -> pa.Array:
    """Give a column as the table has it; one that came later is missing in earlier files."""
    if field.name not in batch.schema.names:
        return pa.nulls(batch.num_rows, field.type)
    return batch.column(field.name).cast(field.type)


def _local(uri: str) -> str:
    return unquote(urlsplit(uri).path) if "://" in uri else unquote(uri)
