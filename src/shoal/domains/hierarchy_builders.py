"""Ways to build a hierarchy over the values of a column, each written as a name and its numbers.

A builder gives the names of the groups above each value, from the smallest group to the largest. It sees all values
that occur, in their natural order, and how often each does. What is above all of them, ``*``, is added later.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import accumulate, pairwise

from shoal.domains.harbor_groups import harbor_levels
from shoal.domains.icd_chapters import ICD9, ICD10, Revision
from shoal.errors import ParameterError

OTHER = "other"
HARBOR = "safe-harbor"
GroupNames = list[list[str]]  # for each value, the names of the groups above it
Builder = Callable[[Sequence[str], Sequence[int], str], GroupNames]


def build_groups(text: str, counts: Mapping[str, int], column: str) -> tuple[Sequence[str], GroupNames]:
    """Give the values in their order and the groups above each, as a text says, such as ``bands 5,20``."""
    word, _, rest = " ".join(text.split()).partition(" ")
    if word not in BUILDERS:
        raise ParameterError(f"'{text}' is no way to build a hierarchy.", f"Give a CSV file, or write: {WAYS}.")
    values = sorted(counts, key=natural)
    if word == HARBOR:
        return harbor_levels(values, rest)
    try:
        return values, BUILDERS[word](values, [counts[value] for value in values], rest)
    except _UnsuitedError as why:
        raise ParameterError(f"'{text}' does not suit the values of column '{column}': {why}", why.remedy) from None
    except _UnclearError as why:
        raise ParameterError(f"'{text}' is no hierarchy of '{column}': {why}", why.remedy) from None


def natural(value: str) -> tuple[int, float, str]:
    """Give the key by which values are sorted: numbers by their size, and then texts."""
    try:
        number = float(value)
    except ValueError:
        return 1, 0.0, value
    return (0, number, value) if math.isfinite(number) else (1, 0.0, value)


class _UnclearError(Exception):
    """A text that says nothing that could be built."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.remedy = remedy


class _UnsuitedError(_UnclearError):
    """A text that says something which the values of the column do not allow."""


def _whole(text: str, what: str, example: str) -> list[int]:
    """Read whole numbers of at least one, separated by commas."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise _UnclearError(f"{what} are whole numbers of at least 1, separated by commas.", f"Write: {example}.")
    return [int(part) for part in parts]


def _number(text: str) -> Decimal:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        raise _UnclearError(
            "a number is expected, and there is something else.", "Write numbers such as 18 or 2.5."
        ) from None
    if not number.is_finite():
        raise _UnclearError("a number is expected, and there is something else.", "Write numbers such as 18 or 2.5.")
    return number


def _numbers(values: Sequence[str]) -> list[Decimal]:
    """Read all values of a column as numbers."""
    try:
        found = [Decimal(value) for value in values]
    except InvalidOperation:
        found = [Decimal("NaN")]
    if not all(number.is_finite() for number in found):
        raise _UnsuitedError("not all of them are numbers.", "Use prefix, groups or frequent, or give a CSV file.")
    return found


def _written(number: Decimal) -> str:
    """Write a number without zeros that say nothing."""
    return f"{number.normalize():f}" if number else "0"


def _rising(numbers: Sequence[int | Decimal], what: str) -> None:
    """Insist that levels lie within each other: each number is a multiple of the one before."""
    for before, after in pairwise(map(Decimal, numbers)):
        if after % before:
            raise _UnclearError(
                f"each {what} must be a multiple of the one before: {after} is no multiple of {before}.",
                f"Groups must lie within those above them: write {before},{(after // before + 1) * before}.",
            )


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


def _bands(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Bands of whole numbers, by their widths: ``bands 5,20``."""
    if any("." in value and natural(value)[0] == 0 for value in values) and all(natural(v)[0] == 0 for v in values):
        raise _UnsuitedError(
            "bands are for whole numbers, and these are decimals.",
            "Write 34, not 34.0 (pandas: use the type Int64, which may have empty cells), or use intervals.",
        )
    widths = _whole(rest, "widths", "bands 5,10,20")
    _rising(widths, "width")
    numbers = _numbers(values)
    if any(number % 1 for number in numbers):
        raise _UnsuitedError("bands are for whole numbers, and these are decimals.", "Use intervals.")
    found = []
    for number in map(int, numbers):
        lows = [number // width * width for width in widths]
        found.append([f"{low}-{low + width - 1}" for low, width in zip(lows, widths, strict=True)])
    return found


def _intervals(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Intervals of equal width, of any numbers: ``intervals 2.5,10``, or ``intervals 5,10 from 18``."""
    listed, _, start = rest.partition(" from ")
    widths = [_number(part) for part in listed.split(",")]
    if min(widths) <= 0:
        raise _UnclearError("each width must be above 0.", "Write: intervals 5,10,20.")
    _rising(widths, "width")
    first, numbers = _number(start) if start else Decimal(0), _numbers(values)
    whole = all(number % 1 == 0 for number in (*numbers, *widths, first))
    found = []
    for number in numbers:
        lows = [first + math.floor((number - first) / width) * width for width in widths]
        found.append([_named(low, low + width, whole=whole) for low, width in zip(lows, widths, strict=True)])
    return found


def _cuts(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Intervals between given borders, where each begins: ``cuts 18,30,45,65 / 18,65``."""
    levels = [[_number(part) for part in level.split(",")] for level in rest.split("/")]
    for level in levels:
        if any(after <= before for before, after in pairwise(level)):
            raise _UnclearError("borders must rise.", "Write each border once, the lowest first: cuts 18,30,65.")
    for below, above in pairwise(levels):
        strange = [border for border in above if border not in below]
        if strange:
            raise _UnclearError(
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


def _quantiles(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Intervals with about equally many people, by how many there are: ``quantiles 8,4,2``."""
    numbers, wanted = _numbers(values), _whole(rest, "numbers of groups", "quantiles 8,4,2")
    for more, fewer in pairwise(wanted):
        if more % fewer or more == fewer:
            raise _UnclearError(
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


def _coded(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Top and bottom coding: ``top 90``, ``bottom 18``, or ``top 90 bottom 18``; values between stay as they are."""
    parts = f"top {rest}".split()
    ends = dict(zip(parts[::2], parts[1::2], strict=False))
    if len(parts) % 2 or not set(ends) <= {"top", "bottom"} or 2 * len(ends) != len(parts):
        raise _UnclearError("it names no end, or one twice.", "Write: top 90, bottom 18, or top 90 bottom 18.")
    top, bottom = (_number(ends[name]) if name in ends and ends[name] != "-" else None for name in ("top", "bottom"))
    if top is not None and bottom is not None and bottom >= top:
        raise _UnclearError("the bottom is not below the top.", "Write: top 90 bottom 18.")
    return [[_at_an_end(number, top, bottom) or value] for value, number in zip(values, _numbers(values), strict=True)]


def _at_an_end(number: Decimal, top: Decimal | None, bottom: Decimal | None) -> str | None:
    """Name the end that a number is at, if it is at one."""
    if top is not None and number >= top:
        return f"{_written(top)}+"
    return f"up to {_written(bottom)}" if bottom is not None and number <= bottom else None


def _bottom(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Bottom coding alone, or before top coding: ``bottom 18``, ``bottom 18 top 90``."""
    low, _, more = rest.partition(" ")
    return _coded(values, counts, f"{more.removeprefix('top ')} bottom {low}" if more else f"- bottom {low}")


def _prefixes(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """First signs that stay, as of postcodes: ``prefix 4,3,1``."""
    kept = _falling(rest, "prefix 4,3,1")
    return [[value[:length] + "*" * (len(value) - length) for length in kept] for value in values]


def _suffixes(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Last signs that stay, masked from the left: ``suffix 4,2``."""
    kept = _falling(rest, "suffix 4,2")
    return [["*" * (len(value) - length) + value[max(len(value) - length, 0) :] for length in kept] for value in values]


def _falling(rest: str, example: str) -> list[int]:
    kept = _whole(rest, "numbers of signs that stay", example)
    for before, after in pairwise(kept):
        if after >= before:
            raise _UnclearError(
                f"each level must keep fewer signs than the one before: {after} is not fewer than {before}.",
                f"Write: {example}.",
            )
    return kept


_PERIODS: Mapping[str, Callable[[datetime.date], str]] = {
    "day": lambda day: f"{day:%Y-%m-%d}",
    "week": lambda day: "{}-W{:02}".format(*day.isocalendar()[:2]),
    "month": lambda day: f"{day:%Y-%m}",
    "quarter": lambda day: f"{day.year} Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year}",
    "decade": lambda day: f"{day.year // 10 * 10}s",
}


def _dates(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Periods that dates lie in: months, quarters and years, or others: ``dates day,month,year,decade``."""
    names = [part.strip() for part in rest.split(",")] if rest else ["month", "quarter", "year"]
    known = list(_PERIODS)
    strange = [name for name in names if name not in known]
    if strange:
        raise _UnclearError(f"'{strange[0]}' is no period.", f"There are: {', '.join(known)}.")
    if any(known.index(after) <= known.index(before) for before, after in pairwise(names)):
        raise _UnclearError("periods must become longer.", f"Write them in this order: {', '.join(known)}.")
    if "week" in names and names[-1] != "week":
        raise _UnclearError(
            "weeks do not lie within months, quarters or years.", "Leave out the week, or what follows it."
        )
    try:
        days = [datetime.date.fromisoformat(value[:10]) for value in values]
    except ValueError:
        raise _UnsuitedError("not all of them are dates.", "Dates are written like 2020-01-31.") from None
    return [[_PERIODS[name](day) for name in names] for day in days]


def _ordered(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Groups of so many values that follow each other: ``ordered 2,4``."""
    sizes = _whole(rest, "sizes of groups", "ordered 2,4")
    _rising(sizes, "size")

    def name(place: int, size: int) -> str:
        inside = values[place // size * size :][:size]
        return inside[0] if len(inside) == 1 else f"{inside[0]} … {inside[-1]}"

    return [[name(place, size) for size in sizes] for place in range(len(values))]


def _groups(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Named groups of values: ``groups north=Oslo,Bergen; south=Rome,Bari``; what is in none is in ``other``."""
    of: dict[str, str] = {}
    for part in rest.split(";"):
        name, mark, inside = (each.strip() for each in part.partition("="))
        if not mark or not name or not inside:
            raise _UnclearError(
                "a group has no name, or no values.", "Write: groups north=Oslo,Bergen; south=Rome,Bari."
            )
        for value in (each.strip() for each in inside.split(",")):
            if of.setdefault(value, name) != name:
                raise _UnclearError(f"a value is in '{of[value]}' and in '{name}'.", "Let it be in one group.")
    return [[of.get(value, OTHER)] for value in values]


def _frequent(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Values that fewer people have than that are joined into ``other``: ``frequent 10,100``."""
    least = _whole(rest, "numbers of people", "frequent 10,100")
    if any(after <= before for before, after in pairwise(least)):
        raise _UnclearError("each number of people must be above the one before.", "Write: frequent 10,100.")
    taken, names = set(values), list[str]()
    for number in least:  # what is rare on a higher level holds more, and needs a name of its own
        name = f"{OTHER} (under {number})" if names else OTHER
        while name in taken:
            name = f"({name})"
        names.append(name)
    levels = list(zip(least, names, strict=True))
    return [
        [value if count >= number else name for number, name in levels]
        for value, count in zip(values, counts, strict=True)
    ]


def _diagnoses(revision: Revision, name: str) -> Builder:
    """Categories and chapters of diagnosis codes: ``icd9``, ``icd10``, or one of both levels, ``icd10 chapter``."""

    def build(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
        levels = [part.strip() for part in rest.split(",")] if rest else ["category", "chapter"]
        if levels not in (["category"], ["chapter"], ["category", "chapter"]):
            raise _UnclearError("its levels are category and chapter.", f"Write: {name}, or {name} chapter.")
        places = [revision.place(value) for value in values]
        known = [dict(zip(("category", "chapter"), place, strict=True)) for place in places if place is not None]
        strange = len(places) - len(known)
        if strange:
            raise _UnsuitedError(
                f"{strange:,} of them {'is no code' if strange == 1 else 'are no codes'} of this revision.",
                "Mend them, or give a CSV file. Codes keep their zeros: 038.9, not 38.9.",
            )
        return [[place[level] for level in levels] for place in known]

    return build


def _harbor(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """What safe harbor leaves of ZIP codes, ages and dates: ``safe-harbor zip``; see `harbor_groups`."""
    return harbor_levels(values, rest)[1]


BUILDERS: Mapping[str, Builder] = {
    "bands": _bands,
    "intervals": _intervals,
    "cuts": _cuts,
    "quantiles": _quantiles,
    "top": _coded,
    "bottom": _bottom,
    "prefix": _prefixes,
    "suffix": _suffixes,
    "dates": _dates,
    "ordered": _ordered,
    "groups": _groups,
    "frequent": _frequent,
    "icd9": _diagnoses(ICD9, "icd9"),
    "icd10": _diagnoses(ICD10, "icd10"),
    HARBOR: _harbor,
}
WAYS = (
    "bands 5,20; intervals 2.5,10; cuts 18,65; quantiles 8,4,2; top 90; bottom 18; prefix 4,3,1; suffix 4,2; "
    "dates; ordered 2,4; groups north=Oslo,Bergen; frequent 10; icd9; icd10"
)
