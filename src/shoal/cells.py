"""What cell texts mean: the inverse of :meth:`shoal.axis.Axis.render`.

Each distinct text of a column is looked at once. The grammar is the paper's: a value, ``[lo;hi]``, ``*``,
``937**``; and beside it ``{a;b}`` for a group of categories. An empty cell has no value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.axis import NOTHING, STAR, Axis, Group, Kind, days, microseconds
from shoal.errors import DataError

_INTEGER = re.compile(r"[-+]?\d+")
_FLOAT = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_INFINITE = re.compile(r"[-+]?inf(?:inity)?", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATETIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?")
_CODE = re.compile(r"0\d+")
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+")
_RANGE = re.compile(r"\[([^;]+);([^;]+)\]")
_PREFIX = re.compile(r"([^*]+?)(\*+)")
_SPLIT = re.compile(r"(?<!\\)((?:\\\\)*);")
_UNESCAPE = re.compile(r"\\(.)")

# 2^31 - 2: the ends of the 32-bit range are reserved.
_LARGEST = 2147483646


@dataclass(frozen=True)
class Reading:
    """How texts are to be read: what was declared for a column, and what holds for the whole file."""

    kind: Kind | None = None
    order: tuple[str, ...] | None = None
    missing: frozenset[str] = frozenset({""})
    decimal: str | None = None
    strict: bool = True


@dataclass(frozen=True)
class Vocabulary:
    """The distinct texts of a column as cells: where each lies on the column's axis."""

    axis: Axis
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    ranged: bool
    reason: str


@dataclass(frozen=True)
class Texts:
    """The distinct texts of a column, how often each occurs and on which line it is first seen."""

    column: str
    texts: Sequence[str]
    counts: Sequence[int]
    lines: Sequence[int]


def interpret(found: Texts, reading: Reading) -> Vocabulary:
    """Find the kind of a column from its texts, unless declared, and place every text on its axis."""
    texts = [text.strip() for text in found.texts]
    forms = [_form(text, reading) for text in texts]
    decimal = reading.decimal or _decimal_of(forms)
    if decimal == ",":
        forms = [tuple(part.replace(",", ".") for part in form) for form in forms]
    kind, reason = (reading.kind, "declared") if reading.kind else _infer(found, forms, reading)
    if kind == "ordered" or reading.order is not None:
        return _place_ordered(found, forms, reading, reason)
    if kind == "category":
        return _place_categories(found, forms, reason)
    return _place_numbers(found, forms, kind, reason)


# A form is what a text looks like before its kind is known: ("exact", v), ("range", lo, hi), ("prefix", head, stars),
# ("star",), ("nothing",) or ("set", text).
Form = tuple[str, ...]


def _form(text: str, reading: Reading) -> Form:
    if text in reading.missing:
        return ("nothing",)
    first = text[0]
    if first == "[" and (match := _RANGE.fullmatch(text)):
        return ("range", match[1].strip(), match[2].strip())
    if first == "{" and text[-1] == "}" and len(text) > 2:
        return ("set", text)
    if text[-1] == "*" and first != "\\":
        if text.strip("*") == "":
            return ("star",)
        if match := _PREFIX.fullmatch(text):
            return ("prefix", match[1], match[2])
    return ("exact", text)


def _atoms(form: Form) -> tuple[str, ...]:
    if form[0] == "prefix":
        return (form[1],)
    return form[1:] if form[0] in ("exact", "range") else ()


def _decimal_of(forms: Sequence[Form]) -> str:
    """Find whether the column writes its decimals behind a comma: all cells are numbers then, and not otherwise."""
    comma = False
    for form in forms:
        if form[0] == "set":
            return "."
        for atom in _atoms(form):
            if _DECIMAL_COMMA.fullmatch(atom):
                comma = True
            elif not _INTEGER.fullmatch(atom):
                return "."
    return "," if comma else "."


def _kind_of(atom: str) -> str:
    if _INTEGER.fullmatch(atom):
        return "code" if _CODE.fullmatch(atom) else "integer"
    if _FLOAT.fullmatch(atom) or _INFINITE.fullmatch(atom):
        return "float"
    if _DATE.fullmatch(atom):
        return "date"
    return "datetime" if _DATETIME.fullmatch(atom) else "text"


def _infer(found: Texts, forms: Sequence[Form], reading: Reading) -> tuple[Kind, str]:
    cells: dict[str, int] = {}
    first: dict[str, int] = {}
    for form, count, line in zip(forms, found.counts, found.lines, strict=True):
        for kind in {"text"} if form[0] == "set" else {_kind_of(atom) for atom in _atoms(form)}:
            cells[kind] = cells.get(kind, 0) + int(count)
            first[kind] = min(first.get(kind, int(line)), int(line))
    kinds = set(cells)
    if not kinds:
        return "category", "no cell has a value"
    if kinds == {"integer"}:
        return "integer", "whole numbers"
    if kinds <= {"integer", "float"}:
        return "float", "numbers with decimals"
    if kinds == {"date"}:
        return "date", "ISO dates"
    if kinds <= {"date", "datetime"}:
        return "datetime", "ISO dates with times"
    if "code" in kinds:
        return "category", "digits with leading zeros: a code, not a number"
    numbers = cells.get("integer", 0) + cells.get("float", 0)
    others = sum(cells.values()) - numbers
    if reading.strict and others <= numbers:
        line = min(line for kind, line in first.items() if kind not in ("integer", "float"))
        raise DataError(
            f"Column '{found.column}' holds numbers, but {others:,} of its cells do not (the first on line {line}).",
            f"Mend them, say what stands for a missing value (--missing), or say what the column is "
            f"(--kind {found.column}=category).",
        )
    return "category", "text"


def _ends(forms: Sequence[Form]) -> tuple[list[str], list[str], NDArray[np.int64]]:
    """Give the texts at the two ends of each cell that has any, and which cells these are."""
    lows, highs, seats = [], [], []
    for seat, form in enumerate(forms):
        if form[0] in ("exact", "range"):
            lows.append(form[1])
            highs.append(form[-1])
            seats.append(seat)
        elif form[0] == "prefix":
            lows.append(form[1] + "0" * len(form[2]))
            highs.append(form[1] + "9" * len(form[2]))
            seats.append(seat)
    return lows, highs, np.array(seats, dtype=np.int64)


def _blank(forms: Sequence[Form]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    lo = np.full(len(forms), NOTHING[0], np.int32)
    hi = np.full(len(forms), NOTHING[1], np.int32)
    hi[[i for i, form in enumerate(forms) if form[0] == "star"]] = STAR[1]
    return lo, hi


def _place_numbers(found: Texts, forms: Sequence[Form], kind: Kind, reason: str) -> Vocabulary:
    lows, highs, seats = _ends(forms)
    if any(form[0] == "set" for form in forms):
        raise DataError(
            f"Column '{found.column}' is declared {kind} but holds sets of categories.",
            f"Declare it as --kind {found.column}=category.",
        )
    ends = _numbers(found, [*lows, *highs], seats, kind)
    low, high = ends[: len(lows)], ends[len(lows) :]
    if (low > high).any():
        line = found.lines[int(seats[np.argmax(low > high)])]
        raise DataError(
            f"Column '{found.column}' has a range whose lower end is above its upper end (line {line}).",
            "Write ranges as [lower;upper].",
        )
    lo, hi = _blank(forms)
    ranged = any(form[0] == "range" for form in forms)
    small = ends.size == 0 or (int(abs(ends).max()) <= _LARGEST if kind in ("integer", "date") else False)
    if kind in ("integer", "date") and small:
        lo[seats], hi[seats] = low, high
        return Vocabulary(Axis(kind), lo, hi, ranged, reason)
    values = np.unique(ends)
    lo[seats], hi[seats] = np.searchsorted(values, low), np.searchsorted(values, high)
    return Vocabulary(Axis(kind, values), lo, hi, ranged, reason)


def _numbers(found: Texts, texts: list[str], seats: NDArray[np.int64], kind: Kind) -> NDArray[Any]:
    """Turn texts into numbers of a kind, or say on which line one cannot be."""
    convert = {"integer": _integers, "float": _floats, "date": days, "datetime": microseconds}[kind]
    try:
        numbers = convert(texts)
    except ValueError:
        for seat, pair in zip([*seats, *seats], texts, strict=True):
            try:
                convert([pair])
            except ValueError:
                raise DataError(
                    f"Column '{found.column}' has a cell that is not of kind {kind} (line {found.lines[int(seat)]}).",
                    f"Mend it, or declare another kind (--kind {found.column}=category).",
                ) from None
            except OverflowError:
                break
        raise
    except OverflowError:
        raise DataError(
            f"Column '{found.column}' has integers beyond 64 bits.",
            f"If they are codes, declare them so (--kind {found.column}=category); if numbers, write them as floats.",
        ) from None
    if kind == "float" and not np.isfinite(numbers).all():
        place = int(np.argmin(np.isfinite(numbers))) % len(seats)
        raise DataError(
            f"Column '{found.column}' has an infinite number (line {found.lines[int(seats[place])]}).",
            "Infinities cannot be placed on an axis: mend the cell, or leave it empty if the value is missing.",
        )
    return numbers


def _integers(texts: Sequence[str]) -> NDArray[np.int64]:
    numbers = [int(text) for text in texts if _INTEGER.fullmatch(text)]
    if len(numbers) < len(texts):
        raise ValueError
    if any(abs(number) > 2**63 - 1 for number in numbers):
        raise OverflowError
    return np.array(numbers, dtype=np.int64)


def _floats(texts: Sequence[str]) -> NDArray[np.float64]:
    if not all(_FLOAT.fullmatch(text) or _INFINITE.fullmatch(text) for text in texts):
        raise ValueError
    return np.array([float(text) for text in texts], dtype=np.float64) + 0.0


def _place_ordered(found: Texts, forms: Sequence[Form], reading: Reading, reason: str) -> Vocabulary:
    if reading.order is None:
        raise DataError(
            f"Column '{found.column}' is declared ordered, but no order is given.",
            f"Give the categories from low to high (--order {found.column}=low,middle,high).",
        )
    seats = {value: i for i, value in enumerate(reading.order)}
    lo, hi = _blank(forms)
    ranged = False
    for i, form in enumerate(forms):
        if form[0] in ("nothing", "star"):
            continue
        ends = form[1:] if form[0] in ("exact", "range") else ()
        ranged |= form[0] == "range"
        if not ends or any(end not in seats for end in ends) or seats[ends[0]] > seats[ends[-1]]:
            raise DataError(
                f"Column '{found.column}' has a category that is not in its declared order (line {found.lines[i]}).",
                "Add it to the order, or mend the cell.",
            )
        lo[i], hi[i] = seats[ends[0]], seats[ends[-1]]
    return Vocabulary(Axis("ordered", np.array(reading.order, dtype=object)), lo, hi, ranged, reason)


def _members(text: str) -> list[str]:
    parts = _SPLIT.sub("\\1\0", text[1:-1]).split("\0")
    return [_UNESCAPE.sub(r"\1", part) for part in parts]


def _place_categories(found: Texts, forms: Sequence[Form], reason: str) -> Vocabulary:
    named: list[tuple[str, ...]] = []
    for form, text in zip(forms, found.texts, strict=True):
        if form[0] == "set":
            named.append(tuple(sorted(set(_members(form[1])))))
        elif form[0] in ("exact", "range"):
            # A range of categories that have no order is a category with an odd name.
            whole = text.strip()
            named.append((whole[1:] if whole[0] == "\\" and whole != "\\" else whole,))
        else:
            named.append(())
    values = sorted({member for members in named for member in members})
    seats = {value: i for i, value in enumerate(values)}
    groups: dict[Group, int] = {}
    lo, hi = _blank(forms)
    for i, (form, members) in enumerate(zip(forms, named, strict=True)):
        if len(members) == 1:
            position = seats[members[0]]
        elif form[0] in ("set", "prefix"):
            inside = [seats[m] for m in members] or _matching(values, form)
            group = Group(tuple(sorted(inside)), "".join(form[1:]) if form[0] == "prefix" else None)
            position = len(values) + groups.setdefault(group, len(groups))
        else:
            continue
        lo[i] = hi[i] = position
    return Vocabulary(Axis("category", np.array(values, dtype=object), tuple(groups)), lo, hi, False, reason)


def _matching(values: Sequence[str], form: Form) -> list[int]:
    """Give the known codes that a wildcard such as 937** may stand for."""
    length = len(form[1]) + len(form[2])
    return [i for i, value in enumerate(values) if value.startswith(form[1]) and len(value) == length]


def parse(texts: Sequence[str], reading: Reading | None = None, column: str = "cells") -> Vocabulary:
    """Read cell texts, distinct or not, as cells of one column.

    >>> found = parse(["[20;29]", "35", "*", ""])
    >>> [found.axis.render(span) for span in zip(found.lo.tolist(), found.hi.tolist())]
    ['[20;29]', '35', '*', '']
    """
    ones = [1] * len(texts)
    return interpret(Texts(column, texts, ones, list(range(2, len(texts) + 2))), reading or Reading())
