"""A table in memory in slices, for those who make cells of positions: cells take much more room."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from shoal.engines.local_data import OWN, LocalData
from shoal.progress import along

_CELLS = 1 << 17  # that are made at once


def rows_at_once(columns: int) -> int:
    """Tell how many rows of so many columns are made into cells, or taken from a database, at once."""
    return max(1024, _CELLS // max(columns, 1))


def slices(data: LocalData) -> Iterator[LocalData]:
    """Give batches of the records, one after the other."""
    rows = rows_at_once(len(data.quasi) + len(data.carried))
    for start in along(range(0, data.rows, rows)):
        some = slice(start, start + rows)
        shared, index = some, OWN
        if data.index.size:  # records share rows: those that are needed here
            used, places = np.unique(data.index[some], return_inverse=True)
            shared, index = used, places.astype(np.int32)  # type: ignore[assignment]
        low = data.lo[shared]
        high = low if data.hi is data.lo else data.hi[shared]
        sources = {name: column.slice(start, rows) for name, column in data.sources.items()}
        yield replace(data, lo=low, hi=high, index=index, codes=data.codes[some], sources=sources)
