"""From the traces of people to the table that is released: under fresh numbers, each point once."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.domains.axis import Axis
from shoal.engines.io.linked_rows import rows_of
from shoal.linked.traces import Traces, person_column
from shoal.schema import ReadOptions, Roles
from shoal.table import Table


def fresh_order(people: int) -> NDArray[np.int64]:
    """Put people into a random order that nothing but chance decides, anew for every release."""
    return np.random.Generator(np.random.PCG64(secrets.randbits(256))).permutation(people)


def table_of_traces(
    table: Table, traces: Traces, order: NDArray[np.int64], attributes: Mapping[str, Sequence[str]] | None = None
) -> Table:
    """Give the table that is released of people, who are numbered from 1 in some order, on the engine of the original.

    A row has the number of a person, the person's attributes if there are any, and a point. Who has no point has one
    row without any.
    """
    numbers = np.empty(traces.people, np.int64)
    numbers[order] = np.arange(1, traces.people + 1)
    empty = np.flatnonzero(traces.holders.lengths == 0)
    persons = np.concatenate([numbers[traces.holders.persons], numbers[empty]])
    labels = np.concatenate([traces.labels, np.full(empty.size, -1, np.int32)])
    whose = np.concatenate([traces.holders.persons, empty])
    rows = np.lexsort([labels, persons])
    beside = attributes or {}
    person, points = person_column(table), traces.points
    cells = {name: (texts, whose[rows]) for name, texts in beside.items()}
    cells |= {name: (texts, labels[rows]) for name, texts in zip(points.columns, points.texts(), strict=True)}
    frame = rows_of(person, persons[rows], cells)
    axes = {name: table.schema[name].axis for name in beside} | dict(zip(points.columns, points.axes, strict=True))
    roles = Roles(person=person, quasi=tuple(axes))
    said = ways_to_read(axes)
    said["kinds"][person] = "integer"
    found = table.engine.read(frame, ReadOptions(roles=roles, masked=True, released=True, linked=True, **said))
    return replace(found, origin=table.origin)


def ways_to_read(axes: Mapping[str, Axis]) -> dict[str, Any]:
    """Say how texts of columns are read so that they are what they were."""
    said: dict[str, Any] = {"kinds": {}, "orders": {}, "hierarchies": {}}
    for name, axis in axes.items():
        if axis.tree is not None:
            said["hierarchies"][name] = axis.tree
            continue
        said["kinds"][name] = axis.kind
        if axis.kind == "ordered" and axis.values is not None:
            said["orders"][name] = tuple(axis.values)
    return said
