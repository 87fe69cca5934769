"""The released order in plain Python, from the texts of a released file and the kinds of its columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from property.independent import READERS

_ORDERED_ENDS = re.compile(r"\[((?:[^\\;]|\\.)*);((?:[^\\;]|\\.)*)\]")


@dataclass(frozen=True)
class Kind:
    """What a column holds: numbers, dates, ordered categories with their order, or anything that is text."""

    name: str
    quasi: bool
    order: tuple[str, ...] = ()
    missing: tuple[str, ...] = ("",)

    def value(self, text: str) -> object:
        if self.order:
            plain = re.sub(r"\\(.)", r"\1", text)
            return self.order.index(text if text in self.order else plain)
        return READERS[self.name](text)

    def key(self, text: str) -> tuple[object, ...]:
        """Give what a cell is sorted by: no value first, then ``*``, then by both ends or by the text."""
        text = text.strip() if self.ends or self.quasi else text
        if not self.ends:
            return (0,) if text == "" else (1,) if text == "*" and self.quasi else (2, text.encode())
        if text in self.missing:
            return (0,)
        if text == "*":
            return (1,)
        ends = _ORDERED_ENDS.fullmatch(text) if text not in self.order else None
        low, high = ends.groups() if ends else (text, text)
        return 2, self.value(low), self.value(high)

    @property
    def ends(self) -> bool:
        return self.name in READERS or bool(self.order)


def in_released_order(rows: Sequence[Sequence[str]], kinds: Sequence[Kind]) -> list[Sequence[str]]:
    """Sort rows by their quasi-identifiers, then their other columns, then by how those are written."""

    def key(row: Sequence[str]) -> tuple[object, ...]:
        cells = list(zip(kinds, row, strict=True))
        quasi = [kind.key(text) for kind, text in cells if kind.quasi]
        others = [kind.key(text) for kind, text in cells if not kind.quasi]
        return (*quasi, *others, *(text.encode() for kind, text in cells if not kind.quasi))

    return sorted(rows, key=key)
