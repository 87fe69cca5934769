"""Texts in drawings: how wide they are, and how they are wrapped, shortened and escaped.

A drawing is made without knowing which font will show it. Widths are therefore those of the widest of the common
sans-serif fonts, so that what fits here fits everywhere.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from html import escape as _escape

SIZE = 12.0
LINE = 1.25

# Widths in hundredths of the font size: the larger of DejaVu Sans and Liberation Sans.
_GROUPS = {
    28: "'ijl", 30: "I", 32: " ,.\u00a0·", 34: "/:;\\|", 36: "-f", 39: "()[]", 40: "!t⁰¹²³⁴⁵⁶⁷⁸⁹", 42: "r", 46: '"',
    50: "*J`", 52: "s", 53: "z⁻", 55: "c", 56: "?L_–", 58: "k", 60: "vxy", 61: "FT", 62: "aeo",
    64: "$0123456789bdghnpqu{}€", 67: "EKPSY", 69: "ABVXZ", 73: "CR", 75: "UN", 77: "HD", 79: "&GOQ", 82: "w",
    84: "#+<=>^~−×≤≥≈", 87: "M", 95: "%", 99: "mW", 102: "—…@",
}  # fmt: skip
_WIDTHS = {letter: hundredths / 100 for hundredths, letters in _GROUPS.items() for letter in letters}
_BOLD = 1.16  # bold letters are wider by about a sixth


def width(text: str, size: float = SIZE, *, bold: bool = False) -> float:
    """Estimate the width of a text, rather too large than too small.

    >>> width("1,542") < width("1,542,950") < 70
    True
    """
    return sum(map(_advance, text)) * size * (_BOLD if bold else 1.0)


def _advance(letter: str) -> float:
    known = _WIDTHS.get(letter)
    if known is not None:
        return known
    if unicodedata.combining(letter):
        return 0.0
    plain = unicodedata.normalize("NFD", letter)[0]  # é is as wide as e
    if plain in _WIDTHS:
        return _WIDTHS[plain]
    return 1.35 if unicodedata.east_asian_width(letter) in "WF" else 1.0


def clean(value: object) -> str:
    """Give the text of a value, without what XML cannot hold and without line ends."""
    text = "n/a" if value is None or value != value else str(value)  # noqa: PLR0124 - only NaN differs from itself
    return " ".join("".join(letter if _holds(letter) else "\ufffd" for letter in text).split()) or "(empty)"


def _holds(letter: str) -> bool:
    code = ord(letter)
    if code < 0x20 or 0x7F <= code <= 0x9F:
        return letter in "\t\n\r\x85"
    return not 0xD800 <= code <= 0xDFFF and code & 0xFFFE != 0xFFFE


def escape(text: str) -> str:
    """Make a text safe between tags and within quoted attributes.

    >>> escape('<a & "b">')
    '&lt;a &amp; &quot;b&quot;&gt;'
    """
    return _escape(text, quote=True)


def shorten(text: str, room: float, size: float = SIZE, *, bold: bool = False) -> str:
    """Leave out the middle of a text that is too long: names often differ at their ends.

    >>> shorten("Native Hawaiian or other Pacific Islander", 140)
    'Native Haw…Islander'
    """
    if width(text, size, bold=bold) <= room:
        return text

    def left(kept: int) -> str:
        return f"{text[: (kept + 1) // 2].rstrip()}…{text[len(text) - kept // 2 :].lstrip()}"

    return _longest(left, len(text), room, size, bold=bold)


def tell_apart(names: Sequence[str], rooms: Sequence[float], size: float = SIZE, *, bold: bool = False) -> list[str]:
    """Shorten names so that they stay different: if their middles are what differs, their common beginning goes.

    >>> tell_apart(["ward number 1 of the old house", "ward number 2 of the old house"], [90, 90])
    ['…1 of the ol…', '…2 of the ol…']
    """
    found = [shorten(name, room, size, bold=bold) for name, room in zip(names, rooms, strict=True)]
    if len(set(found)) == len(set(names)):
        return found
    begin = _common_words(names)
    return [
        text if text == name else _head(f"…{name[begin:]}", room, size, bold=bold)
        for name, text, room in zip(names, found, rooms, strict=True)
    ]


def _common_words(names: Sequence[str]) -> int:
    """Give how many letters the words take that all names begin with."""
    same = 0
    for letters in zip(*names, strict=False):
        if len(set(letters)) > 1:
            break
        same += 1
    return names[0].rfind(" ", 0, same) + 1


def _head(text: str, room: float, size: float, *, bold: bool) -> str:
    """Leave out the end of a text that is too long."""
    if width(text, size, bold=bold) <= room:
        return text
    return _longest(lambda kept: f"{text[:kept].rstrip()}…", len(text), room, size, bold=bold)


def _longest(left: Callable[[int], str], letters: int, room: float, size: float, *, bold: bool) -> str:
    """Give the longest that fits of what is left with fewer letters; names can be longer than any figure is wide."""
    kept = bisect_right(range(1, letters), room, key=lambda kept: width(left(kept), size, bold=bold))
    return left(kept) if kept else "…"


def wrap(text: str, room: float, size: float = SIZE, *, lines: int = 2, bold: bool = False) -> list[str]:
    """Break a text between words into lines that fit; the last one is shortened if they are too many.

    >>> wrap("people in the same group", 90)
    ['people in the', 'same group']
    """
    found: list[str] = []
    words = text.split()
    for place, word in enumerate(words):
        joined = f"{found[-1]} {word}" if found else word
        if found and width(joined, size, bold=bold) <= room:
            found[-1] = joined
        elif len(found) < lines:
            found.append(word)
        else:
            found[-1] = " ".join([found[-1], *words[place:]])
            break
    return [shorten(line, room, size, bold=bold) for line in found]


def unbroken(text: str, room: float, size: float = SIZE, *, lines: int = 2) -> bool:
    """Say whether a text fits in so many lines with nothing left out."""
    return " ".join(wrap(text, room, size, lines=lines)) == text
