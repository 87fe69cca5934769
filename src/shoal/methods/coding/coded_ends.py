"""The ends of a column: which values are high or low enough to become one, and what that one is."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from shoal.arrays import Array, Integers, Positions
from shoal.domains.axis import Axis
from shoal.domains.notation import SIGNS
from shoal.domains.numerals import convert
from shoal.engines.packed_cells import has_value, packed, unpacked
from shoal.errors import ParameterError
from shoal.kernels import MISSING
from shoal.methods.perturbation.numbers import ValueGrid
from shoal.parameters import shown

End = Literal["top", "bottom"]
_NUMBER_LIKE = re.compile(r"[-+]?[\d.,:\- ]+")


@dataclass(frozen=True)
class CodedEnd:
    """An end of a column that has numbers: all values from a limit on become one.

    Attributes
    ----------
    end
        Whether these are the highest or the lowest values.
    limit
        The limit, as a number on the axis; values that equal it are among them.
    becomes
        What they become, as a number on the axis.
    text
        The text that is published for it, if it is not the number itself.
    """

    end: End
    limit: float
    becomes: float
    text: str = ""

    def among(self, numbers: Array) -> Array:
        """Tell which numbers are coded."""
        found: Array = numbers >= self.limit if self.end == "top" else numbers <= self.limit
        return found


def limit_of(name: str, axis: Axis, limits: Mapping[str, Any] | None) -> float | None:
    """Give the limit that is named for a column, as a number on its axis."""
    if limits is None or name not in limits:
        return None
    try:
        if axis.kind == "ordered":
            return [str(value) for value in axis.values.tolist()].index(str(limits[name]))  # type: ignore[union-attr]
        (number,) = convert([str(limits[name])], axis.kind).tolist()
    except (ValueError, OverflowError):
        raise ParameterError(f"The limit of column '{name}' is no {axis.kind}.", "Mend it.") from None
    return float(number) if axis.kind == "float" else int(number)


def numbers_at(axis: Axis, positions: Positions) -> Array:
    """Give the numbers on the axis at positions that have a value."""
    return positions.astype(np.int64) if axis.values is None else axis.values[positions]


def mean_of(axis: Axis, numbers: Array, counts: Integers) -> float:
    """Give the mean of values, as exact as it can be, and as fine as the values of the column are."""
    grid = ValueGrid.of(axis)
    if grid.unit is None:
        return math.fsum((numbers * counts).tolist()) / int(counts.sum())
    total = sum(int(number) * int(count) for number, count in zip(numbers.tolist(), counts.tolist(), strict=True))
    return round(Fraction(total, int(counts.sum()) * grid.unit)) * grid.unit


def text_for(name: str, end: End, limit: str, given: Mapping[str, str] | None) -> str:
    """Give the text for an end: the one that is given, or the limit with a plus, or ``up to`` before it."""
    text = (given or {}).get(name)
    if text is None:
        return f"{limit}+" if end == "top" else f"up to {limit}"
    if not isinstance(text, str) or not text.strip() or text != text.strip() or _NUMBER_LIKE.fullmatch(text):
        raise ParameterError(
            f"The text for an end of column '{name}' is {shown(text)}.",
            "Give one that no number could be, without blanks at its ends, such as 90+.",
        )
    if any(sign in SIGNS or sign == "\n" for sign in text):
        raise ParameterError(
            f"The text for an end of column '{name}' holds a sign that cells are made of.", f"Leave out {SIGNS}."
        )
    return text


def with_ends(axis: Axis, ends: list[CodedEnd]) -> tuple[Axis, Callable[[Integers], Integers]]:
    """Give the axis on which an end has its one value, and what brings cells there."""
    called = {each.becomes: each.text for each in ends if each.text}
    before = axis.values
    if before is None:
        after = None
    else:
        after = np.unique(np.append(before, np.array([each.becomes for each in ends], before.dtype)))
    there = replace(axis, values=after, called={**axis.called, **called})

    def coded(cells: Integers) -> Integers:
        lo, _ = unpacked(cells)
        known = has_value(cells)
        numbers = np.where(known, lo, 0).astype(np.int64) if before is None else before[np.where(known, lo, 0)]
        for each in ends:
            numbers = np.where(each.among(numbers), np.array(each.becomes, numbers.dtype), numbers)
        places = numbers if after is None else np.searchsorted(after, numbers)
        exact = np.where(known, places, MISSING).astype(np.int32)
        found: Integers = np.where(known, packed(exact, exact), cells)
        return found

    return there, coded
