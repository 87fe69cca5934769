"""Bars: numbers of values, side by side for groups."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Unpack

from shoal.charts.axes import (
    MarkedLevels,
    Names,
    baseline,
    below,
    caption,
    label_room,
    legend,
    patches,
    upright_mark,
    vertical,
)
from shoal.charts.figure import Figure, FigureColumn, FigureRow
from shoal.charts.frame import Frame, Framing, titled
from shoal.charts.lettering import clean, width
from shoal.charts.numerals import Format, finite
from shoal.charts.palette import Palette, looks
from shoal.charts.scales import Domain, Scale, even, ratios
from shoal.charts.sheet import MARGIN, Box, Sheet, hue
from shoal.charts.tidy import Numbers, distinct, need, numbers, present

_LEAST = 1.5  # what is not zero is drawn at least so high
_WIDEST = 64.0
_LABEL = 11.0
_OTHER = 10.0  # of a number that a bar is compared with


def bars(
    rows: Sequence[FigureRow],
    *,
    x: str,
    y: str,
    group: str | None = None,
    alert: Collection[object] = (),
    mark: tuple[object, str] | None = None,
    reference: tuple[str, str] | None = None,
    limits: Sequence[tuple[float, str]] = (),
    palette: Palette | None = None,
    **frame: Unpack[Framing],
) -> Figure:
    """Draw bars that begin at zero, each with its number.

    Parameters
    ----------
    rows
        One row per value and group.
    x, y, group
        The columns of the values, of the numbers, and of the groups if there are any.
    alert
        Values whose bars are drawn as a warning, such as groups that are too small.
    mark
        A value and a text: a dashed line with this text stands before the bars of the value.
    reference
        The column of numbers that bars are compared with, and what these are called: each is a diamond on its bar.
    limits
        Numbers with a text each: a dashed line with this text lies at the height of the number.
    palette
        The looks of groups that have a look of their own.
    **frame
        What is said of the figure as a whole: see `Frame`.

    Examples
    --------
    >>> figure = bars([{"k": 2, "loss": 0.12}, {"k": 5, "loss": 0.2}], x="k", y="loss", percent=True,
    ...               title="What k costs", description="Loss grows with k.")
    >>> "12%" in figure.svg and "20%" in figure.svg
    True
    """
    need(rows, x, y, group, reference and reference[0])
    about = Frame.of(frame)
    sheet, form, columns = about.sheet(), about.form, about.columns(x, y, group)
    if not rows:
        return sheet.figure(sheet.nothing(), rows, columns)
    names, groups, found = distinct(rows, x), distinct(rows, group), numbers(rows, x, group, y)
    others = numbers(rows, x, group, reference[0]) if reference else {}
    heights = present([*found.values(), *others.values(), *(finite(level) for level, _ in limits)])
    domain = (ratios if about.log else even)(heights, form, zero=True)
    room = sheet.width - 2 * MARGIN
    colours = [look.colour for look in looks(groups, palette)]
    filled = {name for (_, name), value in found.items() if value}
    entries = [] if group is None else patches(sheet, groups, filled, colours)
    if reference and present(others.values()):
        columns.append(FigureColumn(*reference, form))
        entries.append((reference[1], lambda left, high: diamond(sheet, left + 8, high + 6.5)))
    top = legend(sheet, entries, MARGIN, MARGIN, room)
    top = caption(sheet, titled(about.y_label, domain, about.unit), MARGIN, top, room)
    panel = Panel(
        names,
        groups,
        found,
        domain,
        form,
        {clean(value) for value in alert},
        (clean(mark[0]), mark[1]) if mark else None,
        colours,
        others=others,
        limits=limits,
    )
    bottom = panel.draw(sheet, Box(MARGIN, top, sheet.width - MARGIN, top), about.height, about.x_label)
    return sheet.figure(bottom + MARGIN, rows, columns)


def diamond(sheet: Sheet, x: float, y: float, tip: str = "") -> None:
    """Draw the sign of a number that others found."""
    sheet.marker(x, y, 3, "rim ink", radius=4.5, tip=tip)


@dataclass(frozen=True)
class Panel:
    """Bars with their axes, as the whole of a figure or a part of it."""

    names: Sequence[str]
    groups: Sequence[str]
    found: Numbers
    domain: Domain
    form: Format
    alert: Collection[str] = ()
    mark: tuple[str, str] | None = None
    hues: Sequence[int] = ()
    others: Mapping[tuple[str, str], float | None] = field(default_factory=dict)
    limits: Sequence[tuple[float, str]] = ()

    def draw(self, sheet: Sheet, place: Box, height: float, x_label: str) -> float:
        """Draw the panel between the sides of a place and from its top, and give where it ends."""
        left, levels = place.left + label_room(self.domain), MarkedLevels(self.limits, sheet.width)
        right = place.right - levels.room
        slot = (right - left) / len(self.names)
        pitch = min(_WIDEST, slot * (0.8 if len(self.groups) > 1 else 0.72) / len(self.groups))
        numbers = [(value, self.others.get(place)) for place, value in self.found.items()]
        labels = BarLabels.fitting(self.form, numbers, pitch if len(self.groups) > 1 else slot)
        top = place.top + max(12.0, labels.room + (18.0 if self.mark else 0.0))
        box = Box(left, top, right, top + height)
        # Numbers of bars that hang below zero need their place below the lowest tick.
        scale = self.domain.on(box.bottom - (labels.room if self._hangs else 0.0), box.top)
        vertical(sheet, scale, box)
        centres = [left + slot * (number + 0.5) for number in range(len(self.names))]
        for name, centre in zip(self.names, centres, strict=True):
            start = centre - pitch * len(self.groups) / 2
            for number, group in enumerate(self.groups):
                if (name, group) in self.found:
                    self._bar(sheet, scale, start + number * pitch, pitch, name, number, labels)
        baseline(sheet, box, scale(0.0))
        levels.draw(sheet, scale, box)
        if self.mark and self.mark[0] in self.names:
            upright_mark(sheet, left + slot * self.names.index(self.mark[0]), self.mark[1], box, labels.room)
        bottom = Names(self.names, centres, slot).draw(sheet, box.bottom)
        return below(sheet, x_label, box, bottom)

    @property
    def _hangs(self) -> bool:
        return any(value < 0 for value in present(self.found.values()))

    def _bar(
        self, sheet: Sheet, scale: Scale, left: float, pitch: float, name: str, number: int, labels: BarLabels
    ) -> None:
        group = self.groups[number]
        warned = name in self.alert
        kind = "alert" if warned else hue(self.hues[number] if self.hues else number)
        bar = Bar(", ".join(part for part in (name, group) if part), kind, number + 1 if warned else number)
        bar.draw(sheet, scale, (left, left + pitch), self.found[name, group], self.others.get((name, group)), labels)


@dataclass(frozen=True)
class Bar:
    """One bar: what it is about, and how it is filled."""

    name: str
    kind: str
    hatch: int

    def draw(
        self,
        sheet: Sheet,
        scale: Scale,
        sides: tuple[float, float],
        value: float | None,
        other: float | None,
        labels: BarLabels,
    ) -> None:
        """Draw it from zero to its number, with that of others as a diamond, and write both above."""
        left, right = sides
        middle, gap, zero = (left + right) / 2, min(1.0, (right - left) / 8), scale(0.0)
        if value is None:
            labels.write(sheet, middle, zero, None, None)
            return
        end = scale(value)
        if value and abs(end - zero) < _LEAST:
            end = zero - _LEAST if value > 0 else zero + _LEAST
        place = Box(left + gap, min(zero, end), right - gap, max(zero, end))
        sheet.rect(place, self.kind, hatch=self.hatch, tip=f"{self.name}: {labels.form.exact(value)}")
        high = end
        if other is not None:
            diamond(sheet, middle, scale(other), f"{self.name}: {labels.form.exact(other)}")
            high = min(end, scale(other) - 6)
        labels.write(sheet, middle, high, value, other)


@dataclass(frozen=True)
class BarLabels:
    """How the numbers of bars are written: in full, shortened, upright, or not at all if bars are as thin as lines.

    A number that a bar is compared with stands above that of the bar, or behind it where both are upright.
    """

    form: Format
    shorten: bool
    turn: bool
    room: float

    @classmethod
    def fitting(cls, form: Format, values: Sequence[tuple[float | None, float | None]], pitch: float) -> BarLabels:
        """Choose how numbers are written above bars of a width."""
        two = any(other is not None for _, other in values)
        for short in (False, True):
            if all(cls(form, short, False, 0.0)._wide(*pair) <= pitch for pair in values):
                return cls(form, short, False, 30.0 if two else 17.0)
        if pitch < _LABEL + 1:
            return cls(form, True, False, 0.0)
        short = max(width(form(value), _LABEL) for value, _ in values) > 60
        longest = max(cls(form, short, True, 0.0)._wide(*pair) for pair in values)
        return cls(form, short, True, 8 + longest)

    def _text(self, value: float | None) -> str:
        return self.form.short(value) if self.shorten else self.form(value)

    def _other(self, value: float) -> str:
        return f"◆\u00a0{self._text(value)}"

    def _wide(self, value: float | None, other: float | None) -> float:
        own = width(self._text(value), _LABEL, bold=not self.turn)
        beside = 0.0 if other is None else width(self._other(other), _OTHER)
        return own + (8 + beside if beside else 0.0) if self.turn else max(own, beside)

    def write(self, sheet: Sheet, x: float, y: float, value: float | None, other: float | None) -> None:
        """Write the number of a bar at its end, and the one that it is compared with."""
        if not self.room:
            return
        text = self._text(value)
        kind = "muted" if value is None else "strong" if not self.turn else ""
        down = value is not None and value < 0
        if self.turn:
            anchor, foot = ("end", y + 4) if down else ("start", y - 4)
            own = width(text, _LABEL) + 8
            sheet.text(x + 0.35 * _LABEL, foot, text, kind=kind, anchor=anchor, size=_LABEL, turn=-90)
            if other is not None:
                far = foot + own if down else foot - own
                sheet.text(
                    x + 0.35 * _OTHER, far, self._other(other), kind="muted", anchor=anchor, size=_OTHER, turn=-90
                )
            return
        sheet.text(x, y + (13 if down else -4), text, kind=kind, anchor="middle", size=_LABEL)
        if other is not None:
            sheet.text(x, y + (26 if down else -17), self._other(other), kind="muted", anchor="middle", size=_OTHER)
