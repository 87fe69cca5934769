"""An attacker who has nothing but the public files of a release, and tries to rebuild the original from them.

Ranges and sets are tight: both ends of a range, and every member of a set, are someone's in the class. So few multisets
of values are possible for the cells of a class. If the files tell the information loss of a column, it tells which of
them it is, because the loss of each record and the deviation of the column depend on all values. If the files hold a
plain digest of the original, it tells which of the records has which of the values.
"""

import csv
import hashlib
import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

MOST = 3_000_000  # multisets of a column, or arrangements of all, that are tried
Rows = list[dict[str, str]]


@dataclass(frozen=True)
class Found:
    """What the attacker found out.

    ``original`` is the text of the original, confirmed by a digest. ``fitting`` says for each masked column how many
    multisets of values agree with all that the files tell, of how many that the ranges and sets alone allow.
    """

    original: str | None
    fitting: Mapping[str, tuple[int, int]]

    @property
    def settled(self) -> list[str]:
        """The columns whose values are certain, though the cells alone leave them open."""
        return [name for name, (fit, possible) in self.fitting.items() if fit == 1 < possible]


def attack(rows: Rows, quasi: Sequence[str], public: Sequence[Path]) -> Found:
    """Rebuild the original of a released table.

    Parameters
    ----------
    rows
        The released table as text, in its order.
    quasi
        Its quasi-identifiers.
    public
        All public files: the release, its certificate, a report for others, a recipe.
    """
    columns = {name: Column([row[name] for row in rows]) for name in quasi}
    classes = list(grouped(rows, quasi).values())
    told = losses(public, quasi)
    fitting, counts = {}, {}
    for name, column in columns.items():
        fits, possible = multisets(column, classes, told.get(name))
        fitting[name], counts[name] = fits, (len(fits) if fits is not None else possible, possible)
    masked = {name: count for name, count in counts.items() if count[1] > 1}
    known = digests(public)
    original = None
    if known and all(fits is not None for fits in fitting.values()):
        original = arranged(rows, columns, classes, fitting, known)
    return Found(original, masked)


class Column:
    """The cells of a column as numbers: which values each may be, and which of them occur in its class."""

    def __init__(self, cells: Sequence[str]) -> None:
        parts = [re.split(";", cell.strip("[]{}")) for cell in cells]
        texts = sorted({text for part in parts for text in part})
        self.kind = next(kind for kind, form in FORMS.items() if all(form.fullmatch(text) for text in texts))
        self.names = texts
        self.may_be: list[Sequence[int]] = []
        self.occur: list[tuple[int, ...]] = []
        for cell, part in zip(cells, parts, strict=True):
            numbers = sorted({self.number(text) for text in part})
            between = range(numbers[0], numbers[-1] + 1)
            self.may_be.append(numbers if cell.startswith("{") else between)
            self.occur.append(tuple(numbers))

    def number(self, text: str) -> int:
        if self.kind == "date":
            return date.fromisoformat(text).toordinal()
        return int(text) if self.kind == "integer" else self.names.index(text)

    def text(self, number: int) -> str:
        if self.kind == "date":
            return date.fromordinal(number).isoformat()
        return str(number) if self.kind == "integer" else self.names[number]


FORMS = {"integer": re.compile(r"-?\d+"), "date": re.compile(r"\d{4}-\d\d-\d\d"), "category": re.compile(r"(?s).*")}


def grouped(rows: Rows, quasi: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """Give the numbers of the records of each class."""
    found: dict[tuple[str, ...], list[int]] = {}
    for number, row in enumerate(rows):
        found.setdefault(tuple(row[name] for name in quasi), []).append(number)
    return found


Multisets = list[tuple[tuple[int, ...], ...]]  # for each class the values of its records, in ascending order


def multisets(
    column: Column, classes: Sequence[Sequence[int]], told: tuple[float, float] | None
) -> tuple[Multisets | None, int]:
    """Give the multisets of values that agree with the loss that was told; None if there are too many to say."""
    options = []
    for records in classes:
        occur, may_be = column.occur[records[0]], column.may_be[records[0]]
        free = len(records) - len(occur)
        if math.comb(len(may_be) + free - 1, free) > MOST:
            return None, MOST
        rest = itertools.combinations_with_replacement(may_be, free)
        options.append([tuple(sorted((*occur, *more))) for more in rest])
    possible = math.prod(map(len, options))
    if possible > MOST or (told is None and possible > 1):
        return None, possible
    if told is None:
        return [tuple(choice[0] for choice in options)], 1
    rows, least = sum(map(len, classes)), min(map(min, column.occur))
    sums = np.zeros((1, 3))
    for choice in options:  # the distance, the values and their squares, summed for every choice in every class
        here = [[max(value - values[0], values[-1] - value) for value in values] for values in choice]
        mine = np.array(
            [
                (sum(far), sum(v - least for v in values), sum((v - least) ** 2 for v in values))
                for far, values in zip(here, choice, strict=True)
            ],
            float,
        )
        sums = (sums[:, None, :] + mine[None, :, :]).reshape(-1, 3)
    deviation = np.sqrt((sums[:, 2] - sums[:, 1] ** 2 / rows) / (rows - 1))
    loss = np.divide(sums[:, 0], rows * deviation, out=np.zeros(len(sums)), where=deviation > 0)
    fits = np.flatnonzero(np.abs(loss - told[0]) <= told[1])
    shape = tuple(map(len, options))
    places = (np.unravel_index(place, shape) for place in fits)
    return [tuple(choice[i] for choice, i in zip(options, place, strict=True)) for place in places], possible


def arranged(
    rows: Rows,
    columns: Mapping[str, Column],
    classes: Sequence[Sequence[int]],
    fitting: Mapping[str, Multisets],
    known: frozenset[str],
) -> str | None:
    """Try out which record has which of the values until a digest says that this is the original."""
    head = ",".join(rows[0])
    tries = 0
    for choice in itertools.product(*fitting.values()):
        blocks = []
        for number, records in enumerate(classes):
            values = [list(orders(multiset[number])) for multiset in choice]
            if math.prod(map(len, values)) > MOST:
                return None
            blocks.append(list(_blocks(rows, columns, records, values)))
        lines = [""] * len(rows)
        for some in itertools.product(*blocks):
            for records, block in zip(classes, some, strict=True):
                for record, line in zip(records, block, strict=True):
                    lines[record] = line
            for end in ("\n", "\r\n"):
                text = end.join((head, *lines, ""))
                if hashlib.sha256(text.encode()).hexdigest() in known:
                    return text
            tries += 1
            if tries > MOST:
                return None
    return None


def orders(values: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Give the different orders in which values can stand."""
    if not values:
        yield ()
    for first in sorted(set(values)):
        place = values.index(first)
        for rest in orders(values[:place] + values[place + 1 :]):
            yield first, *rest


def _blocks(
    rows: Rows, columns: Mapping[str, Column], records: Sequence[int], values: Sequence[Sequence[tuple[int, ...]]]
) -> Iterator[list[str]]:
    for arrangement in itertools.product(*values):
        texts = {
            name: [column.text(v) for v in some]
            for (name, column), some in zip(columns.items(), arrangement, strict=True)
        }
        yield [
            ",".join(texts[name][place] if name in texts else cell for name, cell in rows[record].items())
            for place, record in enumerate(records)
        ]


def digests(public: Sequence[Path]) -> frozenset[str]:
    """Give everything in the files that may be a SHA-256 of something."""
    return frozenset(text.decode() for path in public for text in re.findall(rb"\b[0-9a-f]{64}\b", path.read_bytes()))


def losses(public: Sequence[Path], quasi: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Give the information loss of each column, as exactly as the files tell it, with how far off it may be."""
    found: dict[str, list[str]] = {name: [] for name in quasi}
    for path in public:
        if path.suffix == ".json":
            for score in json.loads(path.read_text(encoding="utf-8"), parse_float=str).get("scores", ()):
                if score["measure"] == "information-loss":
                    told = score.get("detail", {}).get("per_attribute", {})
                    told = told or ({quasi[0]: score["value"]} if len(quasi) == 1 else {})
                    for name, number in told.items():
                        found[name].append(number)
        if path.suffix == ".html":
            _, _, table = path.read_text(encoding="utf-8").partition("Information loss by column")
            for name in quasi:
                found[name] += re.findall(rf"<code>{name}</code></td>\s*<td[^>]*>([0-9.]+)</td>", table)[:1]
    return {name: min(map(_known, texts), key=lambda told: told[1]) for name, texts in found.items() if texts}


def _known(text: str) -> tuple[float, float]:
    """Give a number and how far the true one may be from it: half a unit of its last digit, or what rounding costs."""
    number = float(text)
    digits = text.lstrip("-0.").replace(".", "")
    if "e" in digits or len(digits) > 12:
        return number, abs(number) * 1e-9
    return number, 0.5000001 * 10.0 ** -len(text.partition(".")[2])


def text_rows(path: Path) -> Rows:
    """Read a released text file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
