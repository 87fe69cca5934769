"""A smaller table, drawn at random from the one that is studied, for what would take too long with all records."""

from __future__ import annotations

from dataclasses import replace

from shoal.engines import read
from shoal.measures.statistics.sampling import sampled_rows
from shoal.schema import ReadOptions, Role, Roles, Schema
from shoal_paper.reproduction.case import Case

MOST = 500_000


def drawn(case: Case, most: int = MOST) -> Case:
    """Give the case with at most so many records of SPD, each as likely as any other; itself, if it has no more.

    In a smaller table records have fewer that are like them, so that every method loses more than in the whole one.
    """
    table = case.table
    if table.rows <= most:
        return case
    frame = table.to_arrow().take(sampled_rows(table.rows, most, case.seed))
    return replace(case, records=replace(case.records, spd=read(frame, options=_as_before(table.schema))))


def _as_before(schema: Schema) -> ReadOptions:
    """Say of each column what is known of it already."""
    axes = {each.name: each.axis for each in schema.attributes}
    trees = {name: axis.tree for name, axis in axes.items() if axis.tree is not None}
    orders = {
        name: tuple(map(str, axis.values))
        for name, axis in axes.items()
        if axis.kind == "ordered" and axis.values is not None
    }
    return ReadOptions(
        roles=Roles(
            quasi=schema.quasi,
            sensitive=schema.sensitive,
            plain=schema.of(Role.PLAIN),
            weight=next(iter(schema.of(Role.WEIGHT)), None),
        ),
        kinds={name: axis.kind for name, axis in axes.items() if name not in trees and name not in orders},
        orders=orders,
        hierarchies=trees,
        knowledge={each.name: each.knowledge for each in schema.attributes if each.knowledge is not None},
        masked=True,
    )
