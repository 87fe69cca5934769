"""k-anonymity: nobody stands in a crowd of fewer than k."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import GuaranteeError, ParameterError
from shoal.models.agreeing_records import WAYS, agreeing, shown_cells
from shoal.models.linked_model import Measured
from shoal.models.monotone import Monotone
from shoal.models.people import people_in, refuse_nobody, subject_of
from shoal.parameters import settle, shown
from shoal.schema import Schema
from shoal.table import Classes, Table

_MOST = 100_000  # combinations of columns, each of which is looked at


@dataclass(frozen=True)
class KAnonymity:
    """Each combination of published quasi-identifiers occurs at least k times.

    With a ``subject`` column, distinct people are counted instead of records.

    Parameters
    ----------
    k
        The size of the smallest crowd, at least 2.
    missing
        How a hidden cell counts: as a value of its own (``own``), which it is if nothing is said; as whatever it may
        be, for somebody who knows all values of a person (``known``); or as any value that others show (``either``),
        which tells nobody apart by it and protects from nobody who knows it. The first implies the other two.
    size
        Promise it of all combinations of so many quasi-identifiers, and not of all together.

    References
    ----------
    P. Samarati, L. Sweeney: Protecting privacy when disclosing information (1998); P. Samarati: Protecting
    respondents' identities in microdata release, IEEE TKDE 13(6), 2001, doi:10.1109/69.971193. For hidden cells, M.
    Templ, A. Kowarik, B. Meindl: Statistical disclosure control for micro-data using the R package sdcMicro, Journal of
    Statistical Software 67(4), 2015, doi:10.18637/jss.v067.i04.
    """

    name: ClassVar[str] = "k-anonymity"
    k: int
    missing: str | None = None
    size: int | None = None

    def __post_init__(self) -> None:
        """Refuse a k that promises nothing."""
        settle(self)
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 2:
            raise ParameterError(
                f"k must be a whole number of at least 2, not {shown(self.k)}.", "A crowd of one hides nobody."
            )
        if self.missing is not None and self.missing not in WAYS:
            raise ParameterError(f"A hidden cell does not count as {shown(self.missing)}.", f"Say {', '.join(WAYS)}.")
        if self.size is not None and (isinstance(self.size, bool) or not isinstance(self.size, int) or self.size < 1):
            raise ParameterError("A combination has at least one column.", "Write size=3, or leave it out.")
        if self.size is not None and not self.of_classes(self.missing):
            raise ParameterError("Combinations of some columns are counted by what they show.", "Leave out missing.")

    @staticmethod
    def of_classes(missing: str | None) -> bool:
        """Tell whether hidden cells are values of their own, so that classes tell who is alike."""
        return missing in (None, "own")

    @property
    def by_class(self) -> bool:
        """Whether the classes of all quasi-identifiers tell the level."""
        return self.of_classes(self.missing) and self.size is None

    @property
    def beyond(self) -> str:
        """What is to be said of the promise beside k, where it is not that of classes."""
        if self.by_class:
            return ""
        if self.size is None:
            return f", {self.missing}"
        return f", of any {self.size} columns" if self.size > 1 else ", of each column"

    def measured(self, table: Table) -> Measured:
        """Measure what classes of all quasi-identifiers do not tell."""
        if self.size is None:
            way = str(self.missing)
            level = agreeing(*shown_cells(table, way), way)
            return Measured(float(level.min()), int((level < self.k).sum()), int(level.size))
        names = table.schema.quasi
        if not self.size <= len(names):
            raise ParameterError(
                f"There are {len(names)} quasi-identifiers, and combinations of {self.size} are asked for.", "Lower it."
            )
        if comb(len(names), self.size) > _MOST:
            raise ParameterError(f"There are more than {_MOST:,} combinations of {self.size} columns.", "Lower it.")
        self.reference(table)
        schema, k, level_of = table.schema, self.k, self.level

        def worst(classes: Classes) -> tuple[float, int, int]:
            level = level_of(classes, schema, None)
            return float(level.min()), int((level < k).sum()), int(level.size)

        found = [
            part for some in combinations(names, self.size) for part in table.classes(worst, some, self.carries(schema))
        ]
        return Measured(min(part[0] for part in found), sum(part[1] for part in found), sum(part[2] for part in found))

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
        if subjects is not None and not self.of_classes(self.missing):
            raise GuaranteeError(
                f"Hidden cells are counted as '{self.missing}' among records, not people.", "Leave out the subject."
            )
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
        if not self.of_classes(self.missing):
            return self._of_hidden_cells(level)
        if level < 2:
            return f"{'Some value' if self.size == 1 else 'Some combination'} of {self._whose()} occurs only once."
        what = "times" if schema.subject is None else "different people"
        link = "occurs at least" if schema.subject is None else "is shared by at least"
        some = "Each value" if self.size == 1 else "Each combination"
        return f"{some} of {self._whose()} {link} {level:,.0f} {what}."

    def _whose(self) -> str:
        if self.size == 1:
            return "a quasi-identifier"
        return "quasi-identifiers" if self.size is None else f"{self.size} quasi-identifiers"

    def _of_hidden_cells(self, level: float) -> str:
        if self.missing == "known":
            if level < 2:
                return "Someone who knows all values of a person, hidden ones too, may find a single record."
            return f"Who knows all values of a person, hidden ones too, finds at least {level:,.0f} records that fit."
        if level < 2:
            return "Some record agrees with no other wherever both show a cell."
        return (
            f"Each record agrees with at least {level:,.0f} records, itself included, wherever both show a cell; who "
            "knows a hidden value may find fewer."
        )

    def convention(self, schema: Schema) -> str:
        """Tell what is counted."""
        if self.missing == "known":
            return "records that show nothing else than each one shows; hidden cells may hold any value (known)"
        if self.missing == "either":
            return "records that agree with each one wherever both show a cell (either)"
        counted = "; a hidden cell is a value of its own (own)" if self.missing else ""
        some = "class" if self.size is None else f"combination of {self.size} columns"
        return f"{'records' if schema.subject is None else 'distinct subjects'} per {some}{counted}"
