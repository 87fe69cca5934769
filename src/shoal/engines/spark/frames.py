"""Spark data frames as tables, and tables as Spark data frames, without passing through the driver."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from shoal.engines.io.arrow import to_arrow
from shoal.engines.io.exact_types import named
from shoal.engines.io.narrowing import in_microseconds
from shoal.engines.io.typed_columns import plain_column
from shoal.engines.parts.data import PartsTable
from shoal.engines.parts.encoding import encode
from shoal.engines.parts.pool import Part
from shoal.engines.parts.reading import ColumnPlan, loaded, summary_of
from shoal.engines.spark.failures import on_driver, on_worker
from shoal.engines.spark.pool import SparkPool
from shoal.engines.spark.serialization import serialize
from shoal.errors import DataError, SchemaError
from shoal.schema import ReadOptions, Schema
from shoal.table import Origin

_LONGEST = 1 << 28  # bytes of one cell of a frame


def read_frame(pool: SparkPool, frame: Any, options: ReadOptions) -> tuple[Schema, PartsTable, Origin]:
    """Read a data frame of Spark: each of its partitions becomes a part, in their order."""
    names = frame.columns
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise SchemaError(f"Two columns are named '{twice}'.", "Give each column a name of its own.")
    kinds = _arrow_schema(frame)
    asked = ColumnPlan.of(kinds, options)
    wanted, plain = list(asked.assigned), asked.plain
    chosen = frame.select([f"`{name.replace('`', '``')}`" for name in wanted])
    schema = pa.schema([kinds.field(name) for name in wanted])

    def encoded(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with on_worker():
            whole = memoryview(serialize(encode(pa.Table.from_batches(list(batches)).cast(schema), plain)))
        for at in range(0, len(whole), _LONGEST):
            yield pa.RecordBatch.from_arrays([pa.array([bytes(whole[at : at + _LONGEST])], pa.binary())], ["part"])

    with warnings.catch_warnings(), on_driver():
        warnings.simplefilter("ignore")  # Spark warns of pandas, which nobody uses here
        parts = chosen.mapInArrow(encoded, "part binary").rdd.map(lambda row: bytes(row[0]))
    raw = pool.adopt(parts, parts.getNumPartitions(), summarize=summary_of(wanted, plain))
    digest = hashlib.sha256("".join(pool.collect(_digest, raw)).encode()).hexdigest()
    return loaded(pool, raw, asked, options, Origin("spark frame", digest, "spark"))


def _digest(number: int, part: Part) -> str:
    found = hashlib.sha256()
    for name in sorted(part):
        found.update(name.encode())
        found.update(part[name].tobytes())
    return found.hexdigest()


def _arrow_schema(frame: Any) -> pa.Schema:
    from pyspark.sql.pandas.types import to_arrow_schema

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return to_arrow_schema(frame.schema)


def frame_of(pool: SparkPool, data: PartsTable, schema: Schema, cells: str, exact: Sequence[bool]) -> Any:
    """Give the released columns as a Spark data frame, created on the workers."""
    read, handles = data.reader(), (data.cells, data.codes)

    def table(*parts: Part) -> pa.Table:
        return for_spark(to_arrow(read(*parts), schema, cells, exact))

    (kinds, *_) = pool.collect(lambda number, *parts: table(*parts).schema, *handles)
    rows = pool.rows(lambda number, *parts: (tuple(row.values()) for row in table(*parts).to_pylist()), *handles)
    return pool.session.createDataFrame(rows, _spark_schema(kinds))


def _spark_schema(kinds: pa.Schema) -> Any:
    """Give the types that Spark has for columns, or name the first that it has none for."""
    from pyspark.errors import PySparkException
    from pyspark.sql.pandas.types import from_arrow_schema

    for field in kinds:
        try:
            from_arrow_schema(pa.schema([field]))
        except PySparkException:
            raise DataError(
                f"Column '{field.name}' is of a type that Spark does not have ({field.type}).",
                "Leave it out, or take another frame: release.to_arrow().",
            ) from None
    return from_arrow_schema(kinds)


def for_spark(table: pa.Table) -> pa.Table:
    """Give columns in types that Spark has, where no value changes."""
    return pa.table({name: _for_spark(name, table.column(name)) for name in table.column_names})


def _for_spark(name: str, column: Any) -> Any:
    column = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    kind = column.type
    if named(kind):
        return plain_column(column).cast(pa.string())
    if pa.types.is_uint64(kind):
        return column.cast(pa.decimal128(20, 0))
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return in_microseconds(name, column, "Spark")
    return column
