"""How many people live in the area of each 3-digit ZIP code, from a file that has the people of ZIP codes."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from shoal.column_names import words
from shoal.domains.harbor_groups import ENOUGH_PEOPLE
from shoal.errors import DataError
from shoal.models.harbor_names import form_by_name

_PEOPLE = {"population", "pop", "people", "persons", "residents", "inhabitants", "einwohner"}
_DELIMITERS = ";,\t|"


def populous_areas(path: str | Path) -> tuple[str, ...]:
    """Give the first three digits of ZIP codes of which more than 20,000 people live in the area, in ascending order.

    The file is delimited text with a line of names: one column has ZIP codes, of three digits or more, and another how
    many people there are. Lines of the same area add up. Areas that are not in it count as having nobody.
    """
    name = Path(path).name
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise DataError(f"The populations '{name}' cannot be read: {error.strerror}.", "Check the name.") from None
    except UnicodeDecodeError:
        raise DataError(f"The populations '{name}' are not UTF-8 text.", "Save the file as UTF-8.") from None
    delimiter = max(_DELIMITERS, key=lines[0].count) if lines else ","
    header, *rows = csv.reader(lines, delimiter=delimiter) if lines else [[]]
    code = next((j for j, each in enumerate(header) if form_by_name(each) == ("geography", "zip")), None)
    people = next((j for j, each in enumerate(header) if _PEOPLE.intersection(words(each))), None)
    if code is None or people is None:
        raise DataError(
            f"The populations '{name}' name no column of ZIP codes, or none of people.",
            "Give a first line such as zip,population.",
        )
    total: Counter[str] = Counter()
    for line, row in enumerate(rows, 2):
        if not any(row):
            continue
        text = row[code].strip() if len(row) > max(code, people) else ""
        digits = text if len(text) == 3 else text.split("-")[0].zfill(5)
        number = row[people].strip() if len(row) > max(code, people) else ""
        if not digits.isdecimal() or not number.replace(".", "", 1).isdecimal():
            raise DataError(
                f"The populations '{name}' have no ZIP code or no number of people on line {line}.", "Mend the line."
            )
        total[digits[:3]] += round(float(number))
    found = tuple(sorted(area for area, number in total.items() if number > ENOUGH_PEOPLE))
    if not found:
        raise DataError(
            f"No area of the populations '{name}' has more than {ENOUGH_PEOPLE:,} people.",
            "Check that people are counted one by one, not in thousands.",
        )
    return found
