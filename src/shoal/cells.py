"""What cell texts mean: the inverse of :meth:`shoal.axis.Axis.render`.

Each distinct text of a column is looked at once. The grammar is the paper's: a value, ``[lo;hi]``, ``*``,
``937**``; and beside it ``{a;b}`` for a group of categories. An empty cell has no value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.axis import (
    NOTHING,
    STAR,
    Axis,
    Group,
    Kind,
    members_of,
    parts_of,
    same_number,
    unescaped,
    unmarked,
)
from shoal.errors import DataError
from shoal.hierarchy import BUILDERS, Hierarchy
from shoal.numerals import NUMBER, convert, fits, kind_of

_CODE = re.compile(r"0\d+")
_DECIMAL_COMMA = re.compile(r"(?:[-+]?\d*,\d+|[-+]?\d+)")

# Texts by which many files mark what is missing, in small letters.
MARKS = frozenset(
    {"?", "na", "n/a", "#n/a", "n.a.", "nan", "null", "-", "--", ".", "..", "unknown", "missing", "unbekannt", "k.a."}
)
# Where more of the cells than this, and as many different texts, are no numbers, nothing slipped in: they are codes.
_SLIPS, _CODES = 0.01, 10

# 2^31 - 2: the ends of the 32-bit range are reserved.
_LARGEST = 2147483646

# What a text looks like before its kind is known.
_NOTHING, _WILD, _EXACT, _RANGE, _PREFIX, _SET = range(6)


@dataclass(frozen=True)
class Reading:
    """How texts are to be read: what was declared for a column, and what holds for the whole file."""

    kind: Kind | None = None
    order: tuple[str, ...] | None = None
    missing: frozenset[str] = frozenset({""})
    decimal: str | None = None
    hierarchy: str | Hierarchy | None = None
    leaves: bool = False  # whether only values of the hierarchy may stand there, no other nodes
    released: bool = False  # whether it is a release, of which single values keep or lack their brackets as they stand
    canonical: bool = False  # whether every text must be the one that a release has for its cell


@dataclass(frozen=True)
class Odd:
    """Cells of a column of numbers that are none: how many, the line of the first, and the marks if all are marks."""

    cells: int
    line: int
    marks: tuple[str, ...]


@dataclass(frozen=True)
class Vocabulary:
    """The distinct texts of a column as cells: where each lies on the column's axis."""

    axis: Axis
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    ranged: bool
    reason: str
    odd: Odd | None = None


@dataclass(frozen=True)
class Texts:
    """The distinct texts of a column, how often each occurs and on which line it is first seen."""

    column: str
    texts: Sequence[str]
    counts: Sequence[int]
    lines: Sequence[int]


def interpret(found: Texts, reading: Reading) -> Vocabulary:
    """Find the kind of a column from its texts, unless declared, and place every text on its axis."""
    placed = _placed(found, reading)
    if reading.released and placed.ranged and any(text[:1] not in ("", "[", "*") for text in found.texts):
        placed = replace(placed, ranged=False)  # single values stand without brackets, and are to stay so
    if reading.canonical:
        _insist_on_canonical(found, placed)
    return placed


def _insist_on_canonical(found: Texts, placed: Vocabulary) -> None:
    """Refuse texts that a release would write otherwise: two texts for one cell tell apart what is said to be equal."""
    spans = zip(placed.lo.tolist(), placed.hi.tolist(), strict=True)
    for text, span, line in zip(found.texts, spans, found.lines, strict=True):
        if placed.axis.render(span, ranged=placed.ranged) != text:
            raise DataError(
                f"Column '{found.column}' has a cell that a release would write in another way (line {line}).",
                "Each published cell has one text: ask for the file as it was released.",
            )


def _placed(found: Texts, reading: Reading) -> Vocabulary:
    """Place texts on the axis that they belong to."""
    looks = _Looks.of([text.strip() for text in found.texts], reading.missing)
    if reading.hierarchy is not None:
        return _place_nodes(found, looks, reading.hierarchy, leaves=reading.leaves)
    if reading.order is not None or reading.kind in ("ordered", "category"):
        pass  # signs in the names of categories mean nothing
    elif reading.decimal == "," or (reading.decimal is None and looks.has_decimal_commas()):
        looks = looks.with_points()
    kind, reason, odd = (reading.kind, "declared", None) if reading.kind else _infer(found, looks)
    if kind == "ordered" or reading.order is not None:
        return _place_ordered(found, looks, reading, reason)
    if kind == "category":
        return replace(_place_categories(looks, reason), odd=odd)
    return _place_numbers(found, looks, kind, reason)


@dataclass(frozen=True)
class _Looks:
    """The distinct texts of a column taken apart: the form of each, and the texts at its two ends.

    Columns may have millions of distinct texts, so they are handled together wherever that is possible.
    """

    texts: list[str]
    forms: NDArray[np.int8]
    lows: list[str]
    highs: list[str]

    @classmethod
    def of(cls, texts: list[str], missing: frozenset[str]) -> _Looks:
        forms = np.full(len(texts), _EXACT, np.int8)
        lows, highs = texts, texts
        special = [i for i, text in enumerate(texts) if text in missing or text[0] in "[{" or text[-1] == "*"]
        if special:
            lows, highs = texts.copy(), texts.copy()
        for i in special:
            forms[i], lows[i], highs[i] = _take_apart(texts[i], missing)
        return cls(texts, forms, lows, highs)

    def ends(self) -> tuple[NDArray[np.int64], list[str], list[str]]:
        """Give the cells that have ends, and the ends."""
        if ((self.forms == _EXACT) | (self.forms == _RANGE)).all():
            return np.arange(len(self.texts)), self.lows, self.highs
        seats = np.flatnonzero((self.forms == _EXACT) | (self.forms == _RANGE) | (self.forms == _PREFIX))
        return seats, [self.lows[i] for i in seats], [self.highs[i] for i in seats]

    def has_decimal_commas(self) -> bool:
        """Find whether the column writes decimals behind a comma: all cells are numbers then, and some have one."""
        if (self.forms == _SET).any() or not any("," in text for text in self.lows):
            return False
        _, lows, highs = self.ends()
        return all(_DECIMAL_COMMA.fullmatch(text) for text in (*lows, *highs))

    def with_points(self) -> _Looks:
        """Write decimals behind a point; a point that was there already is no decimal sign and makes no number."""
        points = str.maketrans({",": ".", ".": "'"})
        lows, highs = ([text.translate(points) for text in side] for side in (self.lows, self.highs))
        return replace(self, lows=lows, highs=highs)

    @property
    def ranged(self) -> bool:
        """Whether any cell is written as a range."""
        return bool((self.forms == _RANGE).any())

    def blank(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Give cells that are all missing, but for the wildcards."""
        lo = np.full(len(self.texts), NOTHING[0], np.int32)
        hi = np.full(len(self.texts), NOTHING[1], np.int32)
        hi[self.forms == _WILD] = STAR[1]
        return lo, hi


def _take_apart(text: str, missing: frozenset[str]) -> tuple[int, str, str]:
    """Give the form of a text and the texts at its ends."""
    if text in missing:
        return _NOTHING, "", ""
    if text[0] == "[" and text[-1] == "]":
        parts = [part.strip() for part in parts_of(text[1:-1])]
        if len(parts) == 2 and all(parts):
            return _RANGE, parts[0], parts[1]
    if text[0] == "{" and text[-1] == "}" and len(text) > 2:
        return _SET, "", ""
    stem = text.rstrip("*")
    if text[-1] == "*" and text[0] != "\\" and not stem.endswith("\\"):
        stars = len(text) - len(stem)
        if not stem:
            return _WILD, "", ""
        if "*" not in stem:
            return _PREFIX, stem + "0" * stars, stem + "9" * stars
    return _EXACT, text, text


def _infer(found: Texts, looks: _Looks) -> tuple[Kind, str, Odd | None]:
    seats, lows, highs = looks.ends()
    sets = (looks.forms == _SET).any()
    if seats.size == 0:
        return "category", "sets of categories" if sets else "no cell has a value", None
    kind = "text" if sets else kind_of(lows if highs is lows else [*lows, *highs])
    reasons: dict[str, tuple[Kind, str]] = {
        "integer": ("integer", "whole numbers"),
        "code": ("category", "digits with leading zeros: a code, not a number"),
        "float": ("float", "numbers with decimals"),
        "date": ("date", "ISO dates"),
        "datetime": ("datetime", "ISO dates with times"),
    }
    if kind in reasons:
        return *reasons[kind], None
    if sets or any(_CODE.fullmatch(low) for low in lows):
        return "category", "text", None
    ends = zip(lows, highs, strict=True)
    numbers = np.array([all(NUMBER.fullmatch(end) for end in (low, high)) for low, high in ends])
    counts, lines = np.asarray(found.counts)[seats], np.asarray(found.lines)[seats]
    others = int(counts[~numbers].sum())
    strange = {low for low, number in zip(lows, numbers.tolist(), strict=True) if not number}
    marks = {text for text in strange if text.casefold() in MARKS}
    mixed = others <= counts[numbers].sum()
    slipped = mixed and (others <= _SLIPS * counts.sum() or len(strange) < _CODES)
    if slipped or (numbers.any() and marks == strange):
        # Numbers among which something else has slipped in: that must not pass for a category unseen.
        odd = Odd(others, int(lines[~numbers].min()), tuple(sorted(marks)) if marks == strange else ())
        return "category", f"numbers, but for {others:,} cell{'s' * (others != 1)}", odd
    return "category", f"codes: {others:,} cells are no numbers" if mixed else "text", None


def _place_numbers(found: Texts, looks: _Looks, kind: Kind, reason: str) -> Vocabulary:
    if (looks.forms == _SET).any():
        raise DataError(
            f"Column '{found.column}' is declared {kind} but holds sets of categories.",
            f"Declare it as --kind {found.column}=category.",
        )
    seats, lows, highs = looks.ends()
    low = _numbers(found, lows, seats, kind)
    high = low if highs is lows else _numbers(found, highs, seats, kind)
    if (low > high).any():
        line = found.lines[int(seats[np.argmax(low > high)])]
        raise DataError(
            f"Column '{found.column}' has a range whose lower end is above its upper end (line {line}).",
            "Write ranges as [lower;upper].",
        )
    lo, hi = looks.blank()
    small = low.size == 0 or max(abs(int(low.min())), abs(int(high.max()))) <= _LARGEST
    if kind in ("integer", "date") and small:
        lo[seats], hi[seats] = low, high
        return Vocabulary(Axis(kind), lo, hi, looks.ranged, reason)
    values = np.unique(low if high is low else np.concatenate([low, high]))
    lo[seats], hi[seats] = np.searchsorted(values, low), np.searchsorted(values, high)
    return Vocabulary(Axis(kind, values), lo, hi, looks.ranged, reason)


def _numbers(found: Texts, texts: list[str], seats: NDArray[np.int64], kind: Kind) -> NDArray[Any]:
    """Turn texts into numbers of a kind, or say on which line one cannot be."""
    try:
        numbers = convert(texts, kind)
    except ValueError:
        bad = next(seat for seat, text in zip(seats.tolist(), texts, strict=True) if not fits(text, kind))
        raise DataError(
            f"Column '{found.column}' has a cell that is not of kind {kind} (line {found.lines[bad]}).",
            f"Mend it, or declare another kind (--kind {found.column}=category).",
        ) from None
    except OverflowError:
        raise DataError(
            f"Column '{found.column}' has integers beyond 64 bits.",
            f"If they are codes, declare them so (--kind {found.column}=category); if numbers, write them as floats.",
        ) from None
    if kind == "float" and not np.isfinite(numbers).all():
        place = int(seats[np.argmin(np.isfinite(numbers))])
        raise DataError(
            f"Column '{found.column}' has an infinite number (line {found.lines[place]}).",
            "Infinities cannot be placed on an axis: mend the cell, or leave it empty if the value is missing.",
        )
    if kind == "float":
        alike = map(same_number, texts, numbers.tolist())
        long = next((seat for seat, same in zip(seats.tolist(), alike, strict=True) if not same), None)
        if long is not None:  # the ranges that are published would not hold it
            raise DataError(
                f"Column '{found.column}' has a number of more digits than can be kept (line {found.lines[long]}).",
                f"Round it to 15 digits; if it is a code, declare it so (--kind {found.column}=category).",
            )
    return numbers


def _place_ordered(found: Texts, looks: _Looks, reading: Reading, reason: str) -> Vocabulary:
    if reading.order is None:
        raise DataError(
            f"Column '{found.column}' is declared ordered, but no order is given.",
            f"Give the categories from low to high (--order {found.column}=low,middle,high).",
        )
    order = {value: i for i, value in enumerate(reading.order)}
    lo, hi = looks.blank()
    for i, form in enumerate(looks.forms.tolist()):
        if form in (_NOTHING, _WILD):
            continue
        # A name that looks like something else is taken for what it is.
        ends = (looks.texts[i],) * 2 if looks.texts[i] in order else (looks.lows[i], looks.highs[i])
        low, high = (order.get(end, order.get(unmarked(end), -1)) for end in ends)
        if low < 0 or high < low or (form in (_PREFIX, _SET) and looks.texts[i] not in order):
            raise DataError(
                f"Column '{found.column}' has a category that is not in its declared order (line {found.lines[i]}).",
                "Add it to the order, or mend the cell.",
            )
        lo[i], hi[i] = low, high
    return Vocabulary(Axis("ordered", np.array(reading.order, dtype=object)), lo, hi, looks.ranged, reason)


def _place_nodes(found: Texts, looks: _Looks, hierarchy: str | Hierarchy, *, leaves: bool) -> Vocabulary:
    """Place values and nodes of a hierarchy, which is known, read from a file, or built over the values."""
    if isinstance(hierarchy, Hierarchy):
        tree = hierarchy
    elif hierarchy.split(" ", maxsplit=1)[0] in BUILDERS:
        forms = zip(looks.texts, looks.forms.tolist(), strict=True)
        tree = Hierarchy.build(hierarchy, [unescaped(text) for text, form in forms if form != _NOTHING], found.column)
    else:
        tree = Hierarchy.read(hierarchy, found.column)
    lo, hi = looks.blank()
    for i, form in enumerate(looks.forms.tolist()):
        if form == _NOTHING or (form == _WILD and not leaves):
            continue
        span = tree.spans.get(unescaped(looks.texts[i]))
        if span is None:
            raise DataError(
                f"Column '{found.column}' has a value that its hierarchy does not cover (line {found.lines[i]}).",
                "Add it to the hierarchy, or mend the cell.",
            )
        if leaves and span[0] < span[1]:
            raise DataError(
                f"Column '{found.column}' has a node above several values in the place of one (line {found.lines[i]}).",
                "Only quasi-identifiers may be generalized: give the value, or leave the cell empty.",
            )
        lo[i], hi[i] = span
    axis = Axis("ordered", np.array(tree.leaves, dtype=object), tree=tree)
    return Vocabulary(axis, lo, hi, False, f"hierarchy with {len(tree.levels[0])} levels")


def _place_categories(looks: _Looks, reason: str) -> Vocabulary:
    # A range of categories that have no order is a category with an odd name.
    alone = np.flatnonzero((looks.forms == _EXACT) | (looks.forms == _RANGE)).tolist()
    names = {i: unescaped(looks.texts[i]) for i in alone}
    sets = {i: sorted(set(members_of(looks.texts[i]))) for i in np.flatnonzero(looks.forms == _SET).tolist()}
    values = sorted({*names.values(), *(member for members in sets.values() for member in members)})
    seats = {value: i for i, value in enumerate(values)}
    lo, hi = looks.blank()
    lo[alone] = [seats[name] for name in names.values()]
    groups: dict[Group, int] = {}
    for i, members in sets.items():
        inside = tuple(seats[member] for member in members)
        lo[i] = inside[0] if len(inside) == 1 else len(values) + groups.setdefault(Group(inside), len(groups))
    for i in np.flatnonzero(looks.forms == _PREFIX).tolist():
        group = Group(_matching(values, looks.texts[i]), looks.texts[i])
        lo[i] = len(values) + groups.setdefault(group, len(groups))
    placed = lo != NOTHING[0]
    hi[placed] = lo[placed]
    return Vocabulary(Axis("category", np.array(values, dtype=object), tuple(groups)), lo, hi, False, reason)


def _matching(values: Sequence[str], pattern: str) -> tuple[int, ...]:
    """Give the known codes that a wildcard such as 937** may stand for."""
    stem = pattern.rstrip("*")
    return tuple(i for i, value in enumerate(values) if len(value) == len(pattern) and value.startswith(stem))


def parse(texts: Sequence[str], reading: Reading | None = None, column: str = "cells") -> Vocabulary:
    """Read cell texts, distinct or not, as cells of one column.

    >>> found = parse(["[20;29]", "35", "*", ""])
    >>> [found.axis.render(span) for span in zip(found.lo.tolist(), found.hi.tolist())]
    ['[20;29]', '35', '*', '']
    """
    ones = [1] * len(texts)
    return interpret(Texts(column, texts, ones, list(range(2, len(texts) + 2))), reading or Reading())
