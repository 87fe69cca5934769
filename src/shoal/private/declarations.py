"""What is declared of a table before anything is asked: who a person is, and bounds, categories and groups of columns.

Declarations are public. They come from what is known without the data, such as a questionnaire, never from the data.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

from shoal.domains.axis import days
from shoal.errors import ParameterError, SchemaError
from shoal.private.exact_numbers import exact, written

ColumnKind = Literal["float", "date", "datetime", "category"]
OTHER = "other"
MOST_CELLS = 1_000_000
_MEANT = {"integer": "float", "ordered": "category"}  # kinds of a table that is read, as they are asked about


@dataclass(frozen=True)
class Bounds:
    """Declared limits of a column, and the step in which its values are counted."""

    lower: Fraction
    upper: Fraction
    step: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        """Refuse limits in the wrong order, and steps that lead nowhere."""
        if self.lower > self.upper:
            raise ParameterError("The lower bound is above the upper one.", "Write 0..120.")
        if self.step <= 0:
            raise ParameterError("The step of bounds must be above 0.", "Write 0..100000 step 1.")

    @classmethod
    def parse(cls, text: str) -> Bounds:
        """Read bounds.

        >>> Bounds.parse("0..100000 step 0.5").step
        Fraction(1, 2)
        """
        limits, named, step = (part.strip() for part in text.strip().partition(" step "))
        lower, dots, upper = limits.partition("..")
        if not dots or (named and not step):
            raise ParameterError(f"'{text}' is not a pair of bounds.", "Write 0..120, or 0..100000 step 1.")
        return cls(
            exact(lower, "lower bound"), exact(upper, "upper bound"), exact(step, "step") if step else Fraction(1)
        )

    def __str__(self) -> str:
        """Write the bounds so that they can be read again."""
        limits = f"{written(self.lower)}..{written(self.upper)}"
        return limits if self.step == 1 else f"{limits} step {written(self.step)}"


@dataclass(frozen=True)
class DeclaredColumn:
    """What is declared of one column.

    Parameters
    ----------
    kind
        Whether it holds numbers, dates, times or categories.
    bounds
        The limits of its numbers.
    categories
        Its categories; each other value counts as "other".
    edges
        Where its groups begin, in ascending order, and where the last one ends: texts of numbers or dates.
    """

    kind: ColumnKind
    bounds: Bounds | None = None
    categories: tuple[str, ...] | None = None
    edges: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        if self.categories is not None and self.kind != "category":
            raise ParameterError("Categories are declared of columns of categories.", "Declare --groups of numbers.")
        if (self.bounds is not None or self.edges is not None) and self.kind == "category":
            raise ParameterError("Bounds and groups are declared of numbers and dates.", "Declare --categories.")
        if self.categories is not None and len(set(self.categories)) < len(self.categories):
            raise ParameterError("A category is declared twice.", "Name each once.")
        if self.edges is not None:
            ordered(self.edges, self.kind, "edges of groups")

    def plain(self) -> dict[str, Any]:
        """Give what is declared as plain values."""
        said = {"bounds": None if self.bounds is None else str(self.bounds), "categories": self.categories}
        said |= {"groups": self.edges}
        lists = {name: list(value) if isinstance(value, tuple) else value for name, value in said.items()}
        return {"kind": self.kind} | {name: value for name, value in lists.items() if value is not None}

    @classmethod
    def from_plain(cls, said: Mapping[str, Any]) -> DeclaredColumn:
        """Read what `plain` gave."""
        bounds = Bounds.parse(said["bounds"]) if "bounds" in said else None
        lists = {name: tuple(said[name]) if name in said else None for name in ("categories", "groups")}
        return cls(said["kind"], bounds, lists["categories"], lists["groups"])


def ordered(texts: Sequence[str], kind: str, what: str) -> list[float]:
    """Give numbers or dates as the numbers that a column is compared with; refuse them if they do not ascend."""
    try:
        numbers = [float(n) for n in days(texts)] if kind == "date" else [float(exact(text, what)) for text in texts]
    except ValueError:
        raise ParameterError(f"The {what} of a column of dates are dates.", "Write 2024-01-31.") from None
    if len(numbers) < 2 or any(a >= b for a, b in pairwise(numbers)):
        raise ParameterError(f"The {what} are at least two, each above the last.", "Write 0,18,65,120.")
    return numbers


@dataclass(frozen=True)
class Declarations:
    """What is declared of a table.

    Parameters
    ----------
    columns
        What is declared of each column that may be asked about.
    subject
        The column that tells people apart; None if every row is a person.
    rows_per_person
        How many rows of a person count at most.
    """

    columns: Mapping[str, DeclaredColumn]
    subject: str | None = None
    rows_per_person: int = 1

    def __post_init__(self) -> None:
        """Refuse rows per person that cannot be."""
        count = self.rows_per_person
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 1_000_000:
            raise ParameterError("A person has at least one row that counts.", "Write --rows-per-person 5.")
        if self.subject is None and count != 1:
            raise ParameterError(
                "Without a column that tells people apart every row is a person.", "Name the column: --subject id."
            )

    def __getitem__(self, name: str) -> DeclaredColumn:
        """Give what is declared of a column."""
        if name not in self.columns:
            if name == self.subject:
                raise SchemaError(f"Column '{name}' says who people are.", "Ask about other columns.")
            raise SchemaError.missing_column(name, self.columns)
        return self.columns[name]

    def plain(self) -> dict[str, Any]:
        """Give what is declared as plain values."""
        return {
            "columns": {name: column.plain() for name, column in self.columns.items()},
            "subject": self.subject,
            "rows_per_person": self.rows_per_person,
        }

    @classmethod
    def from_plain(cls, said: Mapping[str, Any]) -> Declarations:
        """Read what `plain` gave."""
        columns = {name: DeclaredColumn.from_plain(column) for name, column in said["columns"].items()}
        return cls(columns, said["subject"], said["rows_per_person"])


@dataclass(frozen=True)
class Said:
    """What a user says of columns, by name: bounds, categories and groups, each as it is written, and kinds."""

    bounds: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that something is said of."""
        return tuple(dict.fromkeys((*self.bounds, *self.categories, *self.groups, *self.kinds)))

    def kind(self, name: str) -> str | None:
        """Give the kind that a column is to be read as, where what is said of it leaves no doubt."""
        if name in self.kinds:
            return _MEANT.get(self.kinds[name], self.kinds[name])
        if name in self.categories:
            return "category"
        if name in self.bounds:
            return "float"
        if name in self.groups:
            return "date" if any(_is_date(str(text)) for text in self.groups[name]) else "float"
        return None

    def column(self, name: str, kind: str) -> DeclaredColumn:
        """Put together what is said of a column of a kind."""
        found = DeclaredColumn(_MEANT.get(kind, kind))  # type: ignore[arg-type]
        try:
            if name in self.bounds:
                found = replace(found, bounds=Bounds.parse(self.bounds[name]))
            if name in self.categories:
                found = replace(found, categories=tuple(str(each) for each in self.categories[name]))
            if name in self.groups:
                found = replace(found, edges=tuple(str(each) for each in self.groups[name]))
        except ParameterError as error:
            raise ParameterError(f"Column '{name}': {error.what}", error.remedy) from None
        return found


def _is_date(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True
