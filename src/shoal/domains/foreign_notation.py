"""Cells of releases that other tools made, in the notation of this one: ``20-33``, ``(20, 33]``, ``80+``, ``a, b``."""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta

from shoal.domains.notation import in_set

_DATE = r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?"
_VALUE = rf"(?:{_DATE}|[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
_ALONE = re.compile(_VALUE)
_BETWEEN = re.compile(
    rf"(?P<opens>[\[\](])?\s*(?P<low>{_VALUE})\s*(?:;|,|\.\.\.?|–|—|-|:|~|\bto\b)"
    rf"\s*(?P<under><|\bunder\b)?\s*(?P<high>{_VALUE})\s*(?P<closes>[\])\[])?"
)
_BELOW = re.compile(rf"(?P<sign><=?|≤|under|below|less than|up to|at most)\s*(?P<end>{_VALUE})", re.IGNORECASE)
_ABOVE = re.compile(rf"(?P<sign>>=?|≥|over|above|more than|at least)\s*(?P<end>{_VALUE})", re.IGNORECASE)
_NO_LOW = re.compile(rf"[\[(\]]\s*-(?:inf|∞)\s*[;,]\s*(?P<end>{_VALUE})\s*(?P<sign>[\])\[])")
_NO_HIGH = re.compile(rf"(?P<sign>[\[(\]])\s*(?P<end>{_VALUE})\s*[;,]\s*\+?(?:inf|∞)\s*[\])\[]")
_STRICTLY_BELOW = ("<", "under", "below", "less than", ")", "[")
_STRICTLY_ABOVE = (">", "over", "above", "more than", "(", "]")
_AND_MORE = re.compile(rf"(?P<end>{_VALUE})\s*(?:\+|(?:and|or) (?:over|above|more|older))", re.IGNORECASE)
_YEARS = re.compile(r"\s*\byears?\b(?: of age| old)?", re.IGNORECASE)
_PERIOD = re.compile(r"(?P<year>[12]\d{3})(?:-(?P<month>0[1-9]|1[0-2])|-?Q(?P<quarter>[1-4]))?")
_SEPARATORS = (";", ",", "|", "/", " or ")
_NOTHING = ("NA", "<NA>", "N/A", "NaN", "nan", "NULL", "null", "None")  # how others write that there is no value
_BRACKETS = {"{": "}", "[": "]", "(": ")"}


@dataclass(frozen=True)
class ForeignColumn:
    """What is known of a column from the original of a release: how another tool's cells of it can be understood.

    Attributes
    ----------
    kind
        The kind of the column.
    values
        Its categories, if it has some: only of these a set is made.
    lowest, highest
        Its limits, for ranges that lack an end.
    """

    kind: str
    values: Collection[str] = ()
    lowest: str | None = None
    highest: str | None = None

    def translated(self, text: str) -> str:
        """Give a cell in the notation of this tool; as it is, if it is in that already or is not understood.

        >>> ages = ForeignColumn("integer", lowest="0", highest="99")
        >>> [ages.translated(text) for text in ("20-33", "(20, 33]", "[20,33[", "<18", "80+", "≥ 80", "34", "*")]
        ['[20;33]', '[21;33]', '[20;32]', '[0;17]', '[80;99]', '[80;99]', '34', '*']
        >>> [ages.translated(text) for text in ("(90, inf]", "[-inf, 18)", "20 to under 25", "90 years and over")]
        ['[91;99]', '[0;17]', '[20;24]', '[90;99]']
        >>> [ForeignColumn("date").translated(text) for text in ("2024", "2024-02", "2024-Q4")]
        ['[2024-01-01;2024-12-31]', '[2024-02-01;2024-02-29]', '[2024-10-01;2024-12-31]']
        >>> [ForeignColumn("category", {"a", "b", "c"}).translated(text) for text in ("{a, b}", "NA")]
        ['{a;b}', '']
        """
        cell = text.strip()
        if cell in _NOTHING and cell not in self.values:
            return ""
        if self.kind in ("category", "ordered"):
            return self._set(text, cell)
        if self.kind == "date" and (found := _PERIOD.fullmatch(cell)):
            return _days_of(found)
        if _ALONE.fullmatch(cell):
            return text
        try:
            return self._range(_YEARS.sub("", cell)) or self._listed(cell) or text
        except (ValueError, OverflowError):  # an end is no day, or no number of any use: who reads it says so
            return text

    def _range(self, cell: str) -> str | None:
        """Translate a range, also one without an end."""
        if found := _BETWEEN.fullmatch(cell):
            if not found["opens"] and "," in cell:
                return None  # it may be a number with a decimal comma
            low = self._inner(found["low"], 1, strict=found["opens"] in ("(", "]"))
            high = self._inner(found["high"], -1, strict=bool(found["under"]) or found["closes"] in (")", "["))
        elif found := _BELOW.fullmatch(cell) or _NO_LOW.fullmatch(cell):
            strict = found["sign"].lower() in _STRICTLY_BELOW
            high = self._inner(found["end"], -1, strict=strict)
            low = high if self.lowest is None else min(self.lowest, high, key=self._size)
        elif found := _ABOVE.fullmatch(cell) or _NO_HIGH.fullmatch(cell) or _AND_MORE.fullmatch(cell):
            strict = found.re is not _AND_MORE and found["sign"].lower() in _STRICTLY_ABOVE
            low = self._inner(found["end"], 1, strict=strict)
            high = low if self.highest is None else max(self.highest, low, key=self._size)
        else:
            return None
        return f"[{low};{high}]"

    def _inner(self, end: str, step: int, *, strict: bool) -> str:
        """Give an end that belongs to the range: of whole numbers and days the next one inside, where it does not."""
        if self.kind == "integer":
            number = float(end)
            whole = math.ceil(number) if step > 0 else math.floor(number)
            return str(whole + step if strict and whole == number else whole)
        if self.kind == "date" and strict and len(end) == len("2000-01-01"):
            return str(date.fromisoformat(end) + timedelta(days=step))
        return end

    def _size(self, end: str) -> float | str:
        """Give what an end is compared by with another one."""
        return end if self.kind in ("date", "datetime") else float(end)

    def _listed(self, cell: str) -> str | None:
        """Translate a list of numbers, which is as wide as they lie apart."""
        braced = cell[:1] == "{" and cell[-1:] == "}"
        inside = cell[1:-1] if braced else cell
        for separator in _SEPARATORS if braced else _SEPARATORS[2:]:
            parts = [part.strip() for part in inside.split(separator)]
            if len(parts) > 1 and all(_ALONE.fullmatch(part) for part in parts):
                ordered = sorted(parts, key=self._size)
                return f"[{ordered[0]};{ordered[-1]}]"
        return None

    def _set(self, text: str, cell: str) -> str:
        """Translate a list of categories that the original has."""
        if cell in self.values or not self.values:
            return text
        inside = cell[1:-1] if _BRACKETS.get(cell[:1]) == cell[-1:] and len(cell) > 1 else cell
        for separator in _SEPARATORS:
            parts = [part.strip().strip("'\"") for part in inside.split(separator)]
            if len(parts) > 1 and all(part in self.values for part in parts):
                if self.kind == "category":
                    return "{" + ";".join(map(in_set, parts)) + "}"
                order = [*self.values]
                places = sorted(map(order.index, parts))
                return f"[{order[places[0]]};{order[places[-1]]}]"
        return text


def _days_of(period: re.Match[str]) -> str:
    """Give the days of a year, a quarter or a month as a range."""
    year, month, quarter = (None if part is None else int(part) for part in period.group("year", "month", "quarter"))
    assert year is not None
    first = month or (1 if quarter is None else 3 * quarter - 2)
    last = month or (12 if quarter is None else 3 * quarter)
    return f"[{date(year, first, 1)};{date(year, last, monthrange(year, last)[1])}]"
