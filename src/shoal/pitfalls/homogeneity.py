"""Homogeneous classes: who finds the class of a person reads off what all of its records have in common.

A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: l-Diversity, ACM TKDD 1(1), 2007,
doi:10.1145/1217299.1217302, call it the homogeneity attack: k-anonymity alone does not prevent it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.column_names import as_option
from shoal.kernels import MISSING
from shoal.models import PrivacyModel
from shoal.pitfalls.identifiers import looked_at
from shoal.table import Classes, Common, Table


@dataclass(frozen=True)
class Homogeneous:
    """A confidential column that no model protects, and the classes of which all records have one value of it.

    Attributes
    ----------
    column
        The column.
    classes, records
        How many classes have one value only, and how many records are in them.
    all_classes, all_records
        How many there are.
    """

    column: str
    classes: int
    records: int
    all_classes: int
    all_records: int

    @property
    def sentence(self) -> str:
        """Say what it means."""
        return (
            f"'{self.column}' of {self.records:,} of {self.all_records:,} records can be read off: in {self.classes:,} "
            f"of {self.all_classes:,} classes all records have the same value, and no model protects it."
        )

    @property
    def remedy(self) -> str:
        """Say what to do."""
        name = as_option([self.column])
        return f"Protect it: --l 2 --l-column {name}, or --t 0.2 --t-column {name}."


def homogeneous(table: Table, models: Sequence[PrivacyModel]) -> tuple[Homogeneous, ...]:
    """Count homogeneous classes for each confidential column that no model is about."""
    about = looked_at(table.schema, models)
    columns = tuple(name for name in table.schema.sensitive if name not in about)
    if not columns:
        return ()

    def counted(classes: Classes) -> list[tuple[int, int, int]]:
        same = [classes.columns[each] != MISSING for each in carry]
        sizes = classes.sizes
        return [(int(alike.sum()), int(sizes @ alike), int(sizes.size)) for alike in same]

    carry = tuple(Common(name) for name in columns)
    parts = np.array(table.classes(counted, carry=carry), np.int64).sum(axis=0).tolist()
    rows = table.rows
    found = (
        Homogeneous(name, same, records, number, rows)
        for name, (same, records, number) in zip(columns, parts, strict=True)
    )
    return tuple(each for each in found if each.classes)
