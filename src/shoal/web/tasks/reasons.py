"""Rows at risk: all rows are read however large the file is, because in a sample more of them stand alone."""

from __future__ import annotations

import numpy as np

from shoal.assessment.record_reasons import RecordReasons
from shoal.assessment.records_at_risk import write_records
from shoal.web.tasks.reading import whole
from shoal.web.tasks.registry import Reporter
from shoal.web.tasks.risk_messages import ReasonRow, ReasonsRequest, ReasonsSummary
from shoal.web.tasks.rows import cells_of


def find(request: ReasonsRequest, report: Reporter) -> ReasonsSummary:
    """List rows at risk, each with the smallest sets of columns that put it there."""
    table = whole(request, report)
    report.step("Looking for what puts rows at risk")
    found = RecordReasons.of(table, request.fewer)
    listed = list(found.listed(request.listed))
    numbers = np.array([number - 1 for number, *_ in listed], np.int64)
    shown = cells_of(table, found.names, numbers) if request.values else ((),) * len(listed)
    if request.list_file:
        write_records(found, request.folder / request.list_file)
    return ReasonsSummary(
        rows=table.rows,
        at_risk=found.records,
        fewer=request.fewer,
        listed=tuple(
            ReasonRow(number=number, group=group, sets=tuple(sets), helps=tuple(helps), values=values)
            for (number, group, sets, helps), values in zip(listed, shown, strict=True)
        ),
        names=found.names if request.values else (),
        list_file=request.list_file,
    )
