"""Points between two axes: the candidates of a map, those that no other beats, and the names beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from shoal.charts.lettering import SIZE, shorten
from shoal.charts.palette import GroupLook
from shoal.charts.placing import nearest, place_labels
from shoal.charts.sheet import Box, Sheet

_CAP = 4.0  # half the width of the end of an error bar


@dataclass(frozen=True)
class Point:
    """A candidate on the sheet: where it stands, and what is said and shown of it.

    Parameters
    ----------
    x, y
        Where it stands.
    look
        Its colour and shape.
    name
        What is written beside it, or nothing.
    tip
        What it is, in words.
    kind
        What it can be compared with: candidates of one kind have one frontier.
    errors
        How far its true place may be off: lines through the point.
    estimated
        It is an estimate, and looks like one.
    selected
        It is the one that was chosen.
    link, data
        Where it leads, and attributes of its mark.
    """

    x: float
    y: float
    look: GroupLook
    name: str
    tip: str
    kind: str = ""
    errors: tuple[tuple[float, float, float, float], ...] = ()
    estimated: bool = False
    selected: bool = False
    link: str = ""
    data: Mapping[str, str] = field(default_factory=dict)

    def draw(self, sheet: Sheet) -> None:
        """Draw it: full if it is exact, hollow and with error bars if it is an estimate."""
        for x1, y1, x2, y2 in self.errors:
            sheet.line(x1, y1, x2, y2, f"error {self.look.pen}")
            across, up = (0.0, _CAP) if y1 == y2 else (_CAP, 0.0)
            for x, y in ((x1, y1), (x2, y2)):
                sheet.line(x - across, y - up, x + across, y + up, f"error {self.look.pen}")
        sheet.marker(
            self.x,
            self.y,
            self.look.shape,
            f"hollow {self.look.pen}" if self.estimated else f"rim {self.look.hue}",
            radius=8 if self.selected else 5 if self.name else 4,
            tip=self.tip,
            link=self.link,
            current=self.selected,
            data=self.data,
        )


def unbeaten(places: Sequence[tuple[float, float]]) -> list[int]:
    """Give the points that no other equals or betters in both respects, from one end to the other.

    >>> unbeaten([(0.1, 0.9), (0.2, 0.4), (0.3, 0.5), (0.4, 0.1)])
    [0, 1, 3]
    """
    best: list[int] = []
    for number in sorted(range(len(places)), key=lambda each: places[each]):
        if not best or places[number][1] < places[best[-1]][1]:
            best.append(number)
    return best


def frontiers(kinds: Sequence[str], places: Sequence[tuple[float, float]]) -> dict[str, list[int]]:
    """Give the unbeaten points of each kind: what is not of one kind is not joined."""
    found = {}
    for kind in dict.fromkeys(kinds):
        mine = [number for number, each in enumerate(kinds) if each == kind]
        found[kind] = [mine[number] for number in unbeaten([places[number] for number in mine])]
    return found


def draw_frontiers(sheet: Sheet, points: Sequence[Point], lines: Iterable[Sequence[int]]) -> list[Box]:
    """Join the unbeaten points of each kind, estimates by dashes, and give what names must not cover."""
    covered = []
    for line in lines:
        corners = [(points[number].x, points[number].y) for number in line]
        if len(corners) > 1:
            sheet.path(corners, "frontier", dash="2 4" if points[line[0]].estimated else "")
            covered += [box for a, b in pairwise(corners) for box in _along(a, b)]
    return covered


def _along(a: tuple[float, float], b: tuple[float, float], step: float = 6.0) -> list[Box]:
    """Cover a line by small boxes."""
    count = max(1, int(max(abs(b[0] - a[0]), abs(b[1] - a[1])) / step))
    middles = [tuple(a[axis] + (b[axis] - a[axis]) * place / count for axis in (0, 1)) for place in range(count + 1)]
    return [Box(x - 1, y - 1, x + 1, y + 1) for x, y in middles]


def write_names(sheet: Sheet, points: Sequence[Point], box: Box, taken: Sequence[Box], avoid: Sequence[Box]) -> int:
    """Write the names of points, with a line to those that stand further off, and count those without a place."""
    selected = next((number for number, point in enumerate(points) if point.selected), None)
    names = [point.name for point in points]
    texts = [shorten(name, 0.3 * sheet.width, bold=number == selected) for number, name in enumerate(names)]
    field = Box(box.left + 2, box.top - 8, sheet.width - 4, box.bottom - 1)
    corners = [(point.x, point.y) for point in points]
    places = place_labels(corners, texts, field, taken, avoid=avoid, bold=selected)
    for (x, y), text, name, place, number in zip(corners, texts, names, places, range(len(points)), strict=True):
        if place is None:
            continue
        near = nearest((x, y), place)
        if abs(near[0] - x) + abs(near[1] - y) > 20:
            sheet.line(x, y, *near, "leader")
        kind = "strong halo" if number == selected else "halo"
        sheet.text(place.left, place.top + 0.82 * SIZE, text, kind=kind, full=name)
    return sum(place is None and text != "" for place, text in zip(places, texts, strict=True))
