"""Distributions: how the values of each column are spread before and after, in candidates that are compared."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.charts.figure import FigureRow
from shoal.report.bins import distribution
from shoal.report.columns import ColumnCells
from shoal.report.discretion import Discretion
from shoal.table import Table
from shoal.web.tasks.candidate_messages import ColumnDistribution, Distributions, DistributionsRequest
from shoal.web.tasks.candidates import made
from shoal.web.tasks.messages import CandidateSpec, ImpossibleCandidate, Message
from shoal.web.tasks.reading import evenly, options_of, stages
from shoal.web.tasks.registry import Reporter

_DISCRETION = Discretion("internal", 10)  # fewer people than that are never distinguished


def compare(request: DistributionsRequest, report: Reporter) -> Message:
    """Compare the columns of some candidates with the original, at first in a sample if the file is large."""
    for table, part in stages(request, options_of(request), report):
        before = {name: ColumnCells.of(table, name) for name in table.schema.quasi}
        for each in evenly(report, "Comparing the values of columns", request.candidates):
            columns = _compared(table, before, each)
            report.partial(Distributions(key=each.key, sampled=table.rows if part else None, columns=columns))
    return Message()


def _compared(
    table: Table, before: Mapping[str, ColumnCells], candidate: CandidateSpec
) -> tuple[ColumnDistribution, ...]:
    release = made(table, candidate)
    if isinstance(release, ImpossibleCandidate):
        return ()
    found = [
        distribution(name, cells, ColumnCells.of(release.table, name), _DISCRETION) for name, cells in before.items()
    ]
    return tuple(
        ColumnDistribution(column=each.name, stepped=each.stepped, rows=tuple(_plain(row) for row in each.rows))
        for each in found
        if each.rows
    )


def _plain(row: FigureRow) -> dict[str, float | str]:
    """Give a row as plain values, without the count of people, which nobody needs here."""
    return {key: value if isinstance(value, str) else float(value) for key, value in row.items() if key != "count"}
