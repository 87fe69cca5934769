"""Numbers and dates as people write them, with separated thousands, units, or the day before the month, in plain form.

What can be read in two ways is not guessed: 80,867 may be a number of five digits or one with three decimals, and
03/09/2024 a day in March or in September. It is read as it was said, or refused with the question.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.domains.numerals import NUMBER, kind_of
from shoal.domains.texts import Looks, Reading, Texts
from shoal.errors import DataError

# Each separator of thousands with the signs that pass for it: typographic apostrophes and blanks that do not break.
SEPARATORS = {",": ",", ".": ".", "'": "'\u2019", " ": " \u00a0\u2009\u202f"}
DATE_ORDERS = {"dmy": "day, month, year", "mdy": "month, day, year", "ymd": "year, month, day"}
_UNIT = r"[$€£¥%]"
_GROUPS = f"[0-9]{{1,3}}(?P<by>[{''.join(SEPARATORS.values())}])[0-9]{{3}}(?:(?P=by)[0-9]{{3}})*"
_STYLED = re.compile(
    rf"[-+]?(?:{_UNIT}\s?)?[-+]?(?:(?P<groups>{_GROUPS})(?:[.,][0-9]+)?|[0-9]*[.,]?[0-9]+)(?:\s?{_UNIT})?"
)
_DECIMAL_COMMA = re.compile(r"(?:[-+]?\d*,\d+|[-+]?\d+)")
_COMMA_OR_THOUSANDS = re.compile(r"[-+]?[1-9][0-9]{0,2},[0-9]{3}")
_POINT_OR_THOUSANDS = re.compile(r"[-+]?(?:[1-9][0-9]{0,2}\.[0-9]{3}|[0-9]{1,3})")
_DATE = re.compile(
    r"(?P<a>[0-9]{1,2}|[0-9]{4})(?P<by>[/.\-])(?P<b>[0-9]{1,2})(?P=by)(?P<c>[0-9]{1,2}|[0-9]{4})"
    r"(?:,?[T ](?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?P<rest>\.[0-9]{1,6})?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?)?"
)
_TRIED = 1000  # texts that are looked at before all are


@dataclass(frozen=True)
class Plain:
    """Cells in plain form, their kind as far as the texts tell it, and what is to be said about how they were read."""

    looks: Looks
    kind: str
    note: str = ""
    mostly: str = ""  # what most cells are, but not all: numbers or dates
    unclear: str = ""  # why cells that look like numbers or dates are left as they stand


def plain_form(found: Texts, looks: Looks, reading: Reading) -> Plain:
    """Write the numbers and dates of a column in plain form, as it was said or as they leave no doubt."""
    places, lows, highs = looks.ends()
    if looks.sets or not lows:
        return Plain(looks, "text")
    ends = lows if highs is lows else [*lows, *highs]
    kind = kind_of(ends)
    if kind == "float" and _may_be_thousands(ends, reading):
        return _unclear(
            found, looks, reading, kind, "whole numbers and numbers with three digits behind a point",
            "Say whether the points separate decimals (--decimal .) or thousands (--thousands .).",
        )  # fmt: skip
    if kind not in ("text", "float") or (kind == "float" and reading.thousands != "." and reading.decimal != ","):
        return Plain(looks, kind)
    counts = np.asarray(found.counts)[places]
    if kind == "text" and reading.kind in (None, "date", "datetime") and _mostly(is_date, lows, counts):
        return _dates(found, looks, reading, places.tolist(), lows, highs)
    if not _mostly(is_number, lows, counts):
        return Plain(looks, kind)
    return _numbers(found, looks, reading, ends)


def is_number(text: str) -> bool:
    """Tell whether a text is a number, however it is written."""
    return _STYLED.fullmatch(text) is not None or NUMBER.fullmatch(text) is not None


def is_date(text: str) -> bool:
    """Tell whether a text is a date, in whatever order day, month and year stand."""
    match = _DATE.fullmatch(text)
    return match is not None and any(_iso(match, order, shortened=True) for order in DATE_ORDERS)


def _may_be_thousands(ends: list[str], reading: Reading) -> bool:
    if reading.kind is not None or reading.decimal is not None or reading.thousands is not None:
        return False
    return all(map(_POINT_OR_THOUSANDS.fullmatch, ends)) and not all("." in text for text in ends)


def _mostly(is_so: Callable[[str], bool], texts: list[str], counts: NDArray[np.int64]) -> bool:
    """Tell whether most cells are of some form; where few of the first are, not all are looked at."""
    for some in (_TRIED, len(texts)):
        like = np.fromiter(map(is_so, texts[:some]), bool)
        share = counts[:some][like].sum() / max(counts[:some].sum(), 1)
        if share < (0.1 if some < len(texts) else 0.5):
            return False
    return True


def _unclear(found: Texts, looks: Looks, reading: Reading, kind: str, what: str, remedy: str) -> Plain:
    """Refuse what leaves a doubt where it matters; elsewhere cells stay as they stand."""
    if not reading.strict and reading.kind is None:
        return Plain(looks, kind, unclear=f"looks like {what}")
    raise DataError(
        f"Column '{found.column}' holds {what}.",
        f"{remedy} If they are names or codes, say --kind {found.column}=category.",
    )


def _dates(
    found: Texts, looks: Looks, reading: Reading, places: list[int], lows: list[str], highs: list[str]
) -> Plain:  # fmt: skip
    if all(kind_of([text]) != "text" for text in lows if is_date(text)):
        return Plain(looks, "text", mostly="dates")
    if reading.dates is None:
        return _unclear(
            found, looks, reading, "text", "dates that are not written as 2024-12-31",
            "Say in which order day, month and year stand (--dates dmy, mdy or ymd).",
        )  # fmt: skip
    plain: dict[str, str] = {}
    for place, low, high in zip(places, lows, highs, strict=True):
        for text in (low, high):
            match = _DATE.fullmatch(text)
            iso = match and (_iso(match, reading.dates) or (_iso(match, "ymd") if match["by"] == "-" else None))
            if match is not None and iso is None:
                raise DataError(
                    f"Column '{found.column}' has a cell that is no date with {DATE_ORDERS[reading.dates]} in this "
                    f"order (line {found.lines[place]}).",
                    "Mend it (years have four digits), or say another order (--dates dmy, mdy or ymd).",
                )
            plain[text] = iso or text
    note = f"dates of '{found.column}' read as {DATE_ORDERS[reading.dates]}"
    return Plain(looks.written(plain), kind_of(list(plain.values())), note, mostly="dates")


def _iso(match: re.Match[str], order: str, *, shortened: bool = False) -> str | None:
    """Write a date, with its time if it has one, as ISO does; years may be shortened to two digits, or not."""
    parts = dict(zip(order, (match["a"], match["b"], match["c"]), strict=True))
    if len(parts["y"]) != 4 and not (shortened and len(parts["y"]) == 2):
        return None
    hour = int(match["hour"] or 0)
    if match["half"]:
        hour = hour % 12 + 12 * (match["half"] in "Pp") if 1 <= hour <= 12 else 24
    try:
        day = datetime.date(int(parts["y"]), int(parts["m"]), int(parts["d"])).isoformat()
        time = datetime.time(hour, int(match["minute"] or 0), int(match["second"] or 0)).isoformat()
    except ValueError:
        return None
    return day if match["hour"] is None else f"{day} {time}{match['rest'] or ''}"


def _numbers(found: Texts, looks: Looks, reading: Reading, ends: list[str]) -> Plain:
    """Take units and separators of thousands away, and write decimals behind a point."""
    decimal = reading.decimal or {",": ".", ".": ","}.get(reading.thousands or "")
    plain = dict(zip(ends, ends, strict=True))
    said = []
    units = {unit for text in plain for unit in re.findall(_UNIT, text)} if reading.kind in ("integer", "float") else ()
    if len(units) == 1 and all(re.search(_UNIT, text) for text in plain):
        (unit,) = units
        plain = {text: re.sub(rf"\s?{re.escape(unit)}\s?", "", one, count=1) for text, one in plain.items()}
        said.append(f"without the sign {unit}")
    if reading.thousands is not None:
        sign, point = f"[{SEPARATORS[reading.thousands]}]", "[.,]".replace(reading.thousands, "")
        grouped = re.compile(rf"[-+]?[0-9]{{1,3}}(?:{sign}[0-9]{{3}})+(?:{point}[0-9]*)?")
        whole = {text: re.sub(sign, "", one) for text, one in plain.items() if grouped.fullmatch(one)}
        plain |= whole
        said += [f"with thousands separated by {reading.thousands!r}"] * bool(whole)
    if decimal == "," or (decimal is None and _has_decimal_commas(list(plain.values()))):
        points = str.maketrans({",": ".", ".": "'"})  # a point that was there already is no sign of a number
        plain = {text: one.translate(points) for text, one in plain.items()}
    kind = kind_of(list(plain.values()))
    if kind == "text" and any(is_number(text) and not NUMBER.fullmatch(one) for text, one in plain.items()):
        return _unclear(found, looks, reading, kind, *_question(found, reading, ends))
    note = f"numbers of '{found.column}' read {' and '.join(said)}" if said else ""
    return Plain(looks.written(plain), kind, note, mostly="numbers")


def _has_decimal_commas(texts: list[str]) -> bool:
    """Find whether a column writes decimals behind a comma: all cells are numbers then, and some leave no doubt."""
    commas = [text for text in texts if "," in text]
    if not commas or not all(_DECIMAL_COMMA.fullmatch(text) for text in texts):
        return False
    return not all(_COMMA_OR_THOUSANDS.fullmatch(text) for text in commas)


def _question(found: Texts, reading: Reading, ends: list[str]) -> tuple[str, str]:
    """Say what numbers look like, and what must be said before they can be read."""
    styled = [match for text in ends if (match := _STYLED.fullmatch(text))]
    if any(re.search(_UNIT, match[0]) for match in styled):
        if reading.kind is not None:
            return "numbers with several units, or with a unit in some cells only", "Bring them to one unit."
        return "numbers with units such as % or $", f"Say that all have the same unit (--kind {found.column}=float)."
    groups = [match for match in styled if match["groups"]]
    if not groups or reading.thousands is not None:
        remedy = "Write all in one way, or say which sign is which (--decimal, --thousands)."
        return "numbers with several signs for decimals or thousands", remedy
    sure = next((m["by"] for m in groups if re.search(r"\D.*\D", m[0].lstrip("+-")) or m["by"] not in ",."), None)
    by = sure or groups[0]["by"]
    sign = next(sign for sign, alike in SEPARATORS.items() if by in alike)
    ask = f'Say that thousands are separated so (--thousands "{sign}")'
    ask += "." if sure is not None else f', or that these are decimals (--decimal "{sign}").'
    return "numbers whose digits stand in groups of three", ask
