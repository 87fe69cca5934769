"""The first look at a file: its columns, which roles they may have and why, and how their values are spread."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

import numpy as np

from shoal.assessment.inspection import ColumnReport, column_reports
from shoal.column_names import UNDECIDED
from shoal.domains.axis import Axis
from shoal.engines import read
from shoal.engines.reading import lies_elsewhere, sheets_of, versions_of
from shoal.errors import DataError
from shoal.kernels import MISSING
from shoal.pitfalls.identifiers import search_for_people
from shoal.schema import ReadOptions, Role, Roles
from shoal.table import Table
from shoal.web.tasks.messages import ColumnProfile, Preview, PreviewRequest, ProfileRequest, TableProfile, TableRequest
from shoal.web.tasks.reading import sampled, stages
from shoal.web.tasks.registry import Reporter

_BARS = 12
_FORMULA = re.compile(r"\s*([=@]|[+-](?=[A-Za-z(=@]))")
_SHOWN = 50


def profile(request: ProfileRequest, report: Reporter) -> TableProfile:
    """Look at all columns of a file, at first in a sample if it is large."""
    options = _options(request)
    for table, part in stages(request, options, report):
        _refuse(table, request.most_columns)
        report.step("Looking at the columns")
        found = TableProfile(
            rows=part.rows_in_file if part else table.rows,
            sampled=table.rows if part else None,
            notes=tuple(table.origin.notes),
            columns=tuple(_described(table, each) for each in column_reports(table)),
            sha256=None if part else table.origin.sha256,
            naming={each.column: each.why for each in search_for_people(table)},
            sheets=sheets_of(request.file),
            versions=versions_of(request.file),
        )
        report.partial(found)
    return found


def preview(request: PreviewRequest, report: Reporter) -> Preview:
    """Give the first rows as they are. They are someone's, so this is done only when a person asks for it."""
    report.step("Reading the first rows")
    options = _options(request)
    with sampled(request) as part:
        table = read(part[0] if part else request.file, options=options)
        frame = table.to_arrow(cells="text").slice(0, _SHOWN)
        names = table.schema.names
        rows = [tuple(_text(row.get(name)) for name in names) for row in islice(frame.to_pylist(), _SHOWN)]
    return Preview(names=tuple(names), rows=tuple(rows))


def _options(request: TableRequest) -> ReadOptions:
    """Give how all columns are read; a table whose log leads out of its folder is refused before it is."""
    options = request.layout.options(roles=Roles(rest=Role.PLAIN))
    if lies_elsewhere(request.file, options):
        raise DataError(
            f"'{request.name}' is a table of which some files lie outside of its folder.",
            "Copy the whole table to one place, or use the command line.",
        )
    return options


def _text(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def runs_as_formula(text: str) -> bool:
    """Tell whether a spreadsheet would take a cell for a formula."""
    return _FORMULA.match(text) is not None


def _refuse(table: Table, most: int) -> None:
    """Refuse a table that has too many columns, or cells that would run as formulas where a release is opened."""
    if len(table.schema.attributes) > most:
        raise DataError(
            f"The file has {len(table.schema.attributes):,} columns; at most {most:,} can be worked with here.",
            "Leave out columns that are not needed, or use the command line.",
        )
    for attribute in table.schema.attributes:
        values = attribute.axis.values if attribute.axis.nominal else None
        inside = values is not None and any(runs_as_formula(str(value)) for value in values)
        if inside or runs_as_formula(attribute.name):
            raise DataError(
                f"Cells of column '{attribute.name}' begin like formulas, which a spreadsheet would run when it opens "
                "the release."
                if inside
                else "Names of columns begin like formulas, which a spreadsheet would run when it opens the release.",
                "Save the file with the formulas' results in their place, or take the cells out.",
            )


def _described(table: Table, report: ColumnReport) -> ColumnProfile:
    alike = {
        name: getattr(report, name) for name in ("name", "kind", "why_kind", "distinct", "missing", "role", "label")
    }
    return ColumnProfile(
        **alike,
        why=report.why_role.removesuffix(UNDECIDED),
        sure=not report.why_role.endswith(UNDECIDED),
        bars=tuple(_bars(table, report.name)),
        value_labels=dict(report.value_labels),
        missing_codes=tuple(report.missing_codes),
    )


def _bars(table: Table, name: str) -> list[float]:
    """Give how values are spread: the largest categories, or bins of numbers; as shares of the highest bar."""
    positions, counts = table.counts(name)
    filled = positions != MISSING
    positions, counts = positions[filled], counts[filled]
    if not positions.size:
        return []
    axis: Axis = table.schema[name].axis
    if axis.nominal or positions.size <= _BARS:
        tops = np.sort(counts)[::-1][:_BARS] if axis.nominal else counts
    else:
        numbers = axis.coordinates()
        places = positions.astype(np.float64) if numbers is None else numbers[positions]
        tops, _ = np.histogram(places, _BARS, weights=counts)
    return [round(float(share), 3) for share in tops / tops.max()]
