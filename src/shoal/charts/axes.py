"""What stands around the marks: axes with their ticks and names, legends, and marked places."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from shoal.charts.lettering import LINE, SIZE, shorten, tell_apart, unbroken, width, wrap
from shoal.charts.scales import Domain, Scale
from shoal.charts.sheet import MARGIN, Box, Sheet, hue

TICK_GAP = 8.0
_STEP = SIZE * LINE
_SLANT = math.sqrt(0.5)
_LONGEST = 190.0  # of a slanted name

Swatch = Callable[[float, float], None]


def caption(sheet: Sheet, text: str, left: float, top: float, room: float, *, kind: str = "muted") -> float:
    """Write the name of the vertical axis, or of a panel, above it, and give where it ends."""
    if not text:
        return top
    lines = wrap(text, room, lines=2, bold="strong" in kind)
    for place, line in enumerate(lines):
        sheet.text(left, top + _STEP * (place + 1) - 3, line, kind=kind, full=text)
    return top + _STEP * len(lines) + 2


def below(sheet: Sheet, text: str, box: Box, top: float) -> float:
    """Write the name of the horizontal axis below its middle, and give where it ends."""
    if not text:
        return top
    lines = wrap(text, box.width, lines=2)
    for place, line in enumerate(lines):
        sheet.text(
            (box.left + box.right) / 2, top + _STEP * (place + 1), line, kind="muted", anchor="middle", full=text
        )
    return top + _STEP * len(lines) + 4


def legend(sheet: Sheet, entries: Sequence[tuple[str, Swatch]], left: float, top: float, room: float) -> float:
    """Write what the groups are called beside a sample of each, in as many lines as it takes."""
    x, y = left, top
    for text, swatch in entries:
        shown = shorten(text, room - 24)
        wide = 22 + width(shown) + 16
        if x > left and x + wide - 16 > left + room:
            x, y = left, y + 20
        swatch(x, y + 2)
        sheet.text(x + 22, y + 13, shown, full=text)
        x += wide
    return y + 24 if entries else top


def patches(
    sheet: Sheet, names: Sequence[str], filled: Container[str], colours: Sequence[int]
) -> list[tuple[str, Swatch]]:
    """Give the entries of a legend of groups: a fill, or a zero for a group that has nothing else to show."""

    def swatch(place: int) -> Swatch:
        if names[place] in filled:
            return lambda x, y: sheet.rect(Box(x, y, x + 16, y + 13), hue(colours[place]), hatch=place)
        return lambda x, y: _zero(sheet, x + 8, y + 11)

    return [(name, swatch(place)) for place, name in enumerate(names)]


def _zero(sheet: Sheet, x: float, y: float) -> None:
    sheet.text(x, y, "0", kind="strong", anchor="middle")


def label_room(domain: Domain) -> float:
    """Give how much place the numbers along a vertical axis need to its left."""
    texts = [*domain.texts, domain.zero_text] if domain.zero else domain.texts
    return max((width(text) for text in texts), default=0.0) + TICK_GAP


def vertical(sheet: Sheet, scale: Scale, box: Box) -> None:
    """Draw the vertical axis: a line across for each tick, and its number to the left."""
    domain = scale.domain
    at = [(scale(tick), text) for tick, text in zip(domain.ticks, domain.texts, strict=True)]
    if domain.zero:
        at.insert(0, (scale.start, domain.zero_text))
        _break(sheet, box.left, scale.break_at)
    last = math.inf
    for y, text in at:
        sheet.line(box.left, y, box.right, y, "grid")
        if last - y >= _STEP:  # ticks of a low plot may be too close to be written all
            sheet.text(box.left - TICK_GAP, y + 0.35 * SIZE, text, kind="tick", anchor="end")
            last = y


def baseline(sheet: Sheet, box: Box, y: float) -> None:
    """Draw the line that the marks stand on."""
    sheet.line(box.left, y, box.right, y, "axis")


def _break(sheet: Sheet, x: float, y: float) -> None:
    """Show that the axis is broken: what lies below is zero, and not merely small."""
    for aside in (-2.0, 2.0):
        sheet.line(x - 5, y + aside + 2, x + 5, y + aside - 2, "axis")


def horizontal(sheet: Sheet, scale: Scale, box: Box) -> float:
    """Draw the numbers below a horizontal axis, and give where they end."""
    domain = scale.domain
    at = [(scale(tick), text) for tick, text in zip(domain.ticks, domain.texts, strict=True)]
    if domain.zero:
        at.insert(0, (scale.start, domain.zero_text))
        for aside in (-2.0, 2.0):
            sheet.line(scale.break_at + aside - 2, box.bottom + 5, scale.break_at + aside + 2, box.bottom - 5, "axis")
    last = -math.inf
    for x, text in at:
        half = width(text) / 2
        middle = min(max(x, half), sheet.width - half)
        sheet.line(x, box.bottom, x, box.bottom + 4, "axis")
        if middle - half >= last + 4:
            sheet.text(middle, box.bottom + 19, text, kind="tick", anchor="middle")
            last = middle + half
    return box.bottom + 23


@dataclass(frozen=True)
class Names:
    """Names below a horizontal axis, laid out so that none meets another.

    They stand upright in up to four lines if they fit; else they are slanted; and if even that is too close, some are
    left out, at equal distances.
    """

    names: Sequence[str]
    centres: Sequence[float]
    slot: float

    def draw(self, sheet: Sheet, top: float) -> float:
        """Write the names, and give where they end."""
        if all(unbroken(name, self.slot - 6, lines=4) for name in self.names):
            return self._upright(sheet, top, 1)
        if all(_numeric(name) for name in self.names):
            widest = max(map(width, self.names)) + TICK_GAP
            return self._upright(sheet, top, _every(widest / self.slot))
        return self._slanted(sheet, top)

    def _upright(self, sheet: Sheet, top: float, every: int) -> float:
        deepest = 1
        for name, x in list(zip(self.names, self.centres, strict=True))[::every]:
            room = self.slot * every - 6
            lines = wrap(name, room, lines=4)
            deepest = max(deepest, len(lines))
            for place, line in enumerate(lines):
                half = width(line) / 2
                middle = min(max(x, half), sheet.width - half)
                sheet.text(middle, top + 19 + _STEP * place, line, kind="tick", anchor="middle", full=name)
        return top + 23 + _STEP * (deepest - 1)

    def _slanted(self, sheet: Sheet, top: float) -> float:
        every = max(1, math.ceil(_STEP / _SLANT / self.slot))
        deepest = 0.0
        shown = list(zip(self.names, self.centres, strict=True))[::every]
        # A text ends below its tick and begins to the left of it, where the sheet may be narrow.
        rooms = [min(_LONGEST, (x - SIZE / 2) / _SLANT - SIZE) for _, x in shown]
        for (name, x), text in zip(shown, tell_apart([name for name, _ in shown], rooms), strict=True):
            sheet.text(x + 4, top + 14, text, kind="tick", anchor="end", turn=-45, full=name)
            deepest = max(deepest, width(text) * _SLANT)
        return top + 20 + deepest


def _numeric(name: str) -> bool:
    return name.replace(",", "").replace("−", "-").lstrip("-").replace(".", "", 1).isdecimal()


def _every(least: float) -> int:
    """Give the smallest of 1, 2, 5, 10, … that is at least so large."""
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power >= least:
                return digit * power
        power *= 10


def upright_mark(sheet: Sheet, x: float, text: str, box: Box, rise: float = 0.0) -> None:
    """Mark a place on the horizontal axis by a dashed line with its name at the top, on the side that has room.

    The name stands so much above the plot as the numbers of bars may rise above it.
    """
    sheet.line(x, box.top - 14 - rise, x, box.bottom, "mark")
    shown = shorten(text, max(x - MARGIN, box.right - x - 6), bold=True)
    fits_right = x + 6 + width(shown, bold=True) <= box.right
    side = ("start", 6.0) if fits_right else ("end", -6.0)
    sheet.text(x + side[1], box.top - 5 - rise, shown, kind="strong halo", anchor=side[0], full=text)


def level_mark(sheet: Sheet, y: float, text: str, box: Box) -> Box:
    """Mark a level of the vertical axis by a dashed line with its name above it."""
    sheet.line(box.left, y, box.right, y, "mark")
    shown = shorten(text, box.width - 8, bold=True)
    return sheet.text(box.left + 4, y - 5, shown, kind="strong halo", full=text)


@dataclass(frozen=True)
class MarkedLevels:
    """Levels of a vertical axis that are marked by dashed lines, their names beside the plot, where no bar covers them.

    Parameters
    ----------
    limits
        The levels and their names.
    wide
        How wide the sheet is.
    """

    limits: Sequence[tuple[float, str]]
    wide: float

    @property
    def room(self) -> float:
        """Give how much place they need to the right of the plot."""
        return max((max(map(self._wide, self._lines(text))) + 10 for _, text in self.limits), default=0.0)

    def _lines(self, text: str) -> list[str]:
        return wrap(text, 0.14 * self.wide, lines=5, bold=True)

    @staticmethod
    def _wide(line: str) -> float:
        return width(line, bold=True)

    def draw(self, sheet: Sheet, scale: Scale, box: Box) -> None:
        """Draw the lines, and write the names from the lowest up, moved as far as needed so that none meets another."""
        floor = box.bottom
        for level, text in sorted(self.limits):
            lines, y = self._lines(text), scale(level)
            sheet.line(box.left, y, box.right + 4, y, "mark")
            high = _STEP * len(lines)
            foot = min(floor, y + high / 2)
            if abs(foot - high / 2 - y) > _STEP / 2:
                sheet.line(box.right + 4, y, box.right + 9, foot - high / 2, "leader")
            for place, line in enumerate(lines):
                at = foot - high + _STEP * (place + 0.8)
                sheet.text(box.right + 10, at, line, kind="strong", full=text)
            floor = foot - high - 3
