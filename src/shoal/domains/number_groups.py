"""Groups of numbers: bands, intervals, given cuts, groups of equally many people, and coded ends."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from itertools import accumulate, pairwise

from shoal.domains.builder_words import (
    GroupNames,
    UnclearError,
    UnsuitedError,
    insist_on_multiples,
    natural,
    one_number,
    whole_numbers,
)


def _numbers(values: Sequence[str]) -> list[Decimal]:
    """Read all values of a column as numbers."""
    try:
        found = [Decimal(value) for value in values]
    except InvalidOperation:
        found = [Decimal("NaN")]
    if not all(number.is_finite() for number in found):
        raise UnsuitedError("not all of them are numbers.", "Use prefix, groups or frequent, or give a CSV file.")
    return found


def _written(number: Decimal) -> str:
    """Write a number without zeros that say nothing."""
    return f"{number.normalize():f}" if number else "0"


def _named(low: Decimal, high: Decimal, *, whole: bool) -> str:
    """Name the numbers from a border up to the next one, which is not among them.

    >>> _named(Decimal(5), Decimal(10), whole=True), _named(Decimal(-5), Decimal(0), whole=True)
    ('5-9', '-5 to -1')
    >>> _named(Decimal(5), Decimal("7.5"), whole=False), _named(Decimal(5), Decimal(6), whole=True)
    ('5 to under 7.5', '5')
    """
    if not whole:
        return f"{_written(low)} to under {_written(high)}"
    last = math.ceil(high) - 1
    if math.ceil(low) == last:
        return f"{last}"
    return f"{math.ceil(low)}-{last}" if low >= 0 else f"{math.ceil(low)} to {last}"


def bands(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Bands of whole numbers, by their widths: ``bands 5,20``."""
    if any("." in value and natural(value)[0] == 0 for value in values) and all(natural(v)[0] == 0 for v in values):
        raise UnsuitedError(
            "bands are for whole numbers, and these are decimals.",
            "Write 34, not 34.0 (pandas: use the type Int64, which may have empty cells), or use intervals.",
        )
    widths = whole_numbers(rest, "widths", "bands 5,10,20")
    insist_on_multiples(widths, "width")
    numbers = _numbers(values)
    if any(number % 1 for number in numbers):
        raise UnsuitedError("bands are for whole numbers, and these are decimals.", "Use intervals.")
    found = []
    for number in map(int, numbers):
        lows = [number // width * width for width in widths]
        found.append([f"{low}-{low + width - 1}" for low, width in zip(lows, widths, strict=True)])
    return found


def intervals(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Intervals of equal width, of any numbers: ``intervals 2.5,10``, or ``intervals 5,10 from 18 top 90 bottom 20``.

    What is at an end that is coded lies in no interval, on any level; the intervals beside it are cut there.
    """
    listed, *parts = re.split(r"\s(?=from |top |bottom )", rest)
    said = dict(part.split(" ", maxsplit=1) for part in parts)
    if len(said) < len(parts):
        raise UnclearError("it says one thing twice.", "Write: intervals 5,10 from 18 top 90 bottom 20.")
    start = said.get("from", "")
    top, bottom = (one_number(said[end]) if end in said else None for end in ("top", "bottom"))
    _insist_on_ends(top, bottom)
    widths = [one_number(part) for part in listed.split(",")]
    if min(widths) <= 0:
        raise UnclearError("each width must be above 0.", "Write: intervals 5,10,20.")
    insist_on_multiples(widths, "width")
    first, numbers = one_number(start) if start else Decimal(0), _numbers(values)
    whole = all(number % 1 == 0 for number in (*numbers, *widths, first, top or 0, bottom or 0))

    def name(number: Decimal, width: Decimal) -> str:
        low = first + math.floor((number - first) / width) * width
        high = low + width if top is None else min(low + width, top)
        if bottom is not None and low <= bottom:
            return _above(bottom, high, whole=whole)
        return _named(low, high, whole=whole)

    return [[_at_an_end(number, top, bottom) or name(number, width) for width in widths] for number in numbers]


def _above(bottom: Decimal, high: Decimal, *, whole: bool) -> str:
    """Name the numbers above a bottom, which is not among them, up to a border, which is not either."""
    return _named(bottom + 1, high, whole=True) if whole else f"above {_written(bottom)} to under {_written(high)}"


def cuts(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Intervals between given borders, where each begins: ``cuts 18,30,45,65 / 18,65``."""
    levels = [[one_number(part) for part in level.split(",")] for level in rest.split("/")]
    for level in levels:
        if any(after <= before for before, after in pairwise(level)):
            raise UnclearError("borders must rise.", "Write each border once, the lowest first: cuts 18,30,65.")
    for below, above in pairwise(levels):
        strange = [border for border in above if border not in below]
        if strange:
            raise UnclearError(
                f"each border of a level must be one of the level before: {strange[0]} is not.",
                "Groups must lie within those above them: add the border to the level before.",
            )
    numbers = _numbers(values)
    whole = all(number % 1 == 0 for number in (*numbers, *(border for level in levels for border in level)))
    return [[_between(number, level, whole=whole) for level in levels] for number in numbers]


def _between(number: Decimal, borders: Sequence[Decimal], *, whole: bool) -> str:
    """Name the interval between borders that holds a number.

    >>> [_between(Decimal(n), [Decimal(18), Decimal(65)], whole=True) for n in (3, 18, 70)]
    ['under 18', '18-64', '65 and over']
    """
    place = sum(border <= number for border in borders)
    if place == 0:
        return f"under {_written(borders[0])}"
    if place == len(borders):
        return f"{_written(borders[-1])} and over"
    return _named(borders[place - 1], borders[place], whole=whole)


def quantiles(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Intervals with about equally many people, by how many there are: ``quantiles 8,4,2``."""
    numbers, wanted = _numbers(values), whole_numbers(rest, "numbers of groups", "quantiles 8,4,2")
    for more, fewer in pairwise(wanted):
        if more % fewer or more == fewer:
            raise UnclearError(
                f"each number of groups must divide the one before: {fewer} does not divide {more}.",
                "Groups must lie within those above them: write quantiles 8,4,2, for example.",
            )
    before, total = [0, *accumulate(counts)][:-1], max(sum(counts), 1)
    # A value with many people may fill several groups: they are one then.
    places = [min(place * wanted[0] // total, wanted[0] - 1) for place in before]
    whole = all(number % 1 == 0 for number in numbers)
    levels = []
    for number in wanted:
        mine = [place * number // wanted[0] for place in places]
        ends: dict[int, list[Decimal]] = {}
        for group, value in zip(mine, numbers, strict=True):
            ends.setdefault(group, []).append(value)
        names = {group: _from_to(inside[0], inside[-1], whole=whole) for group, inside in ends.items()}
        levels.append([names[group] for group in mine])
    return [list(row) for row in zip(*levels, strict=True)]


def _from_to(low: Decimal, high: Decimal, *, whole: bool) -> str:
    if low == high:
        return f"{_written(low)}"
    return f"{_written(low)}-{_written(high)}" if whole and low >= 0 else f"{_written(low)} to {_written(high)}"


def coded(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Top and bottom coding: ``top 90``, ``bottom 18``, or ``top 90 bottom 18``; values between stay as they are."""
    parts = f"top {rest}".split()
    ends = dict(zip(parts[::2], parts[1::2], strict=False))
    if len(parts) % 2 or not set(ends) <= {"top", "bottom"} or 2 * len(ends) != len(parts):
        raise UnclearError("it names no end, or one twice.", "Write: top 90, bottom 18, or top 90 bottom 18.")
    top, bottom = (one_number(ends[name]) if name in ends and ends[name] != "-" else None for name in ("top", "bottom"))
    _insist_on_ends(top, bottom)
    return [[_at_an_end(number, top, bottom) or value] for value, number in zip(values, _numbers(values), strict=True)]


def _insist_on_ends(top: Decimal | None, bottom: Decimal | None) -> None:
    if top is not None and bottom is not None and bottom >= top:
        raise UnclearError("the bottom is not below the top.", "Write: top 90 bottom 18.")


def _at_an_end(number: Decimal, top: Decimal | None, bottom: Decimal | None) -> str | None:
    """Name the end that a number is at, if it is at one."""
    if top is not None and number >= top:
        return f"{_written(top)}+"
    return f"up to {_written(bottom)}" if bottom is not None and number <= bottom else None


def bottom(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Bottom coding alone, or before top coding: ``bottom 18``, ``bottom 18 top 90``."""
    low, _, more = rest.partition(" ")
    return coded(values, counts, f"{more.removeprefix('top ')} bottom {low}" if more else f"- bottom {low}")
