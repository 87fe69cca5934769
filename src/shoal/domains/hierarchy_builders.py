"""Ways to build a hierarchy over the values of a column, each written as a name and its numbers.

A builder gives the names of the groups above each value, from the smallest group to the largest. It sees all values
that occur, in their natural order, and how often each does. What is above all of them, ``*``, is added later.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from shoal.domains.builder_words import (
    GroupNames,
    UnclearError,
    UnsuitedError,
    insist_on_multiples,
    natural,
    whole_numbers,
)
from shoal.domains.harbor_groups import harbor_levels
from shoal.domains.icd_chapters import ICD9, ICD10, Revision
from shoal.domains.number_groups import bands, bottom, coded, cuts, intervals, quantiles
from shoal.errors import ParameterError

OTHER = "other"
HARBOR = "safe-harbor"
COLUMNS = "columns"
LABELS = "labels"
Builder = Callable[[Sequence[str], Sequence[int], str], GroupNames]


def builds(how: str) -> bool:
    """Tell whether a text is a way to build a hierarchy, and not the name of a file."""
    return " ".join(how.split()).partition(" ")[0] in BUILDERS


def build_groups(text: str, counts: Mapping[str, int], column: str) -> tuple[Sequence[str], GroupNames]:
    """Give the values in their order and the groups above each, as a text says, such as ``bands 5,20``."""
    if not builds(text):
        raise ParameterError(f"'{text}' is no way to build a hierarchy.", f"Give a CSV file, or write: {WAYS}.")
    word, _, rest = " ".join(text.split()).partition(" ")
    values = sorted(counts, key=natural)
    if word == HARBOR:
        return harbor_levels(values, rest)
    try:
        return values, BUILDERS[word](values, [counts[value] for value in values], rest)
    except UnsuitedError as why:
        raise ParameterError(f"'{text}' does not suit the values of column '{column}': {why}", why.remedy) from None
    except UnclearError as why:
        raise ParameterError(f"'{text}' is no hierarchy of '{column}': {why}", why.remedy) from None


def _prefixes(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """First signs that stay, as of postcodes: ``prefix 4,3,1``."""
    kept = _falling(rest, "prefix 4,3,1")
    return [[value[:length] + "*" * (len(value) - length) for length in kept] for value in values]


def _suffixes(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Last signs that stay, masked from the left: ``suffix 4,2``."""
    kept = _falling(rest, "suffix 4,2")
    return [["*" * (len(value) - length) + value[max(len(value) - length, 0) :] for length in kept] for value in values]


def _falling(rest: str, example: str) -> list[int]:
    kept = whole_numbers(rest, "numbers of signs that stay", example)
    for before, after in pairwise(kept):
        if after >= before:
            raise UnclearError(
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
        raise UnclearError(f"'{strange[0]}' is no period.", f"There are: {', '.join(known)}.")
    if any(known.index(after) <= known.index(before) for before, after in pairwise(names)):
        raise UnclearError("periods must become longer.", f"Write them in this order: {', '.join(known)}.")
    if "week" in names and names[-1] != "week":
        raise UnclearError(
            "weeks do not lie within months, quarters or years.", "Leave out the week, or what follows it."
        )
    try:
        days = [datetime.date.fromisoformat(value[:10]) for value in values]
    except ValueError:
        raise UnsuitedError("not all of them are dates.", "Dates are written like 2020-01-31.") from None
    return [[_PERIODS[name](day) for name in names] for day in days]


def _ordered(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Groups of so many values that follow each other: ``ordered 2,4``."""
    sizes = whole_numbers(rest, "sizes of groups", "ordered 2,4")
    insist_on_multiples(sizes, "size")

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
            raise UnclearError(
                "a group has no name, or no values.", "Write: groups north=Oslo,Bergen; south=Rome,Bari."
            )
        for value in (each.strip() for each in inside.split(",")):
            if of.setdefault(value, name) != name:
                raise UnclearError(f"a value is in '{of[value]}' and in '{name}'.", "Let it be in one group.")
    return [[of.get(value, OTHER)] for value in values]


def _frequent(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """Values that fewer people have than that are joined into ``other``: ``frequent 10,100``."""
    least = whole_numbers(rest, "numbers of people", "frequent 10,100")
    if any(after <= before for before, after in pairwise(least)):
        raise UnclearError("each number of people must be above the one before.", "Write: frequent 10,100.")
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
            raise UnclearError("its levels are category and chapter.", f"Write: {name}, or {name} chapter.")
        places = [revision.place(value) for value in values]
        known = [dict(zip(("category", "chapter"), place, strict=True)) for place in places if place is not None]
        strange = len(places) - len(known)
        if strange:
            raise UnsuitedError(
                f"{strange:,} of them {'is no code' if strange == 1 else 'are no codes'} of this revision.",
                "Mend them, or give a CSV file. Codes keep their zeros: 038.9, not 38.9.",
            )
        return [[place[level] for level in levels] for place in known]

    return build


def _harbor(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """What safe harbor leaves of ZIP codes, ages and dates: ``safe-harbor zip``; see `harbor_groups`."""
    return harbor_levels(values, rest)[1]


def _columns(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """What other columns of the table say: ``columns county,state``; see `shoal.engines.column_trees`."""
    raise UnsuitedError("the table whose other columns name its groups is not here.", "Give a CSV file.")


def _labels(values: Sequence[str], counts: Sequence[int], rest: str) -> GroupNames:
    """What the file of a statistical program calls its codes: ``labels``; see `shoal.engines.label_trees`."""
    raise UnsuitedError("only a file of SPSS or Stata has labels of values.", "Give a CSV file.")


BUILDERS: Mapping[str, Builder] = {
    "bands": bands,
    "intervals": intervals,
    "cuts": cuts,
    "quantiles": quantiles,
    "top": coded,
    "bottom": bottom,
    "prefix": _prefixes,
    "suffix": _suffixes,
    "dates": _dates,
    "ordered": _ordered,
    "groups": _groups,
    "frequent": _frequent,
    "icd9": _diagnoses(ICD9, "icd9"),
    "icd10": _diagnoses(ICD10, "icd10"),
    COLUMNS: _columns,
    LABELS: _labels,
    HARBOR: _harbor,
}
WAYS = (
    "bands 5,20; intervals 2.5,10; cuts 18,65; quantiles 8,4,2; top 90; bottom 18; prefix 4,3,1; suffix 4,2; "
    "dates; ordered 2,4; groups north=Oslo,Bergen; frequent 10; columns county,state; labels; icd9; icd10"
)
