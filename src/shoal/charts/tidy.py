"""Tidy rows: which values, groups and numbers they hold, in the order in which they come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.charts.figure import FigureRow
from shoal.charts.lettering import clean
from shoal.charts.numerals import finite
from shoal.errors import ParameterError

Numbers = dict[tuple[str, str], float | None]


def need(rows: Sequence[FigureRow], *names: str | None) -> None:
    """Raise an error if a column that is to be drawn is in none of the rows."""
    for name in names:
        if rows and name is not None and not any(name in row for row in rows):
            there = ", ".join(dict.fromkeys(str(key) for row in rows for key in row))
            raise ParameterError(f"No row has the column '{name}' that the figure is to show.", f"There are: {there}.")


def distinct(rows: Sequence[FigureRow], name: str | None) -> list[str]:
    """Give the texts of a column, each once; a figure without groups has one group without a name."""
    return [""] if name is None else list(dict.fromkeys(clean(row.get(name)) for row in rows))


def numbers(rows: Sequence[FigureRow], first: str, second: str | None, value: str) -> Numbers:
    """Give the number of each pair of values. Two numbers for one place would hide each other, so that is an error."""
    found: Numbers = {}
    for row in rows:
        key = clean(row.get(first)), "" if second is None else clean(row.get(second))
        if key in found:
            raise ParameterError(
                f"Two rows say what '{value}' is at the same place of the figure.",
                "Give one row per value" + (" of each group." if second is not None else ", or name the groups."),
            )
        found[key] = finite(row.get(value))
    return found


def present(values: Any) -> list[float]:
    """Give the numbers that are there."""
    return [value for value in values if value is not None]


def whole(values: Sequence[float]) -> bool:
    """Say whether all numbers are whole, so that their axis needs no fractions."""
    return all(value == int(value) for value in values)
