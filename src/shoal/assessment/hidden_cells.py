"""How many cells of a release are hidden, and in how many records."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.engines.values import Boxes
from shoal.kernels import MISSING, TOP
from shoal.table import Table


def hidden_cells(table: Table) -> dict[str, Any]:
    """Count the cells that are ``*``, by column, and the records that have any: who has the release can do the same.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = shoal.read(pl.DataFrame({"age": ["34", "*", "*"], "sex": ["f", "m", "*"]}), quasi=["age", "sex"],
    ...                     masked=True)
    >>> hidden_cells(people)
    {'suppressed': {'age': 2, 'sex': 1}, 'records_touched': 2}
    """

    def counted(boxes: Boxes) -> tuple[Any, int]:
        hidden = (boxes.lo == MISSING) & (boxes.hi == TOP)
        return (hidden * boxes.counts[:, None]).sum(axis=0), int(boxes.counts[hidden.any(axis=1)].sum())

    parts = table.boxes(counted)
    cells = np.sum([part[0] for part in parts], axis=0).tolist()
    return {
        "suppressed": dict(zip(table.schema.quasi, cells, strict=True)),
        "records_touched": sum(part[1] for part in parts),
    }
