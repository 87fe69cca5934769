"""Before and after: how the values of columns are distributed in the original and in the release."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from shoal.charts.axes import Swatch, baseline, below, caption, horizontal, label_room, legend, vertical
from shoal.charts.bar_chart import Panel
from shoal.charts.figure import Figure, FigureColumn, FigureRow
from shoal.charts.lettering import clean
from shoal.charts.lettering import width as text_width
from shoal.charts.numerals import GAP, Format, finite, round_steps
from shoal.charts.scales import even, within
from shoal.charts.sheet import MARGIN, Box, Sheet, hue, pen
from shoal.charts.tidy import Numbers, distinct, need, numbers, present
from shoal.languages import _

_GAP = 28.0
_NARROWEST = 300.0  # of a panel
_BEFORE, _AFTER = 5, 0  # grey for what was, the first colour for what is


def paired(
    rows: Sequence[FigureRow],
    *,
    x: str,
    before: str,
    after: str,
    x_end: str | None = None,
    facet: str | None = None,
    title: str,
    description: str,
    x_label: str = "",
    y_label: str = "share of records",
    percent: bool = True,
    names: tuple[str, str] = ("before", "after"),
    width: float = 720,
    height: float = 160,
) -> Figure:
    """Draw the distribution of values before and after masking, in one panel per column.

    Categories have two bars each. Bins of equal width have bars for what was there before and a stepped line for what
    is there after; bins of other widths are drawn like categories, because the area of a bar would mislead.

    Parameters
    ----------
    rows
        One row per category or bin; `binned` makes them from numbers.
    x, x_end
        The column of categories, or the columns where bins begin and end.
    before, after
        The columns of the two shares or counts.
    facet
        The column that names the panels.
    title, description
        What the figure shows, and what there is to see.
    x_label, y_label
        What the axes are called.
    percent
        The numbers are shares, to be written in percent.
    names
        What the two distributions are called.
    width, height
        The width of the sheet, and the height of the bars' part of a panel.

    Examples
    --------
    >>> figure = paired([{"sex": "F", "was": 0.52, "is": 0.51}, {"sex": "M", "was": 0.48, "is": 0.49}], x="sex",
    ...                 before="was", after="is", title="Sex", description="Hardly changed.")
    >>> figure.rows[0]["was"]
    0.52
    """
    need(rows, x, before, after, facet, x_end)
    sheet = Sheet(title, description, width)
    form = Format(percent=percent)
    columns = [FigureColumn(x, x_label or x if x_end is None else "from"), FigureColumn(before, names[0], form)]
    columns.append(FigureColumn(after, names[1], form))
    if x_end is not None:
        columns.insert(1, FigureColumn(x_end, "to"))
    if facet is not None:
        columns.insert(0, FigureColumn(facet, facet))
    if not rows:
        return sheet.figure(sheet.nothing(), rows, columns)
    room = sheet.width - 2 * MARGIN
    top = legend(sheet, _samples(sheet, names, rows, x, x_end, facet), MARGIN, MARGIN, room)
    facets = distinct(rows, facet)
    per_line = 1 if len(facets) == 1 or room < 2 * _NARROWEST + _GAP else 2
    wide = (room - _GAP * (per_line - 1)) / per_line
    bottom = top
    for number, name in enumerate(facets):
        if number % per_line == 0:
            top = bottom + (10 if number else 0)
        left = MARGIN + (wide + _GAP) * (number % per_line)
        part = [row for row in rows if facet is None or clean(row.get(facet)) == name]
        y = caption(sheet, name, left, top, wide, kind="strong")
        y = caption(sheet, y_label, left, y, wide)
        place = Box(left, y, left + wide, y)
        bottom = max(bottom, _panel(sheet, part, (x, x_end, before, after), names, form, place, height, x_label))
    return sheet.figure(bottom + MARGIN, rows, columns)


def binned(
    before: Iterable[Any], after: Iterable[Any], *, most: int = 20, low: str = "low", high: str = "high"
) -> list[dict[str, float]]:
    """Count numbers before and after in the same bins of equal width, as shares of all numbers that are there.

    >>> binned([1, 2, 2, 9], [1, 1, 2, 9], most=2)[0]
    {'low': 0.0, 'high': 5.0, 'before': 0.75, 'after': 0.75}
    """
    was, now = present(map(finite, before)), present(map(finite, after))
    if not was and not now:
        return []
    edges = round_steps(min(was + now), max(was + now), most)
    return [
        {low: start, high: end, "before": _share(was, start, end, edges), "after": _share(now, start, end, edges)}
        for start, end in pairwise(edges)
    ]


def _share(values: Sequence[float], start: float, end: float, edges: Sequence[float]) -> float:
    last = end == edges[-1]  # the last bin holds its upper edge
    return sum(start <= value < end or (last and value == end) for value in values) / max(1, len(values))


def _panel(
    sheet: Sheet,
    rows: Sequence[FigureRow],
    names: tuple[str, str | None, str, str],
    groups: tuple[str, str],
    form: Format,
    place: Box,
    height: float,
    x_label: str,
) -> float:
    x, x_end, before, after = names
    if x_end is not None and _regular(rows, x, x_end):
        box, bottom = _steps(sheet, rows, (x, x_end, before, after), form, place, height)
        return below(sheet, x_label, box, bottom)
    named = [{**row, x: _bin(row, x, x_end)} for row in rows]
    found: Numbers = {}
    for column, group in zip((before, after), groups, strict=True):
        found |= {(name, group): value for (name, _), value in numbers(named, x, None, column).items()}
    domain = even(present(found.values()), form, most=4)
    panel = Panel(distinct(named, x), groups, found, domain, form, hues=(_BEFORE, _AFTER))
    return panel.draw(sheet, place, height, x_label)


def _bin(row: FigureRow, x: str, x_end: str | None) -> str:
    start, end = finite(row.get(x)), finite(row.get(x_end)) if x_end else None
    return (
        clean(row.get(x))
        if x_end is None or start is None
        else _("%(start)s to %(end)s", start=Format()(start), end=Format()(end))
    )


def _regular(rows: Sequence[FigureRow], x: str, x_end: str) -> bool:
    """Say whether bins are numbers of one width that follow each other."""
    starts, ends = [finite(row.get(x)) for row in rows], [finite(row.get(x_end)) for row in rows]
    known = [(start, end) for start, end in zip(starts, ends, strict=True) if start is not None and end is not None]
    if len(known) < len(rows) or any(end <= start for start, end in known):
        return False
    first = known[0][1] - known[0][0]
    follows = all(abs(known[n][1] - known[n + 1][0]) <= 1e-6 * first for n in range(len(known) - 1))
    return follows and all(abs(end - start - first) <= 1e-6 * first for start, end in known)


def _samples(
    sheet: Sheet, groups: Sequence[str], rows: Sequence[FigureRow], x: str, x_end: str | None, facet: str | None
) -> list[tuple[str, Swatch]]:
    """Give the entries of the legend: what is there after is a line or a bar, as the panels show it."""
    parts = [[row for row in rows if facet is None or clean(row.get(facet)) == name] for name in distinct(rows, facet)]
    stepped = x_end is not None and all(_regular(part, x, x_end) for part in parts)

    def bar(x: float, y: float) -> None:
        sheet.rect(Box(x, y, x + 16, y + 13), hue(_BEFORE))

    def line(x: float, y: float) -> None:
        sheet.path([(x, y + 10), (x + 8, y + 10), (x + 8, y + 4), (x + 16, y + 4)], f"line {pen(_AFTER)}")

    def hatched(x: float, y: float) -> None:
        sheet.rect(Box(x, y, x + 16, y + 13), hue(_AFTER), hatch=1)

    return [(groups[0], bar), (groups[1], line if stepped else hatched)]


def _steps(
    sheet: Sheet, rows: Sequence[FigureRow], names: tuple[str, str, str, str], form: Format, place: Box, height: float
) -> tuple[Box, float]:
    """Draw bins: bars for what was there before, and a stepped line above them for what is there after."""
    x, x_end, before, after = names
    domain = even(present(finite(row.get(name)) for row in rows for name in (before, after)), form, most=4)
    box = Box(place.left + label_room(domain), place.top + 12, place.right - 8, place.top + 12 + height)
    up = domain.on(box.bottom, box.top)
    vertical(sheet, up, box)
    edges = present([*[finite(row.get(x)) for row in rows], finite(rows[-1].get(x_end))])
    plain = Format()
    across = within(edges, plain, box.width).on(box.left, box.right)
    pieces: list[list[tuple[float, float]]] = [[]]
    for start, end, row in zip(edges, edges[1:], rows, strict=False):
        left, right = across(start), across(end)
        was, now = finite(row.get(before)), finite(row.get(after))
        if was is not None:
            range_text = _("%(start)s to %(end)s", start=plain(start), end=plain(end))
            tip = f"{range_text}: {form(was)} → {form(now)}"
            gap = min(0.5, (right - left) / 8)
            sheet.rect(
                Box(left + gap, min(up(was), up(0.0)), right - gap, max(up(was), up(0.0))), hue(_BEFORE), tip=tip
            )
        elif right - left > text_width(GAP, 11):
            sheet.text((left + right) / 2, box.bottom - 5, GAP, kind="muted halo", anchor="middle", size=11)
        if now is None:
            pieces.append([])
        else:
            pieces[-1] += [(left, up(now)), (right, up(now))]
    for piece in filter(None, pieces):
        sheet.path(piece, "line casing")
        sheet.path(piece, f"line {pen(_AFTER)}")
    baseline(sheet, box, up(0.0))
    return box, horizontal(sheet, across, box)
