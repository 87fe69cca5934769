"""People of classes: where a column tells people apart, how many of them the records of a class belong to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from shoal.models.people import people_in, subject_of
from shoal.table import Classes, Table


def people_of_classes(table: Table, by: Sequence[str] | None = None) -> Counter[tuple[int, int]]:
    """Count the classes with so many records of so many people; each record is somebody else's if nothing tells."""
    schema = table.schema

    def counted(classes: Classes) -> Counter[tuple[int, int]]:
        pairs, number = np.unique(classes.sizes << 32 | people_in(classes, schema), return_counts=True)
        sizes, people = (pairs >> 32).tolist(), (pairs & 0xFFFFFFFF).tolist()
        return Counter(dict(zip(zip(sizes, people, strict=True), number.tolist(), strict=True)))

    return sum(table.classes(counted, by, subject_of(schema)), Counter[tuple[int, int]]())


def sizes_of(table: Table, by: Sequence[str] | None = None) -> Counter[int]:
    """Count the classes with so many people, or with so many records if nothing tells people apart."""
    if table.schema.subject is None:
        return sum(table.classes(_records, by), Counter[int]())
    sizes = Counter[int]()
    for (_, people), number in people_of_classes(table, by).items():
        sizes[people] += number
    return sizes


def _records(classes: Classes) -> Counter[int]:
    return classes.counts_of_sizes


def people_of(table: Table) -> int:
    """Count the people of a table, or its records if nothing tells people apart."""
    subject = table.schema.subject
    return table.rows if subject is None else int(table.counts(subject)[0].size)
