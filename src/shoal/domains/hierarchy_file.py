"""Files of hierarchies: a line for each value, levels from left to right, as ARX and others read and write them.

References
----------
F. Prasser, J. Eicher, H. Spengler, R. Bild, K. A. Kuhn: Flexible data anonymization using ARX, Software: Practice and
Experience 50(7), 2020, doi:10.1002/spe.2812. ARX separates levels by semicolons and puts names in double quotes that
hold one.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import intern

from shoal.errors import DataError

GROUP = " (group)"
_HEADING = re.compile(r"(label|leaf|item|value|code|name|group|categor(y|ie)|level ?_?\d*|h\d+)s?", re.IGNORECASE)
_DELIMITERS = ";,\t|"
_QUOTED = re.compile(r'"[^"]*"')
_DOUBTFUL = re.compile(f'[{_DELIMITERS}"]')  # names with such a sign are put in quotes


@dataclass(frozen=True, eq=False)
class HierarchyFile:
    """What stands in a file: a row of names for each line that has any, and on which line each row stands.

    Attributes
    ----------
    rows
        The names, levels from left to right; rows may differ in length.
    lines
        The line of each row, from 1.
    heading
        Whether a first line named the levels; it is not among the rows.
    """

    rows: Sequence[Sequence[str]]
    lines: Sequence[int]
    heading: bool = False

    @classmethod
    def read(cls, path: str | Path) -> HierarchyFile:
        """Read a file."""
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except OSError as error:
            raise DataError(f"The hierarchy '{path}' cannot be read: {error.strerror}.", "Check its name.") from None
        except UnicodeDecodeError:
            raise DataError(f"The hierarchy '{path}' is not UTF-8 text.", "Save it as UTF-8.") from None
        return cls.parse(text)

    @classmethod
    def parse(cls, text: str) -> HierarchyFile:
        """Find the rows in a text. What separates names is the sign that is most frequent in the first line.

        >>> HierarchyFile.parse('"Rome, the city";Italy;*').rows
        [['Rome, the city', 'Italy', '*']]
        """
        filled = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        outside = _QUOTED.sub("", filled[0][1]) if filled else ""
        cells = csv.reader((line for _, line in filled), delimiter=max(_DELIMITERS, key=outside.count))
        try:
            rows = [[intern(cell.strip()) for cell in row] for row in cells]  # nodes are named by many rows, kept once
        except csv.Error:
            rows = []
        if len(rows) != len(filled):
            raise DataError(
                "A hierarchy has a quotation mark that is not closed in its line.",
                "Put names with such a mark in quotes, and write it twice in them.",
            )
        lines = [number for number, _ in filled]
        if _is_heading(rows):
            return cls(rows[1:], lines[1:], heading=True)
        return cls(rows, lines)


def csv_of(rows: Sequence[Sequence[str]], column: str) -> str:
    r"""Give a tree as a text that is read as the same tree, and by ARX: levels from left to right, and semicolons.

    >>> csv_of([("3", "0-4", "*"), ("a;b", "rest", "*")], "age")
    '3;0-4;*\n"a;b";rest;*\n'
    """
    names = {name for row in rows for name in row}
    lost = sum(name != name.strip() or name.startswith("\ufeff") or len(name.splitlines()) != 1 for name in names)
    if lost:
        what = "A name" if lost == 1 else f"{lost:,} names"
        raise DataError(
            f"{what} in the hierarchy of '{column}' would be read as another: it is empty, "
            "has a line break, or a blank at an end.",
            "Mend the values first.",
        )
    if _is_heading(rows):
        raise DataError(
            f"The first line of the hierarchy of '{column}' would be taken for names of its levels.",
            "Give the groups other names.",
        )
    written = {name: _quoted(name) for name in names}
    return "".join(";".join([written[name] for name in row]) + "\n" for row in rows)


def _quoted(name: str) -> str:
    if not _DOUBTFUL.search(name):
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _is_heading(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row names the levels: words for such, none of which stands in any other row."""
    if len(rows) < 2 or not all(map(_HEADING.fullmatch, rows[0])):
        return False
    others = {cell for row in rows[1:] for cell in row}
    return len(rows[0]) > 1 and others.isdisjoint(rows[0])


def apart(rows: Sequence[Sequence[str]]) -> tuple[Sequence[Sequence[str]], int]:
    """Give nodes another name that are named like one below them but hold more, and count the names that are so.

    Rows that are no tree stay what they are: that is refused elsewhere, where the line is known.
    """
    if not rows or len({len(row) for row in rows}) > 1:
        return rows, 0
    levels = [set(level) for level in zip(*rows, strict=True)]
    taken = set[str]().union(*levels)
    if len(taken) == sum(map(len, levels)):
        return rows, 0
    # Only names that stand on several levels can be meant: the others need not be followed.
    met = Counter(name for level in levels for name in level)
    shared = {name for name, times in met.items() if times > 1}
    found, names = [list(row) for row in rows], set()
    for upper in range(1, len(rows[0])):
        below: dict[str, set[str]] = {}
        for lower in range(upper):
            for row in found:
                if row[lower] in shared:
                    below.setdefault(row[lower], set()).add(row[0])
        here: dict[str, set[str]] = {}
        for row in found:
            if row[upper] in shared:
                here.setdefault(row[upper], set()).add(row[0])
        other = {name for name, leaves in here.items() if name in below and below[name] != leaves}
        for row in found:
            if row[upper] in other:
                names.add(row[upper])
                row[upper] = _grouped(row[upper], taken)
        taken.update(row[upper] for row in found)
    return [[intern(cell) for cell in row] for row in found] if names else rows, len(names)


def _grouped(name: str, taken: set[str]) -> str:
    """Give a group a name that nothing else has."""
    while name in taken:
        name += GROUP
    return name
