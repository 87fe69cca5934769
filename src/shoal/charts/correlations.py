"""Correlation matrices: before, after, and what has changed."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.charts.axes import caption
from shoal.charts.cell_grid import Grid, diverging, diverging_legend, diverging_room
from shoal.charts.figure import Figure, FigureColumn, FigureRow
from shoal.charts.lettering import shorten
from shoal.charts.lettering import width as text_width
from shoal.charts.numerals import Format, round_steps
from shoal.charts.sheet import MARGIN, Box, Sheet
from shoal.charts.tidy import Numbers, distinct, need, numbers, present

_CELL = 46.0  # wide enough for a sign, a digit and three decimals
_HIGH = 28.0
_GAP = 20.0


def matrix(
    rows: Sequence[FigureRow],
    *,
    x: str,
    y: str,
    before: str,
    after: str,
    title: str,
    description: str,
    difference_limit: float | None = None,
    changes_only: bool = False,
    width: float = 720,
) -> Figure:
    """Draw the correlations of columns before and after masking, and their differences.

    Parameters
    ----------
    rows
        One row per pair of columns.
    x, y, before, after
        The columns of the two names, and of the two numbers, which lie between -1 and 1.
    title, description
        What the figure shows, and what there is to see.
    difference_limit
        The difference that has the strongest colour. If it is not given, it is the largest difference, but at least
        0.1: a change that hardly matters should not look like one that does.
    changes_only
        Draw the differences alone; what they are differences of is in the table behind the figure.
    width
        The width of the sheet.

    Examples
    --------
    >>> figure = matrix([{"a": "age", "b": "charge", "was": 0.31, "is": 0.27}], x="a", y="b", before="was", after="is",
    ...                 title="Correlations", description="They hardly change.")
    >>> "−0.040" in figure.svg
    True
    """
    need(rows, x, y, before, after)
    sheet = Sheet(title, description, width)
    plain, signed = Format(decimals=2), Format(signed=True, decimals=3)
    columns = [FigureColumn(x, x), FigureColumn(y, y), FigureColumn(before, "before", plain)]
    columns += [FigureColumn(after, "after", plain), FigureColumn("difference", "difference", signed)]
    if not rows:
        return sheet.figure(sheet.nothing(), rows, columns)
    was, now = numbers(rows, x, y, before), numbers(rows, x, y, after)
    change = {pair: _less(now[pair], was[pair]) for pair in was}
    shown = [
        {**row, "difference": value} for row, value in zip(rows, change.values(), strict=True)
    ]  # a dictionary keeps the order of the rows
    limit = difference_limit or round_steps(0.0, max([0.1, *map(abs, present(change.values()))]), 5)[-1]
    panels = [
        ("before", was, plain, 1.0),
        ("after", now, plain, 1.0),
        ("difference: after − before", change, signed, limit),
    ][2 if changes_only else 0 :]
    return sheet.figure(_panels(sheet, distinct(rows, x), distinct(rows, y), panels) + MARGIN, shown, columns)


def _less(now: float | None, was: float | None) -> float | None:
    return None if now is None or was is None else round(now - was, 12)  # what subtraction adds in the last digits


def _panels(
    sheet: Sheet, across: list[str], down: list[str], panels: list[tuple[str, Numbers, Format, float]]
) -> float:
    """Draw the panels beside each other if their numbers can be read then, and else below each other."""
    names = max(text_width(shorten(text, 0.22 * sheet.width)) for text in down) + 8
    room = sheet.width - 2 * MARGIN - names
    third = (room - 2 * _GAP) / len(panels)
    beside = third / len(across) >= _CELL and third >= max(diverging_room(limit) for *_, limit in panels)
    wide = third if beside else min(room, 2 * _CELL * len(across))
    left, top, bottom = MARGIN + names, MARGIN, MARGIN
    for number, (name, found, form, limit) in enumerate(panels):
        if number and not beside:
            top = bottom + 8
        start = left + (wide + _GAP) * number if beside else left
        y = caption(sheet, name, start, top, wide if beside else room, kind="strong")
        y = diverging_legend(sheet, limit, start, y + 3) + 2
        box = Box(start, y, start + wide, y + _HIGH * len(down))
        grid = Grid(across, down, found, form, diverging(limit))
        bottom = max(bottom, grid.draw(sheet, box, names_left=not number or not beside))
    return bottom
