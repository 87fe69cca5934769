"""Some rows before and after: what becomes of them in a candidate, for a person who asks to see them."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Integers
from shoal.errors import DataError
from shoal.schema import RELEASED
from shoal.table import Table
from shoal.web.tasks.candidate_messages import RowsBeforeAfter, RowsRequest
from shoal.web.tasks.candidates import made
from shoal.web.tasks.messages import ImpossibleCandidate
from shoal.web.tasks.reading import options_of, stages
from shoal.web.tasks.registry import Reporter


def before_after(request: RowsRequest, report: Reporter) -> RowsBeforeAfter:
    """Give rows from all over the table as they are and as the candidate would release them.

    Of a large file they come from a sample, whose groups are wider than those of the whole table.
    """
    for table, part in stages(request, options_of(request), report):
        report.step("Making the rows")
        release = made(table, request.candidate)
        if isinstance(release, ImpossibleCandidate):
            raise DataError(release.impossible, release.remedy)
        names = tuple(each.name for each in table.schema.attributes if each.role in RELEASED)
        rows = np.unique(np.linspace(0, table.rows - 1, min(request.count, table.rows)).astype(np.int64))
        return RowsBeforeAfter(
            key=request.candidate.key,
            sampled=table.rows if part else None,
            names=names,
            before=cells_of(table, names, rows),
            after=cells_of(release.table, names, rows),
        )
    raise DataError("The table has no rows.", "Open another file.")


def cells_of(table: Table, names: tuple[str, ...], rows: Integers) -> tuple[tuple[str, ...], ...]:
    """Give the cells of some rows as texts."""
    columns = []
    for name in names:
        low, high = table.cells((name,), rows)
        columns.append(table.schema[name].axis.render_all(low[:, 0], high[:, 0]))
    return tuple(zip(*columns, strict=True))
