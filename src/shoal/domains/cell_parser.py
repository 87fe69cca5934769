"""What cell texts mean: the inverse of :meth:`shoal.domains.axis.Axis.render`.

Each distinct text of a column is looked at once. The grammar is the paper's: a value, ``[lo;hi]``, ``*``,
``937**``; and beside it ``{a;b}`` for a group of categories. An empty cell has no value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.domains import notation
from shoal.domains.axis import (
    NOTHING,
    Axis,
    AxisKind,
    Group,
    codes_like,
    same_number,
)
from shoal.domains.hierarchy import Hierarchy
from shoal.domains.hierarchy_builders import builds
from shoal.domains.notation import spelled_out
from shoal.domains.numeral_styles import Plain, plain_form
from shoal.domains.numerals import ISO, NUMBER, convert, fits
from shoal.domains.texts import Looks, Reading, Texts, insist_on_saying
from shoal.domains.zones import zone_in
from shoal.errors import DataError
from shoal.kernels.grouping import distinct

_CODE = re.compile(r"0\d+")

# Texts by which many files mark what is missing, in small letters.
MARKS = frozenset(
    {"?", "na", "n/a", "#n/a", "n.a.", "nan", "null", "-", "--", ".", "..", "unknown", "missing", "unbekannt", "k.a."}
)
# Where more of the cells than this, and as many different texts, are no numbers, nothing slipped in: they are codes.
_SLIPS, _CODES = 0.01, 10

# 2^31 - 2: the ends of the 32-bit range are reserved.
_LARGEST = 2147483646


@dataclass(frozen=True)
class Odd:
    """Cells of a column of numbers that are none: how many, the line of the first, and the marks if all are marks."""

    cells: int
    line: int
    marks: tuple[str, ...]
    among: str = "numbers"  # or dates


@dataclass(frozen=True)
class Vocabulary:
    """The distinct texts of a column as cells: where each lies on the column's axis."""

    axis: Axis
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    ranged: bool
    reason: str
    restyled: bool = False  # whether numbers or dates were written in another way than a release writes them
    note: str = ""  # what is to be said about how cells were read
    odd: Odd | None = None


def interpret(found: Texts, reading: Reading) -> Vocabulary:
    """Find the kind of a column from its texts, unless declared, and place every text on its axis."""
    if reading.foreign is not None:
        found = replace(found, texts=[reading.foreign.translated(text) for text in found.texts])
    placed = _placed(found, reading)
    if reading.released and placed.ranged and not all(text in ("", "*") or text[0] == "[" for text in found.texts):
        placed = replace(placed, ranged=False)  # single values stand without brackets, and are to stay so
    if reading.released and "\\" in "".join(found.texts):
        placed = _marked_alike(found, placed)
    if reading.canonical:
        _insist_on_canonical(found, placed)
    return placed


def _marked_alike(found: Texts, placed: Vocabulary) -> Vocabulary:
    """Mark names as a release does that was written when more of them were marked, if this is one."""
    cautious = replace(placed, axis=replace(placed.axis, cautious=True))
    return cautious if not _rendered_so(found, placed) and _rendered_so(found, cautious) else placed


def _rendered_so(found: Texts, placed: Vocabulary) -> bool:
    return list(found.texts) == _rendered(placed)


def _rendered(placed: Vocabulary) -> list[str]:
    return placed.axis.render_all(placed.lo, placed.hi, ranged=placed.ranged)


def _insist_on_canonical(found: Texts, placed: Vocabulary) -> None:
    """Refuse texts that a release would write otherwise: two texts for one cell tell apart what is said to be equal."""
    rendered = _rendered(placed)
    if list(found.texts) != rendered:
        odd = (line for line, *texts in zip(found.lines, found.texts, rendered, strict=True) if texts[0] != texts[1])
        raise DataError(
            f"Column '{found.column}' has a cell that a release would write in another way (line {next(odd)}).",
            "Each published cell has one text: ask for the file as it was released.",
        )


def _placed(found: Texts, reading: Reading) -> Vocabulary:
    """Place texts on the axis that they belong to."""
    if reading.stands_for:
        return _called(found, reading)
    looks = Looks.of([text.strip() for text in found.texts], reading.missing, masked=reading.masked is not False)
    if reading.hierarchy is not None:
        return _place_nodes(found, looks, reading)
    if reading.masked is None:
        insist_on_saying(found, looks, reading.order or ())
    if reading.order is not None or reading.kind == "ordered":
        return _place_ordered(found, looks, reading)
    if reading.kind == "category":  # signs in the names of categories mean nothing
        return _place_categories(looks, "declared")
    plain = plain_form(found, looks, reading)
    kind, reason, odd = (reading.kind, "declared", None) if reading.kind else _infer(found, plain)
    if reading.shows_means(plain.kind):
        kind = "float"
    if kind == "category":
        return replace(_place_categories(looks, reason), odd=odd)
    placed = _place_numbers(found, plain.looks, kind, reason)
    return replace(placed, restyled=plain.looks is not looks, note=plain.note)


def _called(found: Texts, reading: Reading) -> Vocabulary:
    """Place numbers some of which a release calls otherwise, such as 90 by 90+."""
    texts = [spelled_out(text, reading.stands_for) for text in found.texts]
    placed = _placed(replace(found, texts=texts), replace(reading, stands_for={}))
    axis = placed.axis
    try:
        numbers = convert(list(reading.stands_for.values()), axis.kind).tolist()
    except (ValueError, OverflowError):
        raise DataError(
            f"Column '{found.column}' has texts that are said to stand for numbers, and do not.",
            "Check the certificate.",
        ) from None
    called = dict(zip(numbers, reading.stands_for, strict=True))
    return replace(placed, axis=replace(axis, called=called))


_REASONS: dict[str, tuple[AxisKind, str]] = {
    "integer": ("integer", "whole numbers"),
    "code": ("category", "digits with leading zeros: a code, not a number"),
    "float": ("float", "numbers with decimals"),
    "date": ("date", "ISO dates"),
    "datetime": ("datetime", "ISO dates with times"),
    "zoned": ("datetime", "ISO dates with times and zones"),
}


def _infer(found: Texts, plain: Plain) -> tuple[AxisKind, str, Odd | None]:
    looks = plain.looks
    places, lows, highs = looks.ends()
    if places.size == 0:
        return "category", "sets of categories" if looks.sets else "no cell has a value", None
    if plain.kind in _REASONS:
        kind, reason = _REASONS[plain.kind]
        return kind, plain.unclear or plain.note or reason, None
    if plain.unclear or looks.sets or any(_CODE.fullmatch(low) for low in lows):
        return "category", plain.unclear or "text", None
    what, pattern = ("dates", ISO) if plain.mostly == "dates" else ("numbers", NUMBER)
    ends = zip(lows, highs, strict=True)
    numbers = np.array([all(pattern.fullmatch(end) for end in (low, high)) for low, high in ends])
    counts, lines = np.asarray(found.counts)[places], np.asarray(found.lines)[places]
    others = int(counts[~numbers].sum())
    strange = {low for low, number in zip(lows, numbers.tolist(), strict=True) if not number}
    marks = {text for text in strange if text.casefold() in MARKS}
    mixed = others <= counts[numbers].sum()
    slipped = mixed and (others <= _SLIPS * counts.sum() or len(strange) < _CODES)
    if slipped or (numbers.any() and marks == strange):
        # Numbers among which something else has slipped in: that must not pass for a category unseen.
        odd = Odd(others, int(lines[~numbers].min()), tuple(sorted(marks)) if marks == strange else (), what)
        return "category", f"{what}, but for {others:,} cell{'s' * (others != 1)}", odd
    return "category", f"codes: {others:,} cells are no {what}" if mixed else "text", None


def _place_numbers(found: Texts, looks: Looks, kind: AxisKind, reason: str) -> Vocabulary:
    if looks.sets:
        raise DataError(
            f"Column '{found.column}' is declared {kind} but holds sets of categories.",
            f"Declare it as --kind {found.column}=category.",
        )
    places, lows, highs = looks.ends()
    low = _numbers(found, lows, places, kind)
    high = low if highs is lows else _numbers(found, highs, places, kind)
    if (low > high).any():
        line = found.lines[int(places[np.argmax(low > high)])]
        raise DataError(
            f"Column '{found.column}' has a range whose lower end is above its upper end (line {line}).",
            "Write ranges as [lower;upper].",
        )
    lo, hi = looks.blank()
    small = low.size == 0 or max(abs(int(low.min())), abs(int(high.max()))) <= _LARGEST
    if kind in ("integer", "date") and small:
        lo[places], hi[places] = low, high
        return Vocabulary(Axis(kind), lo, hi, looks.ranged, reason)
    all_numbers = low if high is low else np.concatenate([low, high])
    zone = zone_in(lows if high is low else [*lows, *highs], all_numbers) if kind == "datetime" else None
    values = distinct(all_numbers)
    lo[places], hi[places] = np.searchsorted(values, low), np.searchsorted(values, high)
    return Vocabulary(Axis(kind, values, zone=zone), lo, hi, looks.ranged, reason)


def _numbers(found: Texts, texts: list[str], places: NDArray[np.int64], kind: AxisKind) -> NDArray[Any]:
    """Turn texts into numbers of a kind, or say on which line one cannot be."""
    try:
        numbers = convert(texts, kind)
    except ValueError:
        bad = next(place for place, text in zip(places.tolist(), texts, strict=True) if not fits(text, kind))
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
        place = int(places[np.argmin(np.isfinite(numbers))])
        raise DataError(
            f"Column '{found.column}' has an infinite number (line {found.lines[place]}).",
            "Infinities cannot be placed on an axis: mend the cell, or leave it empty if the value is missing.",
        )
    if kind == "float":
        alike = map(same_number, texts, numbers.tolist())
        long = next((place for place, same in zip(places.tolist(), alike, strict=True) if not same), None)
        if long is not None:  # the ranges that are published would not hold it
            raise DataError(
                f"Column '{found.column}' has a number of more digits than can be kept (line {found.lines[long]}).",
                f"Round it to 15 digits; if it is a code, declare it so (--kind {found.column}=category).",
            )
    return numbers


def _place_ordered(found: Texts, looks: Looks, reading: Reading) -> Vocabulary:
    if reading.order is None:
        raise DataError(
            f"Column '{found.column}' is declared ordered, but no order is given.",
            f"Give the categories from low to high (--order {found.column}=low,middle,high).",
        )
    order = {value: i for i, value in enumerate(reading.order)}
    lo, hi = looks.blank()
    for i, form in enumerate(looks.forms.tolist()):
        if form in (notation.NOTHING, notation.WILD):
            continue
        # A name that looks like something else is taken for what it is.
        ends = (looks.texts[i],) * 2 if looks.texts[i] in order else (looks.lows[i], looks.highs[i])
        low, high = (order.get(end, order.get(notation.unmarked(end), -1)) for end in ends)
        if low < 0 or high < low or (form in (notation.PREFIX, notation.SET) and looks.texts[i] not in order):
            raise DataError(
                f"Column '{found.column}' has a category that is not in its declared order (line {found.lines[i]}).",
                "Add it to the order, or mend the cell.",
            )
        lo[i], hi[i] = low, high
    return Vocabulary(Axis("ordered", np.array(reading.order, dtype=object)), lo, hi, looks.ranged, "declared")


def _place_nodes(found: Texts, looks: Looks, reading: Reading) -> Vocabulary:
    """Place values and nodes of a hierarchy, which is known, read from a file, or built over the values."""
    hierarchy, leaves = reading.hierarchy, reading.leaves
    assert hierarchy is not None
    built = isinstance(hierarchy, str) and builds(hierarchy)
    if built and reading.masked is None:
        insist_on_saying(found, looks)
    if isinstance(hierarchy, Hierarchy):
        tree = hierarchy
    elif built:
        counts = Counter[str]()
        for i in np.flatnonzero(looks.forms != notation.NOTHING).tolist():
            counts[looks.name(i)] += found.counts[i]
        tree = Hierarchy.build(hierarchy, counts, found.column)
    else:
        here = [looks.name(i) for i in np.flatnonzero(looks.forms != notation.NOTHING).tolist()]
        tree = Hierarchy.read(hierarchy, found.column, here)
    if reading.masked is None:
        insist_on_saying(found, looks, tree.spans)
    lo, hi = looks.blank()
    for i, form in enumerate(looks.forms.tolist()):
        if form == notation.NOTHING or (form == notation.WILD and not leaves):
            continue
        span = tree.spans.get(looks.name(i)) or tree.labels.get(looks.name(i))
        if span is None:
            names = map(looks.name, np.flatnonzero(looks.forms != notation.NOTHING).tolist())
            lacking = sum(name not in tree.labels for name in names)
            values = "a value" if lacking == 1 else f"{lacking:,} values"
            first = f"line {found.lines[i]}" if lacking == 1 else f"one is on line {found.lines[i]}"
            raise DataError(
                f"Column '{found.column}' has {values} that its hierarchy does not cover ({first}).",
                "Add it to the hierarchy, or mend the cell.",
            )
        if leaves and span[0] < span[1]:
            raise DataError(
                f"Column '{found.column}' has a node above several values in the place of one (line {found.lines[i]}).",
                "Only quasi-identifiers may be generalized: give the value, or leave the cell empty.",
            )
        lo[i], hi[i] = span
    axis = Axis("ordered", np.array(tree.leaves, dtype=object), tree=tree)
    reason = f"hierarchy with {len(tree.levels[0])} levels"
    return Vocabulary(axis, lo, hi, False, reason, note=tree.note)


def _place_categories(looks: Looks, reason: str) -> Vocabulary:
    # A range of categories that have no order is a category with an odd name.
    alone = np.flatnonzero((looks.forms == notation.EXACT) | (looks.forms == notation.RANGE)).tolist()
    names = looks.names(alone)
    sets = {
        i: sorted(set(notation.members_of(looks.texts[i])))
        for i in np.flatnonzero(looks.forms == notation.SET).tolist()
    }
    values, places = _ranked([*names, *(member for members in sets.values() for member in members)])
    lo, hi = looks.blank()
    lo[alone] = places[: len(names)]
    groups: dict[Group, int] = {}
    inner = iter(places[len(names) :].tolist())
    for i, members in sets.items():
        inside = tuple(islice(inner, len(members)))
        lo[i] = inside[0] if len(inside) == 1 else len(values) + groups.setdefault(Group(inside), len(groups))
    masked = np.flatnonzero(looks.forms == notation.PREFIX).tolist()
    codes = values.tolist() if masked else []
    for i in masked:
        group = Group(codes_like(looks.texts[i], codes), looks.texts[i])
        lo[i] = len(values) + groups.setdefault(group, len(groups))
    placed = lo != NOTHING[0]
    hi[placed] = lo[placed]
    return Vocabulary(Axis("category", values, tuple(groups)), lo, hi, False, reason)


def _ranked(names: Sequence[str]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Give the different names in their order, and the place of each name among them.

    There may be millions, of which nothing is looked up: sorting alone is twice as fast.
    """
    order = sorted(range(len(names)), key=names.__getitem__)
    listed = np.array([names[i] for i in order], dtype=object)
    new = np.ones(len(names), bool)
    new[1:] = listed[1:] != listed[:-1]
    places = np.empty(len(names), np.int32)
    places[order] = np.cumsum(new) - 1
    return listed[new], places


def parse(texts: Sequence[str], reading: Reading | None = None, column: str = "cells") -> Vocabulary:
    """Read cell texts, distinct or not, as cells of one column.

    >>> found = parse(["[20;29]", "35", "*", ""])
    >>> [found.axis.render(span) for span in zip(found.lo.tolist(), found.hi.tolist())]
    ['[20;29]', '35', '*', '']
    """
    ones = [1] * len(texts)
    return interpret(Texts(column, texts, ones, list(range(2, len(texts) + 2))), reading or Reading())
