"""Numbers, dates and times as text: of which kind texts are, and what they stand for."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.domains.axis import AxisKind, days, microseconds

_INTEGER = r"[-+]?\d+"
_FLOAT = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_INFINITE = r"[-+]?[iI][nN][fF](?:[iI][nN][iI][tT][yY])?"
_DATE = r"\d{4}-\d{2}-\d{2}"
_DATETIME = _DATE + r"[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?"
_ZONED = _DATETIME + r"(?:Z|[-+]\d{2}:\d{2}(?::\d{2})?)"
# From the narrowest kind to the widest: what all texts match tells the kind of a column.
_PATTERNS = (
    ("integer", _INTEGER),
    ("float", f"(?:{_FLOAT}|{_INFINITE})"),
    ("date", _DATE),
    ("datetime", f"(?:{_DATETIME}|{_DATE})"),
    ("zoned", _ZONED),
)
NUMBER = re.compile(f"{_FLOAT}|{_INFINITE}")
ISO = re.compile(f"{_DATETIME}|{_DATE}")
_CODE_LINE = re.compile(r"^0\d", re.MULTILINE)


def _all_match(pattern: str, lines: str) -> bool:
    # Atomic: a line is matched in one way or not at all. Going back over millions of lines would never end.
    return re.fullmatch(f"(?>{pattern}\n)*+", lines) is not None


def kind_of(texts: list[str]) -> str:
    """Give the narrowest kind that all texts are of: one of integer, code, float, date, datetime, zoned, text."""
    lines = "\n".join(texts) + "\n"
    if lines.count("\n") == len(texts):
        for kind, pattern in _PATTERNS:
            if _all_match(pattern, lines):
                return "code" if kind == "integer" and _CODE_LINE.search(lines) else kind
    return "text"


def convert(texts: list[str], kind: AxisKind) -> NDArray[Any]:
    """Turn texts into numbers, days or microseconds; ValueError says that one is not of the kind."""
    lines = "\n".join(texts) + "\n" if texts else ""
    patterns = dict(_PATTERNS)
    allowed = [patterns[kind], *([patterns["zoned"]] if kind == "datetime" else [])]
    if lines.count("\n") != len(texts) or not any(_all_match(pattern, lines) for pattern in allowed):
        raise ValueError
    if kind == "date":
        return days(texts)
    if kind == "datetime":
        return microseconds(texts)
    if kind == "float":
        return np.array([float(text) for text in texts]) + 0.0
    return np.array([int(text) for text in texts], dtype=np.int64)


def fits(text: str, kind: AxisKind) -> bool:
    """Tell whether a text is of a kind, however large the number."""
    try:
        convert([text], kind)
    except (ValueError, OverflowError) as error:
        return isinstance(error, OverflowError)
    return True
