"""The notation of cells: what ``[lo;hi]``, ``{a;b}``, ``*`` and ``937**`` are, and how names like these are marked."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

# What a text looks like before the kind of its column is known.
NOTHING, WILD, EXACT, RANGE, PREFIX, SET = range(6)

_NONE: frozenset[str] = frozenset()
_SPLIT = re.compile(r"(?<!\\)((?:\\\\)*);")
_RANGES = re.compile(r"^(?:\[([^;\\\s]+);([^;\\\s]+)\]|.*)$", re.MULTILINE)
_MARKED = re.compile(r"\\(.)")
_IN_SETS = str.maketrans({"\\": "\\\\", ";": "\\;", "}": "\\}"})
_IN_RANGES = str.maketrans({"\\": "\\\\", ";": "\\;"})
SIGNS = "\\;[]{}*"  # of which the notation is made
_EVERYWHERE = str.maketrans({sign: "\\" + sign for sign in SIGNS})


def spelled_out(text: str, stands_for: Mapping[str, str]) -> str:
    """Put what texts stand for in their place, also at the ends of a range.

    >>> spelled_out("90+", {"90+": "90"}), spelled_out("[85;90+]", {"90+": "90"}), spelled_out("85", {"90+": "90"})
    ('90', '[85;90]', '85')
    """
    if text[:1] == "[" and text[-1:] == "]":
        return "[" + ";".join(stands_for.get(part.strip(), part) for part in parts_of(text[1:-1])) + "]"
    return stands_for.get(text.strip(), text)


def take_apart(text: str, missing: Collection[str], *, masked: bool = True) -> tuple[int, str, str]:
    """Give the form of a text and the texts at its ends; asterisks at its end hide something if it is ``masked``."""
    if text in missing:
        return NOTHING, "", ""
    if text[0] == "[" and text[-1] == "]":
        parts = [part.strip() for part in parts_of(text[1:-1])]
        if len(parts) == 2 and all(parts):
            return RANGE, parts[0], parts[1]
    if text[0] == "{" and text[-1] == "}" and len(text) > 2:
        return SET, "", ""
    stem = text.rstrip("*")
    if masked and text[-1] == "*" and text[0] != "\\" and not stem.endswith("\\"):
        stars = len(text) - len(stem)
        if not stem:
            return WILD, "", ""
        if "*" not in stem:
            return PREFIX, stem + "0" * stars, stem + "9" * stars
    return EXACT, text, text


def ends_of(texts: Sequence[str]) -> Sequence[tuple[str, str]]:
    """Give the ends of texts that are ranges at first sight, found together; two empty texts for all others."""
    found: list[tuple[str, str]] = _RANGES.findall("\n".join(texts))
    return found if len(found) == len(texts) else [("", "")] * len(texts)  # a text may hold line ends


def escape(text: str, *, cautious: bool = False) -> str:
    r"""Mark a category that would be read back as something else; earlier releases were more ``cautious``.

    >>> escape("[0-10)"), escape("[0;10]"), escape("{a;b}"), escape("937**"), escape("{"), escape("\\n")
    ('[0-10)', '\\[0;10]', '\\{a;b}', '\\937**', '{', '\\\\n')
    """
    odd = text == "" or text[0] == "\\" or text != text.strip()
    if not odd and (text[0] in "{[*" or text[-1] == "*"):
        odd = cautious or take_apart(text, _NONE)[0] != EXACT
    return "\\" + text if odd else text


def escape_all(texts: Sequence[str], *, cautious: bool = False) -> list[str]:
    """Mark many categories; those of letters and digits alone are none of the odd ones."""
    return [text if text.isalnum() else escape(text, cautious=cautious) for text in texts]


def unescaped(text: str) -> str:
    """Give the category behind a text that was marked as one."""
    return text[1:] if text[0] == "\\" and text != "\\" else text


def in_set(name: str) -> str:
    """Mark the signs of a category that mean something inside a set."""
    return name.translate(_IN_SETS)


def in_order(name: str, *, cautious: bool = False) -> str:
    r"""Mark the signs of an ordered category that mean something alone or at the end of a range.

    >>> in_order("[0-10)"), in_order("a;b"), in_order("*")
    ('[0-10)', 'a\\;b', '\\*')
    """
    marked = name.translate(_IN_RANGES)
    plain = not cautious and marked != "" and take_apart(marked, _NONE)[0] == EXACT
    return marked if plain else name.translate(_EVERYWHERE)


def unmarked(text: str) -> str:
    """Give a name in which signs with a meaning were marked."""
    return _MARKED.sub(r"\1", text)


def parts_of(text: str) -> list[str]:
    """Split at semicolons that are not marked as part of a name."""
    return _SPLIT.sub("\\1\0", text).split("\0") if "\\" in text else text.split(";")


def members_of(text: str) -> list[str]:
    """Give the names in a set of categories."""
    return [unmarked(part) for part in parts_of(text[1:-1])]
