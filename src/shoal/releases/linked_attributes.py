"""Attributes of people beside their points, masked as a table with a row for each person, in classes of at least k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Positions
from shoal.engines.io.linked_rows import frame_of_people, texts_in
from shoal.errors import DataError, SchemaError
from shoal.linked.releasing import ways_to_read
from shoal.linked.traces import traces_of
from shoal.methods import Method
from shoal.models.k_anonymity import KAnonymity
from shoal.schema import ReadOptions, Roles
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class MaskedAttributes:
    """What is published of attributes of people: the class of each person, and everyone's cells, column by column."""

    columns: tuple[str, ...]
    person_classes: Positions
    cells: tuple[tuple[str, ...], ...]


def mask_attributes(table: Table, columns: Sequence[str], k: int, method: Method) -> MaskedAttributes:
    """Mask the attributes of people, who stand in the order of the column that tells them apart."""
    for name in columns:
        if name not in table.schema.quasi:
            raise SchemaError(
                f"'{name}' is to be an attribute of people, and is no quasi-identifier.",
                "Name it among them too: --quasi item,sex --within sex.",
            )
    if len(columns) == len(table.schema.quasi):
        raise SchemaError(
            "All quasi-identifiers are attributes of people.", "Name what points are made of: --quasi item."
        )
    found = traces_of(table, columns)
    several = int((found.holders.lengths > 1).sum())
    if several:
        raise DataError(
            f"{several:,} people have several values of their attributes ({', '.join(columns)}).",
            "Give the same in all rows of a person, or name these columns as parts of points.",
        )
    label = np.full(found.people, -1, np.int32)
    label[found.holders.persons] = found.labels
    people = frame_of_people(columns, found.points.texts(), label)
    axes = {name: table.schema[name].axis for name in columns}
    options = ReadOptions(roles=Roles(quasi=tuple(columns)), masked=True, **ways_to_read(axes))
    models = [KAnonymity(k)]
    masked = method.apply(table.engine.read(people, options), models, 0)
    cells = texts_in(masked.to_arrow(cells="text"), columns)
    numbers = {row: i for i, row in enumerate(dict.fromkeys(zip(*cells, strict=True)))}
    person_classes = np.array([numbers[row] for row in zip(*cells, strict=True)], np.int32)
    return MaskedAttributes(tuple(columns), person_classes, cells)
