"""Colours and shapes that stay: what has a name has the same look in every figure, whatever stands beside it.

Five colours and six shapes give thirty looks, so that two names that share a colour differ in shape. The sixth colour,
grey, is that of what was there before, and is nobody's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from shoal.charts.lettering import clean
from shoal.charts.sheet import DASHES, SHAPES, hue, pen

_COLOURS = 5


@dataclass(frozen=True)
class GroupLook:
    """How the marks of a group look: which colour they have, which shape its points, and which dashes its line."""

    colour: int
    shape: int

    @property
    def hue(self) -> str:
        """The class that fills with the colour."""
        return hue(self.colour)

    @property
    def pen(self) -> str:
        """The class that draws lines in the colour."""
        return pen(self.colour)

    @property
    def dash(self) -> str:
        """The dashes of a line."""
        return DASHES[self.shape % len(DASHES)]


Palette = Mapping[str, GroupLook]


def fixed(names: Iterable[str]) -> dict[str, GroupLook]:
    """Give each name a look of its own, by its place in a list that does not change.

    >>> looks = fixed(["hilbert", "mondrian"])
    >>> looks["hilbert"].hue, looks["mondrian"].hue
    ('hue1', 'hue2')
    """
    return {clean(name): GroupLook(place % _COLOURS, place % SHAPES) for place, name in enumerate(names)}


def looks(groups: Sequence[str], palette: Palette | None) -> list[GroupLook]:
    """Give the look of each group: its own if it has one, else one by its place among the groups."""
    known = palette or {}
    return [known.get(name, GroupLook(place, place)) for place, name in enumerate(groups)]
