"""How many cells were hidden, and in how many records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.arrays import Array
from shoal.engines.values import Spans
from shoal.kernels import MISSING, TOP
from shoal.kernels.spans import Members
from shoal.table import Table


def with_counts(before: Table, after: Table) -> Table:
    """Give a table with the numbers of its cells that are ``*`` and were not before: by column, and of records."""
    *cells, records = before.fold(after, _newly_hidden).tolist()
    return replace(
        after,
        hidden={
            "suppressed": dict(zip(before.schema.quasi, map(int, cells), strict=True)),
            "records_touched": int(records),
        },
    )


def _newly_hidden(before: Spans, after: Spans, members: Members | None) -> Array:
    hidden = (after.lo == MISSING) & (after.hi == TOP)
    if members is not None:
        order, starts = members
        spread = np.empty((order.size, hidden.shape[1]), np.bool_)
        spread[order] = np.repeat(hidden, np.diff(starts), axis=0)
        hidden = spread
    new = hidden & ~((before.lo == MISSING) & (before.hi == TOP))
    return np.append(new.sum(axis=0), new.any(axis=1).sum())
