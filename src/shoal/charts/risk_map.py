"""The risk-utility map: candidates by what they lose and what risk they leave.

Such maps were proposed by Duncan, Keller-McNulty and Stokes: Disclosure risk vs. data utility: the R-U confidentiality
map. Technical report, National Institute of Statistical Sciences, 2001.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Unpack

from shoal.charts.axes import Swatch, baseline, below, caption, horizontal, label_room, legend, vertical
from shoal.charts.figure import Figure, FigureColumn, FigureRow
from shoal.charts.frame import Frame, Framing, titled
from shoal.charts.lettering import SIZE, clean, shorten
from shoal.charts.lettering import width as text_width
from shoal.charts.numerals import Format, finite
from shoal.charts.placing import nearest, place_labels
from shoal.charts.scales import Domain, even, ratios
from shoal.charts.sheet import MARGIN, Box, Sheet, hue
from shoal.charts.tidy import distinct, need, present

_SAFE_LINK = re.compile(r"(https?://|/(?!/)|#|\?|\./)", re.IGNORECASE)


def risk_utility_map(
    rows: Sequence[FigureRow],
    *,
    x: str,
    y: str,
    label: str | None = None,
    group: str | None = None,
    percent_x: bool = False,
    log_x: bool = False,
    frontier: bool = False,
    chosen: str | None = None,
    limit: tuple[float, str] | None = None,
    link: str | None = None,
    data: Sequence[str] = (),
    **frame: Unpack[Framing],
) -> Figure:
    """Draw candidates as points: the lower the safer, the further to the left the more useful.

    Parameters
    ----------
    rows
        One row per candidate.
    x, y
        The columns of loss and risk.
    label, group
        The columns of names and of groups. A candidate without a name is drawn faint.
    percent_x, log_x
        The losses are shares, to be written in percent; equal ratios of them are equally far apart.
    frontier
        Join the candidates that no other beats in both respects.
    chosen
        The name of the candidate that was chosen.
    limit
        The highest acceptable risk, and a text: the part of the figure below it is shaded.
    link, data
        The column of addresses that points lead to, and columns that become ``data-`` attributes of points.
    **frame
        What is said of the figure as a whole: see `Frame`. Risks are written in percent unless it says otherwise.

    Examples
    --------
    >>> figure = risk_utility_map([{"loss": 0.2, "risk": 0.05, "name": "k = 5"}], x="loss", y="risk", label="name",
    ...                           title="The choice", description="One candidate.", data=["name"])
    >>> 'data-name="k = 5"' in figure.svg
    True
    """
    need(rows, x, y, label, group, link, *data)
    about = Frame.of(frame, x_label="information loss", y_label="risk", percent=True, height=340)
    sheet, form, form_x = about.sheet(), about.form, Format(percent=percent_x)
    columns = [FigureColumn(name, name) for name in dict.fromkeys(part for part in (label, group) if part)]
    columns += [FigureColumn(x, about.x_label or x, form_x), FigureColumn(y, about.y_label or y, form)]
    drawn = [row for row in rows if finite(row.get(x)) is not None and finite(row.get(y)) is not None]
    missing = len(rows) - len(drawn)
    if not drawn:
        return sheet.figure(_noted(sheet, sheet.nothing(), missing, 0) + MARGIN, rows, columns)
    losses, risks = present(finite(row.get(x)) for row in drawn), present(finite(row.get(y)) for row in drawn)
    heights = [*risks, *present([finite(limit[0])] if limit else [])]
    domains = _domain(losses, form_x, log_x), _domain(heights, form, about.log)
    groups = distinct(drawn, group)
    room = sheet.width - 2 * MARGIN
    top = MARGIN if group is None else legend(sheet, _samples(sheet, groups), MARGIN, MARGIN, room)
    top = caption(sheet, titled(about.y_label, domains[1], about.unit), MARGIN, top, room) + 12
    box = Box(MARGIN + label_room(domains[1]), top, sheet.width - MARGIN - 16, top + about.height)
    across, up = domains[0].on(box.left + 10, box.right - 4), domains[1].on(box.bottom, box.top)
    if limit:
        sheet.rect(Box(box.left, up(limit[0]), box.right, box.bottom), "zone")
    vertical(sheet, up, box)
    taken = [_limit(sheet, up(limit[0]), limit[1], box)] if limit else []
    baseline(sheet, box, box.bottom)
    bottom = horizontal(sheet, across, box)
    points = [(across(loss), up(risk)) for loss, risk in zip(losses, risks, strict=True)]
    names = [_name(row, label) for row in drawn]
    if frontier:
        best = _unbeaten(losses, risks)
        sheet.path([points[number] for number in best], "line pen1")
    selected = names.index(clean(chosen)) if chosen is not None and clean(chosen) in names else None
    order = sorted(range(len(drawn)), key=lambda number: (number == selected, names[number] != ""))
    for number in order:
        place = groups.index(clean(drawn[number].get(group))) if group else 0
        kind = f"rim {hue(place)}" if names[number] or number == selected else "faint"
        tip = f"{names[number] or 'candidate'}: {about.x_label} {form_x.exact(losses[number])}, "
        sheet.marker(
            *points[number],
            place,
            kind,
            radius=8 if number == selected else 5 if names[number] else 3,
            tip=f"{tip}{about.y_label} {form.exact(risks[number])}",
            link=_address(drawn[number].get(link)) if link else "",
            data={_attribute(name): clean(drawn[number].get(name)) for name in data},
        )
    avoid = [Box(box.left, up(limit[0]) - 1, box.right, up(limit[0]) + 1)] if limit else []
    left_out = _labels(sheet, points, names, box, taken, avoid, selected)
    bottom = below(sheet, titled(about.x_label, domains[0]), box, bottom)
    return sheet.figure(_noted(sheet, bottom, missing, left_out) + MARGIN, rows, columns)


def _domain(values: Sequence[float], form: Format, log: bool) -> Domain:
    return ratios(values, form) if log else even(values, form)


def _name(row: FigureRow, label: str | None) -> str:
    value = None if label is None else row.get(label)
    return "" if value is None or value != value or value == "" else clean(value)  # noqa: PLR0124 - NaN


def _samples(sheet: Sheet, groups: Sequence[str]) -> list[tuple[str, Swatch]]:
    def sample(place: int) -> Swatch:
        return lambda x, y: sheet.marker(x + 8, y + 6.5, place, hue(place), radius=5)

    return [(name, sample(place)) for place, name in enumerate(groups)]


def _limit(sheet: Sheet, y: float, text: str, box: Box) -> Box:
    """Draw the line that ends what is acceptable, with its name at the right, where candidates are few."""
    sheet.line(box.left, y, box.right, y, "mark")
    shown = shorten(text, box.width - 12, bold=True)
    x = box.right - 6 - text_width(shown, bold=True)
    return sheet.text(x, y - 6 if y - SIZE - 8 > box.top else y + 16, shown, kind="strong halo", full=text)


def _unbeaten(losses: Sequence[float], risks: Sequence[float]) -> list[int]:
    """Give the candidates that no other equals or betters in both respects, from the least loss to the least risk."""
    best: list[int] = []
    for number in sorted(range(len(losses)), key=lambda each: (losses[each], risks[each])):
        if not best or risks[number] < risks[best[-1]]:
            best.append(number)
    return best


def _labels(
    sheet: Sheet,
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    box: Box,
    taken: Sequence[Box],
    avoid: Sequence[Box],
    selected: int | None,
) -> int:
    """Write the names of points, with a line to those that stand further off, and count those without a place."""
    texts = [shorten(name, 0.3 * sheet.width, bold=number == selected) for number, name in enumerate(names)]
    field = Box(box.left + 2, box.top - 8, sheet.width - 4, box.bottom - 1)
    places = place_labels(points, texts, field, taken, avoid=avoid, bold=selected)
    for (x, y), text, name, place, number in zip(points, texts, names, places, range(len(points)), strict=True):
        if place is None:
            continue
        near = nearest((x, y), place)
        if abs(near[0] - x) + abs(near[1] - y) > 20:
            sheet.line(x, y, *near, "leader")
        kind = "strong halo" if number == selected else "halo"
        sheet.text(place.left, place.top + 0.82 * SIZE, text, kind=kind, full=name)
    return sum(place is None and text != "" for place, text in zip(places, texts, strict=True))


def _noted(sheet: Sheet, top: float, missing: int, left_out: int) -> float:
    """Say below the figure what it does not show."""
    notes = []
    if missing:
        notes.append(f"Not drawn for want of a number: {missing:,}.")
    if left_out:
        notes.append(f"Names left out for want of room: {left_out:,}.")
    for note in notes:
        sheet.text(MARGIN, top + 16, note, kind="muted")
        top += 18
    return top


def _address(value: object) -> str:
    """Give an address that a point may lead to. Anything that could run as a program is dropped."""
    text = "" if value is None else clean(value)
    return text if _SAFE_LINK.match(text) else ""


def _attribute(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "value"
