"""The Spark engine: the parts of a table lie on the workers of a cluster."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from shoal.engines.parts.data import PartsTable
from shoal.engines.parts.engine import PartsEngine
from shoal.engines.sources import Source, is_parquet
from shoal.engines.spark.pool import SparkPool
from shoal.engines.spark.sessions import start, usable
from shoal.engines.values import Layout, Output
from shoal.errors import ParameterError
from shoal.schema import ReadOptions, Schema
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class Spark(PartsEngine):
    """Hold tables on the workers of a Spark cluster.

    Parameters
    ----------
    session
        A Spark session. If left out, the one that runs is used, else one is started.
    master
        Where to start it: ``local[4]``, ``local-cluster[2,1,2048]``, ``spark://HOST:7077``. All cores of this machine
        if left out.
    settings
        Settings for a session that is started, by their names in Spark.
    rows_per_part
        About how many records are in a part.
    most_boxes
        How many boxes can be compared with each other at once; any number if None.

    Attributes
    ----------
    pool
        Where the parts are stored and processed.
    name
        The name by which certificates call the engine.
    """

    session: Any = field(default=None, repr=False)
    # All others by name only: none of them is taken for a session, nor a session for one of them.
    master: str | None = field(default=None, kw_only=True)
    settings: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    pool: SparkPool = field(init=False, repr=False)
    rows_per_part: int = field(default=1 << 19, kw_only=True)
    most_boxes: int | None = field(default=None, kw_only=True)
    name: str = field(default="spark", init=False)

    def __post_init__(self) -> None:
        """Start Spark if no session is given."""
        session = start(self.master, self.settings) if self.session is None else usable(self.session)
        object.__setattr__(self, "session", session)
        object.__setattr__(self, "pool", SparkPool(session))

    def read(self, source: object, options: ReadOptions) -> Table:
        """Read files and Spark data frames on the workers, and anything else through the driver.

        Compressed text, files of other forms and tables in databases and lakehouses pass through the driver part by
        part, other frames whole.
        """
        if isinstance(source, (str, os.PathLike, Source)):
            found = Source.parse(source)
            if options.baskets or options.bounds:
                return super().read(source, options)
            if found.is_table or found.is_lakehouse or found.is_typed_file:
                from shoal.engines.parts.frames import load_frames

                schema, data, origin = load_frames(
                    self.pool, found, options, lambda columns: self.rows_per_part, self.budget, lambda taken: None
                )
            elif found.is_folder or is_parquet(found.path):
                from shoal.engines.spark.reading import read_parquet

                schema, data, origin = read_parquet(
                    self.pool, found.path.absolute(), options, self.rows_per_part, folder=found.is_folder
                )
            else:
                from shoal.engines.spark.text import read_text

                schema, data, origin = read_text(self.pool, found.path, options, self.rows_per_part)
            return Table(schema, data, self, origin)
        if type(source).__module__.startswith("pyspark.sql"):
            from shoal.engines.spark.frames import read_frame

            schema, data, origin = read_frame(self.pool, source, options)
            return Table(schema, data, self, origin)
        return super().read(source, options)

    def write(self, data: PartsTable, schema: Schema, target: Source, layout: Layout) -> AbstractContextManager[Output]:
        """Write a folder by the workers, and anything else through the driver, part by part."""
        if target.kind != "folder" or layout.cells is not None:
            return super().write(data, schema, target, layout)
        from shoal.engines.parts.whole_table import WholeTable, lists_of_parts
        from shoal.engines.spark.writing import write_folder

        exact = self.exact(data).tolist()
        whole = WholeTable(exact, lists_of_parts(self.pool, data, schema, target, layout, exact))
        return nullcontext(Output(write_folder(self.pool, data, schema, target.path, whole)))

    def frame(self, data: PartsTable, schema: Schema, kind: str, cells: str | None) -> Any:
        """Give the released columns as a frame: one of Spark stays on the cluster."""
        if kind != "spark":
            return super().frame(data, schema, kind, cells)
        from shoal.engines.spark.frames import frame_of

        return frame_of(self.pool, data, schema, cells or "struct", self.exact(data).tolist())


def from_environment(memory: str | int | None) -> Spark:
    """Give the engine that is meant by the name ``spark``: the session that runs, or a new one."""
    if memory is not None:
        raise ParameterError(
            "The memory of a cluster is not set by --memory.",
            "Set spark.executor.memory and spark.driver.memory in spark-defaults.conf, or leave --memory out.",
        )
    return Spark()
