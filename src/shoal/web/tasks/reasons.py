"""Why rows are at risk: all rows are read however large the file is, because in a sample more of them stand alone."""

from __future__ import annotations

from shoal.assessment.record_reasons import RecordReasons
from shoal.engines import read
from shoal.web.tasks.reading import options_of
from shoal.web.tasks.reason_messages import ReasonAttribute, ReasonRow, ReasonSet, ReasonsRequest, ReasonsSummary
from shoal.web.tasks.registry import Reporter

_SETS = 10


def find(request: ReasonsRequest, report: Reporter) -> ReasonsSummary:
    """Find the smallest sets of columns that put rows at risk."""
    report.step(f"Reading all of {request.name}")
    table = read(request.file, options=options_of(request))
    report.step("Looking for what puts rows at risk")
    found = RecordReasons.of(table, request.fewer)
    return ReasonsSummary(
        rows=table.rows,
        at_risk=found.records,
        fewer=request.fewer,
        size=found.found.size,
        columns=len(found.names),
        attributes=tuple(
            ReasonAttribute(name=name, touched=touched, freed=freed) for name, touched, freed in found.by_attribute()
        ),
        sets=tuple(ReasonSet(columns=columns, rows=rows) for columns, rows in found.by_set(_SETS)),
        listed=tuple(
            ReasonRow(number=number, group=group, sets=tuple(sets), helps=tuple(helps))
            for number, group, sets, helps in found.listed(request.listed)
        ),
    )
