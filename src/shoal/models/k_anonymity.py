"""k-anonymity: nobody stands in a crowd of fewer than k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.models.monotone import Monotone
from shoal.models.people import people_in, refuse_nobody, subject_of
from shoal.parameters import settle, shown
from shoal.schema import Schema
from shoal.table import Classes, Table


@dataclass(frozen=True)
class KAnonymity:
    """Each combination of published quasi-identifiers occurs at least k times.

    With a ``subject`` column, distinct people are counted instead of records.

    Parameters
    ----------
    k
        The size of the smallest crowd, at least 2.

    References
    ----------
    P. Samarati, L. Sweeney: Protecting privacy when disclosing information (1998); P. Samarati: Protecting
    respondents' identities in microdata release, IEEE TKDE 13(6), 2001, doi:10.1109/69.971193.
    """

    name: ClassVar[str] = "k-anonymity"
    k: int

    def __post_init__(self) -> None:
        """Refuse a k that promises nothing."""
        settle(self)
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 2:
            raise ParameterError(
                f"k must be a whole number of at least 2, not {shown(self.k)}.", "A crowd of one hides nobody."
            )

    @property
    def promised(self) -> float:
        """The size of the smallest crowd."""
        return float(self.k)

    def carries(self, schema: Schema) -> tuple[str, ...]:
        """Name the subject column, if there is one."""
        return subject_of(schema)

    def reference(self, table: Table) -> Any:
        """Give nothing, but refuse records of nobody."""
        refuse_nobody(table)

    def level(self, classes: Classes, schema: Schema, reference: Any) -> NDArray[np.float64]:
        """Give the number of records, or of distinct subjects, in each class."""
        return people_in(classes, schema).astype(np.float64)

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which classes are large enough."""
        return level >= self.k

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the size of the smallest class."""
        return float(level.min())

    def monotone(self, schema: Schema) -> Monotone:
        """Say what merging does: a crowd only grows."""
        return "always"

    def demand(self, rows: int, subjects: int | None) -> None:
        """Refuse a k that is larger than the table."""
        number, what = (rows, "record") if subjects is None else (subjects, "different subject")
        if self.k > number:
            raise ParameterError(
                f"k = {self.k} cannot be reached: the table has only {number} {what}{'s' if number != 1 else ''}.",
                f"Choose k up to {number}, or add records."
                if number > 1
                else "A crowd needs more than one: add records.",
            )

    def nearest(self, level: float) -> str:
        """Say how large a crowd there can be."""
        return f"Ask for k of at most {int(level):,}."

    def sentence(self, level: float, schema: Schema) -> str:
        """Say how often each combination occurs."""
        if level < 2:
            return "Some combination of quasi-identifiers occurs only once."
        what = "times" if schema.subject is None else "different people"
        link = "occurs at least" if schema.subject is None else "is shared by at least"
        return f"Each combination of quasi-identifiers {link} {level:,.0f} {what}."

    def convention(self, schema: Schema) -> str:
        """Tell what is counted."""
        return "records per class" if schema.subject is None else "distinct subjects per class"
