"""Tables that were made, not read: columns of values, which an engine takes as it takes a frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.arrays import Integers
from shoal.domains.axis import AxisKind
from shoal.schema import ReadOptions, Roles
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class MadeColumn:
    """The values of a column: which there are, and by its place among them that of each record; below 0 for none."""

    kind: AxisKind
    values: Any
    places: Integers


def made_table(like: Table, columns: Mapping[str, MadeColumn]) -> Table:
    """Give a table of such columns, all of them quasi-identifiers, where another is held, and with its origin.

    It has its own number of records, and none of them is one of the other table's.
    """
    import pyarrow as pa

    arrays = {}
    for name, column in columns.items():
        kind = {"date": pa.date32(), "integer": pa.int64(), "float": pa.float64()}.get(column.kind, pa.string())
        values = np.asarray(column.values)
        if column.kind == "date":
            values = values.astype(np.int32)
        known = pa.array(values.tolist() if values.dtype == object else values, type=kind)
        absent = column.places < 0
        places = pa.array(column.places.astype(np.int32), mask=absent if absent.any() else None)
        arrays[name] = pa.DictionaryArray.from_arrays(places, known)
        if kind != pa.string():
            arrays[name] = arrays[name].dictionary_decode()
    options = ReadOptions(
        roles=Roles(quasi=tuple(columns)),
        kinds={name: column.kind for name, column in columns.items()},
        masked=False,
    )
    made = like.engine.read(pa.table(arrays), options)
    return replace(made, origin=like.origin)
