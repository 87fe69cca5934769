"""What methods share that change values at random: which columns they change, and that their seed is not known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

from shoal.domains.axis import Axis
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.methods.perturbation.preserved import Preserved
from shoal.methods.perturbation.streams import Streams
from shoal.models import PrivacyModel
from shoal.parameters import settle, shown
from shoal.schema import Role
from shoal.table import Table

# Columns whose values may be changed: weights count people, and who people are is not released.
_CHANGEABLE = (Role.QUASI, Role.SENSITIVE, Role.PLAIN)


@dataclass(frozen=True)
class Perturbation(ABC):
    """A method that changes the values of some columns at random, record by record.

    It enforces no privacy model, so a release by it alone promises nothing that a file could show. What it keeps of the
    table stands in the certificate. Missing cells stay missing, whole numbers and dates are rounded at the end, and
    what is said of means and covariances is said of the numbers before that. The random numbers depend on a seed that
    is drawn for each run and kept nowhere: who knows it undoes the change.

    Parameters
    ----------
    columns
        The columns whose values are changed. If left out, the quasi-identifiers and confidential columns that the
        method is for.
    """

    name: ClassVar[str]
    enforces: ClassVar[tuple[str, ...]] = ()
    repeatable: ClassVar[bool] = False
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse what names no columns; names may be written as one text, separated by commas."""
        settle(self)
        object.__setattr__(self, "columns", column_names("columns", self.columns))

    def suits(self, axis: Axis) -> bool:
        """Tell whether the method is for columns on such an axis: numbers and dates."""
        return axis.numeric and axis.tree is None

    def changed(self, table: Table) -> tuple[str, ...]:
        """Name the columns whose values are changed."""
        return self.chosen(table, self.columns, (Role.QUASI, Role.SENSITIVE))

    def chosen(
        self, table: Table, named: Sequence[str] | None, roles: Sequence[Role], what: str = "columns"
    ) -> tuple[str, ...]:
        """Name the columns that were asked for, or those of some roles that the method is for."""
        if named is None:
            found = tuple(each for each in table.schema.of(*roles) if self.suits(table.schema[each].axis))
            if not found:
                raise SchemaError(
                    f"{self.name} finds no column that it is for.", f"Name columns ({what}), or choose another method."
                )
            return found
        for each in named:
            attribute = table.schema[each]
            if attribute.role not in _CHANGEABLE:
                raise SchemaError(
                    f"Column '{each}' is no column whose values may be changed: it is a {attribute.role}.",
                    "Name quasi-identifiers, confidential or plain columns.",
                )
            if not self.suits(attribute.axis):
                raise SchemaError(
                    f"Column '{each}' is not one that {self.name} is for.",
                    "Leave it out, or declare its kind (--kind).",
                )
        return tuple(named)

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Change the values."""
        return self.perturbed(table, self.changed(table), Streams(seed))

    @abstractmethod
    def perturbed(self, table: Table, names: tuple[str, ...], streams: Streams) -> Table:
        """Give the table with other values in some columns, by random numbers from streams."""
        ...

    @abstractmethod
    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say in one sentence what is done."""
        ...

    @abstractmethod
    def preserves(self, table: Table, models: Sequence[PrivacyModel]) -> tuple[Preserved, ...]:
        """Say what is kept of the table that is about to be changed."""
        ...


def column_names(what: str, given: Any) -> tuple[str, ...] | None:
    """Give names of columns that may be written as one text; None if none are named."""
    if isinstance(given, str):
        given = tuple(name.strip() for name in given.split(","))
    if given is not None and (
        not isinstance(given, tuple | list) or not given or not all(isinstance(each, str) and each for each in given)
    ):
        raise ParameterError(f"'{what}' names no columns.", f'Write {what}=["age", "charge"], or leave it out.')
    if given is not None and len(set(given)) < len(given):
        raise ParameterError(f"'{what}' names a column twice.", "Name each once.")
    return None if given is None else tuple(given)


def number_between(what: str, given: Any, low: float, high: float, usual: str) -> None:
    """Refuse a parameter that is no number above one limit and at most the other."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not low < given <= high or given == inf:
        upper = "" if high == inf else f", at most {high:g}"
        raise ParameterError(f"'{what}' is a number above {low:g}{upper}, not {shown(given)}.", usual)


def enough_records(records: int, needed: int, name: str, names: Sequence[str]) -> None:
    """Refuse so few records that nothing could change while all that is promised stays."""
    if records < needed:
        raise DataError(
            f"{name} needs {needed:,} records that have a value in each of {', '.join(names)}, and there are "
            f"{records:,}.",
            "Name fewer columns, or use another method, such as noise of kind independent.",
        )
