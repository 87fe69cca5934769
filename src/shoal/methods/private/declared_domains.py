"""Domains that are declared, never read from the data: what is read from data tells of the people in them."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from shoal.arrays import Integers, Positions
from shoal.domains.axis import Axis, AxisKind, days
from shoal.errors import ParameterError, SchemaError
from shoal.kernels import MISSING
from shoal.schema import Schema

_RANGE = re.compile(r"\s*(?P<low>\S+?)\s*\.\.\s*(?P<high>\S+)(?:\s+step\s+(?P<step>\S+))?\s*")
_NUMBER = re.compile(r"[+-]?\d{1,18}(\.\d{1,12})?")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOST_STEPS = 1 << 31
_EXAMPLE = "Write 17..90, 0..1000 step 10, 2009-01-01..2009-12-31, or the categories: female,male."
_NONE = -1


@dataclass(frozen=True)
class Steps:
    """Numbers, or days, from the lowest to the highest, in whole steps.

    A value outside is clamped, and one in between counts as the nearest step. The unit is the step: what is summed and
    given noise is the whole number of steps above the lowest.
    """

    lowest: Fraction
    step: Fraction
    last: int
    days: bool = False

    @property
    def size(self) -> int:
        """How many values there are."""
        return self.last + 1

    @property
    def kind(self) -> AxisKind:
        """The kind of the column that is released."""
        if self.days:
            return "date"
        return "integer" if self.lowest.denominator == self.step.denominator == 1 else "float"

    def units(self, positions: Positions, axis: Axis) -> Integers:
        """Give the number of the step that stands at each position of an axis; below 0 where there is no value."""
        shown = positions != MISSING
        at = np.where(shown, positions, 0)
        if axis.values is None:
            numbers = at.astype(np.float64)
        else:
            numbers = axis.values[at].astype(np.float64) if len(axis.values) else np.zeros(at.size)
        found = np.rint((numbers - float(self.lowest)) / float(self.step))
        return np.where(shown, np.clip(found, 0, self.last).astype(np.int64), _NONE)

    def values(self, units: Integers) -> Any:
        """Give the values of steps, each as it is written: days as days since 1970."""
        if self.kind != "float":
            return units * int(self.step) + int(self.lowest)
        distinct, place = np.unique(units, return_inverse=True)
        return np.array([float(self.lowest + int(u) * self.step) for u in distinct.tolist()])[place.reshape(-1)]

    def refuse_other(self, name: str, axis: Axis) -> None:
        """Refuse a column that has no such values."""
        fitting = ("date",) if self.days else ("integer", "float")
        if axis.kind not in fitting:
            raise SchemaError(
                f"Column '{name}' is declared as {'days' if self.days else 'numbers'}, but is {axis.kind}.",
                f"Declare what it holds, or say what it is (--kind {name}={fitting[0]}).",
            )


@dataclass(frozen=True)
class Listed:
    """Categories, each by its name. A value that is not among them counts as none."""

    categories: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many categories there are."""
        return len(self.categories)

    @property
    def kind(self) -> AxisKind:
        """The kind of the column that is released."""
        return "category"

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {name: place for place, name in enumerate(self.categories)}

    def units(self, positions: Positions, axis: Axis) -> Integers:
        """Give the number of the category at each position of an axis; below 0 where there is none that is declared."""
        values = np.arange(0) if axis.values is None else axis.values
        found = [self._places.get(str(value), _NONE) for value in values]
        return np.array([*found, _NONE], np.int64)[np.where(positions == MISSING, len(values), positions)]

    def values(self, units: Integers) -> Any:
        """Give the names of categories."""
        return np.array(self.categories, object)[units]

    def refuse_other(self, name: str, axis: Axis) -> None:
        """Refuse a column that has no such values."""
        if axis.numeric:
            raise SchemaError(
                f"Column '{name}' is declared by categories, but is {axis.kind}.",
                f"Give its lowest and highest value, or say that these are codes (--kind {name}=category).",
            )


DeclaredDomain = Steps | Listed


def domain_of(name: str, text: Any) -> DeclaredDomain:
    """Read what was declared of a column.

    >>> domain_of("age", "17..90").size, domain_of("share", "0..1 step 0.25").size
    (74, 5)
    >>> domain_of("sex", "female,male").categories
    ('female', 'male')
    """
    if not isinstance(text, str) or not text.strip():
        raise ParameterError(f"The domain of '{name}' is a text.", _EXAMPLE)
    found = _RANGE.fullmatch(text)
    if found is not None:
        low, high, step = found["low"], found["high"], found["step"]
        if _DAY.fullmatch(low) and _DAY.fullmatch(high):
            first, last = (Fraction(_day(name, end)) for end in (low, high))
            return _steps(name, first, last, _number(name, step or "1"), in_days=True)
        if _NUMBER.fullmatch(low) and _NUMBER.fullmatch(high):
            return _steps(name, Fraction(low), Fraction(high), _number(name, step or "1"), in_days=False)
        raise ParameterError(f"The ends of the domain of '{name}' are neither numbers nor days.", _EXAMPLE)
    categories = tuple(each.strip() for each in next(csv.reader([text], skipinitialspace=True)))
    if "" in categories or len(set(categories)) < len(categories):
        raise ParameterError(f"The domain of '{name}' names a category twice, or one without a name.", _EXAMPLE)
    return Listed(categories)


def domains_of(domains: Mapping[str, str] | None, schema: Schema, method: str) -> dict[str, DeclaredDomain]:
    """Read what was declared of all columns that are to be released, in their order."""
    given = domains or {}
    for name in given:
        if name not in schema.quasi:
            raise SchemaError.missing_column(name, schema.quasi)
    lacking = [name for name in schema.quasi if name not in given]
    if lacking:
        raise ParameterError(
            f"{method} takes no domain from the data, and none was declared for '{lacking[0]}'.",
            f"Declare it: --param 'domains.{lacking[0]}=0..100 step 1', or its categories: a,b,c.",
        )
    found = {name: domain_of(name, given[name]) for name in schema.quasi}
    for name, domain in found.items():
        domain.refuse_other(name, schema[name].axis)
    return found


def _steps(name: str, low: Fraction, high: Fraction, step: Fraction, *, in_days: bool) -> Steps:
    if step <= 0 or low >= high:
        raise ParameterError(
            f"The domain of '{name}' has no length.", "Its lowest value comes first, then its highest."
        )
    steps = (high - low) / step
    if steps.denominator != 1 or (in_days and step.denominator != 1):
        raise ParameterError(
            f"The domain of '{name}' is no whole number of steps.", "Choose ends that are whole steps apart."
        )
    if steps >= _MOST_STEPS:
        raise ParameterError(f"The domain of '{name}' has too many steps.", "Declare larger ones.")
    return Steps(low, step, int(steps), in_days)


def _number(name: str, text: str) -> Fraction:
    if not _NUMBER.fullmatch(text):
        raise ParameterError(f"The step in the domain of '{name}' is no number.", _EXAMPLE)
    return Fraction(text)


def _day(name: str, text: str) -> int:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise ParameterError(f"The domain of '{name}' names a day that no calendar has.", _EXAMPLE) from None
    return int(days([text])[0])
