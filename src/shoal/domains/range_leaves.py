"""Hierarchies of ranges: a file has ranges of numbers or days where others have values, which are put into them."""

from __future__ import annotations

import datetime
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from itertools import pairwise

from shoal.errors import DataError

_NUMBER = r"(-?\d+(?:\.\d+)?|\d{4}-\d\d-\d\d)"
_FORMS = tuple(
    (re.compile(pattern), low, high)
    for pattern, low, high in (
        (rf"\[{_NUMBER};{_NUMBER}\]", 1, 1), (rf"\[{_NUMBER};{_NUMBER}\[", 1, 0), (rf"\]{_NUMBER};{_NUMBER}\]", 0, 1),
        (rf"{_NUMBER}\s*-\s*{_NUMBER}", 1, 1), (rf"{_NUMBER} to {_NUMBER}", 1, 1),
        (rf"{_NUMBER} to under {_NUMBER}", 1, 0), (rf"above {_NUMBER} to under {_NUMBER}", 0, 0),
    )
)  # fmt: skip
_BELOW = ((re.compile(rf"(?:under |<){_NUMBER}"), 0), (re.compile(rf"(?:up to |<=|≤){_NUMBER}"), 1))
_ABOVE = ((re.compile(rf"{_NUMBER}(?:\+| and over)|(?:>=|≥){_NUMBER}"), 1), (re.compile(rf">{_NUMBER}"), 0))
_LEAST, _MOST = Decimal("-Infinity"), Decimal("Infinity")
# A range by where it begins and ends; an end that is itself not in it lies a little further inside.
_Point = tuple[Decimal, int]


def over_values(rows: Sequence[Sequence[str]], values: Iterable[str], column: str) -> Sequence[Sequence[str]]:
    """Give a row for each value, behind which stands that of the range that it lies in; those of values stay the same.

    A file is one of ranges if each of its rows begins with one, and no value of the column does.

    >>> over_values([["0-4", "young"], ["5+", "old"]], ["3", "7", "5"], "age")
    [['3', '0-4', 'young'], ['7', '5+', 'old'], ['5', '5+', 'old']]
    """
    wanted = list(values)
    first = {row[0] for row in rows if row}
    if not rows or not first.isdisjoint(wanted):
        return rows
    ranges = [(_range(row[0]), row) for row in rows]
    known = sorted(((found, row) for found, row in ranges if found is not None), key=lambda each: each[0])
    if len(known) < len(rows) or all(low == high for (low, high), _ in known):
        return rows
    for ((_, high), before), ((low, _), after) in pairwise(known):
        if low <= high and list(before) != list(after):
            raise DataError(
                f"Two ranges of the hierarchy of '{column}' overlap.", "Let each value lie in one: 0-4, 5-9."
            )
    starts = [low for (low, _), _ in known]
    found = []
    for value in wanted:
        point = _point(value)
        place = -1 if point is None else bisect_right(starts, point) - 1
        if point is not None and place >= 0 and point <= known[place][0][1]:
            found.append([value, *known[place][1]])
    return found or rows


def _point(text: str) -> _Point | None:
    """Give where a number or a day lies."""
    try:
        if len(text) >= 10 and text[4:5] == text[7:8] == "-":
            return Decimal(datetime.date.fromisoformat(text[:10]).toordinal()), 0
        number = Decimal(text)
    except (InvalidOperation, ValueError):
        return None
    return (number, 0) if number.is_finite() else None


def _range(text: str) -> tuple[_Point, _Point] | None:
    """Read a range; a value alone is one, too."""
    name = text.strip()
    alone = _point(name)
    if alone is not None:
        return alone, alone
    for form, low_in, high_in in _FORMS:
        if match := form.fullmatch(name):
            low, high = (_point(part) for part in match.groups())
            ends = None if low is None or high is None else ((low[0], 1 - low_in), (high[0], high_in - 1))
            return ends if ends is not None and ends[0] <= ends[1] else None
    for form, inside in _BELOW:
        if (match := form.fullmatch(name)) and (high := _point(match[1])):
            return (_LEAST, 0), (high[0], inside - 1)
    for form, inside in _ABOVE:
        if (match := form.fullmatch(name)) and (low := _point(next(filter(None, match.groups())))):
            return (low[0], 1 - inside), (_MOST, 0)
    return None
