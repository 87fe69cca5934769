"""What safe harbor leaves of a ZIP code, an age and a date: three digits, ages up to 89, and the year.

The rule is 45 CFR 164.514(b)(2)(i)(B) and (C). What a cell becomes is a function of its text alone, and what it leaves
alone is what may be released: so the same lines mask a table and prove that one is masked.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Collection, Sequence

from shoal.errors import ParameterError

# The first three digits of ZIP codes whose areas have no more than 20,000 people, by the ZIP code tabulation areas of
# the census of 2000: Office for Civil Rights, Guidance Regarding Methods for De-identification (2012), section 3.
# Each list is kept under the name of its census.
RESTRICTED = {
    "census-2000": (
        "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878", "879", "884", "890",
        "893",
    ),
}  # fmt: skip
HERE = "census-2000"
ENOUGH_PEOPLE = 20_000  # more than that live in an area whose three digits may be shown
OLDEST = 89  # the highest age that is shown
FORMS = ("zip", "age", "date", "birth")
UNKNOWN = "unknown"
ALL = " (all)"
_ZIP = re.compile(r"(\d{3})(?:\*{2}|\d{2}(?:-?\d{4})?)?")
_AREA = re.compile(r"\d{3}")
_YEAR = re.compile(r"(?<!\d)(?:1[6-9]|20|21)\d\d(?!\d)")
_COMPACT = re.compile(r"((?:1[6-9]|20|21)\d\d)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")


def digest_of(population: str, populous: Sequence[str] = ()) -> str:
    """Give the SHA-256 of a list of 3-digit ZIP codes: three digits on a line, in ascending order, in ASCII.

    It is the list of those that are restricted or, of a publisher's own populations, of those that are not.
    """
    codes = populous or RESTRICTED[population]
    return hashlib.sha256("".join(f"{code}\n" for code in codes).encode("ascii")).hexdigest()


def zip_group(text: str, populous: Collection[str] = ()) -> str:
    """Give the first three digits of a ZIP code; 000 where too few people live, and for what is no ZIP code.

    Where it is said which areas have enough people, all others have too few.

    >>> [zip_group(code) for code in ("93711", "93711-1234", "937", "03601", "XXXXX")]
    ['937', '937', '937', '000', '000']
    >>> [zip_group(code, {"036"}) for code in ("93711", "03601")]
    ['000', '036']
    """
    found = _ZIP.fullmatch(text.strip())
    if found is None:
        return "000"
    shown = found[1] in populous if populous else found[1] not in RESTRICTED[HERE]
    return found[1] if shown else "000"


def age_group(text: str) -> str:
    """Give an age in whole years, and all over 89 as one; bands that reach beyond 89 begin where they did.

    >>> [age_group(age) for age in ("34", "34.5", "89.9", "90", "104", "85-89", "85-94", "90+", "85+", "unknown")]
    ['34', '34', '89', '90+', '90+', '85-89', '85+', '90+', '85+', 'unknown']
    """
    try:
        number = float(text)
    except ValueError:
        parts = [int(part) for part in re.findall(r"\d+", text)]
        low = min(parts, default=0)
        if max(parts, default=0) <= OLDEST:
            return text
        return f"{min(low, OLDEST + 1)}+"
    if not math.isfinite(number):
        return UNKNOWN
    return f"{OLDEST + 1}+" if number >= OLDEST + 1 else str(math.floor(number))


def date_group(text: str) -> str:
    """Give the year of a date, or ``unknown`` where none, or more than one, can be read.

    >>> [date_group(date) for date in ("1987-03-14", "3/14/1987 08:30", "19870314", "1987", "3/14/87")]
    ['1987', '1987', '1987', '1987', 'unknown']
    """
    compact = _COMPACT.fullmatch(text.strip())
    if compact is not None:
        return compact[1]
    years = set(_YEAR.findall(text))
    return years.pop() if len(years) == 1 else UNKNOWN


def birth_group(text: str, year: int) -> str:
    """Give the year of a birth; those years in which people over 89 were born are one.

    >>> [birth_group(date, 2026) for date in ("1987-03-14", "1937", "1936", "1901-01-01", "up to 1936")]
    ['1987', '1937', 'up to 1936', 'up to 1936', 'up to 1936']
    """
    found, last = date_group(text), year - OLDEST - 1
    return f"up to {last}" if found != UNKNOWN and int(found) <= last else found


def harbor_group(form: str, text: str, year: int, populous: Collection[str] = ()) -> str:
    """Give what safe harbor leaves of a cell: a ``zip``, an ``age``, a ``date`` or a ``birth``."""
    if form == "birth":
        return birth_group(text, year)
    return zip_group(text, populous) if form == "zip" else {"age": age_group, "date": date_group}[form](text)


def harbor_levels(values: Sequence[str], rest: str) -> tuple[list[str], list[list[str]]]:
    """Give the values of a column and what each becomes, for ``safe-harbor zip``, ``age``, ``date`` or ``birth 2026``.

    Behind ``zip`` may stand the areas that have enough people: ``safe-harbor zip 900,901``.

    A node above one value alone would be shown as that value. So every group has one more value, which nobody has.
    """
    form, _, more = rest.partition(" ")
    year, populous = (more, frozenset[str]()) if form != "zip" else ("", frozenset(filter(None, more.split(","))))
    if form not in FORMS or (form == "birth") != year.isdecimal() or not all(map(_AREA.fullmatch, populous)):
        raise ParameterError(
            f"'safe-harbor {rest}' is no way to build a hierarchy.",
            "Write: safe-harbor zip (zip 900,901 where only these have enough people), safe-harbor age, safe-harbor "
            "date, or safe-harbor birth 2026.",
        )
    # Where codes were read as numbers, those of Puerto Rico and New England have lost their zeros.
    short = form == "zip" and any(value.isdecimal() and len(value) > 3 for value in values)
    full = [value.zfill(5) if short and value.isdecimal() else value for value in values]
    plain = [harbor_group(form, value, int(year or 0), populous) for value in full]
    mixed = {group for group, value in zip(plain, values, strict=True) if group != value} & set(values)
    groups = [f"{group}{ALL}" if group in mixed else group for group in plain]  # no node has the name of a value in it
    alone = [group for group in dict.fromkeys(groups) if group not in values]
    return [*values, *(f"{group} (nobody)" for group in alone)], [[group] for group in (*groups, *alone)]


def within_harbor(form: str, text: str, year: int, populous: Collection[str] = ()) -> bool:
    """Tell whether safe harbor leaves a cell as it is."""
    bare = text.removesuffix(ALL)
    return text in ("", "*", UNKNOWN) or harbor_group(form, bare, year, populous) == bare
