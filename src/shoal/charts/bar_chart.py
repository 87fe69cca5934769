"""Bars: numbers of values, side by side for groups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from shoal.charts.axes import (
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
from shoal.charts.figure import Column, Figure, Row
from shoal.charts.lettering import clean, width
from shoal.charts.numerals import Format
from shoal.charts.scales import Domain, Scale, even, ratios
from shoal.charts.sheet import MARGIN, Box, Sheet, hue
from shoal.charts.tidy import Numbers, distinct, need, numbers, present

_LEAST = 1.5  # what is not zero is drawn at least so high
_WIDEST = 64.0
_LABEL = 11.0


def bars(
    rows: Sequence[Row],
    *,
    x: str,
    y: str,
    group: str | None = None,
    title: str,
    description: str,
    x_label: str = "",
    y_label: str = "",
    unit: str = "",
    percent: bool = False,
    log: bool = False,
    alert: Collection[object] = (),
    mark: tuple[object, str] | None = None,
    width: float = 720,
    height: float = 240,
) -> Figure:
    """Draw bars that begin at zero, each with its number.

    Parameters
    ----------
    rows
        One row per value and group.
    x, y, group
        The columns of the values, of the numbers, and of the groups if there are any.
    title, description
        What the figure shows, and what there is to see.
    x_label, y_label
        What the axes are called.
    unit
        What the numbers count or measure.
    percent
        The numbers are shares, to be written in percent.
    log
        Equal ratios are equally far apart; zero has a place of its own.
    alert
        Values whose bars are drawn as a warning, such as groups that are too small.
    mark
        A value and a text: a dashed line with this text stands before the bars of the value.
    width, height
        The width of the sheet, and the height of the bars' part of it.

    Examples
    --------
    >>> figure = bars([{"k": 2, "loss": 0.12}, {"k": 5, "loss": 0.2}], x="k", y="loss", percent=True,
    ...               title="What k costs", description="Loss grows with k.")
    >>> "12%" in figure.svg and "20%" in figure.svg
    True
    """
    need(rows, x, y, group)
    sheet = Sheet(title, description, width)
    form = Format(percent=percent, unit=unit)
    columns = [Column(x, x_label or x), Column(y, y_label or y, form)]
    if group is not None:
        columns.insert(1, Column(group, group))
    if not rows:
        return sheet.figure(sheet.nothing(), rows, columns)
    names, groups, found = distinct(rows, x), distinct(rows, group), numbers(rows, x, group, y)
    domain = (ratios if log else even)(present(found.values()), form, zero=True)
    room = sheet.width - 2 * MARGIN
    top = MARGIN if group is None else legend(sheet, patches(sheet, groups), MARGIN, MARGIN, room)
    top = caption(sheet, titled(y_label, unit, domain), MARGIN, top, room)
    panel = Panel(
        names,
        groups,
        found,
        domain,
        form,
        {clean(value) for value in alert},
        (clean(mark[0]), mark[1]) if mark else None,
    )
    bottom = panel.draw(sheet, Box(MARGIN, top, sheet.width - MARGIN, top), height, x_label)
    return sheet.figure(bottom + MARGIN, rows, columns)


def titled(label: str, unit: str, domain: Domain) -> str:
    """Write what an axis is called, with its unit and with how it is scaled if that is unusual."""
    notes = [note for note in (unit, "log scale" if domain.log else "") if note]
    return f"{label} ({', '.join(notes)})".strip() if notes else label


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

    def draw(self, sheet: Sheet, place: Box, height: float, x_label: str) -> float:
        """Draw the panel between the sides of a place and from its top, and give where it ends."""
        left = place.left + label_room(self.domain)
        slot = (place.right - left) / len(self.names)
        pitch = min(_WIDEST, slot * (0.8 if len(self.groups) > 1 else 0.72) / len(self.groups))
        labels = _Labels.fitting(self.form, list(self.found.values()), pitch if len(self.groups) > 1 else slot)
        top = place.top + max(12.0, labels.room + (18.0 if self.mark else 0.0))
        box = Box(left, top, place.right, top + height)
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
        if self.mark and self.mark[0] in self.names:
            upright_mark(sheet, left + slot * self.names.index(self.mark[0]), self.mark[1], box, labels.room)
        bottom = Names(self.names, centres, slot).draw(sheet, box.bottom)
        return below(sheet, x_label, box, bottom)

    @property
    def _hangs(self) -> bool:
        return any(value < 0 for value in present(self.found.values()))

    def _bar(
        self, sheet: Sheet, scale: Scale, left: float, pitch: float, name: str, number: int, labels: _Labels
    ) -> None:
        group = self.groups[number]
        value = self.found[name, group]
        gap = min(1.0, pitch / 8)
        zero = scale(0.0)
        if value is None:
            labels.write(sheet, left + pitch / 2, zero, None)
            return
        end = scale(value)
        if value and abs(end - zero) < _LEAST:
            end = zero - _LEAST if value > 0 else zero + _LEAST
        warned = name in self.alert
        hatch = number + 1 if warned else number
        tip = f"{', '.join(part for part in (name, group) if part)}: {self.form.exact(value)}"
        bar = Box(left + gap, min(zero, end), left + pitch - gap, max(zero, end))
        sheet.rect(bar, "alert" if warned else hue(self.hues[number] if self.hues else number), hatch=hatch, tip=tip)
        labels.write(sheet, left + pitch / 2, end, value)


@dataclass(frozen=True)
class _Labels:
    """How the numbers of bars are written: in full, shortened, upright, or not at all if bars are as thin as lines."""

    form: Format
    shorten: bool
    turn: bool
    room: float

    @classmethod
    def fitting(cls, form: Format, values: Sequence[float | None], pitch: float) -> _Labels:
        for short in (False, True):
            if max(width(cls._text(form, value, short), _LABEL, bold=True) for value in values) <= pitch:
                return cls(form, short, False, 17.0)
        if pitch < _LABEL + 1:
            return cls(form, True, False, 0.0)
        longest = max(width(cls._text(form, value, False), _LABEL) for value in values)
        short = longest > 60
        return cls(form, short, True, 8 + max(width(cls._text(form, value, short), _LABEL) for value in values))

    @staticmethod
    def _text(form: Format, value: float | None, short: bool) -> str:
        return form.short(value) if short else form(value)

    def write(self, sheet: Sheet, x: float, y: float, value: float | None) -> None:
        if not self.room:
            return
        text = self._text(self.form, value, self.shorten)
        kind = "muted" if value is None else "strong" if not self.turn else ""
        down = value is not None and value < 0
        if self.turn:
            anchor = "end" if down else "start"
            sheet.text(
                x + 0.35 * _LABEL, y + (4 if down else -4), text, kind=kind, anchor=anchor, size=_LABEL, turn=-90
            )
        else:
            sheet.text(x, y + (13 if down else -4), text, kind=kind, anchor="middle", size=_LABEL)
