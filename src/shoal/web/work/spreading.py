"""Distributions: how the values of each column are spread before and after, in candidates that are compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.report.bins import distribution
from shoal.report.columns import ColumnCells
from shoal.report.discretion import Discretion
from shoal.table import Table
from shoal.web.work import Found, Request, Tell, options_of, stages
from shoal.web.work.searching import made

_DISCRETION = Discretion("internal", 10)  # fewer people than that are never told apart


def spread(request: Request, tell: Tell) -> Found:
    """Compare the columns of some candidates with the original, at first in a sample if the file is large."""
    asked = request["candidates"]
    for table, part in stages(request, options_of(request), tell):
        before = {name: ColumnCells.of(table, name) for name in table.schema.quasi}
        for number, each in enumerate(asked):
            tell.step("Comparing the values of columns", number, len(asked))
            columns = _compared(table, before, each)
            tell.found({"key": each["key"], "sampled": table.rows if part else None, "columns": columns})
    return {"compared": len(asked)}


def _compared(table: Table, before: Mapping[str, ColumnCells], candidate: Mapping[str, Any]) -> list[dict[str, Any]]:
    release = made(table, candidate)
    if isinstance(release, dict):
        return []
    found = [
        distribution(name, cells, ColumnCells.of(release.table, name), _DISCRETION) for name, cells in before.items()
    ]
    return [
        {"column": each.name, "stepped": each.stepped, "rows": [_plain(row) for row in each.rows]}
        for each in found
        if each.rows
    ]


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give a row as plain values, without the count of people, which nobody needs here."""
    return {key: value if isinstance(value, str) else float(value) for key, value in row.items() if key != "count"}
