"""Panels: several drawings put together as one figure, each under its own heading."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.charts.axes import caption
from shoal.charts.figure import Figure, FigureColumn, FigureRow
from shoal.charts.sheet import MARGIN, Sheet


def panels(
    parts: Sequence[Figure], rows: Sequence[FigureRow], columns: Sequence[FigureColumn], *, title: str, description: str
) -> Figure:
    """Put figures below each other: their titles become the headings of panels.

    Parameters
    ----------
    parts
        The figures.
    rows, columns
        The table behind them all. Panels often show the same numbers in two ways, so it is not that of each.
    title, description
        What the whole shows, and what there is to see.

    Examples
    --------
    >>> from shoal.charts import bars
    >>> part = bars([{"k": 2, "loss": 0.1}], x="k", y="loss", title="Loss", description="One bar.")
    >>> both = panels([part, part], part.rows, part.columns, title="Twice", description="The same bar.")
    >>> both.svg.count(">Loss</text>"), both.height > 2 * part.height
    (2, True)
    """
    sheet = Sheet(title, description, max((part.width for part in parts), default=720.0))
    top = MARGIN if parts else sheet.nothing()
    for part in parts:
        top = caption(sheet, part.title, MARGIN, top, sheet.width - 2 * MARGIN, kind="strong")
        sheet.put(part, top - MARGIN / 2)
        top += part.height + MARGIN / 2
    return sheet.figure(top, rows, columns)
