"""Whether the first line of a text file names its columns, or is someone's record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise

from shoal.domains.numeral_styles import is_date, is_number
from shoal.errors import DataError

_LOOKED_AT = 200  # distinct cells that tell what a column is
_NO_NAMES = {"", "-", ".", "?", "na", "n/a", "nan", "none", "null", "missing", "unknown"}
_LONG = 8  # signs from which a code may be a random one
_DIGITS = re.compile(r"[0-9]")
_LETTERS = re.compile(r"[^\W\d_]")


def insist_on_names(names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Refuse a first line that looks like the rows below it: its cells would be published as names."""
    columns: list[dict[str, None]] = [{} for _ in names]  # the distinct cells of each, as they come
    for row in rows:
        for column, cell in zip(columns, row, strict=False):
            column[cell.strip()] = None
    if _is_record(names, columns):
        raise DataError(
            "The first line of the file looks like a record, so its cells are not taken for names.",
            "Say --no-header if there are no names (columns are then named by place), or --header if these are names.",
        )


def _is_record(names: Sequence[str], columns: Sequence[dict[str, None]]) -> bool:
    """Compare each name with the cells below it.

    A number over numbers is no name, nor a date over dates, nor A-102 over A-103; but 2019, 2020, 2021 may be names.
    Words are none if they occur among the cells below: all of them, or at least two. A word over numbers is a name.
    """
    alike: dict[str, bool] = {}  # numbers over numbers, and dates over dates; and whether each occurs below
    words, among = 0, 0
    named = False
    for name, cells in zip(names, columns, strict=True):
        seen = [cell for cell in islice(cells, _LOOKED_AT) if cell.lower() not in _NO_NAMES]
        kind = next((form for form in (is_number, is_date) if 2 * sum(map(form, seen)) >= len(seen) > 0), None)
        if kind is not None and kind(name):
            alike[name] = name in cells
        elif kind is not None:
            named = named or name.lower() not in _NO_NAMES
        elif seen and _same_form(name, seen):
            return True
        elif seen:
            words, among = words + 1, among + (name in cells)
    if alike and (all(alike.values()) or not _series(list(alike))):
        return True
    return not named and (among > 1 or 0 < words == among)


def _same_form(name: str, cells: Sequence[str]) -> bool:
    """Tell whether a name is an address among addresses, or a code with its signs at the places of the codes below."""
    if "@" in name:
        return all("@" in cell for cell in cells)
    if len(_DIGITS.findall(name)) < 3:
        return False
    letter = "a" if len(name) < _LONG else "0"  # in long codes, letters and digits may stand for each other
    return len({_LETTERS.sub(letter, _DIGITS.sub("0", text)) for text in (name, *cells)}) == 1


def _series(names: Sequence[str]) -> bool:
    """Tell whether names are whole numbers at equal steps, at least three of them, or two years."""
    if len(names) < 2 or not all(re.fullmatch(r"[-+]?[0-9]+", name) for name in names):
        return False
    numbers = [int(name) for name in names]
    steps = {after - before for before, after in pairwise(numbers)}
    years = 1800 <= numbers[0] < 2200 and steps == {1}
    return len(steps) == 1 and min(steps) > 0 and (years or len(names) > 2)
