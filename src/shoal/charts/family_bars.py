"""Bars in families: each family has its colour, its stretch of the axis, and its name below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from shoal.charts.axes import MarkedLevels, Names, baseline, below, caption, label_room, vertical
from shoal.charts.bar_chart import Bar, BarLabels
from shoal.charts.figure import Figure, FigureColumn, FigureRow
from shoal.charts.frame import Frame, Framing, titled
from shoal.charts.lettering import LINE, SIZE, clean, wrap
from shoal.charts.numerals import finite
from shoal.charts.scales import even, ratios
from shoal.charts.sheet import MARGIN, Box, Sheet, hue
from shoal.charts.tidy import distinct, need, numbers, present

_BETWEEN = 0.5  # of a bar's room, between families
_WIDEST = 64.0


def family_bars(
    rows: Sequence[FigureRow],
    *,
    x: str,
    y: str,
    family: str,
    limits: Sequence[tuple[float, str]] = (),
    **frame: Unpack[Framing],
) -> Figure:
    """Draw bars that begin at zero, those of a family beside each other and apart from those of others.

    Parameters
    ----------
    rows
        One row per bar. Families and their bars follow each other as they come.
    x, y, family
        The columns of the names of bars, of their numbers, and of the families. A bar that is named as its family
        has no name of its own.
    limits
        Numbers with a text each: a dashed line with this text lies at the height of the number.
    **frame
        What is said of the figure as a whole: see `Frame`.

    Examples
    --------
    >>> figure = family_bars([{"level": "k = 2", "loss": 0.3, "way": "crowds"}, {"level": "1/8", "loss": 0.5,
    ...                      "way": "intervals"}], x="level", y="loss", family="way", title="Two ways",
    ...                      description="One bar each.")
    >>> "crowds" in figure.svg and "intervals" in figure.svg
    True
    """
    need(rows, x, y, family)
    about = Frame.of(frame, height=220)
    sheet, form, columns = about.sheet(), about.form, [FigureColumn(family, family), *about.columns(x, y)]
    if not rows:
        return sheet.figure(sheet.nothing(), rows, columns)
    families, found = distinct(rows, family), numbers(rows, family, x, y)
    members = {name: [bar for each, bar in found if each == name] for name in families}
    heights = present([*found.values(), *(finite(level) for level, _ in limits)])
    domain = (ratios if about.log else even)(heights, form, zero=True)
    top = caption(sheet, titled(about.y_label, domain, about.unit), MARGIN, MARGIN, sheet.width - 2 * MARGIN)
    levels = MarkedLevels(limits, sheet.width)
    left, right = MARGIN + label_room(domain), sheet.width - MARGIN - levels.room
    slot = (right - left) / (len(found) + _BETWEEN * len(families))
    pitch = min(_WIDEST, slot)
    labels = BarLabels.fitting(form, [(value, None) for value in found.values()], pitch)
    top += max(12.0, labels.room)
    box = Box(left, top, right, top + about.height)
    scale = domain.on(box.bottom - (labels.room if any(value < 0 for value in heights) else 0.0), box.top)
    vertical(sheet, scale, box)
    names, centres, stretches, start = list[str](), list[float](), list[tuple[float, float]](), left
    for number, (name, bars) in enumerate(members.items()):
        room = slot * (len(bars) + _BETWEEN)
        first = start + (room - pitch * len(bars)) / 2
        for place, bar in enumerate(bars):
            sides = first + pitch * place, first + pitch * (place + 1)
            whole = ", ".join(dict.fromkeys((name, bar)))
            Bar(whole, hue(number), number).draw(sheet, scale, sides, found[name, bar], None, labels)
            names.append("" if bar == name else bar)
            centres.append(sum(sides) / 2)
        stretches.append((start, start + room))
        start += room
    baseline(sheet, box, scale(0.0))
    levels.draw(sheet, scale, box)
    bottom = Names(names, centres, pitch).draw(sheet, box.bottom) if any(names) else box.bottom + 4
    bottom = _families(sheet, [clean(name) for name in families], stretches, bottom)
    return sheet.figure(below(sheet, about.x_label, box, bottom) + MARGIN, rows, columns)


def _families(sheet: Sheet, names: Sequence[str], stretches: Sequence[tuple[float, float]], top: float) -> float:
    """Write the name of each family below its bars, under a line in its colour, and give where they end."""
    deepest = 0
    for number, (name, (left, right)) in enumerate(zip(names, stretches, strict=True)):
        sheet.rect(Box(left + 4, top + 4, right - 4, top + 7), hue(number))
        lines = wrap(name, right - left - 4, lines=4)
        deepest = max(deepest, len(lines))
        for place, line in enumerate(lines):
            y = top + 7 + SIZE * LINE * (place + 1)
            sheet.text((left + right) / 2, y, line, kind="tick", anchor="middle", full=name)
    return top + 14 + SIZE * LINE * deepest
