"""Drops: how far a share falls if one thing is left out, such as how many stand alone if a column is not known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from shoal.charts.axes import horizontal
from shoal.charts.figure import Figure, FigureColumn, FigureRow
from shoal.charts.frame import Frame, Framing
from shoal.charts.lettering import SIZE, clean, tell_apart
from shoal.charts.lettering import width as text_width
from shoal.charts.numerals import Format, finite
from shoal.charts.scales import even
from shoal.charts.sheet import MARGIN, Box
from shoal.charts.tidy import need
from shoal.languages import _, number, written

_STEP = 24.0


def drops(
    rows: Sequence[FigureRow], *, name: str, share: str, whole: float, whole_label: str, **frame: Unpack[Framing]
) -> Figure:
    """Draw bars that hang from a baseline, the longest first: each ends where the share lies without one thing.

    Parameters
    ----------
    rows
        One row per thing.
    name, share
        The columns of what is left out, and of the share without it. What is no share is not drawn.
    whole, whole_label
        The share with everything, from which the bars hang, and what it is called.
    **frame
        What is said of the figure as a whole: see `Frame`. Its height is made by the rows.

    Examples
    --------
    >>> figure = drops([{"column": "age", "share": 0.44}, {"column": "sex", "share": 0.75}], name="column",
    ...                share="share", whole=0.78, whole_label="all known", title="Drivers", description="Age most.")
    >>> figure.rows[0]["points"], "34 points" in figure.svg
    (34.0, True)
    """
    need(rows, name, share)
    about = Frame.of(frame, percent=True)
    sheet, form = about.sheet(), about.form
    found = [
        {**row, "points": round(100 * (whole - value), 6)}
        for row in rows
        if (value := finite(row.get(share))) is not None and 0 <= value <= 1
    ]
    found.sort(key=lambda row: -row["points"])
    columns = [
        FigureColumn(name, about.y_label or name),
        FigureColumn("points", _("points given away"), Format()),
        FigureColumn(share, about.x_label or share, form),
    ]
    if not found:
        return sheet.figure(sheet.nothing(), rows, columns)
    texts = [_said(row["points"]) for row in found]
    names = [clean(row.get(name)) for row in found]
    room = min(0.34 * sheet.width, max(map(text_width, names)) + 2)
    aside = max(text_width(text, bold=True) for text in texts)
    head = f"{whole_label}: {form(whole)}"
    box = Box(MARGIN + room + 10, MARGIN + 24, sheet.width - MARGIN - aside - 12, MARGIN + 24 + _STEP * len(found))
    across = even([*(float(row[share]) for row in found), whole], form, most=max(2, int(box.width / 60)))
    scale = across.on(box.left, box.right)
    for tick in across.ticks:
        sheet.line(scale(tick), box.top, scale(tick), box.bottom, "grid")
    base = scale(whole)
    half = text_width(head, bold=True) / 2
    middle = min(max(base, MARGIN + half), sheet.width - MARGIN - half)
    sheet.text(middle, box.top - 8, head, kind="strong", anchor="middle")
    shown = tell_apart(names, [room] * len(names))
    for place, (row, text) in enumerate(zip(found, texts, strict=True)):
        y = box.top + _STEP * place
        sheet.text(
            MARGIN + room, y + _STEP / 2 + 0.35 * SIZE, shown[place], kind="tick", anchor="end", full=names[place]
        )
        end = scale(float(row[share]))
        tip = f"{names[place]}: {form(whole)} → {form(float(row[share]))}"
        bar = Box(min(end, base), y + 4, max(end, base), y + _STEP - 4)
        sheet.rect(Box(bar.left, bar.top, max(bar.right, bar.left + 1.5), bar.bottom), "alert", tip=tip)
        right = sheet.width - MARGIN
        sheet.text(right, y + _STEP / 2 + 0.35 * SIZE, text, kind="strong", anchor="end")
    sheet.line(base, box.top - 3, base, box.bottom, "base")
    bottom = horizontal(sheet, scale, box)
    if about.x_label:
        sheet.text((box.left + box.right) / 2, bottom + 15, about.x_label, kind="muted", anchor="middle")
        bottom += 19
    return sheet.figure(bottom + MARGIN, found, columns)


def _said(points: float) -> str:
    """Write a difference of shares.

    >>> _said(34.2), _said(1), _said(0.04), _said(0)
    ('34 points', '1 point', '< 0.1 points', '0 points')
    """
    if 0 < points < 0.1:
        return _("< %(least)s points", least=number(0.1, ".1f"))
    text = f"{points:.0f}" if points >= 10 else f"{points:.1f}".removesuffix(".0")
    return _("1 point") if text == "1" else _("%(points)s points", points=written(text))
