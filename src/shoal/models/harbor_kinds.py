"""Which columns of a table look like one of the eighteen kinds of identifiers of safe harbor: by name, or by values."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Integers
from shoal.column_names import tells_people_apart
from shoal.domains.cell_looks import (
    EMAIL,
    IP,
    MAC,
    PHONE,
    SECURITY,
    STREET,
    URL,
    UUID,
    ZIP,
    is_card,
    is_iban,
    is_vin,
)
from shoal.domains.harbor_groups import UNKNOWN, date_group
from shoal.domains.national_numbers import COUNTRIES, OF_NUMBERS
from shoal.domains.person_names import could_be_name, holds_name
from shoal.kernels import MISSING
from shoal.models.harbor_names import form_by_name
from shoal.schema import RELEASED, Role
from shoal.table import Table

SAMPLE = 10_000  # cells that are looked at
LEAST = 0.8  # the share of them that must match
DISTINCT = 0.95  # the share of texts that differ from all others, from which on they are codes
_NAMES, _KNOWN = 10, 0.4  # texts that differ, and the share of cells with a frequent name, from which on they are names
ENOUGH = 24  # records; in no more than that, values may differ by chance
_YEAR = re.compile(r"\d{4}|up to \d{4}|unknown")
_CODE = re.compile(r"(?=(?:.*\d){3})[A-Za-z0-9][A-Za-z0-9./-]{5,}")
_ZIP_BY_NAME = re.compile(r"\d{3,5}(?:-?\d{4})?|\d{3}\*\*")  # zeros in front may have been lost
_PARTS = re.compile(r"(?:\d{4}[ -]?)?(?:[QWqw]?\d{1,2}|[A-Za-zÄä]{3,10})")


@dataclass(frozen=True)
class HarborColumn:
    """A column that looks like one of the eighteen kinds. No cell of it is shown.

    Attributes
    ----------
    column, kind
        Its name, and which kind it is of (`harbor_names.KINDS`).
    form
        ``zip``, ``age``, ``date`` or ``birth``, of which something may stay; ``part`` of a date, or empty.
    by
        ``name`` or ``value``.
    share
        The share of the cells looked at that look like the kind; None where no pattern tells.
    sure
        Whether check digits confirm it, or name and values both say so.
    """

    column: str
    kind: str
    form: str
    by: str
    share: float | None
    sure: bool


def _is_number(number: str, text: str) -> bool:
    return re.fullmatch(number, text) is not None


def _has_year(text: str) -> bool:
    return date_group(text) != UNKNOWN


def _is_date(text: str) -> bool:
    """Tell whether a text is a date of days or months; eight digits must be a day that exists."""
    if text.isdecimal():
        try:
            return len(text) == 8 and bool(datetime.datetime.strptime(text, "%Y%m%d"))
        except ValueError:
            return False
    if re.fullmatch(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?:-\d\d)?(?:[T ].*)?", text):
        return True
    return re.fullmatch(r"\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})(?: .*)?", text) is not None


_FORMS_BY_NAME: dict[str, Callable[[str], object]] = {
    "zip": _ZIP_BY_NAME.fullmatch,
    "age": re.compile(r".*\d.*").fullmatch,
    "date": _has_year,
}
# What the values of texts look like, the surest first. Numbers alone are amounts and codes of anything.
_Pattern = tuple[str, str, Callable[[str], object], bool]
_BY_VALUE: tuple[_Pattern, ...] = (
    ("email", "", EMAIL.fullmatch, False),
    ("url", "", URL.fullmatch, False),
    ("device", "", MAC.fullmatch, False),
    ("ip", "", IP.fullmatch, False),
    ("ssn", "", SECURITY.fullmatch, False),
    ("vehicle", "", is_vin, True),
    ("account", "", is_iban, True),
    ("account", "", is_card, True),
    ("other", "", UUID.fullmatch, False),
    ("date", "date", _is_date, False),
    ("phone", "", PHONE.fullmatch, False),
    ("geography", "zip", ZIP.fullmatch, False),
    ("geography", "", STREET.fullmatch, False),
)
_OF_NUMBERS = (is_card, _is_date, *OF_NUMBERS)  # of which whole numbers are looked at as well


def harbor_columns(table: Table, countries: Sequence[str] = ()) -> tuple[HarborColumn, ...]:
    """Give the columns of a table that look like one of the eighteen kinds, in their order.

    Values are also compared with the numbers and post codes of some countries.
    """
    names = [a.name for a in table.schema.attributes if a.role in RELEASED]
    patterns = (*((kind, "", fits, sure) for each in countries for kind, fits, sure in COUNTRIES[each]), *_BY_VALUE)
    return tuple(found for found in (_looked_at(table, name, patterns) for name in names) if found is not None)


def texts_of(table: Table, name: str) -> tuple[list[str], Integers]:
    """Give the texts that a column shows and how many records show each, whatever holds the table; none is ``*``."""
    axis = table.schema[name].axis
    if table.schema[name].role is Role.QUASI:
        parts = table.boxes(lambda boxes: (boxes.lo[:, 0], boxes.hi[:, 0], boxes.counts), [name])
        lo, hi, counts = (np.concatenate([part[i] for part in parts]) for i in range(3))
    else:
        lo, counts = table.counts(name)
        hi = lo
    known = lo != MISSING
    found: dict[str, int] = {}
    texts = axis.render_all(lo[known], hi[known])
    for text, count in zip(texts, counts[known].tolist(), strict=True):
        found[text] = found.get(text, 0) + int(count)
    ordered = sorted(found)
    return ordered, np.array([found[text] for text in ordered], np.int64)


def _sample(texts: list[str], counts: Integers) -> tuple[list[str], Integers]:
    """Give at most 10,000 cells, evenly from those in the order of their texts: the same however records lie."""
    total = int(counts.sum())
    if total <= SAMPLE:
        return texts, counts
    ends = np.cumsum(counts)
    places = np.searchsorted(ends, np.arange(SAMPLE, dtype=np.int64) * total // SAMPLE, side="right")
    chosen, many = np.unique(places, return_counts=True)
    return [texts[place] for place in chosen.tolist()], many.astype(np.int64)


def _looked_at(table: Table, name: str, patterns: Sequence[_Pattern]) -> HarborColumn | None:
    axis = table.schema[name].axis
    kind_of_cells = "category" if axis.tree is not None else axis.kind  # as readers of a release see it
    named = form_by_name(name) or (("other", "") if tells_people_apart(name) else None)
    if kind_of_cells == "float" and (named is None or not (named[1] or named[0] == "geography")):
        return None  # measured numbers
    texts, counts = texts_of(table, name)
    if not texts:
        return None
    total, distinct = int(counts.sum()), len(texts)
    some, many = _sample(texts, counts)

    def share(fits: Callable[[str], object]) -> float:
        return sum(int(n) for text, n in zip(some, many, strict=True) if fits(text.strip())) / int(many.sum())

    if kind_of_cells in ("date", "datetime"):
        form = named[1] if named is not None and named[1] == "birth" else "date"
        return HarborColumn(name, "date", form, "name" if named and named[0] == "date" else "value", 1.0, sure=True)
    by_value = None
    if kind_of_cells != "float":
        for kind, form, fits, digits in patterns:
            if kind_of_cells == "integer" and fits not in _OF_NUMBERS:
                continue
            if (found := share(fits)) >= LEAST:
                by_value = HarborColumn(name, kind, form, "value", found, sure=digits)
                break
    if named is not None and (of_name := _by_name(name, named, by_value, share, distinct, total)) is not None:
        return of_name
    if by_value is not None:
        return by_value
    if kind_of_cells == "category" and distinct >= _NAMES and share(could_be_name) >= LEAST:
        known = share(holds_name)
        if known >= _KNOWN:
            return HarborColumn(name, "name", "", "value", known, sure=False)
    if kind_of_cells == "category" and total > ENOUGH and distinct > DISTINCT * total and share(_YEAR.fullmatch) < 1:
        coded = share(_CODE.fullmatch)
        if coded >= LEAST:
            return HarborColumn(name, "record", "", "value", coded, sure=False)
        return HarborColumn(name, "other", "", "value", distinct / total, sure=False)
    return None


def _by_name(
    name: str, named: tuple[str, str], by_value: HarborColumn | None, share: Callable[[Callable[[str], object]], float],
    distinct: int, total: int,
) -> HarborColumn | None:  # fmt: skip
    """Give what the name of a column says, unless its cells speak against it, as in ``phone``: yes or no."""
    kind, form = named
    if form in ("zip", "age", "date", "birth"):
        looks = _FORMS_BY_NAME["date" if form == "birth" else form]
        found = share(lambda text: text.startswith("up to ") or looks(text))
        return HarborColumn(name, kind, form, "name", found, sure=found >= LEAST)
    if form == "part":
        found = share(_PARTS.fullmatch)
        return HarborColumn(name, kind, form, "name", found, sure=False) if found >= LEAST else None
    if (
        by_value is not None
        and by_value.kind != kind
        and not by_value.form
        and not (kind == "fax" and by_value.kind == "phone")
    ):
        return None  # the values say more
    if distinct < 3 and total > ENOUGH and by_value is None:
        return None
    if kind == "ssn":
        found = share(lambda text: _is_number(r"\d{3}-?\d{2}-?\d{4}|\d{8}", text))
        return HarborColumn(name, kind, "", "name", found, sure=found >= LEAST)
    agree = by_value is not None and not by_value.form
    return HarborColumn(name, kind, "", "name", by_value.share if by_value is not None and agree else None, sure=agree)
