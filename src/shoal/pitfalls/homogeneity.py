"""Homogeneous classes: who finds the class of a person reads off what all of its records have in common.

A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: l-Diversity, ACM TKDD 1(1), 2007,
doi:10.1145/1217299.1217302, call it the homogeneity attack: k-anonymity alone does not prevent it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.column_names import as_option
from shoal.measures import Score, score
from shoal.measures.homogeneity import Homogeneity
from shoal.models import PrivacyModel
from shoal.pitfalls.identifiers import looked_at
from shoal.table import Table


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


def homogeneous(table: Table, models: Sequence[PrivacyModel], found: Score | None = None) -> tuple[Homogeneous, ...]:
    """Name the confidential columns that no model is about and that have homogeneous classes.

    ``found`` is what the measure `Homogeneity` says of the table, if that is known.
    """
    about = looked_at(table.schema, models)
    columns = tuple(name for name in table.schema.sensitive if name not in about)
    if not columns:
        return ()
    detail = (found or score(table, measures=[Homogeneity(columns=columns)])[0]).detail
    return tuple(
        Homogeneous(name, mine["classes"], mine["records"], detail["classes"], detail["records"])
        for name, mine in detail["per_column"].items()
        if name in columns and mine["classes"]
    )
