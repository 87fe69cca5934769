"""What the type checker must see of the contract of engines. It reads this file with the sources; nothing runs it.

Every misuse of a column below is marked as an error that is awaited: should one of them pass, the mark is of no use any
more, and the type checker says so.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Array, Floats, Labels
from shoal.engines.disk.engine import Disk
from shoal.engines.local import Local
from shoal.engines.local_data import LocalData
from shoal.engines.parts.columns import LazyColumn
from shoal.engines.parts.data import PartsTable
from shoal.engines.parts.engine import PartsEngine
from shoal.engines.protocol import Engine
from shoal.engines.spark import Spark
from shoal.table import Column, Table


def every_engine_speaks_every_verb_with_data_and_columns_of_its_own(
    local: Local, parted: PartsEngine, disk: Disk, spark: Spark
) -> tuple[Engine[LocalData, Array], list[Engine[PartsTable, LazyColumn]]]:
    return local, [parted, disk, spark]


def a_column_has_no_arithmetic(table: Table, total: Floats) -> None:
    place = table.rank([])
    total += place  # type: ignore[call-overload]
    total + place  # type: ignore[operator]
    place + place  # type: ignore[operator]
    place % 3  # type: ignore[operator]
    np.sqrt(place)  # type: ignore[call-overload]


def a_column_is_no_array(table: Table, labels: Labels) -> Table:
    place: Column = table.map_rows(lambda rows: rows.lo[:, 0])
    place.astype(np.int32)  # type: ignore[attr-defined]
    place[0]  # type: ignore[index]
    len(place)  # type: ignore[arg-type]
    return table.generalize(labels, 1)  # type: ignore[arg-type]
