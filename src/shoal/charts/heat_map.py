"""Heat maps: a number for each pair of values, such as risk by the resolution of two kinds of attributes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Unpack

from shoal.charts.axes import below, caption
from shoal.charts.cell_grid import Grid, scale_legend, scale_room, sequential
from shoal.charts.figure import Figure, FigureColumn, FigureRow
from shoal.charts.frame import Frame, Framing
from shoal.charts.lettering import clean, shorten
from shoal.charts.lettering import width as text_width
from shoal.charts.numerals import Format, decades, round_steps
from shoal.charts.scales import written
from shoal.charts.sheet import MARGIN, Box
from shoal.charts.style import STEPS
from shoal.charts.tidy import distinct, need, numbers, present
from shoal.languages import _


def heatmap(
    rows: Sequence[FigureRow],
    *,
    x: str,
    y: str,
    value: str,
    value_label: str = "",
    low: float | None = None,
    high: float | None = None,
    text: str | None = None,
    framed: tuple[object, object, str] | None = None,
    **frame: Unpack[Framing],
) -> Figure:
    """Draw a cell for each pair of values, coloured by its number, which is also written in it.

    Parameters
    ----------
    rows
        One row per pair. Values follow each other as they come, to the right and downwards.
    x, y, value
        The columns of the values to the right, of those downwards, and of the numbers.
    value_label
        What the numbers are called.
    low, high
        What the colours must reach to at least, so that two figures can be compared.
    text
        The column of what is written into cells instead of their numbers, where it says anything.
    framed
        The two values of a cell that has a line around it, and what is said of it below the figure.
    **frame
        What is said of the figure as a whole: see `Frame`. The height is that of a cell. Logarithmic are the colours:
        equal ratios are equally far apart, and zero has none.

    Examples
    --------
    >>> figure = heatmap([{"time": "day", "place": "ZIP", "risk": 0.75}], x="time", y="place", value="risk",
    ...                  percent=True, title="Risk by resolution", description="Fine data carry risk.")
    >>> "75%" in figure.svg
    True
    """
    need(rows, x, y, value, text)
    about = Frame.of(frame, height=30)
    sheet, form = about.sheet(), about.form
    columns = [
        FigureColumn(x, about.x_label or x),
        FigureColumn(y, about.y_label or y),
        FigureColumn(value, value_label or value, form),
    ]
    if not rows:
        return sheet.figure(sheet.nothing(), rows, columns)
    across, down, found = distinct(rows, x), distinct(rows, y), numbers(rows, x, y, value)
    room = sheet.width - 2 * MARGIN
    edges, ticks, log = _edges([*present(found.values()), *present([low, high])], form, room, about.log)
    notes = ", ".join(note for note in (about.unit, _("colours on a log scale") if log else "") if note)
    name = f"{value_label} ({notes})" if notes and value_label else value_label
    top = caption(sheet, name, MARGIN, MARGIN, room)
    top = scale_legend(sheet, edges, ticks, MARGIN, top + 2)
    top = caption(sheet, about.y_label, MARGIN, top + 2, room)
    names = max(text_width(shorten(text, 0.28 * sheet.width)) for text in down)
    box = Box(MARGIN + names + 8, top + 2, sheet.width - MARGIN, top + 2 + about.height * len(down))
    texts = {(clean(row.get(x)), clean(row.get(y))): str(row[text]) for row in rows if text and row.get(text)}
    place = (clean(framed[0]), clean(framed[1])) if framed else None
    grid = Grid(across, down, found, form, sequential(edges, log=log), texts, place)
    bottom = below(sheet, about.x_label, box, grid.draw(sheet, box))
    if framed and place in found:
        sheet.frame(Box(MARGIN + 1, bottom + 5, MARGIN + 17, bottom + 16))
        bottom = caption(sheet, framed[2], MARGIN + 24, bottom, room - 24)
    return sheet.figure(bottom + MARGIN, rows, columns)


def _edges(
    values: Sequence[float], form: Format, room: float, log: bool
) -> tuple[Sequence[float], Sequence[str], bool]:
    """Give the edges between colours, as many as have room, how they are written, and whether they tell ratios.

    They begin at zero unless numbers lie below it; those that tell ratios begin where the numbers do.
    """
    log = log and any(value > 0 for value in values) and min(values) >= 0
    for most in range(STEPS, 0, -1):
        edges = _ratios(values, most) if log else round_steps(min([0.0, *values]), max([0.0, *values]), most)
        texts = [written(edge, form) for edge in edges] if log else form.along(edges)
        if scale_room(texts) <= room:
            break
    return edges, texts, log


def _ratios(values: Sequence[float], most: int) -> list[float]:
    """Give edges of about equal ratios: 1, 2, 5, 10 or 1, 3, 10 or powers of ten, the finest of which so many do."""
    low, high = min(value for value in values if value > 0), max(values)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for digits in ((1, 2, 5), (1, 3)):
        steps = [digit * 10.0**power for power in range(first, last + 1) for digit in digits]
        start = max(place for place, step in enumerate(steps) if step <= low * (1 + 1e-9))
        end = min(place for place, step in enumerate(steps) if step >= high * (1 - 1e-9))
        if end - start <= most:
            return steps[start : max(end, start + 1) + 1]
    return decades(low, high, most)
